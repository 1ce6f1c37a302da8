"""The most frequent keys in order, of those declared or of keys that nobody declared."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Unsaid
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Counts, Moments, Occurring, PeopleCounts


@dataclass(frozen=True)
class TopValues:
    """The first so many keys by the rows of each, or by the people who have it; none of their numbers."""

    tally: Counts | PeopleCounts | Occurring
    picks: int
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "integer"
    statistic: ClassVar[str] = "rank"
    finds_keys: ClassVar[bool] = True

    @property
    def unknown(self) -> bool:
        """Whether nobody declared them."""
        return isinstance(self.tally, Occurring)

    @property
    def most(self) -> int:
        """Keys that nobody declared, of one person."""
        return (self.tally.most or 1) if isinstance(self.tally, Occurring) else 1

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        of = self.tally.to_json() if isinstance(self.tally, Occurring) else self.tally.cells.to_json()
        people = "people" if isinstance(self.tally, PeopleCounts) else None
        return said(statistic="rank", of=of, picks=self.picks, count=people)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Any, ...]:
        """The rows of each key; a plan of their own asks for them."""
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Unsaid:
        (picked,) = answers
        return Unsaid("top_values", np.arange(1, len(picked.table) + 1), "order")
