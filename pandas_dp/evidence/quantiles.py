"""Quantiles beside measured numbers of rows up to points near them, from which their intervals follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NoReturn, Self

import numpy as np
from scipy.special import ndtri

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import Array, Evidence
from .codec import Seen
from .noise import Floats
from .rank_errors import reaches

FAR = 9.0  # standard deviations: bins that are farther from the rank are not kept, if they are
FEW = 20.0  # rows farther still, as chance may go beyond where few rows are wanted
DIGITS, ROUNDING = 4, 1e-4  # of rows
OF_ROWS = (
    "a {} of rows of people has an interval of these rows alone, target='sample': how far chance moves it hangs on "
    "whose rows are many, which is not measured; for a population ask about people, e.g. "
    "table.groupby(unit)[column].median().dp.median(...)."
)
TAILS = float(np.sqrt(2.0))  # a Laplace number is beyond t of its deviations with probability exp(-t·√2)


@dataclass(frozen=True)
class Near:
    """Bins near one quantile, in their order: where they end, and the first begins; by how many rows those up to an end
    seem to exceed the wanted rank, and the standard deviation of that by noise; and how many rows there seem to be."""

    begin: float
    ends: Floats
    above: Floats
    sd: Floats
    rows: float

    @classmethod
    def of(cls, q: float, begins: Floats, ends: Floats, above: Floats, sd: Floats, rows: float) -> Self:
        """Without those so far off that no interval ends in them."""
        far = FAR * np.sqrt(sd**2 + rows * q * (1 - q)) + FEW
        near = above >= -far
        first = int(np.argmax(near)) if near.any() else len(above) - 1
        before = np.append(True, above[:-1] <= far[:-1])
        last = len(above) - 1 - int(np.argmax(before[::-1]))
        kept = slice(first, max(first, last) + 1)
        rounded = np.round(above[kept], DIGITS), np.round(sd[kept] + ROUNDING, DIGITS)
        return cls(float(begins[first]), ends[kept], *rounded, float(np.round(rows, DIGITS)))

    def span(self, first: int, last: int, step: float) -> tuple[float, float]:
        """From the beginning of a bin to the end of one, where the next begins a `step` later."""
        return (float(self.ends[first - 1]) + step if first else self.begin), float(self.ends[last])


@dataclass(frozen=True)
class Quantiles(Evidence):
    """The value of one rank in each cell, and what tells how far it may be off. Proof:
    docs/proofs/quantile-intervals.md."""

    statistic: str
    values: Seen
    rank: float
    near: tuple[Near, ...]
    gaussian: bool
    step: float  # from the end of a bin to the beginning of the next
    bounds: tuple[float, float]
    by_person: bool = False  # a person may have several of the rows
    told_in: float | None = None  # steps that follow from the bounds of floats, where no resolution was declared
    kind: ClassVar[str] = "quantiles"

    @property
    def default_target(self) -> str:
        return "sample" if self.by_person else "population"

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def lower(self) -> float:
        return self.bounds[0]

    @property
    def upper(self) -> float:
        return self.bounds[1]

    def interval(self, level: float, target: str) -> tuple[Array, Array]:
        """Where the least value of that rank lies; as far as the released one, where that is farther."""
        if self.by_person and target == "population":
            raise NotConcluded(OF_ROWS.format(self.statistic), statistic=self.statistic)
        ends = np.array([self._ends(near, level, target) for near in self.near]).reshape(-1, 2)
        low, high = np.minimum(ends[:, 0], self.values), np.maximum(ends[:, 1], self.values)
        return self._whole(low), self._whole(high)

    def _ends(self, near: Near, level: float, target: str) -> tuple[float, float]:
        widest = float(ndtri((1 + level) / 2))
        if not self.gaussian:
            widest = max(widest, -float(np.log1p(-level)) / TAILS)
        if widest > FAR:
            return self.bounds
        short, long = reaches(self.rank, near.sd, near.rows, widest, level, target)
        reached, before = near.above + short >= -ROUNDING, np.append(-np.inf, (near.above - long)[:-1]) < 0
        first = int(np.argmax(reached)) if reached.any() else len(reached) - 1
        last = len(before) - 1 - int(np.argmax(before[::-1]))
        return near.span(min(first, last), max(first, last), self.step)

    def _whole(self, ends: Floats) -> Array:
        """Of whole numbers whole ones, where a float holds them."""
        return ends.astype(np.int64) if self.values.dtype.kind == "i" else ends

    def pooled(self, others: Sequence[Quantiles]) -> NoReturn:
        raise NotConcluded(
            f"releases of a {self.statistic} are not averaged; ask once with the whole cost.",
            statistic=self.statistic,
        )
