"""Counts over their total, of all, of their row or of their column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import ClassVar, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import Evidence
from ..core.evidence.noise import TOLD, Noise, added, critical, fieller
from ..dataclass import dataclass
from ..errors import NotConcluded
from ..tables.evidence import Tables
from .evidence_intervals import margin, ratio_noise
from .evidence_sums import Amounts

ENOUGH_STEPS = 0.35  # standard deviations that the steps of the noise may add to an interval
FEW_STEPS = 12.0  # a standard deviation of the total, up to which the exact law is looked at
Of = Literal["all", "index", "columns"]


@dataclass(frozen=True)
class Shares(Evidence):
    """Shares of released counts, laid out as rows × columns with a row and a column of totals at their ends.

    With `margins` the totals are shown as shares too: all of them over all, the row of totals over its own where each
    cell is over its row, the column of totals where each is over its column.
    """

    counts: Amounts | Tables
    rows: int
    columns: int
    of: Of
    margins: bool
    kind: ClassVar[str] = "shares"
    statistic: ClassVar[str] = "share"
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = 1.0

    @property
    def estimate(self) -> Floats:
        wide = self._wide(self.counts.estimate)
        share = np.divide(wide, self._totals(wide), out=np.full(wide.shape, np.nan), where=self._told)
        return self._shown(np.where(self._whole, 1.0, share))

    @property
    def _told(self) -> Array:
        """Where a total can be told from none; what is divided by another may be anything."""
        low, _ = self.counts.interval(TOLD, "sample")
        return self._totals(self._wide(low)) > 0

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """A total over itself is one."""
        ends = self._by_covariance(level) if target == "sample" else None
        low, high = self._by_ends(level, target) if ends is None else ends
        told = self._told
        low, high = np.where(told, low, 0.0), np.where(told, high, 1.0)
        low[self._whole], high[self._whole] = 1.0, 1.0
        return self._shown(np.clip(low, 0.0, 1.0)), self._shown(np.clip(high, 0.0, 1.0))

    def _by_covariance(self, level: float) -> tuple[Floats, Floats] | None:
        """All shares r for which cell − r·total is within reach of zero (Fieller): a total is the sum of its cells, so
        it shares their noise. None where numbers are not sums of cells with noise of one known law of many steps."""
        counts = self.counts
        if not isinstance(counts, Amounts) or not isinstance(counts.noise, Noise) or counts.noise.depends:
            return None
        draws = self._wide([len(counts.cells(number)) for number in range(len(counts.values))])
        over, quantile = self._totals(draws), np.zeros(draws.shape)
        for own, all_of_it in set(zip(draws[~self._whole], over[~self._whole], strict=True)):
            found = _critical(level, counts.noise, int(own), int(all_of_it - own))
            if found is None:
                return None
            quantile[(draws == own) & (over == all_of_it)] = found
        cell = self._wide(counts.estimate)
        return fieller(cell, self._totals(cell), draws, over, draws, quantile * counts.noise.sd)

    def _by_ends(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Lower cell over upper total to upper cell over lower total: it holds where both intervals do.

        Each is taken at half the risk, so both do with the level asked for, however cell and total depend on each
        other.
        """
        ends = (self._wide(end) for end in self.counts.interval((1 + level) / 2, target))
        low, high = (np.maximum(end, 0.0) for end in ends)
        least, most = self._totals(low), self._totals(high)
        lower = np.divide(low, most, out=np.zeros(low.shape), where=most > 0)
        upper = np.divide(high, least, out=np.ones(low.shape), where=least > 0)
        return lower, upper

    def own_cells(self) -> NoReturn:
        raise NotConcluded("these are shares; conclude from the counts that they were made from.")

    def not_adjusted_because(self) -> str:
        return "these are shares; adjust the counts that they were made from."

    @property
    def has_totals(self) -> tuple[bool, bool]:
        """Whether totals are shown, below and beside: those of shares of rows would be all ones, and are omitted."""
        return self.margins and self.of != "columns", self.margins and self.of != "index"

    def own_noise(self, target: str) -> NoReturn:
        raise NotConcluded("shares divide noisy numbers; compare the counts that they were made from, or intervals.")

    @property
    def noisy(self) -> int:
        return int(self._shown((~self._whole).astype(float)).sum())

    def pooled(self, others: Sequence[Shares]) -> Shares:
        raise NotConcluded("shares are not combined; combine the counts, and take the shares of what they give.")

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the rectangle that is shown."""
        down = self.rows + (self.margins and self.of != "columns")
        across = self.columns + (self.margins and self.of != "index")
        return down, across

    @property
    def _whole(self) -> Array:
        """What is a total of its own kind."""
        whole = np.zeros((self.rows + 1, self.columns + 1), dtype=bool)
        if self.of == "all":
            whole[-1, -1] = True
        elif self.of == "index":
            whole[:, -1] = True
        else:
            whole[-1, :] = True
        return whole

    def _totals(self, wide: Array) -> Array:
        total = {"all": wide[-1:, -1:], "index": wide[:, -1:], "columns": wide[-1:, :]}[self.of]
        return np.broadcast_to(total, wide.shape)

    def _wide(self, numbers: npt.ArrayLike) -> Floats:
        return np.asarray(numbers, dtype=float).reshape(self.rows + 1, self.columns + 1)

    def _shown(self, wide: Array) -> Floats:
        down, across = self.shape
        return np.asarray(wide[:down, :across]).ravel()


def _critical(level: float, noise: Noise, own: int, others: int) -> float | None:
    """How many standard deviations of (1 − r)·cell − r·(the rest of the total) hold the level whatever the share r."""
    if not own or not others:
        return float(critical(level, (noise,)))
    cell, rest = added([(noise, 1.0, own)]), added([(noise, 1.0, others)])
    steps = margin((cell, rest))
    if steps <= ENOUGH_STEPS:
        return float(critical(level, (noise,))) + steps
    if noise.sd * sqrt(own + others) > FEW_STEPS * noise.step:
        return None
    odds = ratio_noise(rest, cell, 1.0), ratio_noise(cell, rest, 1.0)  # of the cell up to even ones, and of the rest
    return max(float(each.critical(level).max()) for each in odds if each) if all(odds) else None


def shares_of(counts: Amounts | Tables, shape: tuple[int, int], of: Of) -> Shares:
    """The shares of counts in a rectangle of this shape, its totals added up where they are not in it."""
    if isinstance(counts, Tables):
        if counts.rectangle is None or len(counts.shown) == 1:
            raise NotConcluded("this table has no margins to take shares of; ask for it with margins.")
        return Shares(counts, *counts.rectangle, of, True)
    if counts.shares_noise and counts.margins is None:
        raise NotConcluded("this table has no margins to take shares of; ask for it as crosstab(..., margins=True).")
    if counts.margins is not None:
        return Shares(counts, *counts.margins, of, True)
    table = counts.values.astype(float).reshape(shape)
    wide = np.column_stack([table, table.sum(axis=1)])
    values = np.vstack([wide, wide.sum(axis=0)]).ravel()
    return Shares(replace(counts, values=values, margins=shape), shape[0], shape[1], of, False)
