"""Ratios of two totals, and counts over their total, each with noise and the error that a sample gives them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import Evidence
from ..core.evidence.noise import RELEASED, Ends, Noise, added, critical, fieller, student_over_normal
from ..core.evidence.populations import CORRECTION
from ..errors import NotConcluded
from ..surveys.evidence_strata import Clusters, RatioStrata, corrected, left_of
from ..tables.evidence import Tables
from .evidence_moments import margin, ratio_noise
from .evidence_sums import Amounts

Bools = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True)
class Ratios(Evidence):
    """Σy/Σx in each cell, from sums about the middle of each range: y = worth·(code + middle)/2.

    `released` are the count, Σcode of y and of x, Σ(half² - code²) of y, Σ of the product, and Σ(half² - code²) of x:
    six rows, a column for each cell. `population` as in `Surveyed`.
    """

    released: Floats
    noises: tuple[Noise, ...]
    worths: tuple[float, float]
    middles: tuple[float, float]
    halves: tuple[float, float]
    people: int | None = None
    population: float | None = None
    lowest: float = -np.inf
    highest: float = np.inf
    clusters: Clusters | None = None
    strata: RatioStrata | None = None
    kind: ClassVar[str] = "ratios"
    statistic: ClassVar[str] = "ratio"
    default_target: ClassVar[str] = "population"
    not_combined: ClassVar[str] = "ratios are not combined; ask once with the whole cost."

    @property
    def limits(self) -> tuple[float, float]:
        return self.lowest, self.highest

    @cached_property
    def _totals(self) -> tuple[Floats, Floats]:
        """Σy and Σx."""
        count, above, below = self.released[:3]
        (first, second), (left, right) = self.worths, self.middles
        return first * (above + left * count) / 2, second * (below + right * count) / 2

    @property
    def estimate(self) -> Floats:
        """NaN where the total below cannot be told from zero or is on its other side."""
        above, below = self._totals
        with np.errstate(all="ignore"):
            return np.where(self._determined, np.clip(above / below, self.lower, self.upper), np.nan)

    @cached_property
    def _determined(self) -> Bools:
        """Where the total below can be told from zero, on the side on which its values are."""
        worth, middle, half = self.worths[1], self.middles[1], self.halves[1]
        ends = worth * (middle - half), worth * (middle + half)
        sides = [side for side, there in ((1, max(ends) > 0), (-1, min(ends) < 0)) if there]
        limit = float(critical(RELEASED, self.noises[:3])) * np.sqrt(self._noise_parts()[1])
        return np.asarray(np.any([side * self._totals[1] > limit for side in sides], axis=0))

    @cached_property
    def _ratio(self) -> Floats:
        return np.nan_to_num(self.estimate)

    def _linear(self) -> Floats:
        """Σ(y - ratio·x) as a linear form of the first three sums."""
        a, b = self.worths[0] / 2 * np.ones_like(self._ratio), self._ratio * self.worths[1] / 2
        return np.array([a * self.middles[0] - b * self.middles[1], a, -b])

    def _coefficients(self) -> Floats:
        """Σ(y - ratio·x)² as a linear form of the six sums."""
        rest, a, b = self._linear()
        count = a**2 * self.halves[0] ** 2 + b**2 * self.halves[1] ** 2 + rest**2
        return np.array([count, 2 * a * rest, 2 * b * rest, -(a**2), 2 * a * b, -(b**2)])

    def _noise_parts(self) -> tuple[float, float, float]:
        """The variance of the noise of Σy, of Σx, and their covariance: both have that of the count."""
        count, *each = (noise.var for noise in self.noises[:3])
        own = [(w / 2) ** 2 * (v + m**2 * count) for w, v, m in zip(self.worths, each, self.middles, strict=True)]
        return own[0], own[1], self.worths[0] * self.worths[1] * self.middles[0] * self.middles[1] * count / 4

    def _sampling_var(self, target: str) -> Floats:
        """Of Σ(y - ratio·x)."""
        if target != "population":
            return np.zeros(len(self._ratio))
        if self.clusters is not None:
            return self.clusters.variance(*self._linear())
        form = self._coefficients()
        found = (form * self.released).sum(axis=0)
        noise = np.sqrt(sum(c**2 * each.var for c, each in zip(form, self.noises, strict=True)))
        whole = (
            left_of(self.population, self.people) * corrected(self.people, self.released[0]) * np.maximum(found, noise)
        )
        if self.strata is None:
            return np.asarray(whole)
        return self.strata.variance(self._linear(), form, whole)

    def std_error(self, target: str) -> Floats:
        above, below, both = self._noise_parts()
        ratio = self._ratio
        var = above - 2 * ratio * both + ratio**2 * below + self._sampling_var(target)
        with np.errstate(all="ignore"):
            return np.where(self._determined, np.sqrt(var) / np.abs(self._totals[1]), np.nan)

    def interval(self, level: float, target: str) -> Ends:
        """All ratios r for which Σy - r·Σx is within reach of zero (Fieller); all there can be where that is all."""
        above, below, both = self._noise_parts()
        sampling = self._sampling_var(target)
        noise = above - 2 * self._ratio * both + self._ratio**2 * below
        quantile = critical(level, self.noises[:3], noise / np.maximum(noise + sampling, 1e-300))
        if self.clusters is not None and target == "population":
            quantile = quantile * student_over_normal(level, np.array(float(self.clusters.freedom)))
        with np.errstate(all="ignore"):
            low, high = fieller(*self._totals, above + sampling, below, both, quantile)
        low, high = np.where(self._determined, low, -np.inf), np.where(self._determined, high, np.inf)
        low, high = np.nan_to_num(low, nan=-np.inf, neginf=-np.inf), np.nan_to_num(high, nan=np.inf, posinf=np.inf)
        return self.clipped(low, high)


ENOUGH_STEPS = 0.35  # standard deviations that the steps of the noise may add to an interval
FEW_STEPS = 12.0  # a standard deviation of the total, up to which the exact law is looked at
Of = Literal["all", "index", "columns"]


@dataclass(frozen=True)
class SharesOfCounts(Evidence):
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
    not_combined: ClassVar[str] = "shares are not combined; combine the counts, and take the shares of what they give."

    @property
    def estimate(self) -> Floats:
        wide = self._wide(self.counts.estimate)
        share = np.divide(wide, self._totals(wide), out=np.full(wide.shape, np.nan), where=self._determined)
        return self._shown(np.where(self._whole, 1.0, share))

    @property
    def _determined(self) -> Array:
        """Where a total can be told from none; what is divided by another may be anything."""
        low, _ = self.counts.interval(RELEASED, "sample")
        return self._totals(self._wide(low)) > 0

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """A total over itself is one."""
        ends = self._by_covariance(level) if target == "sample" else None
        low, high = self._by_ends(level, target) if ends is None else ends
        determined = self._determined
        low, high = np.where(determined, low, 0.0), np.where(determined, high, 1.0)
        low[self._whole], high[self._whole] = 1.0, 1.0
        return self._shown(np.clip(low, 0.0, 1.0)), self._shown(np.clip(high, 0.0, 1.0))

    def of_population(self, level: float, rows: float) -> tuple[Floats, Floats]:
        """All shares r for which cell − r·total is within chance and noise of zero, the cell drawn from its total;
        elsewhere from the ends of both."""
        counts, determined = self.counts, self._determined
        cell = self._wide(counts.estimate)
        total = self._totals(cell)
        if isinstance(counts, Amounts) and isinstance(counts.noise, Noise) and not counts.noise.depends:
            draws = self._wide([len(counts.cells(number)) for number in range(len(counts.values))])
            low, high = _drawn(level, counts.noise, (cell, total), (draws, self._totals(draws)))
        else:
            risk = (1 + level) / 2
            least, most = (self._wide(each) for each in counts.of_population(risk, rows))
            low, high = _over(least, self._totals(most), 0.0), _over(most, self._totals(least), 1.0)
        low, high = np.where(determined, low, 0.0), np.where(determined, high, 1.0)
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
        return _over(low, self._totals(high), 0.0), _over(high, self._totals(low), 1.0)

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


def _over(above: Floats, below: Floats, otherwise: float) -> Floats:
    return np.divide(above, below, out=np.full(above.shape, otherwise), where=below > 0)


def _drawn(level: float, noise: Noise, counts: tuple[Floats, Floats], draws: tuple[Floats, Floats]) -> Ends:
    """All shares r with (cell − r·total)² at most k²·(total·r(1 − r) + the variance of the noise of cell − r·total)."""
    (cell, total), (own, over) = counts, [noise.var * each for each in draws]
    many = np.maximum(total, 1.0)
    share = np.clip(cell / many, 0.0, 1.0)
    chance = np.maximum(many * share * (1 - share), 1.0)
    added = own - 2 * share * own + share**2 * over
    k2 = critical(level, (noise,), added / (added + chance)) ** 2
    square = total**2 + k2 * (many - over)
    ends = []
    for side in (-1, 1):
        seen = np.clip(cell, 0.0, many) + side * CORRECTION
        middle = seen * total + k2 * (many / 2 - own)
        root = np.sqrt(np.maximum(middle**2 - square * (seen**2 - k2 * own), 0.0))
        with np.errstate(all="ignore"):
            ends.append(np.where(square > 0, (middle + side * root) / square, float(side > 0)))
    none, every = cell <= CORRECTION, cell >= many - CORRECTION
    return np.where(none, 0.0, ends[0]), np.where(every, 1.0, ends[1])


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


def shares_of(counts: Amounts | Tables, shape: tuple[int, int], of: Of) -> SharesOfCounts:
    """The shares of counts in a rectangle of this shape, its totals added up where they are not in it."""
    if isinstance(counts, Tables):
        if counts.rectangle is None or len(counts.shown) == 1:
            raise NotConcluded("this table has no margins to take shares of; ask for it with margins.")
        return SharesOfCounts(counts, *counts.rectangle, of, True)
    if counts.shares_noise and counts.margins is None:
        raise NotConcluded("this table has no margins to take shares of; ask for it as crosstab(..., margins=True).")
    if counts.margins is not None:
        return SharesOfCounts(counts, *counts.margins, of, True)
    table = counts.values.astype(float).reshape(shape)
    wide = np.column_stack([table, table.sum(axis=1)])
    values = np.vstack([wide, wide.sum(axis=0)]).ravel()
    return SharesOfCounts(replace(counts, values=values, margins=shape), shape[0], shape[1], of, False)
