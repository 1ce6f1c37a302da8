"""Intervals for every number of a release whose noise is public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded
from ..evidence import Evidence
from ..reading import a_flag, a_number, one_of
from ..release import Part, Released, grown, in_unit, in_zone

Floats = np.ndarray[Any, Any]
Ends = tuple[Floats, Floats]
ENDS = ["lower", "upper"]


def confint(
    table: Released | pd.DataFrame, confidence: float, target: str | None, simultaneous: bool = False
) -> pd.DataFrame:
    """Lower and upper ends in the shape of the table, its labels with one more level.

    A number without an interval of its own gets NaN where its neighbours have one; alone it is refused.
    """
    confidence = a_number("confidence", confidence, 0, 1)
    check_target(target)
    a_flag("simultaneous", simultaneous)
    released = Released.of(table, parts=True)
    label, evidence = released.label, released.evidence
    if label.adjusted:
        raise NotConcluded(
            f"this table was adjusted after its release ({'; '.join(label.adjusted)}); take the intervals of the "
            "release that it was made from."
        )
    levels = jointly(evidence, confidence) if simultaneous else [confidence] * len(evidence)
    with np.errstate(all="ignore"):
        ends = _all_ends(evidence, levels, target)
    ends = [_grown(each, low, high, label.rounded_by) for each, (low, high) in zip(evidence, ends, strict=True)]
    pairs = zip(released.items, ends, strict=True)
    found = [[in_unit(end, item.kind) for end in both] for item, both in pairs]
    whole = in_zone(released.layout.spread(found, ENDS), label.zone)
    return whole if released.part is None else of_part(whole, released, released.part)


def of_part(whole: pd.DataFrame, released: Released, part: Part) -> pd.DataFrame:
    """Of the intervals of a release, those of the cells that a table holds, under its labels.

    A table of estimates has two columns for each of its own. Where measures stand beside estimates, each item that is
    still in the table has its ends, turned as the table is.
    """
    shown = released.shown.T if part.turned and not released.is_rectangle else released.shown
    low, high = (whole.iloc[:, side::2].to_numpy(dtype=object) for side in (0, 1))
    if released.is_rectangle:
        low, high = part.taken(low), part.taken(high)
        columns: pd.Index = grown(shown.columns, [ENDS] * shown.shape[1])
    else:
        items, firsts = items_of(part, released, low.shape[1])
        low, high = (each[np.ix_(part.rows, items)] for each in (low, high))
        one = shown.columns.nlevels == 1
        columns = pd.Index(ENDS) if one else grown(shown.columns[firsts].droplevel(-1), [ENDS] * len(items))  # type: ignore[arg-type]
    both = np.stack([low, high], axis=2).reshape(len(shown), -1)
    table = pd.DataFrame(both, index=shown.index, columns=columns).infer_objects()
    return table.T if part.turned and not released.is_rectangle else table


def items_of(part: Part, released: Released, width: int) -> tuple[list[int], list[int]]:
    """Which items have a column in the part, and the first column of each."""
    if width == 1:
        return [0], [0]
    shows = released.label.shows or ()
    owner = np.repeat(np.arange(len(shows)), shows)
    held = [int(owner[column]) for column in part.columns]
    items = list(dict.fromkeys(held))
    return items, [held.index(item) for item in items]


def check_target(target: object) -> None:
    if target is not None:
        one_of("target", target, ("population", "sample"))


def _grown(evidence: Evidence, low: Floats, high: Floats, by: float) -> Ends:
    """Ends that allow for rounding, still cut at what is possible."""
    if not by:
        return low, high
    least, most = getattr(evidence, "lower", -np.inf), getattr(evidence, "upper", np.inf)
    return np.maximum(low - by, least), np.minimum(high + by, most)


def jointly(evidence: list[Evidence], level: float) -> list[float]:
    """For the numbers of each item, the level at which all intervals of the table together hold the level asked.

    The chance to miss is shared among items in proportion to their numbers (Bonferroni); within an item whose numbers
    have independent noise the k-th root of its level is exact (Šidák), elsewhere its share is divided by k.
    """
    numbers = sum(each.noisy for each in evidence)
    levels = []
    for each in evidence:
        missed = (1 - level) * each.noisy / max(numbers, 1)
        one = -np.expm1(np.log1p(-missed) / max(each.noisy, 1)) if each.apart else missed / max(each.noisy, 1)
        levels.append(float(np.nextafter(1 - one, 1)) if 0 < one < 1 - level else level)
    return levels


def _all_ends(evidence: list[Evidence], levels: list[float], target: str | None) -> list[Ends]:
    ends: list[Ends | None] = []
    refusal: NotConcluded | None = None
    for each, level in zip(evidence, levels, strict=True):
        try:
            ends.append(each.interval(level, target or each.default_target))
        except NotConcluded as error:
            refusal = error
            ends.append(None)
    if refusal is not None and all(pair is None for pair in ends):
        raise refusal
    nothing = [np.full(len(each.estimate), np.nan) for each in evidence]
    return [pair or (missing, missing) for pair, missing in zip(ends, nothing, strict=True)]
