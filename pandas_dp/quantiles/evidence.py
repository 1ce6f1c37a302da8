"""Quantiles and distribution functions: how far noise, and who was drawn, may move a share of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal, Self

import numpy as np
from scipy.special import gammaln, ndtr, ndtri, xlog1py, xlogy

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import INTERVALS, Evidence, Seen
from ..core.evidence.noise import Noises, critical
from ..core.schema.values import Kind
from ..errors import NotConcluded
from ..tables.planning.prefixes import Prefixes

KNOTS = 6
EXACT = 10_000  # rows up to which the binomial law is taken as it is


def limits(q: float, sd: Floats, rows: float, widest: float, level: float, target: str) -> tuple[Floats, Floats]:
    """How far rows up to a point may be below q of all, and above, by noise and, of a population, by chance.

    `widest` is how many standard deviations `sd` of the noise hold the level.
    """
    if target == "sample":
        return widest * sd, widest * sd
    normal = float(ndtri((1 + level) / 2))
    many, heavy = round(rows), sd * widest / normal
    if many > EXACT:
        half = normal * np.sqrt(heavy**2 + many * q * (1 - q))
        return half, half
    knots = np.linspace(heavy.min(), heavy.max(), KNOTS)  # it bends upward, so lines between knots are above it
    both = np.array([_beside_binomial(many, q, float(knot), (1 - level) / 2) for knot in knots])
    return np.interp(heavy, knots, both[:, 0]), np.interp(heavy, knots, both[:, 1])


@lru_cache(maxsize=1024)
def _beside_binomial(rows: int, q: float, sd: float, miss: float) -> tuple[float, float]:
    """h such that a binomial count less its mean, and a normal error, are below -h, or above h, with this chance."""
    counts = np.arange(rows + 1)
    ways = gammaln(rows + 1) - gammaln(counts + 1) - gammaln(rows - counts + 1)
    likely = np.exp(ways + xlogy(counts, q) + xlog1py(rows - counts, -q))
    kept = likely > 1e-18
    away, likely = counts[kept] - rows * q, likely[kept]
    sd = max(sd, 1e-3)
    far = float(10 * (sd + np.sqrt(rows * q * (1 - q))) + 2)
    from scipy.optimize import brentq  # late: it takes a while

    left = brentq(lambda h: float(likely @ ndtr((-h - away) / sd)) - miss, -far, far)
    right = brentq(lambda h: float(likely @ ndtr((away - h) / sd)) - miss, -far, far)
    return max(left, 0.0), max(right, 0.0)


Inclusive = Literal["both", "left", "right", "neither"]
SLACK = 1e-6
"""Of a row: counts are solved from measured numbers, and ones that are whole come out beside it, by the processor."""
BESIDE = 0.999
"""Of a step of the grid: a typed point nearer than that to the end of a bin is that end, which lies on the grid."""


@dataclass(frozen=True)
class Cdf(Evidence):
    """`below` is how many rows lie up to `high` of each bin, as measured numbers say; `low` is where the bin begins.

    Without a `size` the last of them stands for it. Proofs: docs/proofs/quantiles/cdf.md.
    """

    below: Floats
    low: Floats
    high: Floats
    strategy: Prefixes
    noises: Noises  # of the measured numbers
    size: int | None = None
    unit: Kind = "float"
    step: float = 0.0  # of the column's grid
    kind: ClassVar[str] = "cdf"
    accessor: ClassVar[str] = "quantiles.accessor:CdfAccessor"
    statistic: ClassVar[str] = "cdf"
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)
    offers: ClassVar[frozenset[str]] = INTERVALS
    default_target: ClassVar[str] = "population"

    @property
    def rows(self) -> float:
        return float(self.below[-1]) if self.size is None else float(self.size)

    @property
    def safe_rows(self) -> float:
        return max(self.rows, 1.0)

    @cached_property
    def covariance(self) -> Floats:
        """That of `below`, because of noise."""
        return self.strategy.solution(self.noises.sd**2, self.size is not None)[1]

    @property
    def estimate(self) -> Floats:
        """Shares, rising."""
        return self._shares

    @cached_property
    def _shares(self) -> Floats:
        from scipy.optimize import isotonic_regression  # late: it takes a while

        rising = isotonic_regression(np.clip(self.below / self.safe_rows, 0.0, 1.0)).x
        return np.append(rising[:-1], 1.0)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All shares p for which rows up to the point and p of all rows are within reach of each other."""
        rows, spread = self.safe_rows, float(target == "population")
        own, both, total = self._errors()
        k2 = critical(level, self.noises.noises) ** 2
        square = rows**2 - k2 * total + k2 * rows * spread
        middle = self.below * rows - k2 * both + k2 * rows * spread / 2
        rest = self.below**2 - k2 * own
        root = np.sqrt(np.maximum(middle**2 - square * rest, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.where(square > 0, (middle - root) / square, 0.0)
            high = np.where(square > 0, (middle + root) / square, 1.0)
        return self._around(low, high)

    def std_error(self, target: str) -> Floats:
        p, (own, both, total) = self.estimate, self._errors()
        sampling = p * (1 - p) * self.safe_rows * (target == "population")
        error = np.sqrt(np.maximum(own - 2 * p * both + p**2 * total + sampling, 0.0)) / self.safe_rows
        return np.asarray(np.minimum(np.append(error[:-1], 0.0), 1.0))

    @property
    def noisy(self) -> int:
        return len(self.below) - 1

    @property
    def usual_ends(self) -> Inclusive:
        """Which ends a range holds: bins of numbers hold their upper one, and whole numbers and times are points."""
        return "right" if self.unit == "float" else "both"

    def share_between(
        self, low: float, high: float, inclusive: Inclusive, level: float, target: str
    ) -> tuple[float, float, float]:
        """The share of values from `low` to `high`; the ends are of the bins that lie inside, and of all that touch."""
        low, high = self._snapped(low), self._snapped(high)
        left, right = inclusive in ("both", "left"), inclusive in ("both", "right")
        touched = self._difference(*self._touched(low, high, left, right), level, target)
        inside = self._difference(*self._inside(low, high, left, right), level, target)
        estimate = float(np.clip(self._at(high, before=not right) - self._at(low, before=left), 0.0, 1.0))
        return estimate, min(estimate, inside[0]), max(estimate, touched[1])

    def quantiles(self, ranks: Array, level: float, target: str) -> tuple[Floats, Floats, Floats]:
        """The value at each rank, and the ends of its interval."""
        found = [self._quantile(float(q), level, target) for q in ranks]
        values, low, high = (np.array(each, dtype=float) for each in zip(*found, strict=True))
        return values, low, high

    def _quantile(self, q: float, level: float, target: str) -> tuple[float, float, float]:
        own, both, total = self._errors()
        away = self.below - q * self.rows
        sd = np.sqrt(np.maximum(own - 2 * q * both + q**2 * total, 0.0))
        widest = float(critical(level, self.noises.noises))
        short, long = limits(q, sd, self.safe_rows, widest, level, target)
        reached, before = away + short >= -SLACK, np.append(-np.inf, away[:-1] - long[:-1])
        first = int(np.argmax(reached)) if reached.any() else len(away) - 1
        last = len(away) - 1 - int(np.argmax((before < -SLACK)[::-1]))
        low, high = float(self.low[min(first, last)]), float(self.high[max(first, last)])
        return float(np.clip(self._value(q), low, high)), low, high

    def _value(self, q: float) -> float:
        """Where the shares reach q, evenly between the ends of a bin; in whole numbers and times, its first such."""
        shares = self.estimate
        at = int(np.searchsorted(shares, q - SLACK / self.safe_rows, side="left"))
        before = shares[at - 1] if at else 0.0
        inside = min((q - before) / max(shares[at] - before, 1e-300), 1.0)
        value = self.low[at] + inside * (self.high[at] - self.low[at])
        return float(value if self.unit == "float" else np.floor(value))

    def _at(self, value: float, before: bool = False) -> float:
        """The share up to a value, or before it, values lying evenly in their bin."""
        shares, step = np.append(0.0, self.estimate), 0.0 if self.unit == "float" else 1.0
        at = int(np.clip(np.searchsorted(self.high, value, side="left"), 0, len(self.high) - 1))
        width = self.high[at] - self.low[at] + step
        inside = np.clip((value - self.low[at] + (0.0 if before else step)) / width, 0.0, 1.0) if width else 1.0
        return float(shares[at] + inside * (shares[at + 1] - shares[at]))

    def _snapped(self, value: float) -> float:
        """A point, or the end of a bin that it can only mean: bins of numbers end on the grid."""
        if self.unit != "float":
            return value
        ends = np.append(self.low[0], self.high)
        nearest = float(ends[np.argmin(np.abs(ends - value))])
        return nearest if abs(nearest - value) < BESIDE * self.step else value

    def _touched(self, low: float, high: float, left: bool, right: bool) -> tuple[int, int]:
        """The first bin that may hold a value of the range, and the one after the last. A bin of numbers does not hold
        its lower end, but for the first bin, which takes what lies below it too."""
        first = int(np.sum(self.high < low) if left else np.sum(self.high <= low))
        if self.unit == "float":
            return first, max(1, int(np.sum(self.low < high)))
        return first, int(np.sum(self.low <= high) if right else np.sum(self.low < high))

    def _inside(self, low: float, high: float, left: bool, right: bool) -> tuple[int, int]:
        """The first bin that lies in the range as a whole, and the one after the last."""
        first = int(np.sum(self.low < low) if left or self.unit == "float" else np.sum(self.low <= low))
        return first, int(np.sum(self.high <= high) if right else np.sum(self.high < high))

    def _difference(self, first: int, after: int, level: float, target: str) -> tuple[float, float]:
        """The interval of the share of these bins."""
        if after <= first:
            return 0.0, 0.0
        weights = np.zeros(len(self.below))
        weights[after - 1] = 1.0
        if first:
            weights[first - 1] = -1.0
        rows, counted = self.safe_rows, float(weights @ self.below)
        p = np.clip(counted / rows, 0.0, 1.0)
        top = np.zeros_like(weights)
        if self.size is None:
            top[-1] = p
        noise = float((weights - top) @ self.covariance @ (weights - top))
        own = float(weights @ self.covariance @ weights)
        k2 = float(critical(level, self.noises.noises)) ** 2
        if target == "sample":
            half = np.sqrt(k2 * max(noise, 0.0)) / rows
            return max(0.0, p - half), min(1.0, p + half)
        square, middle, rest = rows**2 + k2 * rows, counted * rows + k2 * rows / 2, counted**2 - k2 * max(noise, own)
        root = np.sqrt(max(middle**2 - square * rest, 0.0))
        return max(0.0, (middle - root) / square), min(1.0, (middle + root) / square)

    def _errors(self) -> tuple[Floats, Floats, float]:
        """Variances of the counts, their covariance with the number of rows, and its variance."""
        if self.size is not None:
            return np.diag(self.covariance), np.zeros(len(self.below)), 0.0
        return np.diag(self.covariance), self.covariance[:, -1], float(self.covariance[-1, -1])

    def _around(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Ends that are shares, around the estimate; of all rows it is one."""
        low, high = np.clip(low, 0.0, self.estimate), np.clip(high, self.estimate, 1.0)
        return np.append(low[:-1], 1.0), high


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
    docs/proofs/quantiles/quantile-intervals.md."""

    statistic: str
    values: Seen
    rank: float
    near: tuple[Near, ...]
    gaussian: bool
    step: float  # from the end of a bin to the beginning of the next
    bounds: tuple[float, float]
    by_person: bool = False  # a person may have several of the rows
    grid_step: float | None = None  # steps that follow from the bounds of floats, where no resolution was declared
    kind: ClassVar[str] = "quantiles"
    not_combined: ClassVar[str] = "releases of a {} are not averaged; ask once with the whole cost."

    @property
    def default_target(self) -> str:
        return "sample" if self.by_person else "population"

    @property
    def limits(self) -> tuple[float, float]:
        return self.bounds

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
        short, long = limits(self.rank, near.sd, near.rows, widest, level, target)
        reached, before = near.above + short >= -ROUNDING, np.append(-np.inf, (near.above - long)[:-1]) < 0
        first = int(np.argmax(reached)) if reached.any() else len(reached) - 1
        last = len(before) - 1 - int(np.argmax(before[::-1]))
        return near.span(min(first, last), max(first, last), self.step)

    def _whole(self, ends: Floats) -> Array:
        """Of whole numbers whole ones, where a float holds them."""
        return ends.astype(np.int64) if self.values.dtype.kind == "i" else ends


@dataclass(frozen=True)
class QuantilesApart(Evidence):
    """The distance of two quantiles that were told together; its interval takes both of theirs, at half the risk."""

    statistic: str
    values: Seen
    first: Quantiles
    second: Quantiles  # the one of the higher rank
    kind: ClassVar[str] = "quantiles apart"
    not_combined: ClassVar[str] = "releases of the {} are not averaged; ask once with the whole cost."

    @property
    def default_target(self) -> str:
        return self.first.default_target

    @property
    def limits(self) -> tuple[float, float]:
        return 0.0, self.first.upper - self.first.lower

    def interval(self, level: float, target: str) -> tuple[Array, Array]:
        """Both quantiles lie in their intervals unless one of two things happens, each with half of the chance."""
        each = (1 + level) / 2
        (begin, end), (from_, to) = (quantile.interval(each, target) for quantile in (self.first, self.second))
        return np.maximum(from_ - end, 0), np.maximum(to - begin, 0)
