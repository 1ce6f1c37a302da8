"""What looks at tables told so far: noisy numbers of each, put together, and about how many rows there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import sqrt
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..evidence import Noise, averaged
from ..evidence import weights as weights_of
from ..laws import Law
from ..margins import Kept, Told
from ..tally import Blurred, CountedTables, SomeTables

Array = np.ndarray[Any, Any]
SURE = 3.0  # standard deviations within which an estimate of the number of rows is taken for the public one


@dataclass(frozen=True)
class MeasuredTables:
    """Of each table the noisy numbers of one look or several, each with its noise."""

    counted: CountedTables
    found: dict[Kept, tuple[tuple[Array, Law], ...]] = field(default_factory=dict)
    total: tuple[float, float] | None = None  # the number of rows where it was measured by itself, and its variance

    def with_look(self, tally: SomeTables, answer: Blurred) -> MeasuredTables:
        """Those of one more look."""
        found, start = dict(self.found), 0
        for which in tally.which:
            kept, stop = self.counted.tables[which], start + self.counted.sizes[which]
            values = answer.table[0, start:stop].astype(float).reshape(self.shape(kept))
            found[kept] = (*found.get(kept, ()), (values, answer.laws[start]))
            start = stop
        return MeasuredTables(self.counted, found, self.total)

    def with_total(self, rows: float, variance: float) -> MeasuredTables:
        return MeasuredTables(self.counted, self.found, (rows, variance))

    def shape(self, kept: Kept) -> tuple[int, ...]:
        return tuple(self.counted.readings[place].size for place in kept)

    @property
    def tables(self) -> tuple[Kept, ...]:
        return tuple(self.found)

    def noise(self, kept: Kept) -> Noise:
        """Of the best average of all looks at a table."""
        noises = [Noise(law) for _, law in self.found[kept]]
        return noises[0] if len(noises) == 1 else averaged(noises)

    def values(self, kept: Kept) -> Array:
        looks = self.found[kept]
        if len(looks) == 1:
            return looks[0][0]
        shares = weights_of([Noise(law) for _, law in looks])
        return np.asarray(sum(share * values for share, (values, _) in zip(shares, looks, strict=True)))

    def told(self) -> list[Told]:
        """As a model takes it."""
        return [Told(kept, self.values(kept), self.noise(kept).var) for kept in self.found]

    def rows(self, size: int | None) -> float:
        """The public number of rows, unless so many lack a category that the tables say otherwise; else the best
        estimate."""
        sums = [(float(self.values(kept).sum()), self.noise(kept).var * self.values(kept).size) for kept in self.found]
        sums += [] if self.total is None else [self.total]
        estimate, variance = _weighed(sums)
        if size is not None and abs(estimate - size) <= SURE * sqrt(variance) + 0.5:
            return float(size)
        return max(estimate, 1.0)


def _weighed(numbers: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The best average of measurements of one number, and its variance."""
    precision = np.array([1 / max(variance, 1e-12) for _, variance in numbers])
    return float(precision @ [number for number, _ in numbers] / precision.sum()), float(1 / precision.sum())
