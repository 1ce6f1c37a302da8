"""The mean of values clamped to bounds that were released on the way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import Evidence
from .clamped import clamped_mean
from .means import Means
from .noise import Floats, Noise


@dataclass(frozen=True)
class MeanWithin(Evidence):
    """A mean whose range is no declared one: part of the cost chose its `ends`. Proof: docs/proofs/private-bounds.md.

    `released` are how many values there are, the sum of u and that of 1 - u², u from -1 at one of the ends to 1 at the
    other; where the number is public it is `size`.
    """

    ends: tuple[float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]
    size: int | None = None
    kind: ClassVar[str] = "mean within"
    statistic: ClassVar[str] = "mean"
    default_target: ClassVar[str] = "population"
    noisy: ClassVar[int] = 1

    @cached_property
    def _mean(self) -> Means:
        return clamped_mean(self.ends, self.released, self.noises, size=self.size)

    @property
    def lower(self) -> float:
        return self.ends[0]

    @property
    def upper(self) -> float:
        return self.ends[1]

    @property
    def estimand(self) -> str:
        low, high = self.ends
        return (
            f"mean of the values clamped to {low:.6g} and {high:.6g}, bounds that a share of the cost chose; what few "
            "values beyond them would add is not in it"
        )

    @property
    def estimate(self) -> Floats:
        return self._mean.estimate

    def std_error(self, target: str) -> Floats:
        return self._mean.std_error(target)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        return self._mean.interval(level, target)

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded("means within different chosen bounds are not combined; ask once with the whole cost.")
