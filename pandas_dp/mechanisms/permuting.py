"""Permute-and-flip: the best of a few candidates in pure epsilon. Proof: docs/proofs/tools.md."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from ..cost import Concentrated, Cost, Pure
from ..dataclass import dataclass
from ..errors import CostNotOffered, UnknownMechanism, shown
from ..noise import exp_coin, exponential_race, uniform_below
from .exponential import Exponential


@dataclass(frozen=True)
class PermuteAndFlip:
    """Candidates come up in random order, and each is taken with probability exp(rate·(its utility - the best)).

    It is as private as the exponential mechanism of this rate, and never worse; not so under rho.
    """

    name: ClassVar[str] = "permute-and-flip"

    def pick(self, utilities: Sequence[int], rate: Fraction) -> int:
        """The place of a candidate. The best is always taken when it comes up, so one is."""
        best, waiting = max(utilities), list(range(len(utilities)))
        while True:
            at = waiting.pop(uniform_below(len(waiting)))
            if exp_coin(rate * (best - utilities[at])):
                return at


@dataclass(frozen=True)
class Lottery:
    """The exponential mechanism over a list of candidates."""

    name: ClassVar[str] = Exponential.name

    def pick(self, utilities: Sequence[int], rate: Fraction) -> int:
        """The place of a candidate, with probability proportional to exp(rate·utility)."""
        return exponential_race([1] * len(utilities), utilities, rate)


Picks = PermuteAndFlip | Lottery


def picks_for(asked: object, cost: Cost) -> Picks:
    """What chooses among candidates at this kind of cost: permute-and-flip in epsilon, the exponential mechanism in
    rho, of which permute-and-flip would need twice as much."""
    if asked not in ("auto", PermuteAndFlip.name, Lottery.name):
        raise UnknownMechanism(
            f"mechanism {shown(getattr(asked, 'name', asked))} is not offered for choosing among candidates; use one "
            f"of 'auto', {PermuteAndFlip.name!r}, {Lottery.name!r}.",
            mechanism=str(getattr(asked, "name", asked)),
        )
    if isinstance(cost, Pure):
        return Lottery() if asked == Lottery.name else PermuteAndFlip()
    assert isinstance(cost, Concentrated)
    if asked == PermuteAndFlip.name:
        raise CostNotOffered(
            f"mechanism {PermuteAndFlip.name!r} spends epsilon; at the price of a rho {Lottery.name!r} is better, and "
            "'auto' takes it.",
            mechanism=PermuteAndFlip.name,
            cost=str(cost),
        )
    return Lottery()
