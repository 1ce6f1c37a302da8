"""The laws of noise: what anyone may know about it. Nothing here draws a number or sees data.

Probabilities are floats with a relative error below 10^−12, also in the tails. `quantile` and `half_width`
are whole numbers and exact: they compare with as many digits as it takes.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import accumulate
from numbers import Rational
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import log_ndtr, ndtri

from .noise.enclose import exp_bounds, log_bounds

Floats = npt.NDArray[np.float64]

TABLE = 64.0  # up to this standard deviation sums are taken term by term
FLOAT_ERROR = 1e-11  # a generous bound on the relative error of a tail in float64


class Law(ABC):
    """A symmetric law of whole numbers around zero."""

    distribution: ClassVar[str]

    @property
    @abstractmethod
    def variance(self) -> float:
        """The variance of the whole number."""

    @property
    def sd(self) -> float:
        """The standard deviation of the whole number."""
        return math.sqrt(self.variance)

    @abstractmethod
    def pmf(self, k: npt.ArrayLike) -> Any:
        """P(X = k), for one whole number or an array of them."""

    @abstractmethod
    def _upper(self, k: Floats) -> Floats:
        """P(X > k) for k >= 0, with full relative accuracy."""

    @abstractmethod
    def _first(self, tail: Fraction) -> int:
        """The smallest k >= 0 with P(X > k) <= tail, exactly, for 0 < tail <= 1/2."""

    def sf(self, k: npt.ArrayLike) -> Any:
        """P(X > k), accurate also where it is tiny."""
        at = np.asarray(k, dtype=np.float64)
        below = self._upper(np.where(at < 0, -at - 1, at))
        return np.where(at < 0, 1 - below, below)[()]

    def cdf(self, k: npt.ArrayLike) -> Any:
        """P(X <= k), accurate also where it is tiny."""
        return self.sf(-np.asarray(k, dtype=np.float64) - 1)

    def quantile(self, p: float | Fraction) -> int:
        """The smallest k with P(X <= k) >= p, exactly.

        Examples
        --------
        >>> [DiscreteLaplace(Fraction(2)).quantile(p) for p in (0.025, 0.5, 0.975)]
        [-6, 0, 6]
        """
        level = _open_unit(p, "p")
        return -self._first(level) if level <= Fraction(1, 2) else self._first(1 - level)

    def half_width(self, confidence: float | Fraction) -> int:
        """The smallest w with P(|X| <= w) >= confidence, exactly.

        Examples
        --------
        >>> DiscreteLaplace(Fraction(2)).half_width(0.95)
        6
        """
        return self._first((1 - _open_unit(confidence, "confidence")) / 2)

    @abstractmethod
    def to_json(self) -> dict[str, str]:
        """The law as plain JSON, from which `law_from_json` makes it again."""


def law_from_json(facts: Mapping[str, Any]) -> Law:
    """The law that `to_json` described; entries that are not the law's are left alone.

    Examples
    --------
    >>> law_from_json({"distribution": "discrete laplace", "scale": "7/2"})
    DiscreteLaplace(scale=Fraction(7, 2))
    """
    for kind, key in ((DiscreteLaplace, "scale"), (DiscreteGaussian, "variance")):
        if facts.get("distribution") == kind.distribution:
            return kind(Fraction(facts[key]))
    raise ValueError(f"no law of noise is called {facts.get('distribution')!r}.")


@dataclass(frozen=True)
class DiscreteLaplace(Law):
    """P(k) proportional to exp(−|k|/scale).

    Examples
    --------
    >>> law = DiscreteLaplace(Fraction(7, 2))
    >>> float(round(law.pmf(0), 4)), round(law.sd, 3)
    (0.1419, 4.933)
    """

    scale: Fraction
    distribution: ClassVar[str] = "discrete laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _positive(self.scale, "scale"))

    @property
    def variance(self) -> float:
        """2a/(1 − a)², a = exp(−1/scale)."""
        step = self._step
        return 2 * math.exp(-step) / math.expm1(-step) ** 2

    @property
    def _step(self) -> float:
        return float(1 / self.scale)

    def pmf(self, k: npt.ArrayLike) -> Any:
        """P(X = k) = a^|k|·(1 − a)/(1 + a)."""
        return (math.tanh(self._step / 2) * np.exp(-np.abs(np.asarray(k, dtype=np.float64)) * self._step))[()]

    def _upper(self, k: Floats) -> Floats:
        return np.asarray(np.exp(-(k + 1) * self._step) / (1 + math.exp(-self._step)))

    def _first(self, tail: Fraction) -> int:
        # a^(k + 1)/(1 + a) <= tail says k + 1 >= −scale·ln((1 + a)·tail)
        digits = 30 + len(str(self.scale.numerator))
        while True:
            least, most = exp_bounds(1 / self.scale, digits)
            _, high = log_bounds((1 + most) * tail, digits)
            low, _ = log_bounds((1 + least) * tail, digits)
            first = max(0, math.ceil(-self.scale * high) - 1)
            if first == max(0, math.ceil(-self.scale * low) - 1):
                return first
            digits *= 2

    def to_json(self) -> dict[str, str]:
        """The law as plain JSON."""
        return {"distribution": self.distribution, "scale": str(self.scale)}


@dataclass(frozen=True, init=False)
class DiscreteGaussian(Law):
    """P(k) proportional to exp(−k²/(2·variance)).

    The parameter is kept as `sigma_squared`; the attribute `variance` is the variance of the law, which is
    smaller: by 2·10^−7 at σ = 1, and by less than a float can tell from σ = 1.5 on.

    Examples
    --------
    >>> law = DiscreteGaussian(variance=Fraction(1, 4))
    >>> law.sigma_squared, round(law.variance, 3)
    (Fraction(1, 4), 0.215)
    """

    sigma_squared: Fraction
    distribution: ClassVar[str] = "discrete gaussian"

    def __init__(self, variance: Fraction) -> None:
        object.__setattr__(self, "sigma_squared", _positive(variance, "variance"))

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


def _open_unit(p: float | Fraction, name: str) -> Fraction:
    if not 0 < p < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {p}.")
    return Fraction(p)


def _positive(value: Fraction, name: str) -> Fraction:
    if not isinstance(value, Rational) or value <= 0:
        raise ValueError(f"the {name} of a law of noise must be a positive rational, not {value!r}.")
    return Fraction(int(value.numerator), int(value.denominator))
