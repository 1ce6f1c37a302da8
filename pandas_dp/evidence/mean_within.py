"""The mean of values clamped to bounds that were released on the way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn

from ..dataclass import dataclass
from ..errors import NotConcluded
from .clamped import Clamped, clamped_mean
from .means import Means
from .noise import Noise


@dataclass(frozen=True)
class MeanWithin(Clamped):
    """A mean whose range is no declared one: part of the cost chose its `ends`. Proof: docs/proofs/private-bounds.md.

    Where the number of values is public it is `size`.
    """

    ends: tuple[float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]
    size: int | None = None
    kind: ClassVar[str] = "mean within"
    statistic: ClassVar[str] = "mean"

    @cached_property
    def _mean(self) -> Means:
        return clamped_mean(self.ends, self.released, self.noises, size=self.size)

    @property
    def estimand(self) -> str:
        low, high = self.ends
        return (
            f"mean of the values clamped to {low:.6g} and {high:.6g}, bounds that a share of the cost chose; what few "
            "values beyond them would add is not in it"
        )

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded("means within different chosen bounds are not combined; ask once with the whole cost.")
