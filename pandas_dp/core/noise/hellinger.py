"""The law of a released count under Hellinger noise. It is not noise added to it: its spread grows with the count."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import CostNotOffered, NotConcluded
from ..arrays import Floats, Table
from ..budget.cost import Cost, Pure
from .mechanism import Law, positive, rounded_up
from .perturbation import Fitted, Moved, Perturbation
from .samplers.bounded import hellinger

MOST = 2_000_000  # counts beyond have no interval
HEIGHT = 600.0  # exponents that a float64 holds


@dataclass(frozen=True)
class HellingerLaw(Law):
    """P(b | a) proportional to exp(−rate·|√b − √a|), b = 0, 1, …

    Examples
    --------
    >>> law = HellingerLaw(Fraction(3, 4))
    >>> round(float(law.released(0, range(5)).sum()), 4)
    0.5524
    """

    rate: Fraction
    distribution: ClassVar[str] = "hellinger"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", positive(self.rate, "rate"))

    def released(self, count: int, values: npt.ArrayLike) -> Floats:
        """P(b | count) for each b."""
        b = np.asarray(values, dtype=np.float64)
        return np.asarray(np.exp(-float(self.rate) * np.abs(np.sqrt(b) - math.sqrt(count))) / self._total(count))

    def simulated(self, counts: npt.ArrayLike, rng: np.random.Generator) -> Floats:
        """A released number for each count, for simulation, not for protection."""
        a = np.asarray(counts, dtype=np.int64)
        if np.any(a > self._limit / 4):
            raise NotConcluded(f"Hellinger noise is simulated for counts up to {self._limit // 4:,}, not beyond.")
        rising, falling = self._sums
        shift = float(self.rate) * np.sqrt(a.astype(float))
        under, over = rising[a] * np.exp(-shift), falling[a] * np.exp(shift)
        place = rng.random(a.shape) * (under + over)
        low = np.searchsorted(rising, np.minimum(place, under) * np.exp(shift))
        high = np.searchsorted(-falling, -(falling[a] - np.maximum(place - under, 0.0) * np.exp(-shift)))
        return np.where(place <= under, np.minimum(low, a), np.maximum(high, a + 1)).astype(np.float64)

    def around(self, values: npt.ArrayLike, level: float) -> tuple[Floats, Floats]:
        """For each released number the counts that it does not rule out: both tails of their law exceed (1 − level)/2.

        P(B <= b | a) falls as a rises, so these counts are an interval; where the numbers are too large to compute it
        is everything.
        """
        released = np.maximum(np.asarray(values, dtype=np.float64), 0.0)
        distinct, places = np.unique(released, return_inverse=True)
        low, high = np.zeros(len(distinct)), np.full(len(distinct), np.inf)
        known = distinct <= self._limit / 4
        if known.any():
            b, tail = distinct[known].astype(np.int64), (1 - level) / 2
            low[known] = self._least(b, lambda a: 1 - self._below(a, b - 1) > tail)
            beyond = self._least(b, lambda a: self._below(a, b) <= tail)
            high[known] = np.where(beyond < self._limit // 2, beyond - 1.0, np.inf)
        return low[places], high[places]

    def _least(self, b: npt.NDArray[np.int64], holds: Any) -> npt.NDArray[np.int64]:
        """The least count from which on it holds, for each b."""
        low, high = np.full(len(b), -1), np.full(len(b), self._limit // 2)
        while (high - low).max() > 1:
            middle = (low + high) // 2
            there = holds(np.maximum(middle, 0))
            low, high = np.where(there, low, middle), np.where(there, middle, high)
        return high

    @cached_property
    def _limit(self) -> int:
        """Sums run up to here."""
        return int(min(MOST, (HEIGHT / float(self.rate)) ** 2))

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Σ exp(rate·√b) over b <= n, and Σ exp(−rate·√b) over b > n, for every n up to the limit."""
        steep = float(self.rate) * np.sqrt(np.arange(self._limit + 1.0))
        r, top = float(self.rate), math.sqrt(self._limit + 0.5)
        beyond = 2 * (r * top + 1) * math.exp(-r * top) / r**2  # the integral from half a step before
        falling = np.exp(-steep)
        return np.cumsum(np.exp(steep)), np.append(np.cumsum(falling[:0:-1])[::-1], 0.0) + beyond

    def _below(self, a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> Floats:
        """P(B <= b | a)."""
        rising, falling = self._sums
        shift = float(self.rate) * np.sqrt(a.astype(float))
        down, up = np.exp(-shift), np.exp(shift)
        under = np.where(b < 0, 0.0, rising[np.clip(np.minimum(a, b), 0, self._limit)] * down)
        over = np.where(b > a, up * (falling[a] - falling[np.clip(b, 0, self._limit)]), 0.0)
        return np.asarray((under + over) / (rising[a] * down + falling[a] * up))

    def _total(self, count: int) -> float:
        n, r = np.arange(int((math.sqrt(count) + 45 / float(self.rate)) ** 2) + 2.0), float(self.rate)
        return float(np.exp(-r * np.abs(np.sqrt(n) - math.sqrt(count))).sum())

    @property
    def variance(self) -> float:
        """Not a number: it depends on the count."""
        return math.nan

    def pmf(self, k: npt.ArrayLike) -> Any:
        """Refused, like all that treats the noise apart from the count."""
        raise self._depends()

    def cf(self, angle: npt.ArrayLike) -> Floats:
        raise self._depends()

    def _upper(self, k: Floats) -> Floats:
        raise self._depends()

    def _first(self, tail: Fraction) -> int:
        raise self._depends()

    def _depends(self) -> NotConcluded:
        return NotConcluded("Hellinger noise depends on the count that it hides; use `released` or `around`.")


@dataclass(frozen=True)
class Hellinger(Perturbation):
    """Pure: square roots of counts that differ by one differ by at most 1, so the rate is half of epsilon.

    Released counts are never negative. Large counts get much more noise than 'laplace' gives them.

    Examples
    --------
    >>> from fractions import Fraction
    >>> Hellinger().fit([Moved(2, Fraction(1))], Pure(Fraction(3)), True).laws
    (HellingerLaw(rate=Fraction(3, 4)),)
    """

    name: ClassVar[str] = "hellinger"
    additive: ClassVar[bool] = False

    def fit(self, tables: Sequence[Moved], cost: Cost, given: bool) -> Fitted:
        if not isinstance(cost, Pure):
            raise CostNotOffered(
                f"mechanism 'hellinger' cannot spend {cost}; it takes epsilon alone.", mechanism="hellinger"
            )
        rates = [1 / rounded_up(2 * table.counts / (cost.epsilon * table.share)) for table in tables]
        return Fitted(tuple(map(HellingerLaw, rates)), cost)

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        columns = [
            hellinger(exact[:, place], law.rate) for place, law in enumerate(laws) if isinstance(law, HellingerLaw)
        ]
        return np.column_stack([column.astype(object) for column in columns])
