"""What is said below a released table, wherever it is shown: of its intervals, its note, and what looks wrong."""

from __future__ import annotations

import pandas as pd

from ..errors import NotConcluded
from ..release import Label, Released
from .confint import confint
from .digits import Digits, as_text
from .hints import findings
from .titles import whom_of

SOURCES = {
    "measured": "Measured: released numbers.",
    "bounded": "Bounded: of a model, whose distance from the data was released; table() shows the bounds.",
    "fitted": "Fitted: what a model makes of other tables; nothing says how far off it is.",
}
MOST_NUMBERS = 10_000  # that are looked through for a view; `check` looks through all


def about_intervals(released: Released) -> list[str]:
    """Of a single number, its interval in words; of several, what the columns `lower` and `upper` are."""
    label, items = released.label, released.items
    if released.part is not None or len(items) != 1 or len(items[0].evidence.estimate) != 1:
        whom = whom_all(released)
        return [f"{level_of(label)} intervals for the {whom}."] if whom and _has_ends(released) else []
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
    return [f"{level_of(label)} interval for the {whom}: {said}."]


def about_estimate(released: Released) -> list[str]:
    """Of a test, what its estimate is, where that is no mean; of a rectangle of a synthesis, where it comes from."""
    label = released.label
    if label.statistic == "synthesis" and released.is_rectangle:
        return [SOURCES[label.source]]
    return [f"Estimate: {label.estimand}."] if label.estimand and label.statistic.endswith("_test") else []


def about_note(label: Label) -> list[str]:
    """What was written behind the question, such as which rows were kept."""
    return [] if label.note is None else [f"Note: {label.note}"]


def whom_all(released: Released) -> str:
    """Whom all intervals of a table are about; nothing where they are about different things."""
    whom = {whom_of(released.label, item.evidence.default_target) for item in released.items}
    return whom.pop() if len(whom) == 1 else ""


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
