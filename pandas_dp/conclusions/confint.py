"""Intervals for every number of a release whose noise is public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded, wrong_value
from ..evidence import Evidence
from ..release import Label, grown, in_unit, in_zone, joined
from .evidence import checked_label, evidence_of

Floats = np.ndarray[Any, Any]
Ends = tuple[Floats, Floats]
ENDS = ["lower", "upper"]


def confint(frame: pd.DataFrame, confidence: float, target: str | None, simultaneous: bool = False) -> pd.DataFrame:
    """Lower and upper ends in the shape of the table, its labels with one more level.

    A number without an interval of its own gets NaN where its neighbours have one; alone it is refused.
    """
    check_confidence(confidence)
    check_target(target)
    if not isinstance(simultaneous, bool):
        raise wrong_value("simultaneous", "be True or False", simultaneous)
    label = checked_label(frame)
    if label.get("adjusted"):
        raise NotConcluded(
            f"this table was adjusted after its release ({'; '.join(label['adjusted'])}); take the intervals of the "
            "release that it was made from."
        )
    evidence = evidence_of(frame)
    levels = jointly(evidence, float(confidence)) if simultaneous else [float(confidence)] * len(evidence)
    with np.errstate(all="ignore"):
        ends = _all_ends(evidence, levels, target)
    rounding = rounded_by(label)
    ends = [_grown(each, low, high, rounding) for each, (low, high) in zip(evidence, ends, strict=True)]
    units = [facts["type"] for facts in label["evidence"]]
    found = [
        (in_unit(low, unit, statistic), in_unit(high, unit, statistic))
        for (low, high), unit, statistic in zip(ends, units, _statistics(label), strict=True)
    ]
    return in_zone(_laid_out(frame, label, found), label.get("zone"))


def check_confidence(confidence: object) -> None:
    if (
        isinstance(confidence, bool)
        or not isinstance(confidence, int | float | np.integer | np.floating)
        or not 0 < confidence < 1
    ):
        raise wrong_value("confidence", "lie between 0 and 1", confidence)


def check_target(target: object) -> None:
    if not (target is None or (isinstance(target, str) and target in ("population", "sample"))):
        raise wrong_value("target", "be 'population' or 'sample'", target)


def rounded_by(label: Label) -> float:
    """How far rounding after the release may have moved a number."""
    decimals = sum(0.5 * 10.0**-decimals for decimals in label.get("rounded", ()))
    return decimals + sum(base / 2 for base in label.get("bases", ())) + sum(label.get("moved", ()))


def is_reworked(label: Label) -> bool:
    """Whether its numbers were rounded or adjusted after they were released."""
    return any(label.get(change) for change in ("rounded", "bases", "adjusted"))


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


def _statistics(label: Label) -> list[str]:
    return [facts.get("statistic") or ("std" if facts.get("root") else "") for facts in label["evidence"]]


def _laid_out(frame: pd.DataFrame, label: Label, ends: list[Ends]) -> pd.DataFrame:
    if label["shows"] is None:  # a rectangle of estimates: each column becomes two
        width = frame.shape[1]
        sides = [[_column(ends, side, place, width) for side in (0, 1)] for place in range(width)]
        table = pd.DataFrame(dict(enumerate(side for pair in sides for side in pair)), index=frame.index)
        table.columns = grown(frame.columns, [ENDS] * width)
        return table
    if label["rows"] == "items" or (len(ends) == 1 and frame.columns.nlevels == 1):
        return pd.DataFrame({name: joined([pair[i] for pair in ends]) for i, name in enumerate(ENDS)}, frame.index)
    table = pd.concat([pd.DataFrame(dict(zip(ENDS, pair, strict=True)), frame.index) for pair in ends], axis=1)
    firsts = np.cumsum([0, *label["shows"][:-1]])
    outer = frame.columns[firsts].droplevel(-1)  # type: ignore[arg-type]  # the stubs know flat labels only
    table.columns = grown(outer, [ENDS] * len(ends))
    return table


def _column(ends: list[Ends], side: int, place: int, width: int) -> np.ndarray[Any, Any]:
    """One end of the numbers in one column: of the cells of one item, or of every so many items."""
    if len(ends) == 1:
        return ends[0][side][place::width]
    return joined([pair[side] for pair in ends[place::width]])
