"""Staircase noise on one number: pure differential privacy with the least variance there is."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import ClassVar

from ..cost import Cost, Pure
from ..dataclass import dataclass
from ..laws import DiscreteLaplace, Law, StaircaseLaw, narrowest
from ..noise import staircase
from ..tally import Norm, Table
from .mechanism import Additive, noisy, rounded_up

FROM = 3  # the least epsilon from which it is taken unasked: below, it gains next to nothing


@dataclass(frozen=True)
class Staircase(Additive):
    """One whole number that one person moves by at most weight·reach: epsilon-DP. Proof: docs/proofs/staircase.md.

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

    def law(self, weight: Fraction, reach: Fraction, cost: Cost) -> StaircaseLaw:
        assert isinstance(cost, Pure)
        return narrowest(cost.epsilon, ceil(weight * reach))

    def spent(self, laws: tuple[Law, ...], weights: tuple[Fraction, ...], reach: Fraction) -> Fraction:
        """Epsilon, for every width that the number can move, begun or whole."""
        (law,) = laws
        assert isinstance(law, StaircaseLaw)
        return law.epsilon * ceil(weights[0] * reach / law.width)

    def beats(self, weight: Fraction, reach: Fraction, cost: Cost) -> bool:
        """Whether it has less variance than Laplace noise, and enough epsilon to matter."""
        if not isinstance(cost, Pure) or cost.epsilon < FROM or weight * reach <= 1:
            return False
        rival = DiscreteLaplace(rounded_up(weight * reach / cost.epsilon))
        return self.law(weight, reach, cost).variance < rival.variance

    def blur(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        assert exact.size == 1, "steps are for one number"
        return noisy(exact, laws, _draws)


def _draws(law: Law, count: int) -> Table:
    assert isinstance(law, StaircaseLaw)
    return staircase(law.epsilon, law.width, law.first, count)
