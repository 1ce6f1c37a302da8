"""Contract 2 for promises with a private scale: what one table calibrates, kept fixed, on its neighbours.

Individual DP refers to the table itself and each of its neighbours; bootstrap DP to all tables of the rows that occur
in it. That the scale was found in the table is what neither counts: docs/attacks.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy.special import logsumexp

from ..cost import Cost, Pure
from ..laws import DiscreteGaussian, DiscreteLaplace, Law
from ..promises.weaker import Portions, facts_of
from ..promises.weaker.steps import Calibrated, ChoiceAmongOccurring
from ..session.plan import Plan
from ..tally import EVERY_RANK
from .probabilities import ORDERS, divergence, shifted
from .reach import utilities
from .universe import Places, Universe, World

Known = dict[tuple[Any, ...], Any]
FINE = 50.0  # up to this standard deviation divergences are added up from probabilities


class Fixed:
    """What a plan does to every table on the scales that `table` calibrates.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.testing import WORLDS, cases, plan_of
    >>> case = next(case for case in cases() if case.name == "Count size, two cells")
    >>> plan = plan_of(case, WORLDS[0], Pure(Fraction(1)), model="idp")
    >>> Fixed(plan, case.universe, WORLDS[0], (0, 1)).spent_individually()
    1.0
    """

    def __init__(self, plan: Plan, universe: Universe, world: World, table: Places, known: Known | None = None) -> None:
        self.plan, self.universe, self.world, self.table = plan, universe, world, table
        self._known: Known = {} if known is None else known  # answers, which plans of one world may share
        rows = universe.read(table, world.whole)
        self.seen = [step.look(rows) for step in plan.steps]

    def spent_individually(self) -> float:
        """The largest share of the price between the table and a neighbour, in either direction."""
        return max((self._loss(self.table, other) for other in self._neighbours(self.table)), default=0.0)

    def spent_by_rows_that_occur(self) -> float:
        """The same between any two neighbours among all tables of the rows of this one."""
        occurring = sorted(set(self.table))
        sizes = [len(self.table)] if self.world.whole else range(len(self.table) + 1)
        tables = [each for size in sizes for each in combinations_with_replacement(occurring, size)]
        known = set(tables)
        return max(
            (self._loss(one, other) for one in tables for other in self._neighbours(one) if other in known),
            default=0.0,
        )

    def _neighbours(self, table: Places) -> Iterator[Places]:
        for at in range(len(table)):
            others = (*table[:at], *table[at + 1 :])
            if self.world.vanishes:
                yield others
            for row in range(len(self.universe.rows)) if self.world.swaps else ():
                if row != table[at]:
                    yield tuple(sorted((*others, row)))
        if self.world.vanishes:
            for row in range(len(self.universe.rows)):
                yield tuple(sorted((*table, row)))

    def _loss(self, one: Places, other: Places) -> float:
        here, there = self._answers(one), self._answers(other)
        return max(
            sum(
                self._loss_of(step, seen, a, b, order)
                for step, seen, a, b in zip(self.plan.steps, self.seen, here, there, strict=True)
            )
            / allowed(self.plan.price, order)
            for order in self._orders
        )

    @cached_property
    def _orders(self) -> tuple[float, ...]:
        return (np.inf,) if isinstance(self.plan.price, Pure) else ORDERS

    def _loss_of(self, step: Any, seen: Any, here: Any, there: Any, order: float) -> float:
        if isinstance(step, ChoiceAmongOccurring):
            both = zip(here, there, strict=True)
            return float(sum(max(divergence(p, q, order), divergence(q, p, order)) for p, q in both))
        assert isinstance(step, Calibrated)
        total = 0.0
        for p, q, reach in zip(here, there, seen.reaches.ravel().tolist(), strict=True):
            if p != q:
                total += moved(step.law(reach), abs(p - q), order) if reach else np.inf
        return total

    def _answers(self, table: Places) -> list[Any]:
        found = []
        for step, seen in zip(self.plan.steps, self.seen, strict=True):
            narrowed: tuple[Any, ...] = ()
            if isinstance(step, ChoiceAmongOccurring):
                narrowed = (step.rate, seen.start, seen.ranks)
            elif seen.stretch is not None:
                narrowed = (*seen.stretch.low.tolist(), *seen.stretch.width.tolist())
            key = (table, step.tally, *narrowed)
            if key not in self._known:
                self._known[key] = self._answer(step, seen, table)
            found.append(self._known[key])
        return found

    def _answer(self, step: Any, seen: Any, table: Places) -> Any:
        """Exact numbers; of a choice the logarithms of the probabilities of all points."""
        rows = self.universe.read(table, self.world.whole)
        if isinstance(step.tally, Portions):
            return step.tally.sums(facts_of(rows, step.tally, 1), seen.stretch).ravel().tolist()
        if not isinstance(step, ChoiceAmongOccurring):
            return step.tally.numbers(facts_of(rows, step.tally, step.promise.hidden)).tolist()
        found = []
        for ladder in step.ladders(rows, seen.ranks, seen.start, EVERY_RANK):
            logs = utilities(ladder, seen.ranks) * float(step.rate / seen.ranks.unit)
            found.append(logs - logsumexp(logs))
        return found


@cache
def moved(law: Law, shift: int, order: float) -> float:
    """The Rényi divergence between noise and the same noise moved. Of discrete Laplace noise the largest log-ratio of
    probabilities is shift/scale; of wide discrete Gaussian noise the order times shift²/(2 variance) is a bound."""
    if isinstance(law, DiscreteLaplace) and order == np.inf:
        return float(shift / law.scale)
    if law.sd <= FINE:
        return shifted(law, shift, order)
    assert isinstance(law, DiscreteGaussian)
    return order * float(shift**2 / (2 * law.sigma_squared))


def allowed(price: Cost, order: float) -> float:
    """What a price allows at an order."""
    return float(price.epsilon) if isinstance(price, Pure) else order * float(price.concentrated().rho)


__all__ = ["Fixed"]
