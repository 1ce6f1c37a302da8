"""Keys that are to be found: their counts, and the most frequent of them in order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.evidence.no_interval import Unsaid
from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, Cells
from ..core.measure.measurement import Noisy
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import whole_numbers
from ..core.schema.values import ByFields, Kind, said
from ..numeric.measure import Counts, Moments
from ..people.measure import PeopleCounts
from .evidence import KeyNumbers
from .measure import Occurring, ShownKeys


@dataclass(frozen=True)
class TopValues:
    """The first so many keys by the rows of each, or by the people who have it; none of their numbers."""

    measurement: Counts | PeopleCounts | Occurring
    picks: int
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "integer"
    statistic: ClassVar[str] = "rank"
    finds_keys: ClassVar[bool] = True
    is_of_people: ClassVar[bool] = True  # as it is, where they have many rows
    planned: ClassVar[str] = "keys.run:plan_to_find"

    @property
    def unknown(self) -> bool:
        """Whether nobody declared them."""
        return isinstance(self.measurement, Occurring)

    @property
    def most(self) -> int:
        """Keys that nobody declared, of one person."""
        return (self.measurement.most or 1) if isinstance(self.measurement, Occurring) else 1

    def to_json(self) -> dict[str, Any]:
        of = self.measurement if isinstance(self.measurement, Occurring) else self.measurement.cells
        people = "people" if isinstance(self.measurement, PeopleCounts) else None
        return said(statistic="rank", of=of, picks=self.picks, count=people)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Any, ...]:
        """The rows of each key; a plan of their own asks for them."""
        return (self.measurement,)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Unsaid:
        (picked,) = answers
        return Unsaid("top_values", np.arange(1, len(picked.table) + 1), "order")


@dataclass(frozen=True)
class FoundCounts(ByFields):
    """The keys that occur, where they are shown, with the rows of each; `other` are all rows but those.

    Of people with several keys, the weight of each key in place of their number.
    """

    measurement: Occurring
    other: bool = False
    cells: ClassVar[Cells] = ONE_CELL
    finds_keys: ClassVar[bool] = True
    is_of_people: ClassVar[bool] = True  # as it is, where they have many rows
    planned: ClassVar[str] = "keys.run:plan_to_find"
    words: ClassVar = {"measurement": "found"}

    @property
    def weighs(self) -> bool:
        """Whether people share themselves out over their keys."""
        return self.measurement.unit > 1

    @property
    def statistic(self) -> str:
        return "weight" if self.weighs else "count"

    @property
    def kind(self) -> Kind:
        return "float" if self.weighs else "integer"

    def needs_rows(self, public: PublicFacts) -> bool:
        """Whether the number of all rows is private, and wanted."""
        return self.other and public.size is None

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Any, ...]:
        """The keys that occur, which are no sums: a plan of their own asks for them."""
        return (self.measurement,)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> KeyNumbers:
        (shown,) = answers
        assert isinstance(shown, ShownKeys)
        counts, rows, least = (
            whole_numbers(shown.table[:, 0]),
            None,
            self.measurement.weight_of_one(self.measurement.most or 1),
        )
        if self.weighs:
            counts = counts / shown.unit
        if self.other:
            total = public.size if shown.rows is None else shown.rows
            counts = np.append(counts, whole_numbers(np.array([total], dtype=object)) - counts.sum())
            rows = None if shown.rows is None else Noise(shown.laws[1])
        noise = Noise(shown.laws[0], 1 / shown.unit)
        how = (shown.threshold, least, self.other, rows, self.measurement.key.spelling)
        return KeyNumbers(self.statistic, counts, noise, *how)
