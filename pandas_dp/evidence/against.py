"""One mean against a given value: the one-sample, the paired and the signed-rank test."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import INTERVALS, Evidence
from .errors_of_tests import least_error, one_row
from .means import Means
from .moments import MomentSums
from .noise import Floats


@dataclass(frozen=True)
class Against(Evidence):
    """The mean of one cell, and whether it is `value`. `tied`, of ranks of pairs: which share of all twos of
    differences seem to be in the same bin of the first look, 0 where rows are too few to tell."""

    statistic: str
    sums: MomentSums
    value: float
    tied: float | None = None
    kind: ClassVar[str] = "against"
    default_target: ClassVar[str] = "population"

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS | {"equivalence_test", "test"}

    @cached_property
    def _means(self) -> Means:
        return Means(self.sums)

    @property
    def estimate(self) -> Floats:
        return self._means.estimate

    @property
    def lower(self) -> float:
        return self._means.lower

    @property
    def upper(self) -> float:
        return self._means.upper

    def std_error(self, target: str) -> Floats:
        return self._means.std_error(target)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        return self._means.interval(level, target)

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        (estimate,), (error,) = self.estimate, self.std_error(target)
        (low,), (high,) = self.interval(level, target)
        with np.errstate(all="ignore"):
            statistic = (estimate - self.value) / error
        return one_row(estimate, error, low, high, statistic, self._p(target) if statistic == statistic else np.nan)

    def pooled(self, others: Sequence[Any]) -> Evidence:
        raise NotConcluded("tests of rows are not combined; ask once with the whole cost.")

    def _p(self, target: str) -> float:
        off = self.value - self.sums.centre

        def holds(level: Floats) -> Any:
            low, high = self._means.ends(level.reshape(1), target)
            return not (low[0] > off or high[0] < off)

        return least_error(holds)
