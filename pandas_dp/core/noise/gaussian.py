"""The discrete Gaussian law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property, partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtri

from ..arrays import Floats, Table
from ..budget.cost import Concentrated, Cost
from ..measure.cells import Norm
from .mechanism import FLOAT_ERROR, TABLE, Additive, Law, first_within, noisy, positive, rounded_up
from .samplers.discrete import discrete_gaussian
from .samplers.enclose import Ends, Outward, exceeds

HALF = (Decimal("0.5"), Decimal("0.5"))
EASY = 4  # times as many digits at most as the variance, or the terms are added one by one
GUARD = 5  # digits more than are asked for, so that thousands of roundings are no more than what is left out


@dataclass(frozen=True, init=False)
class DiscreteGaussian(Law):
    """P(k) proportional to exp(−k²/(2·variance)).

    The parameter is kept as `sigma_squared`; the attribute `variance` is the variance of the law, which is
    smaller: by 2·10^−7 at σ = 1, and by less than a float can show from σ = 1.5 on.

    Examples
    --------
    >>> law = DiscreteGaussian(variance=Fraction(1, 4))
    >>> law.sigma_squared, round(law.variance, 3)
    (Fraction(1, 4), 0.215)
    """

    sigma_squared: Fraction
    distribution: ClassVar[str] = "discrete gaussian"
    words: ClassVar = {"sigma_squared": "variance"}

    def __init__(self, variance: Fraction) -> None:
        object.__setattr__(self, "sigma_squared", positive(variance, "variance"))

    @cached_property
    def variance(self) -> float:
        """Σk²·P(k); beyond a table σ² to the last digit, as Poisson summation shows."""
        if self._sigma > TABLE:
            return float(self.sigma_squared)
        weights = self._weights()
        squares = np.arange(len(weights), dtype=np.float64) ** 2
        return float(2 * (squares * weights).sum()) / self._total()

    @cached_property
    def _sigma(self) -> float:
        return math.sqrt(self.sigma_squared)

    def _weights(self) -> Floats:
        """exp(−k²/(2σ²)) for k = 0, 1, … until it underflows."""
        k = np.arange(int(39 * self._sigma) + 2, dtype=np.float64)
        return np.asarray(np.exp(-(k**2) / (2 * float(self.sigma_squared))))

    def pmf(self, k: npt.ArrayLike) -> Any:
        """P(X = k)."""
        return (np.exp(-((np.asarray(k, dtype=np.float64) / self._sigma) ** 2) / 2) / self._total())[()]

    def _total(self) -> float:
        if self._sigma > TABLE:
            return self._sigma * math.sqrt(2 * math.pi)
        return float(2 * self._weights().sum() - 1)

    def _upper(self, k: Floats) -> Floats:
        if self._sigma > TABLE:
            x = np.minimum((k + 0.5) / self._sigma, 40.0)  # beyond lies less than a float can hold
            density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
            return np.asarray(np.exp(log_ndtr(-x)) + density * _steps(x, self._sigma))
        weights = self._weights()
        tails = np.append(np.cumsum(weights[::-1])[::-1], 0.0) / self._total()
        return np.asarray(tails[np.minimum(k + 1, len(weights)).astype(np.int64)])

    def log_moment(self, rates: Floats) -> Floats:
        """σ²r²/2 (Canonne, Kamath & Steinke 2020: the law is no wider than the continuous one)."""
        return float(self.sigma_squared) * rates**2 / 2

    def _first(self, tail: Fraction) -> int:
        guess = self._guess(max(float(tail), 1e-300))
        around = self._upper(np.maximum(guess + np.array([-1.0, 0.0]), 0.0))
        sure = around[1] < tail * (1 - FLOAT_ERROR)
        if sure and (guess == 0 or around[0] > tail * (1 + FLOAT_ERROR)):
            return guess
        digits = 20 + math.ceil(1 / tail).bit_length() // 3 + math.ceil(self.sigma_squared).bit_length() // 6
        return first_within(lambda k: exceeds(partial(upper_tail, self.sigma_squared, k), tail, digits), guess)

    def _guess(self, tail: float) -> int:
        if self._sigma > TABLE:
            return max(0, math.ceil(-self._sigma * float(ndtri(tail)) - 0.5))
        return int(np.argmax(self._upper(np.arange(len(self._weights()), dtype=np.float64)) <= tail))

    def cf(self, angle: npt.ArrayLike) -> Floats:
        """The characteristic function, by Poisson summation where the law is wide, else term by term."""
        turned = np.remainder(np.asarray(angle, dtype=np.float64) + math.pi, 2 * math.pi) - math.pi
        if self._sigma > 2:
            images = [np.exp(-((self._sigma * (turned + 2 * math.pi * n)) ** 2) / 2) for n in (-1, 0, 1)]
            return np.asarray(sum(images) / (1 + 2 * math.exp(-2 * (math.pi * self._sigma) ** 2)))
        weights = self._weights()
        terms = [w * np.cos(k * turned) for k, w in enumerate(weights.tolist())]
        return np.asarray((2 * sum(terms) - 1) / self._total())


def _steps(x: Floats, sigma: float) -> Floats:
    """What summing unit steps adds to the normal tail beyond x, over the normal density there: see `_by_formula`.

    The remainder is below 10^−79, with 20 terms at σ = 64. From σ = 2^22 on already the first term, xφ(x)/(24σ²) <=
    0.0101/σ², is below 10^−15: the continuous normal with continuity correction would do.
    """
    total, before, now, left = np.zeros_like(x), np.ones_like(x), x, 4.0  # He_0 and He_1
    for m in range(1, 21):
        total = total + float(_half_over_sinh(m)) * now * (1 / sigma) ** (2 * m)
        before, now = now, x * now - (2 * m - 1) * before
        before, now = now, x * now - (2 * m) * before
        left *= m / (19 * sigma**2)
        if left < 1e-79:
            break
    return total


@cache
def _half_over_sinh(j: int) -> Fraction:
    """The coefficient of z^2j in (z/2)/sinh(z/2): 1, −1/24, 7/5760, …"""
    if j == 0:
        return Fraction(1)
    return -sum((_half_over_sinh(j - i) / (math.factorial(2 * i + 1) * 4**i) for i in range(1, j + 1)), Fraction(0))


def upper_tail(variance: Fraction, k: int, digits: int) -> Ends:
    """Ends between which P(X > k) lies, some 10^−digits apart: docs/proofs/core/exact-noise.md, section 11."""
    return (_by_formula if variance >= EASY * digits else _term_by_term)(variance, k, digits)


def _term_by_term(variance: Fraction, k: int, digits: int) -> Ends:
    """Σ_{j > k} q^(j²) over the sum of all, q = exp(−1/(2σ²)), until a term is small, the next at most half of it."""
    outward, small = Outward(digits + GUARD), Decimal((0, (1,), -digits))
    weight = outward.exp(1 / (2 * variance))
    square = outward.times(weight, weight)
    ratio = outward.times(weight, square)
    outside = half = outward.of(0)
    j = 1
    while weight[1] > small or ratio[1] > HALF[0]:
        half = outward.plus(half, weight)
        outside = outward.plus(outside, weight) if j > k else outside
        weight, ratio, j = outward.times(weight, ratio), outward.times(ratio, square), j + 1
    rest = (Decimal(0), outward.up.add(weight[1], weight[1]))
    outside, half = outward.plus(outside, rest), outward.plus(half, rest)
    return outward.over(outside, outward.plus(outward.of(1), outward.plus(half, half)))


def _by_formula(variance: Fraction, k: int, digits: int) -> Ends:
    """½ − (∫_0^a f − f(a)·S)/∫f with f(t) = exp(−t²/(2σ²)), a = k + ½, and Euler and Maclaurin's S."""
    outward, small = Outward(digits + GUARD), Decimal((0, (1,), -digits))
    a, square = outward.of(Fraction(2 * k + 1, 2)), Fraction(2 * k + 1) ** 2 / (4 * variance)
    if square > 6 * digits:  # P(X > k) < f(a)
        return Decimal(0), small
    area, term, ratio, n = a, a, outward.of(square), 1  # of the integral over f(a): Σ a^(2n + 1)/(σ^2n·(2n + 1)!!)
    while term[1] > outward.up.multiply(small, area[0]) or 2 * square > n + 2:
        n += 2
        term = outward.over(outward.times(term, ratio), outward.of(n))
        area = outward.plus(area, term)
    steps, left = _euler_maclaurin(variance, k, digits)
    inside = outward.times(outward.exp(square / 2), outward.minus(area, steps))
    inside = outward.over(inside, outward.root(outward.times(outward.of(2 * variance), outward.pi())))
    low, high = outward.minus(HALF, inside)
    left = outward.up.add(left, small)  # what the area leaves out, and Σf/∫f − 1
    return outward.down.subtract(low, left), outward.up.add(high, left)


def _euler_maclaurin(variance: Fraction, k: int, digits: int) -> tuple[Ends, Decimal]:
    """S = Σ b_j·He_{2j−1}(x)/σ^(2j−1), x = a/σ, in units of 10^−digits, and how much of the whole sum it leaves out.

    With σ² = p/q, (2p)^n·He_n(x)/σ^n is the whole number H_n, H_{n+1} = (2k + 1)q·H_n − 4npq·H_{n−1}.
    """
    p, q = variance.numerator, variance.denominator
    outward, unit = Outward(digits), 10**digits
    total, before, now, scale, left, m = 0, 1, (2 * k + 1) * q, 2 * p, outward.of(4), 0
    while left[1] > Decimal((0, (1,), -digits)):
        m += 1
        b = _half_over_sinh(m)
        total += b.numerator * now * unit // (b.denominator * scale)
        for n in (2 * m - 1, 2 * m):
            before, now = now, (2 * k + 1) * q * now - 4 * n * p * q * before
        scale *= 4 * p * p
        left = outward.times(left, outward.of(m / (19 * variance)))
    return (outward.of(Fraction(total, unit))[0], outward.of(Fraction(total + m, unit))[1]), left[1]


@dataclass(frozen=True)
class Gaussian(Additive):
    """Coordinate j gets noise of variance weight_j²·sensitivity²/(2·rho), which is rho-zCDP.

    Canonne, Kamath & Steinke (2020), theorem 4.

    Examples
    --------
    >>> Gaussian().law(Fraction(1), Fraction(2), Concentrated(Fraction(1, 8))).half_width(0.95)
    6
    """

    name: ClassVar[str] = "gaussian"
    norm: ClassVar[Norm] = 2
    unasked: ClassVar[type[Cost] | None] = Concentrated

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Concentrated)

    def law(self, weight: Fraction, sensitivity: Fraction, cost: Cost) -> DiscreteGaussian:
        assert isinstance(cost, Concentrated)
        return DiscreteGaussian(rounded_up(weight**2 * sensitivity / (2 * cost.rho)))

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], sensitivity: Fraction) -> Fraction:
        """Coordinate j moves by Δ_j, which costs Δ_j²/(2σ_j²); Σ (Δ_j/weight_j)² is at most the sensitivity."""
        pairs = dict.fromkeys(zip(weights, laws, strict=True))
        return sensitivity / 2 * max([weight**2 / law.sigma_squared for weight, law in pairs])  # type: ignore[attr-defined]

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        return noisy(exact, laws, _draws)


def _draws(law: Law, count: int) -> Table:
    assert isinstance(law, DiscreteGaussian)
    return discrete_gaussian(law.sigma_squared, count)
