"""Discrete Laplace noise: pure differential privacy for sums."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..cost import Cost, Pure
from ..dataclass import dataclass
from ..laws import DiscreteLaplace, Law
from ..noise import discrete_laplace
from ..tally import Norm, Table
from .mechanism import Additive, noisy, rounded_up


@dataclass(frozen=True)
class Laplace(Additive):
    """Coordinate j gets noise of scale weight_j·reach/epsilon: in all, densities change by at most e^epsilon.

    Examples
    --------
    >>> Laplace().law(Fraction(1), Fraction(2), Pure(Fraction(1, 2))).half_width(0.95)
    12
    """

    name: ClassVar[str] = "laplace"
    norm: ClassVar[Norm] = 1
    unasked: ClassVar[bool] = True

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Pure)

    def law(self, weight: Fraction, reach: Fraction, cost: Cost) -> DiscreteLaplace:
        assert isinstance(cost, Pure)
        return DiscreteLaplace(rounded_up(weight * reach / cost.epsilon))

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], reach: Fraction) -> Fraction:
        """Coordinate j moves by Δ_j, which costs Δ_j/scale_j; Σ Δ_j/weight_j is at most the reach."""
        return reach * max(weight / law.scale for weight, law in zip(weights, laws, strict=True))  # type: ignore[attr-defined]

    def blur(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        return noisy(exact, laws, _draws)


def _draws(law: Law, count: int) -> Table:
    assert isinstance(law, DiscreteLaplace)
    return discrete_laplace(law.scale, count)
