"""What is said below a released table, wherever it is shown: of its intervals, its note, and what looks wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..core.conclude.confint import confint
from ..core.conclude.digits import Digits, as_text
from ..core.conclude.results import Findings
from ..core.evidence.no_interval import RANKED, Unsaid
from ..core.label.label import Label
from ..core.label.layout import Item, Released
from ..errors import NotConcluded
from .hints import finding, noise, regressions, rows  # noqa: F401 (each brings its hints)
from .hints.finding import HINTS, Finding
from .hints.rows import in_words, of_a_row
from .titles import as_bound, whom_of


def findings(table: Released | pd.DataFrame) -> list[Finding]:
    """Everything that stages wrong with a release, causes first; what a cause explains is left out."""
    released = Released.of(table, parts=True)
    reworked = released.label.is_reworked or released.label.releases or released.part is not None
    with np.errstate(all="ignore"):
        found = [each for rule in ([rows.unprotected] if reworked else HINTS) for each in rule(released)]
    causes = [each for each in found if each.cause]
    columns, places = {each.column for each in causes} - {None}, {each.where for each in causes}
    rest = [each for each in found if not each.cause and each.column not in columns and each.where not in places]
    said = {each.where for each in [*causes, *rest] if not each.last}
    return _together([each for each in [*causes, *rest] if not each.last or each.where not in said])


def _together(found: list[Finding]) -> list[Finding]:
    """What is said of several numbers of one column in the same words is said once, with all their names."""
    alike: dict[tuple[object, ...], Finding] = {}
    for each in found:
        key = each.finding, each.advice, each.column, each.cause
        before = alike.get(key)
        alike[key] = each if before is None else replace(before, where=f"{before.where}, {each.where}")
    return list(alike.values())


def check(table: Released | pd.DataFrame) -> Findings:
    """The same as a table; empty where nothing does."""
    rows = [(each.finding, each.where, each.advice) for each in findings(table)]
    return Findings(rows, columns=["finding", "where", "advice"], dtype=object)


SOURCES = {
    "measured": "Measured: released numbers.",
    "bounded": "Bounded: of a model, whose distance from the data was released; table() shows the bounds.",
    "fitted": "Fitted: what a model makes of other tables; nothing says how far off it is.",
}
CHOSEN = ("cut off", "share of the cost chose")  # in an estimand: what was released before decided what is estimated
MOST_CLAMPS = 8  # that are named below a table
MOST_NUMBERS = 10_000  # that are looked through for a view; `check` looks through all


def about_intervals(released: Released) -> list[str]:
    """Of a single number, its interval in words; of several, what the columns `lower` and `upper` are."""
    label, items = released.label, released.items
    if released.part is not None or len(items) != 1 or len(items[0].evidence.estimate) != 1:
        return [f"{level_of(label)} intervals {about_ends(released)}."] if _has_ends(released) else []
    try:
        ends = confint(released, label.confidence, None)
    except NotConcluded:
        return []
    if label.rounded and {"lower", "upper"} <= set(released.frame.columns):  # which were rounded outward
        ends = released.frame[["lower", "upper"]]
    low, high = ends.to_numpy(dtype=object)[0]
    if pd.isna(low) or low == high:
        return []
    digits = Digits.of(released)
    half, whole = float(digits.halves[0, 0]), bool(digits.whole[0, 0])
    said = " to ".join(as_text(end, half, side, whole) for end, side in ((low, -1), (high, 1)))
    whom = whom_of(label, items[0].evidence.default_target)
    return [f"{level_of(label)} interval for the {whom}: {said}{_clamped(items)}."]


def about_estimate(released: Released) -> list[str]:
    """Of a test, what its estimate is, where that is no mean; where an earlier stage decided it, to what values or
    residuals were cut; of a rectangle of a synthesis, where it comes from; of noise that is private, what it never
    falls below."""
    label = released.label
    if label.model != "dp":
        steps = [said for item in released.items if (said := _about_steps(item)) is not None]
        clamped = _clamped(released.items).removeprefix(", of")
        return [*dict.fromkeys(steps), *([f"Of{clamped}."] if clamped else [])]
    if label.statistic == "synthesis" and released.is_rectangle:
        return [SOURCES[label.source]]
    of = label.estimand if isinstance(label.estimand, str) else ""
    says = label.statistic.endswith("_test") or any(words in of for words in CHOSEN)
    return [f"Estimate: {of}."] if of and says else []


def _about_steps(item: Item) -> str | None:
    evidence = item.evidence
    if not isinstance(evidence, Unsaid) or evidence.step is None:
        return None
    end = {"bounds": "; where values differ by less, give resolution=", "range": "; closer bounds have less"}
    if evidence.statistic in (*RANKED, "iqr", "min", "max"):
        what = f"{item.column} is read in steps of {in_words(evidence.step)} for the {evidence.statistic}"
    else:
        least = of_a_row(evidence.statistic, evidence.step)
        what = f"Noise of the {evidence.statistic} of {item.column} is never less than {least} brings"
    return f"{what}{end.get(evidence.by or '', '')}."


def about_note(label: Label) -> list[str]:
    """How the question was read; and what was written behind it, such as which rows were kept."""
    return [*map(str, label.remarks or ()), *([] if label.note is None else [f"Note: {label.note}"])]


def about_ends(released: Released) -> str:
    """Whom intervals are about, statistic by statistic where they differ, and to what values were clamped.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> release = people["age"].dp.agg(["mean", "sum"], epsilon=1, bounds=(0, 120))
    >>> about_ends(Released.of(release))
    'for the population (mean), for the rows in the data (sum), of values clamped to 0 … 120'
    """
    items = [item for item in released.items if item.evidence.has_intervals]
    found: dict[str, dict[str, None]] = {}
    for item in items:
        found.setdefault(whom_of(released.label, item.evidence.default_target), {})[_name(item, items)] = None
    ends_of = [f"for the {whom}" + f" ({', '.join(names)})" * (len(found) > 1) for whom, names in found.items()]
    told = ", around the numbers as they were released" if released.label.before is not None else ""
    return ", ".join(ends_of) + told + _clamped(items)


def _name(item: Item, items: Sequence[Item]) -> str:
    """Its statistic, and its column where that statistic of another is about somebody else."""
    alike = {each.evidence.default_target for each in items if each.statistic == item.statistic}
    return item.statistic if len(alike) == 1 or item.column is None else f"{item.statistic} of {item.column}"


def _clamped(items: Sequence[Item]) -> str:
    """To what values were brought before they counted, column by column where that differs."""
    found: dict[str, dict[str, None]] = {}
    of_times = {item.column for item in items if item.kind == "datetime"}  # whose deviations are lengths of time
    for item in items:
        ends = item.evidence.clamp
        if item.kind == "timedelta" and item.column in of_times:
            continue
        if ends is not None and item.statistic != "share" and item.kind != "name":
            found.setdefault(" … ".join(as_bound(end, item) for end in ends), {})[str(item.column)] = None
    several = len(found) > 1
    listed = [ends + f" ({', '.join(columns)})" * several for ends, columns in list(found.items())[:MOST_CLAMPS]]
    more = f" and {len(found) - MOST_CLAMPS} more" * (len(found) > MOST_CLAMPS)
    return f", of values clamped to {', '.join(listed)}{more}" if listed else ""


def level_of(label: Label) -> str:
    """The confidence of its intervals.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=1).protect(pd.DataFrame({"age": [31, 54, 47]}))
    >>> level_of(Released.of(people["age"].dp.sum(bounds=(0, 100), epsilon=0.5)).label)
    '95 %'
    """
    return f"{100 * label.confidence:.6g} %"


def hints(released: Released) -> list[str]:
    """What looks wrong, a sentence each; nothing of a table too large to be looked through at once."""
    if released.shown.size > MOST_NUMBERS:
        return []
    return [f"Hint: {each.where}: {each.finding}. {each.advice}" for each in findings(released)]


def _has_ends(released: Released) -> bool:
    """Whether an interval of anything stands beside the numbers."""
    names = [column[-1] if isinstance(column, tuple) else column for column in released.shown.columns]
    ends = [] if released.is_rectangle else [at for at, name in enumerate(names) if name == "lower"]
    return bool(released.shown.iloc[:, ends].notna().to_numpy().any())
