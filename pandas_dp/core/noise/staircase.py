"""The staircase law: for one number at large epsilon, the law with the least variance of all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Table
from ..budget.cost import Cost, Pure
from ..measure.cells import Norm
from .laplace import DiscreteLaplace
from .mechanism import FLOAT_ERROR, Additive, Law, first_within, noisy, positive, rounded_up
from .samplers.bounded import staircase
from .samplers.enclose import exp_bounds


@dataclass(frozen=True)
class StaircaseLaw(Law):
    """P(k) proportional to exp(−epsilon·step), where |k| < first is step 0 and each further `width` numbers are one.

    Numbers that are at most `width` apart are at most a step apart (docs/proofs/core/staircase.md).

    Examples
    --------
    >>> law = StaircaseLaw(Fraction(4), width=100, first=20)
    >>> round(law.sd, 2), law.half_width(0.95)
    (25.49, 63)
    """

    epsilon: Fraction
    width: int
    first: int
    distribution: ClassVar[str] = "staircase"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive(self.epsilon, "epsilon"))
        object.__setattr__(self, "width", int(positive(Fraction(self.width), "width")))
        object.__setattr__(self, "first", int(positive(Fraction(self.first), "first step")))
        if self.first > self.width:
            raise ValueError(f"the first step of a staircase is no wider than {self.width}, not {self.first}.")

    @property
    def log_concave(self) -> bool:
        """Only where every number is a step: then it is the discrete Laplace law."""
        return self.width == 1

    @property
    def _beyond(self) -> float:
        """What all steps after the first weigh together, for each number of a step: b/(1 − b), b = exp(−epsilon)."""
        size = float(self.epsilon)
        return math.exp(-size) / -math.expm1(-size)

    @property
    def _at_zero(self) -> float:
        return 1 / (2 * (self.first + self.width * self._beyond) - 1)

    @property
    def variance(self) -> float:
        """Σk²·P(k): numbers are j·width + i, with weight b^j where i < first and b^(j + 1) elsewhere."""
        b, ratio, width = math.exp(-float(self.epsilon)), self._beyond, float(self.width)
        whole = 1 + ratio  # Σb^j; Σj·b^j = whole·ratio; Σj²·b^j = whole·ratio·(1 + 2·ratio)
        early, all_of_it = (tuple(_powers(n)) for n in (self.first, self.width))
        zeroth, once, twice = (e + b * (a - e) for e, a in zip(early, all_of_it, strict=True))
        spread = width**2 * ratio * (1 + 2 * ratio) * zeroth + 2 * width * ratio * once + twice
        return 2 * whole * spread * self._at_zero

    def pmf(self, k: npt.ArrayLike) -> Any:
        """P(X = k)."""
        step = np.ceil((np.abs(np.asarray(k, dtype=np.float64)) - self.first + 1) / self.width)
        return (self._at_zero * np.exp(-np.maximum(step, 0.0) * float(self.epsilon)))[()]

    def _upper(self, k: Floats) -> Floats:
        past = k + 1 - self.first  # the first number beyond k, from the end of the first step
        step = np.maximum(np.floor(past / self.width), -1.0)
        rest = np.where(past < 0, -past, self.width - (past - step * self.width))
        heights = np.exp(-(step + 1) * float(self.epsilon))
        return np.asarray(self._at_zero * heights * (rest + self.width * self._beyond))

    def log_moment(self, rates: Floats) -> Floats:
        """By geometric sums, below the rate epsilon/width."""
        b = math.exp(-float(self.epsilon))
        below = rates * self.width < 0.999 * float(self.epsilon)
        rate = np.where(below, rates, 0.5 * float(self.epsilon) / self.width)
        with np.errstate(over="ignore", invalid="ignore"):
            both = 0.0
            for r in (rate, -rate):
                first, step = (np.expm1(n * r) / np.expm1(r) for n in (self.first, self.width))
                both = both + first + np.exp(r * self.first) * b * step / (1 - b * np.exp(r * self.width))
            found = np.log(self._at_zero * (both - 1))
        return np.where(below & ~np.isnan(found), found, np.inf)

    def _first(self, tail: Fraction) -> int:
        def exceeds(k: int) -> bool:
            digits = 40 + len(str(self.width)) + len(str(int(1 / self.epsilon)))
            while True:
                low, high = self._weights(k, digits)
                if low[0] > tail * high[1]:
                    return True
                if high[0] <= tail * low[1]:
                    return False
                digits *= 2

        guess = self._guess(max(float(tail), 1e-300))
        before, here = self._upper(np.maximum(guess + np.array([-1.0, 0.0]), 0.0))
        if here < tail * (1 - FLOAT_ERROR) and (guess == 0 or before > tail * (1 + FLOAT_ERROR)):
            return guess
        return first_within(exceeds, guess)

    def _weights(self, k: int, digits: int) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """Lower and upper bounds on what numbers beyond k weigh, and on what all do."""
        past = k + 1 - self.first
        steps, rest = (0, -past) if past < 0 else (past // self.width + 1, self.width - past % self.width)
        bounds = zip(exp_bounds(self.epsilon, digits), exp_bounds(self.epsilon * steps, digits), strict=True)
        low, high = (
            (height * (rest + self.width * b / (1 - b)), 2 * (self.first + self.width * b / (1 - b)) - 1)
            for b, height in bounds
        )
        return low, high

    def _guess(self, tail: float) -> int:
        """In floats: on which step the tail ends, and how much of that step is left."""
        requested, later = tail / self._at_zero, self.width * self._beyond
        if requested >= later:
            return max(0, math.ceil(self.first - 1 - (requested - later)))
        step = math.floor(math.log(later / requested) / float(self.epsilon)) + 1
        rest = requested * math.exp(step * float(self.epsilon)) - later
        return max(0, math.ceil(self.first - 1 + step * self.width - rest))

    def cf(self, angle: npt.ArrayLike) -> Floats:
        """By geometric sums, on the unit circle."""
        turned = np.remainder(np.asarray(angle, dtype=np.float64) + math.pi, 2 * math.pi) - math.pi
        b = math.exp(-float(self.epsilon))
        later = np.exp(1j * self.first * turned) * b * _circle(turned, self.width)
        total = _circle(turned, self.first) + later / (1 - b * np.exp(1j * self.width * turned))
        return np.asarray(self._at_zero * (2 * total.real - 1))


def _powers(n: int) -> tuple[float, float, float]:
    """How many numbers are below n, their sum and the sum of their squares."""
    return float(n), n * (n - 1) / 2, (n - 1) * n * (2 * n - 1) / 6


def _circle(angle: Floats, n: int) -> npt.NDArray[np.complex128]:
    """Σ exp(i·k·angle) for k = 0 … n − 1."""
    half = np.sin(angle / 2)
    ratio = np.divide(np.sin(n * angle / 2), half, out=np.full_like(angle, float(n)), where=half != 0)
    return np.asarray(np.exp(1j * (n - 1) * angle / 2) * ratio)


@lru_cache(maxsize=256)
def narrowest(epsilon: Fraction, width: int) -> StaircaseLaw:
    """The one with the least variance, to within a number; any other keeps epsilon too.

    For a width that is large the best first step is a known share of it (Geng & Viswanath 2016).
    """
    b = math.exp(-float(epsilon))
    share = (((b - 2 * b**2 + 2 * b**4 - b**5) / 2) ** (1 / 3) / (1 - b) - b) / (1 - b) if b < 1 else 0.5
    near = min(max(round(min(max(share, 0.0), 1.0) * width), 1), width)
    tried = {min(max(near + off, 1), width) for off in (-1, 0, 1)}
    return min((StaircaseLaw(epsilon, width, first) for first in sorted(tried)), key=lambda law: law.variance)


FROM = 3  # the least epsilon from which it is taken unasked: below, it gains next to nothing


@dataclass(frozen=True)
class Staircase(Additive):
    """One whole number that one person moves by at most weight·sensitivity: epsilon-DP. Proof:
    docs/proofs/core/staircase.md.

    Steps on several numbers would add up: a person may move all of them, by a little each.

    Examples
    --------
    >>> Staircase().law(Fraction(1), Fraction(1000), Pure(Fraction(5))).half_width(0.95)
    144
    """

    name: ClassVar[str] = "staircase"
    norm: ClassVar[Norm] = 1
    most: ClassVar[int | None] = 1

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Pure)

    def law(self, weight: Fraction, sensitivity: Fraction, cost: Cost) -> StaircaseLaw:
        assert isinstance(cost, Pure)
        return narrowest(cost.epsilon, ceil(weight * sensitivity))

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], sensitivity: Fraction) -> Fraction:
        """Epsilon, for every width that the number can move, begun or whole."""
        (law,) = laws
        assert isinstance(law, StaircaseLaw)
        return law.epsilon * ceil(weights[0] * sensitivity / law.width)

    def beats(self, weight: Fraction, sensitivity: Fraction, cost: Cost) -> bool:
        """Whether it has less variance than Laplace noise, and enough epsilon to matter."""
        if not isinstance(cost, Pure) or cost.epsilon < FROM or weight * sensitivity <= 1:
            return False
        rival = DiscreteLaplace(rounded_up(weight * sensitivity / cost.epsilon))
        return self.law(weight, sensitivity, cost).variance < rival.variance

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        assert exact.size == 1, "steps are for one number"
        return noisy(exact, laws, _draws)


def _draws(law: Law, count: int) -> Table:
    assert isinstance(law, StaircaseLaw)
    return staircase(law.epsilon, law.width, law.first, count)
