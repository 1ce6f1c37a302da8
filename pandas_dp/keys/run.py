"""Which keys are shown, where nobody declared them: noise on each that occurs, and a threshold that hides rare ones.

A key is shown where its noisy weight is above the threshold, and then with that number. A key of one person alone is
shown with a probability of at most delta, whatever her number of keys. Proofs: docs/proofs/keys/keys.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..core.arrays import Table
from ..core.budget.cost import Approximate, Concentrated, Cost
from ..core.measure.measurement import Noisy, Rows
from ..core.neighbours import Adjacency, PublicFacts
from ..core.noise.bounded import Bounded
from ..core.noise.bounded_counts import TruncatedLaplace
from ..core.noise.choice import Picking, picking_for
from ..core.noise.gaussian import DiscreteGaussian, Gaussian
from ..core.noise.laplace import DiscreteLaplace
from ..core.noise.mechanism import Law, rounded_up
from ..core.noise.perturbation import Moved
from ..core.noise.samplers.bounded import bounded
from ..core.noise.samplers.discrete import discrete_gaussian, discrete_laplace
from ..core.plan.plan import Plan, Question
from ..core.plan.steps import NOTHING
from ..core.promise import Differential, Promise
from ..errors import CostNotOffered, UnknownMechanism, UnknownModel
from ..numeric.measure import Counts
from ..people.measure import PeopleCounts
from .measure import Occurred, Occurring, ShownKeys
from .statistic import FoundCounts, TopValues

HALF = Fraction(1, 2)
SURE = 1 + 1e-9  # what a probability in floats, good to eleven digits, is multiplied by before it is trusted


@dataclass(frozen=True)
class Showing:
    """Noise and threshold in parts of one row or person, `unit` of them; and what they cost.

    `rows` is the noise of the number of all rows, where it was wanted beside the keys.
    """

    name: str
    law: Law
    threshold: int
    unit: int
    price: Cost
    rows: Law | None = None

    @property
    def laws(self) -> tuple[Law, ...]:
        return (self.law,) if self.rows is None else (self.law, self.rows)

    def spent(self, adjacency: Adjacency) -> Fraction:
        """The rho of Gaussian noise, told from the laws: of the row that moves as many keys as can be, or all rows too.

        Truncated noise is priced by its laws, so there is nothing to compare.
        """
        if not isinstance(self.law, DiscreteGaussian):
            return Fraction(0)
        one = Fraction(self.unit**2) / (2 * self.law.sigma_squared)
        rows = 1 / (2 * self.rows.sigma_squared) if isinstance(self.rows, DiscreteGaussian) else Fraction(0)
        return max(_keys_moved(adjacency) * one, one + rows)

    def show(self, seen: Occurred) -> ShownKeys:
        """Noise for every key that occurs. What is shown, and in which order, follows from the noisy numbers."""
        noisy = seen.weights + draws(self.law, len(seen.keys))
        return self.above(seen, noisy, None if self.rows is None else seen.rows + int(draws(self.rows, 1)[0]))

    def above(self, seen: Occurred, noisy: Table, rows: int | None) -> ShownKeys:
        """Those above the threshold: most first, equal ones by key."""
        places = np.flatnonzero(noisy > self.threshold)
        shown = sorted(zip((-noisy[places]).tolist(), seen.named(places), strict=True))
        table = np.empty((len(shown), 1), dtype=object)
        table[:, 0] = [-less for less, _ in shown]
        return ShownKeys(table, self.laws, tuple(key for _, key in shown), self.threshold, self.unit, rows)


def showing_for(
    asked: object, cost: Cost, adjacency: Adjacency, measurement: Occurring, with_rows: bool = False
) -> Showing:
    """The noise and threshold that a cost buys, for people of so many keys; from public facts alone.

    Epsilon with delta buys truncated Laplace noise where a person has one key, rho with delta Gaussian noise.
    """
    if not isinstance(cost, Approximate | Concentrated) or not cost.delta:
        raise CostNotOffered(
            "keys that nobody declared are shown or not by chance, which costs a delta; give delta= beside epsilon= or "
            "rho=, e.g. epsilon=1, delta=1e-7.",
            cost=str(cost),
        )
    most = measurement.most or 1
    truncated = asked if isinstance(asked, TruncatedLaplace) else TruncatedLaplace()
    if asked not in ("auto", truncated.name, Gaussian.name) and asked is not truncated:
        raise UnknownMechanism(
            f"keys that nobody declared are shown above a threshold, which mechanism "
            f"{getattr(asked, 'name', asked)!r} has not; use {truncated.name!r}, {Gaussian.name!r} or 'auto'.",
            mechanism=str(getattr(asked, "name", asked)),
        )
    if asked == "auto" and isinstance(cost, Approximate) and most == 1:
        asked = truncated
    if asked == truncated.name or asked is truncated:
        return _truncated(truncated, cost, adjacency, most, with_rows)
    return _gaussian(cost, adjacency, measurement, with_rows)


def _truncated(mechanism: TruncatedLaplace, cost: Cost, adjacency: Adjacency, most: int, with_rows: bool) -> Showing:
    """Under swaps the number of all rows is free: whoever moves it moves one key at most, and two otherwise."""
    if most > 1 or not isinstance(cost, Approximate):
        why = f"people of {most} keys" if most > 1 else f"{cost}"
        raise CostNotOffered(
            f"mechanism {mechanism.name!r} takes epsilon with delta, of people with one key each, not {why}; use "
            f"{Gaussian.name!r} or 'auto'.",
            mechanism=mechanism.name,
        )
    paid = HALF if with_rows and not adjacency.swap else Fraction(1)
    fitted = mechanism.fit([Moved(_keys_moved(adjacency), paid)], cost, True)
    (law,) = fitted.laws
    assert isinstance(law, Bounded)
    rows = DiscreteLaplace(rounded_up(2 / cost.epsilon)) if with_rows else None
    return Showing(mechanism.name, law, law.m, 1, fitted.price, rows)


def _gaussian(
    cost: Approximate | Concentrated, adjacency: Adjacency, measurement: Occurring, with_rows: bool
) -> Showing:
    price = leaking(cost)
    paid = HALF if with_rows and not adjacency.swap else Fraction(1)
    unit = measurement.unit
    law = DiscreteGaussian(rounded_up(_keys_moved(adjacency) * unit**2 / (2 * price.rho * paid)))
    rows = DiscreteGaussian(rounded_up(1 / price.rho)) if with_rows else None
    return Showing(Gaussian.name, law, threshold(law, measurement, price.delta), unit, price, rows)


def leaking(cost: Approximate | Concentrated) -> Concentrated:
    """The rho with a leak that keeps the cost: of epsilon with delta, half of delta is the leak."""
    if isinstance(cost, Concentrated):
        return cost
    leak = cost.delta / 2
    return replace(Approximate(cost.epsilon, cost.delta - leak).concentrated(), delta=leak)


def _keys_moved(adjacency: Adjacency) -> int:
    """How many keys one row moves, or the greatest square of how far the weights of one person can go."""
    return 2 if adjacency.swap else 1


def threshold(law: Law, measurement: Occurring, delta: Fraction) -> int:
    """The least whole number above which all keys of one person alone come with probability delta at most.

    Of j keys each may come with probability delta/j. Wherever a float is not sure, the exact quantile decides.
    """
    least = measurement.weight_of_one(1) + law.quantile(1 - delta)
    for keys in range(measurement.most or 1, 1, -1):
        alone, share = measurement.weight_of_one(keys), delta / keys
        if float(law.sf(least - alone)) * SURE > share:
            least = max(least, alone + law.quantile(1 - share))
    return least


def draws(law: Law, size: int) -> Table:
    """Independent draws."""
    if isinstance(law, Bounded):
        return bounded(law.energies, size)
    if isinstance(law, DiscreteGaussian):
        return discrete_gaussian(law.sigma_squared, size)
    assert isinstance(law, DiscreteLaplace)
    return discrete_laplace(law.scale, size)


NOBODY = Occurred((), np.zeros(0, np.int64), 0)


@dataclass(frozen=True)
class FindingKeys:
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
        occurred: Occurred = rows.found("keys.fold:Occurs", self.measurement)
        return occurred

    def add_noise(self, seen: Occurred, rows: Rows) -> ShownKeys:
        return self.showing.show(seen)

    def blank(self) -> ShownKeys:
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
            occurred: Occurred = rows.found("keys.fold:Occurs", self.measurement)
            return occurred
        counts = rows.fold(self.measurement)[:, 0]
        return Occurred(range(len(counts)), counts, 0)

    def add_noise(self, seen: Occurred, rows: Rows) -> ShownKeys:
        return self.named(seen, self.picking.pick(seen.weights))

    def blank(self) -> ShownKeys:
        return self.named(NOBODY, [])

    def named(self, seen: Occurred, picked: list[int]) -> ShownKeys:
        """Those that were picked, in their order."""
        keys = tuple(seen.named(np.array(picked, np.int64)))
        return ShownKeys(np.zeros((len(keys), 1), dtype=object), (), keys)

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        """Nothing that is looked at: one key is picked after another."""
        return NOTHING


def plan_to_find(question: Question, public: PublicFacts, promise: Promise, whole: bool, cost: Cost) -> Plan:
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
    step = FindingKeys(statistic.measurement, showing)
    return Plan(question, public, promise, whole, asked, showing.price, (step,), ((0,),))
