"""The difference of two groups from sums with a sign: its test, and all differences that are not rejected.

a is the score of a row, the ends of its range being -1 and 1; s is -1 in the first group and 1 in the second. Where the
difference is d, g(d) = Σsa - ΣsΣa/n - d·(n - (Σs)²/n)/2 has mean zero over rows and noise.
See docs/proofs/comparisons/tests.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..core.evidence.evidence import INTERVALS, Evidence
from ..core.evidence.noise import Noise, critical, student_over_normal
from .evidence_groups import NOT_COMBINED, error_of, one_row


class Quadratic(NamedTuple):
    """A number for each difference d: constant + linear·d + square·d²."""

    constant: float
    linear: float
    square: float

    def at(self, d: float) -> float:
        return self.constant + self.linear * d + self.square * d * d

    def plus(self, other: Quadratic) -> Quadratic:
        return Quadratic(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING = Quadratic(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Difference(Evidence):
    """The mean of the second group less that of the first, or how often its values are greater.

    `released` are the number of rows, Σs, Σa, Σsa, Σ(1 - a²) and Σs(1 - a²). `half` is what a = 1 is worth. With
    `ranks`, a is about 2F - 1, F being the share of rows below, and the estimate the probability that a value of the
    second group is greater than one of the first, equal ones counting half. `spread`: "equal" where both groups are
    taken to spread alike, "own" where each has its own. `tied` is which share of pairs of rows seem to be in the same
    bin of the first stage, 0 where rows are too few to tell; None where bins are no coarser than the values.
    """

    statistic: str
    released: Floats
    noises: tuple[Noise, ...]
    half: float
    spread: Literal["equal", "own"] = "equal"
    ranks: bool = False
    tied: float | None = None
    kind: ClassVar[str] = "difference"
    accessor: ClassVar[str] = "comparisons.accessor:PaidTestAccessor"
    default_target: ClassVar[str] = "population"
    not_combined: ClassVar[str] = NOT_COMBINED
    offers: ClassVar[frozenset[str]] = INTERVALS | {"equivalence_test", "test"}

    @property
    def estimand(self) -> str | None:
        if not self.ranks:
            return None
        return (
            "probability that a value of the second group is greater than one of the first; values in the same of "
            "the bins in which ranks were learned count as equal, and equal ones half"
        )

    @property
    def estimate(self) -> Floats:
        """Within what the declared range allows; NaN where there seem to be no rows, or one group only."""
        d = self._equation[0] / self._equation[1] if self._equation[1] > 0 else np.nan
        return np.array([self._in_unit(float(np.clip(d, -self._most, self._most)))])

    @property
    def limits(self) -> tuple[float, float]:
        return self._in_unit(-self._most), self._in_unit(self._most)

    @property
    def _most(self) -> float:
        return 1.0 if self.ranks else 2.0

    def _in_unit(self, d: float) -> float:
        return (d + 1) / 2 if self.ranks else d * self.half

    def std_error(self, target: str) -> Floats:
        estimate = self.estimate[0]
        d = 2 * estimate - 1 if self.ranks else estimate / self.half
        worth = 0.5 if self.ranks else self.half
        with np.errstate(all="ignore"):
            return np.array([worth * np.sqrt(max(self._variance(target).at(float(d)), 0.0)) / self._equation[1]])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All differences that a test at this level does not reject; all there can be where that is no interval."""
        limit = self._critical(level, target)
        low, high = _not_rejected(self._equation, self._variance(target), limit, self._most)
        return np.array([self._in_unit(low)]), np.array([self._in_unit(high)])

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        """Where the interval holds all there can be, how large the difference is was not told; the test holds."""
        low, high = self.interval(level, target)
        statistic = self._statistic(target)
        p = error_of(statistic, self.noises, self._noise_share(target), self._freedom)
        undetermined = low[0] <= self.lower and high[0] >= self.upper
        estimate, error = (np.nan, np.nan) if undetermined else (self.estimate[0], self.std_error(target)[0])
        return one_row(estimate, error, low[0], high[0], statistic, p)

    def _statistic(self, target: str) -> float:
        """How many standard deviations Σsa is off what it would be without a difference."""
        variance = self._variance(target).at(0.0)
        return float(self._equation[0] / np.sqrt(variance)) if variance > 0 else np.nan

    def _critical(self, level: float, target: str) -> float:
        quantile = critical(level, self.noises, self._noise_share(target))
        if target == "population":
            quantile = quantile * student_over_normal(level, np.asarray(self._freedom))
        return float(quantile)

    def _noise_share(self, target: str) -> float:
        whole = self._variance(target).at(0.0)
        return float(np.clip(self._noise.at(0.0) / whole, 0.0, 1.0)) if whole > 0 else 1.0

    @cached_property
    def _facts(self) -> DifferenceSums:
        return DifferenceSums(*map(float, self.released), *(noise.var for noise in self.noises))

    @cached_property
    def _equation(self) -> tuple[float, float]:
        """g(d) = first - second·d."""
        return self._facts.covariation, self._facts.weight

    def _variance(self, target: str) -> Quadratic:
        return self._noise.plus(self._sampling) if target == "population" else self._noise

    @cached_property
    def _noise(self) -> Quadratic:
        return self._facts.noise()

    @cached_property
    def _sampling(self) -> Quadratic:
        if self._facts.n <= 1:
            return NOTHING
        return self._facts.alike() if self.spread == "equal" else self._facts.apart()

    @property
    def _freedom(self) -> float:
        """Of Student's law: n - 2; with spreads of their own, Welch's, whose smaller group may have few rows."""
        facts, n = self._facts, self._facts.n
        if self.spread == "equal" or n <= 4:
            return max(1.0, n - 2)
        smaller = float(np.clip((n - abs(facts.s)) / 2, 2.0, n / 2))
        part = self._sampling.constant
        own = [(part * (1 - smaller / n)) ** 2 / (smaller - 1), (part * smaller / n) ** 2 / (n - smaller - 1)]
        return float(np.clip(self._variance("population").constant ** 2 / max(sum(own), 1e-300), 1.0, n - 2))


@dataclass(frozen=True)
class DifferenceSums:
    """The sums n, Σs, Σa, Σsa, Σ(1 - a²), Σs(1 - a²), and the variances of their noise."""

    n: float
    s: float
    a: float
    sa: float
    rest: float
    s_rest: float
    var_n: float
    var_s: float
    var_a: float
    var_sa: float
    var_rest: float
    var_s_rest: float

    @property
    def means(self) -> tuple[float, float]:
        """Of s and of a, between -1 and 1."""
        n = max(self.n, 1.0)
        return float(np.clip(self.s / n, -1, 1)), float(np.clip(self.a / n, -1, 1))

    @property
    def covariation(self) -> float:
        return self.sa - self.s * self.a / self.n if self.n > 1 else np.nan

    @property
    def weight(self) -> float:
        """(n - (Σs)²/n)/2, without the bias that the noise of Σs brings."""
        return (self.n - (self.s**2 - self.var_s) / self.n) / 2 if self.n > 1 else np.nan

    def noise(self) -> Quadratic:
        """Of g(d), with the products of two noises."""
        if self.n <= 1:
            return Quadratic(self.var_sa, 0.0, 0.0)
        s, a = self.means
        both = self.var_s * self.var_a / self.n**2
        constant = self.var_sa + self.var_s * a**2 + self.var_a * s**2 + self.var_n * (s * a) ** 2 + both
        linear = -2 * self.var_s * a * s - self.var_n * s * a * (1 + s**2)
        square = self.var_s * s**2 + self.var_n * (1 + s**2) ** 2 / 4 + self.var_s**2 / (2 * self.n**2)
        return Quadratic(constant, linear, square)

    def alike(self) -> Quadratic:
        """n·var(s)·var(a - d·s/2): exact where labels are dealt out at random."""
        s, a = self.means
        of_s = float(np.clip(1 - s**2 + self.var_s / self.n**2, 0.0, 1.0))
        of_a = float(np.clip(1 - self.rest / self.n - a**2 + self.var_a / self.n**2, 0.0, 1.0))
        together = float(np.clip(self.covariation / self.n, -np.sqrt(of_s * of_a), np.sqrt(of_s * of_a)))
        scale = self.n * of_s
        return Quadratic(scale * of_a, -scale * together, scale * of_s / 4)

    def apart(self) -> Quadratic:
        """Σ(s - mean)²(a - mean - d·(s - mean)/2)²: whatever spread each group has."""
        s, a = self.means
        squares, s_squares = self.n - self.rest, self.s - self.s_rest
        level = squares - 2 * a * self.a + self.n * a**2
        tilt = s_squares - 2 * a * self.sa + a**2 * self.s
        constant = max((1 + s**2) * level - 2 * s * tilt, 0.0)
        square = self.n * (1 + 2 * s**2 - 3 * s**4) / 4
        most = 2 * np.sqrt(constant * square)
        return Quadratic(constant, float(np.clip(-(1 + 3 * s**2) * self.covariation, -most, most)), square)


def _not_rejected(equation: tuple[float, float], variance: Quadratic, limit: float, most: float) -> tuple[float, float]:
    """The hull of all d with |first - second·d| at most `limit` standard deviations, as far as they are possible.

    Where the noise of `second` is large beside it, these are all d but those between two roots.
    """
    first, second = equation
    k2 = limit**2
    square = second**2 - k2 * variance.square
    middle = first * second + k2 * variance.linear / 2
    rest = first**2 - k2 * variance.constant
    inside = middle**2 - square * rest
    if not (second > 0 and square and np.isfinite(inside) and (square > 0 or inside > 0)):
        return -most, most
    root = np.sqrt(max(inside, 0.0))
    below, above = sorted(((middle - root) / square, (middle + root) / square))
    if square < 0:
        left, right = below >= -most, above <= most
        below, above = (above if right and not left else -most), (below if left and not right else most)
    return float(np.clip(below, -most, most)), float(np.clip(above, -most, most))
