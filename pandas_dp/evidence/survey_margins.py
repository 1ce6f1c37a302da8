"""A weighted table with its margins, each with the error that the design of the survey gives to its cells together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from .base import Array, Evidence
from .maps import AddedUp
from .noise import Floats
from .survey_counts import SurveyedCounts
from .surveys import Surveyed


@dataclass(frozen=True)
class SurveyedMargins(Evidence):
    """Cells of a rectangle, and behind each row, below each column, what all of its cells say together.

    A person is in one cell, so squares and sums of people, of strata and of sampling units add up over cells, and a
    margin's error follows from them as a cell's does (docs/proofs/surveys.md).
    """

    inner: Surveyed | SurveyedCounts
    rows: int
    columns: int
    kind: ClassVar[str] = "surveyed margins"
    default_target: ClassVar[str] = "population"

    @property
    def statistic(self) -> str:
        return self.inner.statistic

    @property
    def clamp(self) -> tuple[float, float] | None:
        return self.inner.clamp

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | (self.inner.offers & {"shares"})

    @property
    def shape(self) -> tuple[int, int]:
        """Without margins."""
        return self.rows, self.columns

    @cached_property
    def _parts(self) -> tuple[Surveyed | SurveyedCounts, ...]:
        """Cells, totals of rows, totals of columns and that of all."""
        return (self.inner, *(self.inner.added_up(AddedUp(self.shape, over)) for over in ((1,), (0,), (0, 1))))

    def _framed(self, of: Callable[[Any], Array]) -> Array:
        inner, right, below, corner = (np.asarray(of(part)) for part in self._parts)
        return np.block([[inner.reshape(self.shape), right[:, None]], [below[None, :], corner[None, :]]]).ravel()

    @property
    def estimate(self) -> Array:
        return self._framed(lambda part: part.estimate)

    def std_error(self, target: str) -> Floats:
        return self._framed(lambda part: part.std_error(target))

    def interval(self, level: float, target: str) -> tuple[Array, Array]:
        low = self._framed(lambda part: part.interval(level, target)[0])
        return low, self._framed(lambda part: part.interval(level, target)[1])

    @property
    def lower(self) -> float:
        return self.inner.lower

    @property
    def upper(self) -> float:
        return self.inner.upper

    @property
    def has_totals(self) -> tuple[bool, bool]:
        return True, True

    def not_adjusted_because(self) -> str | None:
        return self.inner.not_adjusted_because()

    def pooled(self, others: Sequence[Any]) -> Evidence:
        return self.inner.pooled(others)
