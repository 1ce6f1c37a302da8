"""Laws of bounded range: P(k) proportional to exp(−energy(|k|)) for |k| <= m, and nothing beyond."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from ..arrays import Floats
from .mechanism import FLOAT_ERROR, Law, positive
from .samplers.enclose import exp_bounds

WIDEST = 10_000  # the largest range that there is
MOST_DIGITS = 400  # a smaller probability is rounded up to 10^−399


def _range(most: int) -> int:
    if most > WIDEST:
        raise ValueError(f"the range of a law must be at most {WIDEST:,}.")
    return int(positive(Fraction(most), "range"))


class Bounded(Law):
    """A symmetric law on −m … m, given by the energies of 0 … m, exact rationals."""

    @cached_property
    @abstractmethod
    def energies(self) -> tuple[Fraction, ...]:
        """What exp(−·) is taken of, for 0, 1, … m; the least is 0."""

    @property
    def falls(self) -> bool:
        """The energies never fall."""
        return all(a <= b for a, b in pairwise(self.energies))

    @property
    def log_concave(self) -> bool:
        """The energies never fall, and their steps never do."""
        steps = [b - a for a, b in pairwise(self.energies)]
        return self.falls and all(a <= b for a, b in pairwise(steps))

    @property
    def m(self) -> int:
        """The largest noise there is."""
        return len(self.energies) - 1

    @cached_property
    def _masses(self) -> Floats:
        """P(X = k) for k = 0 … m."""
        weights = np.exp(-np.array([float(energy) for energy in self.energies]))
        return np.asarray(weights / (2 * weights.sum() - weights[0]))

    @cached_property
    def _tails(self) -> Floats:
        """P(X > k) for k = 0 … m."""
        return np.append(np.cumsum(self._masses[:0:-1])[::-1], 0.0)

    @cached_property
    def variance(self) -> float:
        """Σk²·P(k)."""
        return float(2 * (np.arange(self.m + 1.0) ** 2 * self._masses).sum())

    def pmf(self, k: npt.ArrayLike) -> Any:
        """P(X = k)."""
        size = np.abs(np.asarray(k, dtype=np.float64))
        inside = np.minimum(size, self.m).astype(np.int64)
        return np.where((size <= self.m) & (size == np.floor(size)), self._masses[inside], 0.0)[()]

    def cf(self, angle: npt.ArrayLike) -> Floats:
        """The finite sum."""
        at = np.asarray(angle, dtype=np.float64)
        total = np.full(at.shape, self._masses[0])
        for k, mass in enumerate(self._masses[1:].tolist(), start=1):
            total += 2 * mass * np.cos(k * at)
        return total

    def log_moment(self, rates: Floats) -> Floats:
        """The finite sum, in logs because its factors over- and underflow."""
        heights = -np.array([float(energy) for energy in self.energies])
        steep = np.multiply.outer(rates, np.arange(self.m + 1.0))
        both = np.where(steep > 0, np.logaddexp(steep, -steep), 0.0)  # X = k and X = −k, but 0 once
        return np.asarray(logsumexp(heights + both, axis=-1)) + math.log(self._masses.max())

    @cached_property
    def most_at_the_end(self) -> Fraction:
        """P(X = m), rounded up in the fifteenth digit: what truncation costs in delta, of one cell."""
        _, end = exp_bounds(self.energies[-1], min(int(self.energies[-1] / 2) + 30, MOST_DIGITS))
        first, *others = (exp_bounds(energy, 30)[0] for energy in self.energies[:-1])
        exact = end / (first + 2 * sum(others) + 2 * end)  # grows with `end`, so too large a one is safe
        digits = 15 + len(str(exact.denominator)) - len(str(exact.numerator))
        return Fraction(-(-exact.numerator * 10**digits // exact.denominator), 10**digits)

    def _upper(self, k: Floats) -> Floats:
        return np.asarray(self._tails[np.minimum(k, self.m).astype(np.int64)])

    def _first(self, tail: Fraction) -> int:
        guess = int(np.argmax(self._tails <= float(tail)))
        around = self._tails[max(guess - 1, 0)], self._tails[guess]
        sure = guess == self.m or around[1] < tail * (1 - FLOAT_ERROR)
        if sure and (guess == 0 or around[0] > tail * (1 + FLOAT_ERROR)):
            return guess
        nearby = range(max(guess - 1, 0), self.m)
        return next((k for k in nearby if not self._exceeds(k, tail)), self.m)

    def _exceeds(self, k: int, tail: Fraction) -> bool:
        """P(X > k) > tail, with as many digits as it takes; equal where every energy has its share in both."""
        balance: dict[Fraction, Fraction] = defaultdict(Fraction)
        for size, energy in enumerate(self.energies):
            balance[energy] += (size > k) - tail * (2 if size else 1)
        terms = {energy: share for energy, share in balance.items() if share}
        digits = 60
        while terms:
            bounds = [(share, *exp_bounds(energy, digits)) for energy, share in terms.items()]
            low = sum(share * (down if share > 0 else up) for share, down, up in bounds)
            high = sum(share * (up if share > 0 else down) for share, down, up in bounds)
            if low > 0 or high < 0:
                return bool(low > 0)
            digits *= 2
        return False


@dataclass(frozen=True)
class TruncatedLaplaceLaw(Bounded):
    """P(k) proportional to exp(−|k|/scale) for |k| <= range.

    Examples
    --------
    >>> law = TruncatedLaplaceLaw(Fraction(2), 7)
    >>> round(float(law.pmf(7)), 6), float(law.pmf(8))
    (0.007568, 0.0)
    """

    scale: Fraction
    range: int
    distribution: ClassVar[str] = "truncated laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive(self.scale, "scale"))
        object.__setattr__(self, "range", _range(self.range))

    @cached_property
    def energies(self) -> tuple[Fraction, ...]:
        return tuple(k / self.scale for k in range(self.range + 1))


@dataclass(frozen=True)
class TruncatedGaussian(Bounded):
    """P(k) proportional to exp(−k²/(2·sigma_squared)) for |k| <= range.

    Of all laws on that range with its variance it has the largest entropy (docs/proofs/core/perturbations.md).

    Examples
    --------
    >>> law = TruncatedGaussian(Fraction(21, 2), 10)
    >>> round(float(law.pmf(10)), 8)
    0.00105376
    """

    sigma_squared: Fraction
    range: int
    distribution: ClassVar[str] = "truncated gaussian"
    words: ClassVar = {"sigma_squared": "variance"}

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma_squared", positive(self.sigma_squared, "variance"))
        object.__setattr__(self, "range", _range(self.range))

    @cached_property
    def energies(self) -> tuple[Fraction, ...]:
        return tuple(k**2 / (2 * self.sigma_squared) for k in range(self.range + 1))


@dataclass(frozen=True)
class Gibbs(Bounded):
    """P(k) proportional to exp(−rate·losses[|k|]) for |k| < len(losses).

    Examples
    --------
    >>> law = Gibbs(Fraction(1, 2), (0, 1, 1))
    >>> law.m, law.pmf(1) == law.pmf(2)
    (2, np.True_)
    """

    rate: Fraction
    losses: tuple[Fraction, ...]
    distribution: ClassVar[str] = "gibbs"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive(self.rate, "rate"))
        losses = tuple(Fraction(loss) for loss in self.losses)
        if len(losses) < 2:
            raise ValueError("a law of noise needs the losses of 0 and of 1 at least.")
        object.__setattr__(self, "losses", losses)

    @cached_property
    def energies(self) -> tuple[Fraction, ...]:
        least = min(self.losses)
        return tuple(self.rate * (loss - least) for loss in self.losses)

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        return cls(Fraction(facts["rate"]), tuple(map(Fraction, facts["losses"].split())))

    def to_json(self) -> dict[str, str]:
        """The law as plain JSON."""
        return {"distribution": self.distribution, "rate": str(self.rate), "losses": " ".join(map(str, self.losses))}
