"""The most frequent keys, one after another: each pick is an exponential mechanism. Proofs: docs/proofs/keys.md."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np

from ..cost import Approximate, Concentrated, Cost, Pure
from ..dataclass import dataclass
from ..errors import CostNotOffered, UnknownMechanism
from ..neighbours import Moves
from ..noise import exponential_race
from ..noise.enclose import exp_bounds, log_bounds
from ..tally import Table
from .exponential import Exponential
from .mechanism import root_down

GRID = 2**20  # parts of a row, in which the utility of the stop is a whole number
DIGITS = 40
CHOSEN = Exponential.name


@dataclass(frozen=True)
class Picking:
    """`picks` times one of those that are left, with probability proportional to exp(rate·count).

    With a `stop`, in parts of a row, it may be picked too, and ends the picking.
    """

    picks: int
    rate: Fraction
    price: Cost
    stop: int | None = None
    name: str = CHOSEN

    def pick(self, counts: Table) -> list[int]:
        """Places among the counts, the first pick first."""
        left = list(range(len(counts)))
        utilities = [int(count) * GRID for count in counts.tolist()]
        found: list[int] = []
        while left and len(found) < self.picks:
            here = [utilities[at] for at in left] + ([] if self.stop is None else [self.stop])
            winner = exponential_race(np.ones(len(here), np.int64), here, self.rate / GRID)
            if winner == len(left):
                break
            found.append(left.pop(winner))
        return found


def picking_for(asked: object, cost: Cost, moves: Moves, picks: int, unknown: bool, most: int = 1) -> Picking:
    """The rate, and for keys that nobody declared, at most so many of one person, the stop, that a cost buys; from
    public facts alone."""
    if asked not in ("auto", CHOSEN):
        raise UnknownMechanism(
            f"the most frequent keys are chosen one after another; use mechanism={CHOSEN!r} or 'auto'.",
            mechanism=str(getattr(asked, "name", asked)),
        )
    if unknown:
        return _until_a_stop(cost, moves, picks, most)
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    range_ = 2 if moves.swap else 1  # of the log-ratio of one pick, in rates
    if isinstance(price, Pure):
        return Picking(picks, price.epsilon / (picks * range_), price)
    assert isinstance(price, Concentrated)
    return Picking(picks, root_down(8 * price.rho / picks) / range_, price)


def _until_a_stop(cost: Cost, moves: Moves, picks: int, most: int) -> Picking:
    if not isinstance(cost, Approximate):
        raise CostNotOffered(
            "keys that nobody declared come out of a choice by chance, which costs a delta; give epsilon= with delta=, "
            "e.g. epsilon=1, delta=1e-7.",
            cost=str(cost),
        )
    rate, leak = cost.epsilon / picks, cost.delta
    if moves.swap:  # one row goes and another comes
        rate, leak = rate / 2, cost.delta * exp_bounds(cost.epsilon / 2, DIGITS)[0] / 2  # 1/(1 + e^x) > e^-x/2
    if not 0 < leak <= rate:
        raise CostNotOffered(f"{cost} is too little for {picks} keys that nobody declared; ask for fewer.")
    stop = ceil(GRID * (1 + log_bounds(most / leak, DIGITS)[1] / rate))
    return Picking(picks, rate, cost, stop)


__all__ = ["GRID", "Picking", "picking_for"]
