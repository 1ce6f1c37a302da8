"""The noise of a number, and of numbers that do not all have the same; sums of noises, every error on the safe side.

See docs/proofs/core/intervals.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, inf, isfinite, isnan, log, prod, sqrt
from operator import attrgetter
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri, stdtrit

from ..arrays import Floats
from ..noise.gaussian import DiscreteGaussian
from ..noise.laplace import DiscreteLaplace
from ..noise.mechanism import Law, law_from_json

GAUSSIAN = attrgetter("gaussian")
MOST_STEPS = 1 << 17  # lattice points on each side of zero, at most
COARSE_STEPS = 1 << 16  # and as many where the lattice is not that of the noise
BEYOND = 1e-13  # the probability that a sum lies beyond its lattice, by Chernoff's bound
ERROR = 1e-12  # that and the rounding errors of the transform, whose terms are 1 at most

Ends = tuple[Floats, Floats]  # of intervals, lower and upper
Term = tuple[Law, float, int]  # a law of whole numbers, what a step is worth, and how many such draws are added


@dataclass(frozen=True)
class NoiseTotal:
    """A symmetric sum S of noises: |S - step·K| <= slack for a whole number K with these tails."""

    step: float
    slack: float
    beyond: Floats  # P(|K| >= k) for k = 0, 1, ...
    error: float

    def half_width(self, level: float) -> float:
        """|S| stays within this with probability `level` or more; the least such step where there is no slack."""
        enough = np.flatnonzero(self.beyond <= 1 - level - self.error)
        first = int(enough[0]) if len(enough) else len(self.beyond)  # beyond the lattice lies hardly anything
        return self.step * (first - 1) + self.slack

    def tail(self, distance: npt.ArrayLike) -> Floats:
        """P(|S| >= distance), never below the truth, and above it by 10^-12 and the slack."""
        steps = (np.asarray(distance, dtype=float) - self.slack) / self.step
        at = np.ceil(steps - 1e-9 * (1 + np.abs(steps)))
        known = self.beyond[np.clip(np.nan_to_num(at), 0, len(self.beyond) - 1).astype(np.int64)]
        return np.where(np.isnan(steps), np.nan, np.minimum(known + self.error, 1.0))


@lru_cache(maxsize=256)
def total_of(terms: tuple[Term, ...]) -> NoiseTotal:
    """The law of the sum of all draws of all terms."""
    assert all(worth > 0 for _, worth, _ in terms)
    worths = {worth for _, worth, _ in terms}
    farthest, draws = _farthest(terms), sum(times for _, _, times in terms)
    own = worths.pop()
    if not worths and farthest / own <= MOST_STEPS:
        step, slack = own, 0.0
    else:  # each draw moves by half a step at most, and all together as Hoeffding says
        step = farthest / COARSE_STEPS
        slack = step * min(draws / 2, sqrt(draws * log(2 / BEYOND) / 2))
    size = 2 * (ceil(farthest / step) + 1)
    product: Any = 1.0
    for law, worth, times in terms:
        product = product * np.fft.rfft(_masses(law, step / worth, size)) ** times
    masses = np.maximum(np.fft.irfft(product, size), 0.0)[1 : size // 2]
    beyond = np.array([1.0, *np.minimum(2 * np.cumsum(masses[::-1])[::-1], 1.0), 0.0])
    return NoiseTotal(step, slack, beyond, ERROR + 2.0**-50 * draws)


def _masses(law: Law, ratio: float, size: int) -> Floats:
    """P(round(X / ratio) = j) for j = 0, 1, ..., -1, as a transform wants it."""
    half = size // 2
    above = np.asarray(law.sf(np.floor((np.arange(half + 1) + 0.5) * ratio)))  # beyond j + 1/2
    right = above[:-1] - above[1:]  # j = 1, 2, ..., half
    masses = np.zeros(size)
    masses[0] = 1 - 2 * above[0]
    masses[1 : half + 1] += right
    masses[-half:] += right[::-1]
    return masses


def _farthest(terms: tuple[Term, ...]) -> float:
    """|S| and each draw stay within this, but for a probability of BEYOND and 2^-50 a draw."""
    alone = [worth * (law.half_width(1 - 2.0**-50) + 1) for law, worth, _ in terms]
    together = sum(limit * times for limit, (_, _, times) in zip(alone, terms, strict=True))
    sd = sqrt(sum(law.variance * worth**2 * times for law, worth, times in terms)) or together
    rates = np.geomspace(1e-3, 1e3, 400) / sd
    exponents = sum(times * law.log_moment(rates * worth) for law, worth, times in terms)
    chernoff = float(np.min((exponents + log(2 / BEYOND)) / rates))
    return max([*alone, min(together, chernoff)])


POINTS = 2**15  # of the grid on which the distribution function is computed
RANGE = 20.0  # standard deviations on either side; beyond lies less than 10^-11 even of one Laplace variable
SMOOTH = 2.0  # grid steps, the standard deviation of a normal variable added so that the sum has a density
AWAY = 6.5  # of its standard deviations, which it exceeds with less than 10^-10


@lru_cache(maxsize=256)
def half_width_of_mixed(terms: tuple[Term, ...], level: float) -> float:
    """The sum stays within this with probability `level` or more; too wide by 2 in 100 standard deviations.

    Its characteristic function, times that of a narrow normal variable, is turned into a density on a grid. Both
    together stay within w where the sum stays within w less what the normal variable can add.
    """
    sd = sqrt(sum(draws * (worth * law.sd) ** 2 for law, worth, draws in terms))
    if not sd or not isfinite(sd):
        return 0.0 if not sd else inf
    step = 2 * RANGE * sd / POINTS
    angle = 2 * np.pi * np.arange(POINTS // 2 + 1) / (POINTS * step)
    spectrum = np.exp(-((SMOOTH * step * angle) ** 2) / 2)
    for law, worth, draws in terms:
        if worth:
            spectrum *= law.cf(angle * abs(worth)) ** draws
    masses = np.maximum(np.fft.irfft(spectrum, POINTS), 0)
    inside = (masses[0] + 2 * np.cumsum(masses[1 : POINTS // 2])) / (masses[0] + 2 * masses[1 : POINTS // 2].sum())
    return float(step * (1.5 + np.searchsorted(inside, level + 1e-9) + SMOOTH * AWAY))


LEAST = 1e-300  # a variance that a float does not hold
MANY_DRAWS = 1000  # beyond, the lattice of a sum would be too coarse
MANY_TERMS = 8  # beyond, it takes too long


@dataclass(frozen=True)
class Noise:
    """The sum of `many` whole numbers of one law, each worth `step` in the unit of the statistic, and of what is
    independent of them."""

    law: Law
    step: float = 1.0
    plus: tuple[Noise, ...] = ()
    many: int = 1

    @cached_property
    def sd(self) -> float:
        with np.errstate(over="ignore"):
            return float(np.sqrt(sum([each.many * np.square(each.step * each.law.sd) for each in self.terms])))

    @cached_property
    def var(self) -> float:
        return self.sd * self.sd  # infinite where it is too large, never an error

    @cached_property
    def terms(self) -> tuple[Noise, ...]:
        return (replace(self, plus=()), *self.plus) if self.plus else (self,)

    def around(self, values: ArrayLike, level: float) -> Ends:
        """Intervals for the true numbers behind released ones."""
        if self.is_sum:
            centre, half = np.asarray(values, dtype=float), self.half_width(level)
            return centre - half, centre + half
        low, high = self.law.around(np.asarray(values, dtype=float) / self.step, level)
        return self.step * low, self.step * high

    @property
    def is_sum(self) -> bool:
        """Whether it is a sum of several draws."""
        return bool(self.plus) or self.many > 1

    @property
    def depends(self) -> bool:
        """Whether it depends on the number that it hides, so that the two cannot be separated."""
        return any(isnan(each.law.variance) for each in self.terms)

    @cached_property
    def gaussian(self) -> bool:
        return {type(each.law) for each in self.terms} == {DiscreteGaussian}

    def times(self, factor: float) -> Noise:
        """The noise of a multiple."""
        parts = [replace(each, step=float(each.step * factor)) for each in self.terms]
        return replace(parts[0], plus=tuple(parts[1:]))

    def half_width(self, level: float) -> float:
        """The noise alone stays within this with probability `level` or more; of one law, at the least such step."""
        if not self.is_sum:
            return self.step * _half_width(self.law, level)
        return self.half_width_of_sum(level, 1)

    def half_width_of_sum(self, level: float, draws: int) -> float:
        """The same for the sum of that many independent draws."""
        if draws == 1 and not self.is_sum:
            return self.half_width(level)
        if self.depends:
            return np.inf  # its spread depends on counts that the sum does not reveal
        if isinstance(self.law, DiscreteGaussian) and not self.plus:
            return self.step * DiscreteGaussian(self.law.sigma_squared * draws * self.many).half_width(level)
        if len(self.terms) > MANY_TERMS or draws * sum(each.many for each in self.terms) > MANY_DRAWS:
            return half_width_of_mixed(tuple((each.law, each.step, draws * each.many) for each in self.terms), level)
        return self.sum_of(draws).half_width(level)

    def sum_of(self, draws: int) -> NoiseTotal:
        """The law of the sum of that many independent draws."""
        return sum_of_noises([(self, draws)])

    def to_json(self) -> dict[str, Any]:
        plain = {**self.law.to_json(), "step": self.step, **({"many": self.many} if self.many > 1 else {})}
        return {**plain, "plus": [each.to_json() for each in self.plus]} if self.plus else plain

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> Noise:
        plus = tuple(cls.from_json(each) for each in facts.get("plus", ()))
        return cls(law_from_json(facts), float(facts["step"]), plus, int(facts.get("many", 1)))


@lru_cache(maxsize=1024)
def _half_width(law: Law, level: float) -> int:
    """Exact, hence slow; a release asks for it more than once, and so do its neighbours."""
    return law.half_width(level)


def sum_of_noises(parts: Sequence[tuple[Noise, int]]) -> NoiseTotal:
    """The law of a sum of independent draws, so many of each noise; signs do not matter, as all laws are symmetric."""
    terms = [(each.law, abs(each.step), draws * each.many) for noise, draws in parts for each in noise.terms]
    return total_of(tuple(sorted((term for term in terms if term[1] * term[2]), key=repr)))


def weights(noises: Sequence[Noise]) -> Floats:
    """The shares in which independent measurements of one number are best averaged: inverse to their variances."""
    variances = np.maximum([noise.var for noise in noises], LEAST)
    precision = variances.min() / variances
    return np.asarray(precision / precision.sum())


def added(parts: Sequence[tuple[Noise, float, int]]) -> Noise:
    """The noise of a weighted sum: each noise, its weight, and how many independent draws of it enter with it."""
    terms = [
        replace(each, step=each.step * abs(weight), plus=(), many=each.many * draws)
        for noise, weight, draws in parts
        for each in (noise, *noise.plus)
        if weight
    ] or [replace(parts[0][0], step=0.0, plus=())]
    return replace(terms[0], plus=tuple(terms[1:]))


def averaged(noises: Sequence[Noise]) -> Noise:
    """The noise of that average."""
    parts = [term for noise, share in zip(noises, weights(noises), strict=True) for term in noise.times(share).terms]
    return replace(parts[0], plus=tuple(parts[1:]))


def critical(level: ArrayLike, noises: tuple[Noise, ...], share: ArrayLike = 1.0) -> Floats:
    """How many standard deviations hold the level for normal error beside these noises, which have this share of the
    variance. Laplace noise has heavier tails; between none and all of it the true number is below a straight line."""
    normal = ndtri((1 + np.asarray(level)) / 2)
    if all(map(GAUSSIAN, noises)):
        return np.asarray(normal + np.zeros(np.shape(share)))
    heavy = np.maximum(normal, -np.log1p(-np.asarray(level)) / np.sqrt(2))
    return np.asarray(normal + (heavy - normal) * np.asarray(share))


def fieller(a: Floats, b: Floats, v1: Any, v2: Any, cov: Any, quantile: Any, beyond: float = np.inf) -> Ends:
    """All r for which a - r·b is within so many standard deviations of zero, of variances v1 and v2. Where b cannot be
    distinguished from zero that is every r, and the ends are -`beyond` and `beyond`."""
    k2 = quantile**2
    with np.errstate(divide="ignore", invalid="ignore"):
        square, middle, rest = b**2 - k2 * v2, a * b - k2 * cov, a**2 - k2 * v1
        root = np.sqrt(np.maximum(middle**2 - square * rest, 0.0))
        bounded = square > 0
        return np.where(bounded, (middle - root) / square, -beyond), np.where(bounded, (middle + root) / square, beyond)


def in_range(ends: Ends, mean: Floats, half: float) -> Ends:
    """Ends of an interval for a mean between -half and half, clipped to that; all of it where they are NaN.

    Where the noise has moved the mean out of the range, the interval reaches as far into it from its end as it would
    from the mean. Clipping alone would keep the coverage but make the interval misleadingly short.
    """
    back = np.nan_to_num(np.clip(mean, -half, half) - mean)
    low, high = ends[0] + np.minimum(back, 0.0), ends[1] + np.maximum(back, 0.0)
    low, high = np.where(np.isnan(low), -half, low), np.where(np.isnan(high), half, high)
    return np.clip(low, -half, half), np.clip(high, -half, half)


RELEASED = 0.95  # the level at which a divisor has to be told from none


def is_above_noise(divisor: Floats, noise: Noise | None) -> NDArray[np.bool_]:
    """Where a noisy number is so far above zero that its own interval does not hold it: elsewhere what is divided by it
    may be anything, as Fieller's set then is. The level is fixed, so that an estimate is told or not at every level."""
    return np.asarray(divisor > (0.0 if noise is None else noise.half_width(RELEASED)))


def half_width_beside_normal(sd: ArrayLike, noise: Noise, level: ArrayLike) -> Floats:
    """The half width that holds a normal error of standard deviation `sd` plus this noise with probability `level`."""
    spread, level = np.asarray(sd, dtype=float), np.asarray(level)
    if noise.is_sum or not isinstance(noise.law, DiscreteLaplace):
        together = np.hypot(spread, noise.sd)
        return np.asarray(critical(level, (noise,), (noise.sd / together) ** 2) * together)
    scale = np.maximum(noise.step * float(noise.law.scale), 1e-4 * spread)  # less noise adds no 10^-7 to the width
    low = np.zeros(np.broadcast_shapes(spread.shape, level.shape))
    high = ndtri((3 + level) / 4) * spread - np.log((1 - level) / 2) * scale  # each within its share
    for _ in range(40):  # to a part in 10^12
        middle = (low + high) / 2
        short = 2 * _normal_plus_laplace_tail(middle, spread, scale) > 1 - level
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    return np.asarray(high)


def _normal_plus_laplace_tail(w: Floats, sd: Floats, scale: Floats) -> Floats:
    """P(N + L > w) for N normal and L Laplace, w >= 0, in logs because its factors over- and underflow."""
    sd = np.maximum(sd, 1e-9 * scale)
    ratio, shift = w / sd, sd / scale
    bend = shift**2 / 2
    return np.asarray(
        np.exp(log_ndtr(-ratio))
        + 0.5 * np.exp(bend - w / scale + log_ndtr(ratio - shift))
        - 0.5 * np.exp(bend + w / scale + log_ndtr(-ratio - shift))
    )


def student_over_normal(level: ArrayLike, freedom: Floats) -> Floats:
    """How much a Student quantile with these degrees of freedom exceeds the normal one."""
    p = (1 + np.asarray(level)) / 2
    return np.asarray(stdtrit(np.maximum(freedom, 1.0), p) / ndtri(p))


class Linear(Protocol):
    """What it makes of numbers of the cells, one line each, and of their variances."""

    def sums(self, of_cells: Floats) -> Floats: ...

    def squares(self, of_cells: Floats) -> Floats: ...


class Same:
    """Each cell by itself."""

    def sums(self, of_cells: Floats) -> Floats:
        return of_cells

    def squares(self, of_cells: Floats) -> Floats:
        return of_cells


@dataclass(frozen=True)
class Factors:
    """A matrix: a line for each result, a column for each cell."""

    by: Floats

    def sums(self, of_cells: Floats) -> Floats:
        return np.asarray(self.by @ of_cells)

    def squares(self, of_cells: Floats) -> Floats:
        return np.asarray(self.by**2 @ of_cells)


@dataclass(frozen=True)
class AddedUp:
    """Cells of a rectangle, row by row, added up over these of its two axes. Each has noise of its own."""

    shape: tuple[int, int]
    over: tuple[int, ...]

    def sums(self, of_cells: Floats) -> Floats:
        rest = of_cells.shape[1:]
        return np.asarray(of_cells.reshape(*self.shape, *rest).sum(axis=self.over)).reshape(-1, *rest)

    def squares(self, of_cells: Floats) -> Floats:
        return self.sums(of_cells)

    def parts(self, numbers: Floats, many: int) -> Floats:
        """The same of so many numbers a cell, one cell after another."""
        return self.sums(numbers.reshape(-1, many)).ravel()

    def noise(self, of_cell: Noise) -> Noise:
        return added([(of_cell, 1.0, prod(self.shape[axis] for axis in self.over))])


@dataclass(frozen=True)
class LessShare:
    """Each cell less its share of the group that it is in, which `over` adds up."""

    share: Floats
    over: Callable[[Floats], Floats]

    def sums(self, of_cells: Floats) -> Floats:
        return of_cells - self._share(of_cells) * self.over(of_cells)

    def squares(self, of_cells: Floats) -> Floats:
        share = self._share(of_cells)
        return (1 - share) ** 2 * of_cells + share**2 * (self.over(of_cells) - of_cells)

    def _share(self, like: Floats) -> Any:
        return self.share.reshape(-1, *(1,) * (like.ndim - 1))


SAME = Same()


@dataclass(frozen=True)
class Noises:
    """Noises, and which of them each number has: -1 where it is exact, as no row can add to it.

    Without any, finding them would take too long. Numbers may share them with their neighbours.
    """

    noises: tuple[Noise, ...]
    which: NDArray[np.intp]
    shared: ClassVar[bool] = True

    @classmethod
    def unknown(cls, many: int) -> Noises:
        return cls((), np.zeros(many, np.intp))

    @property
    def are_known(self) -> bool:
        return bool(self.noises) or bool((self.which < 0).all())

    @property
    def sd(self) -> Floats:
        """The standard deviation of each number."""
        return self.spread(lambda noise: noise.sd)

    def half_widths(self, level: float) -> Floats:
        return self.spread(lambda noise: noise.half_width(level))

    def spread(self, width: Callable[[Noise], float]) -> Floats:
        """A width of its noise for each number."""
        return np.array([*map(width, self.noises), 0.0])[self.which]

    def around(self, values: Any, level: float) -> tuple[Floats, Floats]:
        """Intervals for the true numbers behind released ones."""
        centre, half = np.asarray(values, dtype=float), self.half_widths(level)
        return centre - half, centre + half

    def to_json(self) -> dict[str, Any]:
        same = len(self.noises) == 1 and not self.which.any()
        which: Any = len(self.which) if same or not self.are_known else self.which.tolist()
        return {"noises": [noise.to_json() for noise in self.noises], "which": which}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Noises:
        which = facts["which"]
        numbers = np.zeros(which, np.intp) if isinstance(which, int) else np.array(which, np.intp)
        return cls(tuple(map(Noise.from_json, facts["noises"])), numbers)

    @classmethod
    def reads(cls, facts: Any) -> bool:
        return "noises" in facts
