"""Intervals for every number of a release whose noise is public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded, UnsupportedArgument
from ..evidence import Evidence
from ..layouts import grown, in_unit
from ..release import Label
from .evidence import checked_label, evidence_of

Ends = tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]
ENDS = ["lower", "upper"]


def confint(frame: pd.DataFrame, level: float, target: str | None) -> pd.DataFrame:
    """Lower and upper ends in the shape of the table, its labels with one more level.

    A number without an interval of its own gets NaN where its neighbours have one; alone it is refused.
    """
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level < 1:
        raise UnsupportedArgument(f"level must lie between 0 and 1, not {level!r}.", level=level)
    if target not in (None, "population", "sample"):
        raise UnsupportedArgument(f"target must be 'population' or 'sample', not {target!r}.", target=target)
    label = checked_label(frame)
    with np.errstate(all="ignore"):
        ends = _all_ends(evidence_of(frame), level, target)
    rounding = 0.5 * 10.0 ** -label["rounded"] if label.get("rounded") is not None else 0.0
    wide = [(low - rounding, high + rounding) for low, high in ends]
    units = [facts["unit"] for facts in label["evidence"]]
    shown = [
        (in_unit(low, unit, statistic), in_unit(high, unit, statistic))
        for (low, high), unit, statistic in zip(wide, units, _statistics(label), strict=True)
    ]
    return _laid_out(frame, label, shown)


def _all_ends(evidence: list[Evidence], level: float, target: str | None) -> list[Ends]:
    ends: list[Ends | None] = []
    refusal: NotConcluded | None = None
    for each in evidence:
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
        sides = [np.column_stack([pair[side] for pair in ends]).reshape(frame.shape) for side in (0, 1)]
        table = pd.DataFrame(np.stack(sides, axis=2).reshape(len(frame), -1), index=frame.index)
        table.columns = grown(frame.columns, [ENDS] * frame.shape[1])
        return table
    if label["rows"] == "items" or len(ends) == 1 and frame.columns.nlevels == 1:
        return pd.DataFrame({name: np.concatenate([pair[i] for pair in ends]) for i, name in enumerate(ENDS)}, frame.index)
    table = pd.concat([pd.DataFrame(dict(zip(ENDS, pair, strict=True)), frame.index) for pair in ends], axis=1)
    firsts = np.cumsum([0, *label["shows"][:-1]])
    outer = frame.columns[firsts].droplevel(-1)
    table.columns = grown(outer, [ENDS] * len(ends))
    return table
