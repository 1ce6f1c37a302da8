"""Discrete Gaussian noise: zero-concentrated differential privacy for sums."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..cost import Concentrated, Cost
from ..dataclass import dataclass
from ..laws import DiscreteGaussian, Law
from ..noise import discrete_gaussian
from ..tally import Norm, Table
from .mechanism import Additive, noisy, rounded_up


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
