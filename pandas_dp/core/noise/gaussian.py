"""The discrete Gaussian law."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtri

from ...dataclass import dataclass
from ...numeric.measure_distinct import Table
from ..arrays import Floats
from ..budget.cost import Concentrated, Cost
from ..measure.cells import Norm
from .law import FLOAT_ERROR, TABLE, Law, positive
from .mechanism import Additive, noisy, rounded_up
from .samplers.discrete import discrete_gaussian


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

    def __init__(self, variance: Fraction) -> None:
        object.__setattr__(self, "sigma_squared", positive(variance, "variance"))

    @property
    def variance(self) -> float:
        """Σk²·P(k); beyond a table σ² to the last digit, as Poisson summation shows."""
        if self._sigma > TABLE:
            return float(self.sigma_squared)
        weights = self._weights()
        squares = np.arange(len(weights), dtype=np.float64) ** 2
        return float(2 * (squares * weights).sum()) / self._total()

    @property
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
            return np.asarray(np.exp(log_ndtr(-x)) + density * _steps(x, self._sigma, float))
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
        return _first_with_more_digits(self.sigma_squared, tail, guess)

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

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        return cls(Fraction(facts["variance"]))

    def to_json(self) -> dict[str, str]:
        """The law as plain JSON."""
        return {"distribution": self.distribution, "variance": str(self.sigma_squared)}


def _steps(x: Any, sigma: Any, number: Callable[[Fraction], Any]) -> Any:
    """What summing unit steps adds to the normal tail beyond x, over the normal density there.

    Euler and Maclaurin's formula at midpoints, with f(t) = φ(t/σ)/σ and b_j the coefficients of
    (z/2)/sinh(z/2), says Σ_{k > a} f(k) = ∫_a f − Σ_j b_j·f^(2j−1)(a) for a half-integer a; f^(2j−1)(a)
    = −He_{2j−1}(x)φ(x)/σ^2j. After m terms less than 4·√((2m)!)/(2πσ)^(2m) is left, 10^−79 for m = 20
    and σ > 64, because Bernoulli's polynomial is at most 4·(2m)!/(2π)^2m and ∫|f^(2m)| = E|He_2m|/σ^2m
    at most √((2m)!)/σ^2m. From σ = 2^22 on already the first term, xφ(x)/(24σ²) <= 0.0101/σ², is below
    10^−15: the continuous normal with continuity correction would do. The whole line sums to 1 +
    2·exp(−2π²σ²) + … by Poisson's formula: 1 to 35 000 digits.
    """
    total, before, now = 0, number(Fraction(1)), x  # He_0 and He_1
    for j, b in enumerate(_half_over_sinh(_terms(float(sigma))), start=1):
        total = total + number(b) * now * (1 / sigma) ** (2 * j)
        before, now = now, x * now - (2 * j - 1) * before
        before, now = now, x * now - (2 * j) * before
    return total


def _terms(sigma: float) -> int:
    """How many terms leave less than 10^−79."""
    left = (math.log(4) + math.lgamma(2 * m + 1) / 2 - 2 * m * math.log(2 * math.pi * sigma) for m in range(1, 21))
    return next((m for m, log in enumerate(left, start=1) if log < -79 * math.log(10)), 20)


@cache
def _half_over_sinh(terms: int) -> list[Fraction]:
    """Coefficients of z², z⁴, … in (z/2)/sinh(z/2): −1/24, 7/5760, …"""
    series = [Fraction(1)]
    for j in range(1, terms + 1):
        series.append(-sum(series[j - i] / (math.factorial(2 * i + 1) * 4**i) for i in range(1, j + 1)))
    return series[1:]


def _first_with_more_digits(variance: Fraction, tail: Fraction, guess: int) -> int:
    """The smallest k >= 0 with P(X > k) <= tail, from a guess; decided with forty digits to spare."""
    import mpmath

    context = mpmath.MPContext()  # of its own: mpmath's global precision is shared between threads
    context.dps = 45 + len(str(math.floor(variance))) + len(str(tail.denominator))
    exceeds = _tail_test(context, variance, tail)
    reach = 2 + guess // 2**40
    low, high = max(-1, guess - reach), guess + reach
    if (low >= 0 and not exceeds(low)) or exceeds(high):
        low, high = -1, _sigmas(tail) * (math.isqrt(math.ceil(variance)) + 1)
    while high - low > 1:  # P(X > low) > tail >= P(X > high)
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


def _tail_test(context: Any, variance: Fraction, tail: Fraction) -> Callable[[int], bool]:
    """Whether P(X > k) exceeds the tail, as a function of k >= 0."""

    def number(x: Fraction) -> Any:
        return context.mpf(x.numerator) / x.denominator

    sigma, bar = context.sqrt(number(variance)), number(tail)
    if sigma > TABLE:

        def exceeds(k: int) -> bool:
            x = (k + context.mpf(0.5)) / sigma
            density = context.exp(-(x**2) / 2) / context.sqrt(2 * context.pi)
            return bool(context.erfc(x / context.sqrt(2)) / 2 + density * _steps(x, sigma, number) > bar)

        return exceeds
    last = _sigmas(tail / 10**40) * (math.ceil(sigma) + 1)
    weights = [context.exp(-(k**2) / (2 * number(variance))) for k in range(last + 1)]
    tails = list(accumulate(reversed(weights[1:])))[::-1]  # Σ over k > 0, k > 1, …
    whole = 1 + 2 * tails[0]
    return lambda k: k < len(tails) and tails[k] > bar * whole


def _sigmas(tail: Fraction) -> int:
    """So many standard deviations that less than the tail lies beyond: P(X > k) < exp(−k²/(2σ²))."""
    return math.isqrt(2 * (tail.denominator.bit_length() - tail.numerator.bit_length() + 2)) + 1


@dataclass(frozen=True)
class Gaussian(Additive):
    """Coordinate j gets noise of variance weight_j²·reach²/(2·rho), which is rho-zCDP.

    Canonne, Kamath & Steinke (2020), theorem 4.

    Examples
    --------
    >>> Gaussian().law(Fraction(1), Fraction(2), Concentrated(Fraction(1, 8))).half_width(0.95)
    6
    """

    name: ClassVar[str] = "gaussian"
    norm: ClassVar[Norm] = 2
    unasked: ClassVar[bool] = True

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Concentrated)

    def law(self, weight: Fraction, reach: Fraction, cost: Cost) -> DiscreteGaussian:
        assert isinstance(cost, Concentrated)
        return DiscreteGaussian(rounded_up(weight**2 * reach / (2 * cost.rho)))

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], reach: Fraction) -> Fraction:
        """Coordinate j moves by Δ_j, which costs Δ_j²/(2σ_j²); Σ (Δ_j/weight_j)² is at most the reach."""
        pairs = dict.fromkeys(zip(weights, laws, strict=True))
        return reach / 2 * max(weight**2 / law.sigma_squared for weight, law in pairs)  # type: ignore[attr-defined]

    def blur(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        return noisy(exact, laws, _draws)


def _draws(law: Law, count: int) -> Table:
    assert isinstance(law, DiscreteGaussian)
    return discrete_gaussian(law.sigma_squared, count)
