"""The plan of a question whose cells are an answer: keys that nobody declared, shown above a threshold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..core.budget.cost import Concentrated, Cost
from ..core.measure.measurement import Noisy, Rows
from ..core.neighbours import Adjacency, PublicFacts
from ..core.noise.choice import Picking, picking_for
from ..core.noise.mechanism import Law
from ..core.plan.plan import Plan, Question
from ..core.plan.steps import NOTHING
from ..core.promise import Differential
from ..dataclass import dataclass
from ..errors import UnknownModel
from ..numeric.measure_distinct import Counts
from ..people.measure import PeopleCounts
from ..weaker.promise import Weaker
from .measure import Found, Occurred, Occurring
from .mechanism import Showing, showing_for
from .statistic import FoundCounts, TopValues

NOBODY = Occurred((), np.zeros(0, np.int64), 0)


@dataclass(frozen=True)
class Finding:
    """The keys that occur, each with noise, and those above a threshold shown."""

    measurement: Occurring
    showing: Showing

    @property
    def mechanism_name(self) -> str:
        return self.showing.name

    @property
    def laws(self) -> tuple[Law, ...]:
        return self.showing.laws

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Occurred:
        return rows.occurring(self.measurement)

    def add_noise(self, seen: Occurred, rows: Rows) -> Found:
        return self.showing.show(seen)

    def blank(self) -> Found:
        return self.showing.above(NOBODY, NOBODY.weights, None if self.showing.rows is None else 0)

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        return self.showing.spent(adjacency)


@dataclass(frozen=True)
class Ordering:
    """The most frequent keys, picked one after another."""

    statistic: TopValues
    picking: Picking
    laws: tuple[Law, ...] = ()

    @property
    def measurement(self) -> Counts | PeopleCounts | Occurring:
        return self.statistic.measurement

    @property
    def mechanism_name(self) -> str:
        return self.picking.name

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Occurred:
        """Declared keys are all there, by their places."""
        if isinstance(self.measurement, Occurring):
            return rows.occurring(self.measurement)
        counts = rows.fold(self.measurement)[:, 0]
        return Occurred(range(len(counts)), counts, 0)

    def add_noise(self, seen: Occurred, rows: Rows) -> Found:
        return self.named(seen, self.picking.pick(seen.weights))

    def blank(self) -> Found:
        return self.named(NOBODY, [])

    def named(self, seen: Occurred, picked: list[int]) -> Found:
        """Those that were picked, in their order."""
        keys = tuple(seen.named(np.array(picked, np.int64)))
        return Found(np.zeros((len(keys), 1), dtype=object), (), keys)

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        """Nothing that is looked at: one key is picked after another."""
        return NOTHING


def plan_to_find(
    question: Question, public: PublicFacts, promise: Differential | Weaker, whole: bool, cost: Cost
) -> Plan:
    """Noise and threshold of the only part of a question, at the whole cost."""
    (part,) = question.parts
    statistic = part.estimator
    if type(promise) is not Differential:
        what = "the largest categories are picked" if isinstance(statistic, TopValues) else "undeclared keys are found"
        raise UnknownModel(f"{what} under model='dp', not {promise.name!r}; leave model= out.", model=promise.name)
    mechanism = question.request.mechanism
    if isinstance(statistic, TopValues):
        picking = picking_for(mechanism, cost, public.adjacency, statistic.picks, statistic.unknown, statistic.most)
        ordering = Ordering(statistic, picking)
        return Plan(question, public, promise, whole, cost, picking.price, (ordering,), ((0,),))
    assert isinstance(statistic, FoundCounts)
    showing = showing_for(mechanism, cost, public.adjacency, statistic.measurement, statistic.needs_rows(public))
    asked = cost if isinstance(showing.price, Concentrated) else showing.price  # what a perturbation costs in the end
    step = Finding(statistic.measurement, showing)
    return Plan(question, public, promise, whole, asked, showing.price, (step,), ((0,),))
