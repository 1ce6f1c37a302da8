"""The discrete Laplace law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Table
from ..budget.cost import Cost, Pure
from ..measure.cells import Norm
from .mechanism import Additive, Law, noisy, positive, rounded_up
from .samplers.discrete import discrete_laplace
from .samplers.enclose import exp_bounds, log_bounds


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
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

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

    def log_moment(self, rates: Floats) -> Floats:
        """−ln(1 − sinh²(r/2)/sinh²(1/(2·scale))) below the rate 1/scale."""
        below = rates < 0.999 * self._step
        half = np.where(below, rates, self._step / 2) / 2
        ratio = np.exp(half - self._step / 2) * np.expm1(-2 * half) / math.expm1(-self._step)
        return np.where(below, -np.log1p(-(ratio**2)), np.inf)

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

    def cf(self, angle: npt.ArrayLike) -> Floats:
        """(1 − a)²/((1 − a)² + 4a·sin²(angle/2))."""
        gap = math.expm1(-self._step) ** 2
        return np.asarray(
            gap / (gap + 4 * math.exp(-self._step) * np.sin(np.asarray(angle, dtype=np.float64) / 2) ** 2)
        )


@dataclass(frozen=True)
class Laplace(Additive):
    """Coordinate j gets noise of scale weight_j·sensitivity/epsilon: in all, densities change by at most e^epsilon.

    Examples
    --------
    >>> Laplace().law(Fraction(1), Fraction(2), Pure(Fraction(1, 2))).half_width(0.95)
    12
    """

    name: ClassVar[str] = "laplace"
    norm: ClassVar[Norm] = 1
    unasked: ClassVar[type[Cost] | None] = Pure

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Pure)

    def law(self, weight: Fraction, sensitivity: Fraction, cost: Cost) -> DiscreteLaplace:
        assert isinstance(cost, Pure)
        return DiscreteLaplace(rounded_up(weight * sensitivity / cost.epsilon))

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], sensitivity: Fraction) -> Fraction:
        """Coordinate j moves by Δ_j, which costs Δ_j/scale_j; Σ Δ_j/weight_j is at most the sensitivity."""
        return sensitivity * max(weight / law.scale for weight, law in zip(weights, laws, strict=True))  # type: ignore[attr-defined]

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        return noisy(exact, laws, _draws)


def _draws(law: Law, count: int) -> Table:
    assert isinstance(law, DiscreteLaplace)
    return discrete_laplace(law.scale, count)
