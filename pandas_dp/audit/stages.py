"""Contract 2 for promises with a private scale: what one table calibrates, kept fixed, on its neighbours.

Individual DP refers to the table itself and each of its neighbours; bootstrap DP to all tables of the rows that occur
in it. That the scale was found in the table is what neither counts: docs/attacks.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from ..core.arrays import Array
from ..core.budget.cost import Concentrated, Pure
from ..core.evidence.no_interval import Unsaid
from ..core.measure.cells import ONE_CELL, Cells, Norm, Variable
from ..core.measure.measurement import Form, Measurement, Noisy
from ..core.neighbours import Adjacency, PublicFacts
from ..core.noise.gaussian import DiscreteGaussian
from ..core.noise.laplace import DiscreteLaplace
from ..core.noise.mechanism import Law
from ..core.plan.plan import Plan
from ..core.plan.steps import Stage
from ..core.schema.values import ByFields, Interval, Kind
from ..numeric.measure import Counts, Totals
from ..quantiles.measure import EVERY_RANK
from ..weaker.ordered import Portions
from ..weaker.plan import ChoiceAmongOccurring, OwnScales
from ..weaker.promise import facts_of
from .noise import ORDERS, allowed, divergence, shifted
from .sensitivity import Exact, Places, Universe, World, utilities

__all__ = [
    "Fixed",
    "Narrowed",
    "NearMean",
    "spent_by_stages",
]


Known = dict[tuple[Any, ...], Any]
FINE = 50.0  # up to this standard deviation divergences are added up from probabilities


class Fixed:
    """What a plan does to every table on the scales that `table` calibrates.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.audit.sensitivity import CELLS, WORLDS, Case, universe
    >>> from pandas_dp.numeric.statistic_sums import Count
    >>> case = Case("rows in two cells", Count(CELLS["two cells"]), universe({"k": ["a", "b", "zzz"]}, size=2))
    >>> from pandas_dp.audit.noise import plan_of
    >>> plan = plan_of(case, WORLDS[0], Pure(Fraction(1)), model="idp")
    >>> Fixed(plan, case.universe, WORLDS[0], (0, 1)).spent_individually()
    1.0
    """

    def __init__(self, plan: Plan, universe: Universe, world: World, table: Places, known: Known | None = None) -> None:
        self.plan, self.universe, self.world, self.table = plan, universe, world, table
        self._known: Known = {} if known is None else known  # answers, which plans of one world may share
        rows = universe.read(table, world.whole)
        self.seen = [step.measure(rows) for step in plan.steps]

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
        assert isinstance(step, OwnScales)
        total = 0.0
        for p, q, sensitivity in zip(here, there, seen.sensitivities.ravel().tolist(), strict=True):
            if p != q:
                total += moved(step.law(sensitivity), abs(p - q), order) if sensitivity else np.inf
        return total

    def _answers(self, table: Places) -> list[Any]:
        found = []
        for step, seen in zip(self.plan.steps, self.seen, strict=True):
            narrowed: tuple[Any, ...] = ()
            if isinstance(step, ChoiceAmongOccurring):
                narrowed = (step.rate, seen.start, seen.ranks)
            elif seen.location_scale is not None:
                narrowed = (*seen.location_scale.low.tolist(), *seen.location_scale.width.tolist())
            key = (table, step.measurement, *narrowed)
            if key not in self._known:
                self._known[key] = self._answer(step, seen, table)
            found.append(self._known[key])
        return found

    def _answer(self, step: Any, seen: Any, table: Places) -> Any:
        """Exact numbers; of a choice the logarithms of the probabilities of all points."""
        rows = self.universe.read(table, self.world.whole)
        if isinstance(step.measurement, Portions):
            return step.measurement.sums(facts_of(rows, step.measurement, 1), seen.location_scale).ravel().tolist()
        if not isinstance(step, ChoiceAmongOccurring):
            return step.measurement.numbers(facts_of(rows, step.measurement, step.promise.hidden)).tolist()
        found = []
        for near_rank in step.near_ranks(rows, seen.ranks, seen.start, EVERY_RANK):
            logs = utilities(near_rank, seen.ranks) * float(step.rate / seen.ranks.unit)
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


PARTS = 4  # of the range, to one of which the second stage clamps
SIGMAS = 12  # of Gaussian noise on both sides of what is enumerated


@dataclass(frozen=True)
class Narrowed:
    """The sum of values clamped to one quarter of the range: that of the noisy mean of the first stage.

    `at` clamps each row, so no parameter lets it move the sum farther than `sensitivity`, the greatest over all
    quarters.

    Examples
    --------
    >>> from pandas_dp.audit.sensitivity import GRIDS
    >>> form = Narrowed(Totals(Variable("x", GRIDS["even"])), size=4)
    >>> mean_of_eight = Noisy(np.array([[32]], object))
    >>> interval = form.at(form.parameter((mean_of_eight,))).variable.interval
    >>> str(interval.lower), str(interval.upper)
    ('15/2', '10')
    """

    first: Totals
    size: int | None  # where it is public
    coordinates: ClassVar[int] = 1
    box: ClassVar[range] = range(PARTS)  # all parameters

    @property
    def after(self) -> tuple[Measurement, ...]:
        return (self.first,) if self.size is not None else (self.first, Counts(variables=self.first.variables))

    @property
    def cells(self) -> Cells:
        return self.first.cells

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return max(self.at(parameter).sensitivity(norm, adjacency) for parameter in self.box)

    def parameter(self, earlier: tuple[Noisy, ...]) -> int:
        """The quarter of the range in which the first mean lies; where there are no rows, one in the middle."""
        total, *counted = (int(answer.table[0, 0]) for answer in earlier)
        (rows,) = counted or [self.size or 0]
        grid = self.first.variable.grid
        if rows <= 0:
            return PARTS // 2
        return max(0, min(PARTS - 1, (total - grid.low * rows) * PARTS // ((grid.high - grid.low) * rows)))

    def at(self, parameter: int) -> Totals:
        whole = self.first.variable.interval
        width = (whole.upper - whole.lower) / PARTS
        low = whole.lower + parameter * width
        part = Interval(low, low + width, whole.kind, whole.nullable, whole.grid.step)
        return Totals(Variable(self.first.variable.column, part), self.first.cells)

    def say(self, parameter: int) -> int:
        return parameter


@dataclass(frozen=True)
class NearMean(ByFields):
    """The mean of values that are clamped to the quarter of their range in which a first noisy mean lies.

    Examples
    --------
    >>> from pandas_dp.core.neighbours import Adjacency
    >>> from pandas_dp.audit.sensitivity import GRIDS
    >>> near = NearMean(Variable("x", GRIDS["even"]))
    >>> [type(measurement).__name__ for measurement in near.measurements(PublicFacts(Adjacency(True, False), 3), ())]
    ['Totals', 'Narrowed']
    """

    variable: Variable
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "near_mean"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def measurements(self, public: PublicFacts, beside: Collection[Any]) -> tuple[Measurement | Form, ...]:
        form = self._near(public)
        return (*form.after, form)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Unsaid:
        *first, near = answers
        form = self._near(public)
        grid = form.at(form.parameter(tuple(first))).variable.grid
        rows = form.size if form.size is not None else int(first[1].table[0, 0])
        mean = Fraction(int(near.table[0, 0]), max(1, rows or 0))
        clipped = min(max(mean, Fraction(grid.low)), Fraction(grid.high))
        return Unsaid(self.statistic, np.array([float(clipped * grid.step)]), "chosen")

    def _near(self, public: PublicFacts) -> Narrowed:
        is_public = public.counts_public(self.cells, [self.variable])
        return Narrowed(Totals(self.variable), public.size if is_public else None)


def spent_by_stages(plan: Plan, universe: Universe, world: World) -> float:
    """The largest share of the price that any two neighbours use, where the last step is a stage.

    All answers of the steps before it are enumerated, each a single number: as far as Laplace noise changes what they
    say, or so far that what is left of Gaussian noise is nothing. To each belongs a parameter, and to it the loss of
    the last stage, in closed form or by its probabilities.

    Examples
    --------
    >>> import pandas as pd
    >>> from pandas_dp.audit.sensitivity import GRIDS, WORLDS, Case
    >>> from pandas_dp.audit.noise import plan_of
    >>> near = NearMean(Variable("x", GRIDS["two points"]))
    >>> rows = Universe(pd.DataFrame({"x": [0.0, 1.0]}), size=2)
    >>> plan = plan_of(Case("near", near, rows), WORLDS[0], Pure(Fraction(1)))
    >>> 0 < spent_by_stages(plan, rows, WORLDS[0]) <= 1 + 1e-9
    True
    """
    *first, stage = plan.steps
    assert isinstance(stage, Stage)
    exact = [Exact(step.measurement, universe).answers(world.whole)[:, 0, 0] for step in first]
    spans = [_span(step.laws[0].sd, seen, plan.price) for step, seen in zip(first, exact, strict=True)]
    combined = list(product(*spans))
    parameters = [stage.parameter(tuple(Noisy(np.array([[number]], object)) for number in each)) for each in combined]
    later = {
        each: Exact(stage.form.at(each), universe).answers(world.whole)[:, 0, 0] for each in dict.fromkeys(parameters)
    }
    which = np.array([list(later).index(each) for each in parameters])
    points, most = np.array(combined, dtype=np.int64), 0.0
    for order in (np.inf,) if isinstance(plan.price, Pure) else ORDERS:
        allowed = float(plan.price.epsilon) if isinstance(plan.price, Pure) else order * _rho(plan.price)
        for one, other in [*universe.pairs(world).tolist(), *universe.pairs(world)[:, ::-1].tolist()]:
            here, there = (_logs(first, points, exact, table) for table in (one, other))
            last = [shifted(stage.laws[0], int(abs(seen[one] - seen[other])), order) for seen in later.values()]
            most = max(most, _joint(here, there, np.array(last)[which], order) / allowed)
    return most


def _joint(here: Array, there: Array, last: Array, order: float) -> float:
    """Rényi's divergence of both stages: the last one's, averaged as the definition says."""
    if order == np.inf:
        return float((here - there + last).max())
    return float(logsumexp(order * here + (1 - order) * there + (order - 1) * last) / (order - 1))


def _span(sd: float, seen: Array, price: Any) -> range:
    """Around the exact answers; answers beyond tell nothing more under Laplace noise, as the parameter is clipped."""
    low, high = int(seen.min()), int(seen.max())
    width = 2 * (high - low) + 2 if isinstance(price, Pure) else int(SIGMAS * sd) + 1
    return range(low - width, high + width + 1)


def _logs(steps: Sequence[Any], points: Array, exact: Sequence[Array], table: int) -> Array:
    logs = np.zeros(len(points))
    for place, (step, seen) in enumerate(zip(steps, exact, strict=True)):
        logs += np.log(step.laws[0].pmf(points[:, place] - int(seen[table])))
    return logs


def _rho(price: Any) -> float:
    assert isinstance(price, Concentrated)
    return float(price.rho)
