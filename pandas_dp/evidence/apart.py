"""How far two quantiles are apart, from what was released beside each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import Array, Evidence
from .codec import Seen
from .quantiles import Quantiles


@dataclass(frozen=True)
class QuantilesApart(Evidence):
    """The distance of two quantiles that were told together; its interval takes both of theirs, at half the risk."""

    statistic: str
    values: Seen
    first: Quantiles
    second: Quantiles  # the one of the higher rank
    kind: ClassVar[str] = "quantiles apart"

    @property
    def default_target(self) -> str:
        return self.first.default_target

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def lower(self) -> float:
        return 0.0

    @property
    def upper(self) -> float:
        return self.first.upper - self.first.lower

    def interval(self, level: float, target: str) -> tuple[Array, Array]:
        """Both quantiles lie in their intervals unless one of two things happens, each with half of the chance."""
        each = (1 + level) / 2
        (begin, end), (from_, to) = (quantile.interval(each, target) for quantile in (self.first, self.second))
        return np.maximum(from_ - end, 0), np.maximum(to - begin, 0)

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded(
            f"releases of the {self.statistic} are not averaged; ask once with the whole cost.",
            statistic=self.statistic,
        )
