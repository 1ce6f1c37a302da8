"""A statistic of two looks, and the exact loss of a plan whose looks depend on each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import product
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp

from ..cost import Concentrated, Pure
from ..dataclass import dataclass
from ..domain import Interval, Kind
from ..domain.fingerprint import said
from ..evidence import Unsaid
from ..neighbours import Moves, Setting
from ..session.plan import Plan
from ..session.stages import Stage
from ..tally import ONE_CELL, Blurred, Cells, Counts, Form, Norm, Tally, Totals, Variable
from .probabilities import ORDERS, shifted
from .reach import Array, Exact
from .universe import Universe, World

PARTS = 4  # of the range, to one of which the second look clamps
SIGMAS = 12  # of Gaussian noise on both sides of what is enumerated


@dataclass(frozen=True)
class Narrowed:
    """The sum of values clamped to one quarter of the range: that of the noisy mean of the first look.

    `at` clamps each row, so no parameter lets it move the sum farther than `reach`, the greatest over all quarters.

    Examples
    --------
    >>> from pandas_dp.testing import GRIDS
    >>> form = Narrowed(Totals(Variable("x", GRIDS["even"])), size=4)
    >>> mean_of_eight = Blurred(np.array([[32]], object))
    >>> interval = form.at(form.parameter((mean_of_eight,))).variable.interval
    >>> str(interval.lower), str(interval.upper)
    ('15/2', '10')
    """

    first: Totals
    size: int | None  # where it is public
    coordinates: ClassVar[int] = 1
    box: ClassVar[range] = range(PARTS)  # all parameters

    @property
    def after(self) -> tuple[Tally, ...]:
        return (self.first,) if self.size is not None else (self.first, Counts(variables=self.first.variables))

    @property
    def cells(self) -> Cells:
        return self.first.cells

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return max(self.at(parameter).reach(norm, moves) for parameter in self.box)

    def parameter(self, told: tuple[Blurred, ...]) -> int:
        """The quarter of the range in which the first mean lies; where there are no rows, one in the middle."""
        total, *counted = (int(answer.table[0, 0]) for answer in told)
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
class NearMean:
    """The mean of values that are clamped to the quarter of their range in which a first noisy mean lies.

    Examples
    --------
    >>> from pandas_dp.neighbours import Moves
    >>> from pandas_dp.testing import GRIDS
    >>> near = NearMean(Variable("x", GRIDS["even"]))
    >>> [type(tally).__name__ for tally in near.tallies(Setting(Moves(True, False), 3), ())]
    ['Totals', 'Narrowed']
    """

    variable: Variable
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "near_mean"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        return said(statistic=self.statistic, of=self.variable.to_json())

    def tallies(self, setting: Setting, beside: Collection[Any]) -> tuple[Tally | Form, ...]:
        form = self._near(setting)
        return (*form.after, form)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Unsaid:
        *first, near = answers
        form = self._near(setting)
        grid = form.at(form.parameter(tuple(first))).variable.grid
        rows = form.size if form.size is not None else int(first[1].table[0, 0])
        mean = Fraction(int(near.table[0, 0]), max(1, rows or 0))
        clipped = min(max(mean, Fraction(grid.low)), Fraction(grid.high))
        return Unsaid(self.statistic, np.array([float(clipped * grid.step)]), "chosen")

    def _near(self, setting: Setting) -> Narrowed:
        public = setting.counts_public(self.cells, [self.variable])
        return Narrowed(Totals(self.variable), setting.size if public else None)


def spent_by_looks(plan: Plan, universe: Universe, world: World) -> float:
    """The largest share of the price that any two neighbours use, where the last step is a stage.

    All answers of the steps before it are enumerated, each a single number: as far as Laplace noise changes what they
    say, or so far that what is left of Gaussian noise is nothing. To each belongs a parameter, and to it the loss of
    the last look, in closed form or by its probabilities.

    Examples
    --------
    >>> import pandas as pd
    >>> from pandas_dp.testing import GRIDS, WORLDS, Case, plan_of
    >>> near = NearMean(Variable("x", GRIDS["two points"]))
    >>> rows = Universe(pd.DataFrame({"x": [0.0, 1.0]}), size=2)
    >>> plan = plan_of(Case("near", near, rows), WORLDS[0], Pure(Fraction(1)))
    >>> 0 < spent_by_looks(plan, rows, WORLDS[0]) <= 1 + 1e-9
    True
    """
    *first, stage = plan.steps
    assert isinstance(stage, Stage)
    exact = [Exact(step.tally, universe).answers(world.whole)[:, 0, 0] for step in first]  # type: ignore[arg-type]
    spans = [_span(step.laws[0].sd, seen, plan.price) for step, seen in zip(first, exact, strict=True)]
    told = list(product(*spans))
    parameters = [stage.parameter(tuple(Blurred(np.array([[number]], object)) for number in each)) for each in told]
    later = {
        each: Exact(stage.form.at(each), universe).answers(world.whole)[:, 0, 0] for each in dict.fromkeys(parameters)
    }
    which = np.array([list(later).index(each) for each in parameters])
    points, most = np.array(told, dtype=np.int64), 0.0
    for order in (np.inf,) if isinstance(plan.price, Pure) else ORDERS:
        allowed = float(plan.price.epsilon) if isinstance(plan.price, Pure) else order * _rho(plan.price)
        for one, other in [*universe.pairs(world).tolist(), *universe.pairs(world)[:, ::-1].tolist()]:
            here, there = (_logs(first, points, exact, table) for table in (one, other))
            last = [shifted(stage.laws[0], int(abs(seen[one] - seen[other])), order) for seen in later.values()]
            most = max(most, _joint(here, there, np.array(last)[which], order) / allowed)
    return most


def _joint(here: Array, there: Array, last: Array, order: float) -> float:
    """Rényi's divergence of both looks: the last one's, averaged as the definition says."""
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


__all__ = ["Narrowed", "NearMean", "spent_by_looks"]
