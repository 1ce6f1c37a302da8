"""The mean of values clamped to bounds that were released on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn

from ..errors import NotConcluded
from .means import Means


@dataclass(frozen=True)
class MeanWithin(Means):
    """A mean whose range is no declared one: part of the cost chose it. Proof: docs/proofs/private-bounds.md."""

    kind: ClassVar[str] = "mean within"

    @property
    def estimand(self) -> str:
        low, high = self.span
        return (
            f"mean of the values clamped to {low:.6g} and {high:.6g}, bounds that a share of the cost chose; what few "
            "values beyond them would add is not in it"
        )

    def half_width(self, level: float) -> None:
        """Not known before bounds are."""
        return

    def pooled(self, others: Sequence[Means]) -> NoReturn:
        raise NotConcluded("means within different chosen bounds are not combined; ask once with the whole cost.")
