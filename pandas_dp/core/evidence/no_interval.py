"""Released numbers and names without an interval, and why they have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NoReturn

import numpy as np

from ...errors import NotConcluded
from ..arrays import Array
from .evidence import Evidence, Json, Seen

Why = Literal["private", "chosen", "end", "mechanism", "cells", "order", "range"]
By = Literal["bounds", "resolution", "range"]
RANKED = ("median", "quantile")  # which have columns for an interval whatever told them


@dataclass(frozen=True)
class Unsaid(Evidence):
    """A number for each cell, without a word of its noise.

    `why`: "private", where the scale of the noise was found in the data, so that it would give them away; "chosen" by
    its rank, where how far it is off depends on how close the data lie: an "end" of the data, by a
    "mechanism" that was named, or in too many "cells" for a label to tell of; a place in an "order"; a "range" to
    declare, which estimates nothing.

    `step`: of a column of floats, in which steps ranks are told; or, of other numbers, how far the one row is moved
    below whose effect no noise falls. It follows `by` what was declared: the "bounds" alone, which are cut into so many
    steps, a "resolution", or half of the "range".

    `within`: to which ends values were clamped, where nothing else says it.
    """

    statistic: str
    values: Seen
    why: Why = "private"
    step: float | None = None
    by: By | None = None
    within: tuple[float, float] | None = None
    kind: ClassVar[str] = "unsaid"
    has_intervals: ClassVar[bool] = False
    noisy: ClassVar[int] = 0

    @property
    def clamp(self) -> tuple[float, float] | None:
        return self.within

    def measures(self, level: float, target: str) -> dict[str, Array]:
        """Quantiles show that they have no interval."""
        if self.statistic not in RANKED:
            return super().measures(level, target)
        missing = np.full(len(self.values), np.nan)
        return {self.statistic: self.values, "lower": missing, "upper": missing}

    @property
    def follows(self) -> Json:
        """Why there is no interval, of a quantile."""
        ranked = self.statistic in (*RANKED, "iqr") or self.why == "end"
        return {"no_interval": NO_INTERVAL[self.why].format(self.statistic)} if ranked else {}

    def unsaid_because(self) -> str | None:
        if self.why != "private":
            return None
        return (
            f"the noise of this {self.statistic} was scaled by the data, and is private; how far off it may be "
            "cannot be known. Ask with model='dp'."
        )

    def own_cells(self) -> None:
        if self.why == "private":
            raise NotConcluded(
                "the noise of this release was scaled by the data, and is private, so no test can take it into "
                "account; ask with model='dp'."
            )

    def not_adjusted_because(self) -> str | None:
        if self.why != "private":
            return None
        return (
            "adjusting keeps intervals honest, and this release has none: its noise is private. Change it by pandas' "
            "own means, e.g. table.clip(lower=0)."
        )

    def interval(self, level: float, target: str) -> NoReturn:
        raise NotConcluded(NO_INTERVAL[self.why].format(self.statistic), statistic=self.statistic)

    def pooled(self, others: Sequence[Unsaid]) -> NoReturn:
        raise NotConcluded(NO_WEIGHT[self.why].format(self.statistic), statistic=self.statistic)


NO_INTERVAL = {
    "private": "this {} has no interval: its noise was scaled by the data, and the scale would give the data away; ask "
    "with model='dp' for one.",
    "chosen": "a released {} has no interval of its own: how far it is off depends on the data around it; ask for the "
    "quantiles themselves, e.g. quantile([0.25, 0.75]), each of which has one.",
    "end": "a released {} has no interval: no row says what lies beyond the last of them; ask for a quantile near the "
    "end, e.g. quantile(0.99), which has one.",
    "mechanism": "a {} by a mechanism that was named is one choice and has no interval; leave mechanism= out for one.",
    "cells": "a {} in so many cells has no interval, which a label could not hold; use fewer keys or categories.",
    "order": "what {} released is an order of keys, and no number of theirs, so it has no interval; count them, giving "
    "the release as categories=.",
    "range": "what {} released is a range to declare, and estimates nothing, so it has no interval; give it as bounds= "
    "of a question that does.",
}
NO_WEIGHT = {
    "private": "a {} whose noise was scaled by the data has no weight to combine it with; ask once with the whole "
    "cost.",
    **dict.fromkeys(
        ("chosen", "end", "mechanism", "cells"),
        "a released {} was chosen, without noise of a known size, so there are no weights to combine it with "
        "others; ask once with the whole cost.",
    ),
    "order": "orders of keys are not averaged; ask for {} once with the whole cost.",
    "range": "what {} released are ends of a range, which are not averaged; choose once with the whole cost.",
}


@dataclass(frozen=True)
class Name(Evidence):
    """The candidate that was chosen, and among which: no number, so nothing is said of how far off one may be."""

    statistic: str
    values: Seen
    among: tuple[str, ...]
    kind: ClassVar[str] = "name"
    has_intervals: ClassVar[bool] = False
    noisy: ClassVar[int] = 0
    not_combined: ClassVar[str] = "names are not averaged; ask for {} once with the whole cost."

    def unsaid_because(self) -> str:
        return (
            f"what {self.statistic} released is a name, and no number, so it has no interval; ask for the total of the "
            "column that it stands for."
        )

    def interval(self, level: float, target: str) -> NoReturn:
        raise NotConcluded(self.unsaid_because(), statistic=self.statistic)

    def not_adjusted_because(self) -> str:
        return f"what {self.statistic} released is a name, and no number, so there is nothing to adjust."
