"""Contract 2 for people: over all neighbours of a tiny world no question spends more than its price, in the exact loss
of the laws that its plan holds; and contract 1 for ranks and different values, in which people do not add up.

Two people with up to two rows each over three values and two cells: whatever the first has, the second has it or
something else, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.measure.cells import GRAIN, ONE_CELL, Cells, Key, Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import PerPerson, Relation
from pandas_dp.core.noise.staircase import Staircase
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.numeric.statistic_means import Mean, Share, true_or_false
from pandas_dp.numeric.statistic_sums import Count, NumberOfValues, Sum
from pandas_dp.people import statistic
from pandas_dp.people.measure import RowMeans, ValuesOfPeople
from pandas_dp.people.statistic import of_people
from pandas_dp.quantiles.measure import EVERY_RANK, AroundChosen, Ranks
from pandas_dp.quantiles.statistic import Quantile, QuantileRange
from pandas_dp.quantiles.statistic_ranked_values import RankedValue
from pandas_dp.tables.planning.planning import MeasuredShares
from pandas_dp.tables.statistic import Margins, TableOfMargins
from tests.contracts.cases import registered

from .asking import plan
from .universe import RELATIONS, Rows, people, read

X = Variable("x", Interval(Fraction(0), Fraction(4), "integer"))
CELLS = Cells((Key("k", Categories(("a", "b"))),))
CROSS = Cells((*CELLS.keys, Key("x", Breaks((Fraction(0), Fraction(2), Fraction(5))))))
EVERYONE = people((0, 2, 4, None), ("a", "b"), 2)
FEW = [*people((0, 4), ("a", "b"), 1), ((0, "a"), (4, "b")), ((4, "a"), (4, "a"))]
COSTS: list[Cost] = [Pure(Fraction(1)), Pure(Fraction(5)), Concentrated(Fraction(1, 2))]  # the second buys staircases
EVERY = ((0, 1), (0,), (1,), ())
ONE_RANK, RANKS = (Fraction(1, 2),), (Fraction(1, 4), Fraction(1, 2))


def asked(most: int) -> Iterator[Any]:
    """Every statistic that is asked over rows."""
    rows = PerPerson(rows=most)
    for cells in (ONE_CELL, CELLS):
        for each in (
            Count(cells),
            Count(cells, X),
            Sum(X, cells),
            Mean(X, cells),
            Share(true_or_false("x", True), cells),
        ):
            yield of_people(each, rows, "asked")
        for q in (Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)):
            yield of_people(Quantile(X, q, cells=cells), rows, "asked")
        yield of_people(Count(cells), PerPerson(cells=most), "asked")
    yield of_people(QuantileRange(X), rows, "asked")
    for norm in (1, 2):
        for cells, quantiles in ((ONE_CELL, ONE_RANK), (ONE_CELL, RANKS), (CELLS, ONE_RANK)):
            asked = RankedValue(X, quantiles[0], quantiles, cells=cells, norm=norm)  # type: ignore[arg-type]
            yield of_people(asked, rows, "asked")
    yield of_people(Margins(Count(CROSS), 2, 2), rows, "asked")
    yield of_people(Margins(Sum(X, CELLS), 2, 1), rows, "asked")
    for measured in (EVERY, ((0, 1), ()), ((0,), (1,))):
        shares = MeasuredShares(measured, (Fraction(1, len(measured)),) * len(measured))
        yield of_people(TableOfMargins(Count(CROSS), measured, shares), rows, "asked")
        yield of_people(TableOfMargins(Sum(X, CROSS), measured, shares), rows, "asked")
    yield of_people(NumberOfValues(X), PerPerson(values=most), "asked")
    yield of_people(NumberOfValues(CELLS.keys[0]), PerPerson(values=most), "asked")
    yield of_people(Sum(X), PerPerson(total=(Fraction(-1), Fraction(3))), "asked")
    yield of_people(Sum(X), PerPerson(total=(Fraction(1), Fraction(5))), "asked")
    for ends in ((Fraction(-1), Fraction(3)), (Fraction(1), Fraction(5))):
        yield of_people(Sum(X, CELLS), PerPerson(total=ends, cells=most), "asked")


def test_every_statistic_over_rows_is_asked() -> None:
    kinds = {name for name, kind in registered().items() if kind.__module__ in MADE}
    assert {type(each).__name__ for each in asked(1)} >= kinds


MADE = (statistic.__name__,)


@pytest.mark.slow
@pytest.mark.parametrize("cost", COSTS, ids=str)
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("most", [1, 2])
def test_no_question_spends_more_than_its_price(most: int, relation: Relation, cost: Cost) -> None:
    check_spent(most, relation, cost, EVERYONE)


@pytest.mark.parametrize("cost", COSTS, ids=str)
@pytest.mark.parametrize("relation", Relation)
def test_nor_does_it_where_people_are_few(relation: Relation, cost: Cost) -> None:
    check_spent(1, relation, cost, FEW)


def check_spent(most: int, relation: Relation, cost: Cost, everyone: list[Rows]) -> None:
    limit = float(cost.epsilon) if isinstance(cost, Pure) else 0.5
    seen: set[str] = set()
    for estimator in asked(most):
        made = plan(estimator, cost, relation)
        seen |= {step.mechanism_name for step in made.steps}
        losses = [loss_of(step, relation, isinstance(cost, Pure), everyone) for step in made.steps]
        most_lost = max(losses[0].max(), np.sum(losses, axis=0).max())
        assert most_lost <= limit * (1 + 1e-9), estimator
    assert ("staircase" in seen) == (limit == 5)


def test_a_reach_that_is_too_small_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    estimator = of_people(Mean(X), PerPerson(rows=2), "mean")
    honest = RowMeans.sensitivity
    monkeypatch.setattr(RowMeans, "sensitivity", lambda *a: honest(*a) * Fraction(9, 10))
    made = plan(estimator, COSTS[0])
    assert loss_of(made.steps[0], Relation.REPLACE, True, FEW).max() > 1.05


def loss_of(step: Any, relation: Relation, pure: bool, everyone: list[Rows]) -> np.ndarray[Any, Any]:
    """Of each pair of neighbours: the loss of pure noise, or the rho of Gaussian noise."""
    if isinstance(step.measurement, Ranks | ValuesOfPeople):
        return np.array([_loss_beside(step, relation, pure, other, everyone) for other in OTHERS]).max(axis=0).ravel()
    losses = []
    for measurement in whatever_was_told(step.measurement):
        found = np.array([read([person]).fold(measurement) for person in everyone]).astype(float)
        apart = found[:, None] - (found[None, :] if relation is Relation.REPLACE else 0)
        losses.append(spent(step, apart, pure).ravel())
    return np.asarray(np.max(losses, axis=0))


def whatever_was_told(measurement: Any) -> list[Any]:
    """The measurement; of a later stage, those that each chosen point leads to."""
    if not isinstance(measurement, AroundChosen):
        return [measurement]
    points = [Noisy(np.full((measurement.cells.size, 1), point)) for point in (0, 2, 4)]
    return [measurement.at(measurement.parameter((point,))) for point in points]


def spent(step: Any, apart: np.ndarray[Any, Any], pure: bool) -> np.ndarray[Any, Any]:
    if pure and isinstance(step.mechanism, Staircase):
        (law,) = step.laws
        return np.ceil(np.abs(apart) / law.width).sum(axis=(2, 3)) * float(law.epsilon)
    if pure:
        scales = np.array([float(law.scale) for law in step.laws])
        return (np.abs(apart) / scales).sum(axis=(2, 3))
    variances = np.array([float(law.sigma_squared) for law in step.laws])
    return (apart**2 / (2 * variances)).sum(axis=(2, 3))


OTHERS: list[Rows] = [(), ((0, "a"), (4, "a")), ((2, "a"), (2, "b"))]


def _loss_beside(step: Any, relation: Relation, pure: bool, other: Rows, everyone: list[Rows]) -> np.ndarray[Any, Any]:
    tables = [read([person, other]) for person in everyone]
    if isinstance(step.measurement, ValuesOfPeople):
        found = np.array([table.fold(step.measurement) for table in tables]).astype(float)
        apart = found[:, None] - (found[None, :] if relation is Relation.REPLACE else found[None, :1])
        return spent(step, apart, pure)
    scores = np.array([utilities(table, step.measurement) for table in tables]) * float(
        step.rate / step.measurement.unit
    )
    logs = scores - logsumexp(scores, axis=2, keepdims=True)
    ratio = logs[:, None] - (logs[None, :] if relation is Relation.REPLACE else logs[None, :1])
    spread = np.abs(ratio).max(axis=3).sum(axis=2)
    if pure:
        return spread
    width = (ratio.max(axis=3) - ratio.min(axis=3)) ** 2 / 8  # rho of a choice whose log-ratio has that range
    return width.sum(axis=2)


def utilities(rows: Any, measurement: Ranks) -> np.ndarray[Any, Any]:
    """cell × point, in parts of 1/(unit·GRAIN)."""
    found = []
    for near_rank in rows.near_ranks(measurement, EVERY_RANK):
        points = np.arange(measurement.points)
        ends = np.concatenate([[0], near_rank.ends])
        through = ends[np.searchsorted(near_rank.values, points, side="right")]
        under = ends[np.searchsorted(near_rank.values, points, side="left")]
        requested = float(measurement.target(near_rank.rows))
        found.append(-np.maximum(0, np.maximum(requested - through, under - requested)) * measurement.unit)
    return np.array(found)


@pytest.mark.parametrize("q", [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)], ids=str)
@pytest.mark.parametrize("cells", [ONE_CELL, CELLS], ids=["one cell", "two cells"])
@pytest.mark.parametrize("most", [1, 2])
def test_nobody_moves_ranks_farther_than_their_reach(q: Fraction, cells: Cells, most: int) -> None:
    variable = Variable("x", Interval(Fraction(0), Fraction(4), "integer", nullable=True))
    measurement = Ranks(variable, q, cells, inset=3 * GRAIN if q in (0, 1) else 0, most=most)
    farthest = 0.0
    for other, adjacency in product(OTHERS, RELATIONS.values()):
        scores = np.array([utilities(read([person, other]), measurement) for person in EVERYONE]) / measurement.unit
        apart = scores[:, None] - (scores[None, :] if adjacency.swap else scores[None, :1])
        half = (apart.max(axis=3) - apart.min(axis=3)) / 2
        for norm in (1, 2):
            ratio = (half**norm).sum(axis=2).max() / float(measurement.sensitivity(norm, adjacency))
            assert ratio <= 1 + 1e-12
            farthest = max(farthest, ratio)
    assert farthest >= (0.9 if q == Fraction(1, 2) else 0.2)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_values_that_are_handed_out_are_the_most_that_can_be(most: int) -> None:
    r = np.random.default_rng(23)
    for _ in range(60):
        held = [set(r.choice(5, r.integers(0, 5), replace=False).tolist()) for _ in range(4)]
        rows = [tuple((x, "a") for x in sorted(each)) for each in held]
        found = int(read(rows).fold(ValuesOfPeople(nullable(5), most)).item())
        assert found == best(held, most)
        for place in range(4):
            without = [each for at, each in enumerate(rows) if at != place]
            assert 0 <= found - int(read(without).fold(ValuesOfPeople(nullable(5), most)).item()) <= most


def nullable(high: int) -> Variable:
    return Variable("x", Interval(Fraction(0), Fraction(high), "integer", nullable=True))


def best(held: list[set[int]], most: int) -> int:
    """Over all ways to give each value to somebody who has it, or to nobody."""
    owners = [[None, *(p for p, each in enumerate(held) if value in each)] for value in range(5)]
    ways = (way for way in product(*owners) if all(way.count(p) <= most for p in range(len(held))))
    return max(sum(owner is not None for owner in way) for way in ways)


def test_three_people_with_the_same_three_values_have_three() -> None:
    rows = [((0, "a"), (1, "a"), (2, "a"))] * 3
    assert read(rows).fold(ValuesOfPeople(nullable(5), 1)).item() == 3
