"""Contracts for moment matrices of rows of people: whatever rows a person has, in whichever groups, no price is passed;
and sums are those of each row by what the rows of its person weigh, to the last unit. Proof: theorem R1 of
docs/proofs/people/rows-of-people.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.measure.cells import GRAIN, ONE_CELL, Cells, Key, Variable
from pandas_dp.core.neighbours import Adjacency, PerPerson, Relation
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.models.measure import STEPS, Gram, Levels, LinearBasis, Number, Product, Slopes
from pandas_dp.models.ols.solve_design import Block, RegressionDesign
from pandas_dp.models.statistic import GramTable, LeastSquaresFit, PairTable
from pandas_dp.people.measure import Weighted
from pandas_dp.people.statistic import of_people

from .asking import plan
from .universe import RELATIONS

X = Variable("x", Interval(Fraction(-2), Fraction(2), "integer"))
Z = Variable("z", Interval(Fraction(0), Fraction(3), "integer"))
K, G = (Key(name, Categories(("a", "b"))) for name in "kg")
GROUPS = Cells((G,))
ROWS = [
    dict(zip("xzkg", row, strict=True))
    for row in product((-2.0, 0.0, 2.0, None), (0.0, 3.0), ("a", "b"), ("a", "b"))
    if row[0] is not None or row[1:] == (0.0, "a", "a")
]
COSTS: list[Cost] = [Pure(Fraction(1)), Concentrated(Fraction(1, 2))]
Person = tuple[dict[str, Any], ...]


def everyone(most: int, rows: list[dict[str, Any]]) -> list[Person]:
    """All people of so many rows at most, and some of more: all of one kind, or of two in turn."""
    found: list[Person] = [each for many in range(most + 1) for each in combinations_with_replacement(rows, many)]
    longer = [(row,) * 5 for row in rows] + [(one, other) * 2 for one, other in combinations_with_replacement(rows, 2)]
    return found + longer


def rows_of(persons: list[Person]) -> RowsOfPeople:
    rows = [row for person in persons for row in person]
    owner = np.array([place for place, person in enumerate(persons) for _ in person], np.int32)
    frame = pd.DataFrame(rows, columns=list("xzkg")).astype({"x": float, "z": float, "k": object, "g": object})
    return RowsOfPeople(frame, owner, len(persons))


def matrices(most: int) -> Iterator[tuple[Any, bool]]:
    """Each kind of matrix over rows of people, and whether Laplace noise is offered for it."""
    rows = PerPerson(rows=most)
    plain, linear_basis = (Number(X), Levels(K)), (LinearBasis(X, (-2.0, 0.0, 2.0)), Number(Z))
    for cells in (ONE_CELL, GROUPS):
        yield of_people(GramTable(plain, cells), rows, "moments"), True
        yield of_people(GramTable((Number(X), Number(Z), Product(X, Z)), cells), rows, "moments"), True
        yield of_people(GramTable(linear_basis, cells), rows, "moments"), False
        yield of_people(GramTable((Slopes(K, X), Number(Z)), cells), rows, "moments"), False
        yield of_people(GramTable(plain, cells, (Fraction(2), Fraction(1))), rows, "moments"), False
    yield of_people(PairTable((X, Z), False), rows, "cov"), True
    design = RegressionDesign(1, (Block("Intercept", (0,), ("Intercept",)), Block("k", (3,), ("k",))))
    yield of_people(LeastSquaresFit(GramTable(plain, GROUPS), design, True), rows, "ols"), True


def lost(made: Any, relation: Relation, pure: bool, persons: list[Person]) -> float:
    """The most that a neighbour changes the answer, in the losses of the laws that the plan holds."""
    (step,) = made.steps
    exact = np.array([rows_of([person]).fold(step.measurement) for person in persons]).astype(float)
    exact = exact.reshape(len(persons), -1, len(step.laws))
    scale = np.array([float(law.scale) if pure else float(2 * law.sigma_squared) ** 0.5 for law in step.laws])
    found = (exact / scale).reshape(len(persons), -1)
    nobody = np.zeros((1, found.shape[1]))
    others = found if relation is Relation.REPLACE else nobody
    norm = 1 if pure else 2
    return max(float((np.abs(found - other) ** norm).sum(axis=1).max()) for other in others)


@pytest.mark.slow
@pytest.mark.parametrize("cost", COSTS, ids=str)
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize("most", [1, 2])
def test_no_matrix_of_rows_spends_more_than_its_price(most: int, relation: Relation, cost: Cost) -> None:
    pure = isinstance(cost, Pure)
    limit, persons = (1.0 if pure else 0.5), everyone(most, ROWS[:: most + 2])
    for estimator, has_laplace in matrices(most):
        if not pure or has_laplace:
            spent = lost(plan(estimator, cost, relation), relation, pure, persons)
            assert 0.3 * limit < spent <= limit * (1 + 1e-9), estimator


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("adjacency", RELATIONS.values(), ids=RELATIONS)
def test_the_reach_is_attained_by_people_in_several_groups(adjacency: Adjacency, most: int, norm: Any) -> None:
    """By as many equal rows as count; with a person half in one group and half in another it is less."""
    measurement = Weighted(Gram(tuple(map(Number, (lacking(X), lacking(Z)))), True, GROUPS), most)
    ends = [row for row in ROWS if row["x"] in (-2.0, 2.0) and row["k"] == "a"]
    alike: list[Person] = [(row,) * many for row in ends for many in (most, most + 3)]
    mixed: list[Person] = [(one,) * most + (other,) * most for one, other in product(ends, ends)]
    weights = np.array([float(each) for each in measurement.weights(norm, adjacency)])
    exact = np.array([rows_of([person]).fold(measurement) for person in [(), *alike, *mixed]]).astype(float) / weights
    apart = exact[:, None] - (exact[None, :] if adjacency.swap else 0)
    found = (np.abs(apart) ** norm).sum(axis=(2, 3))
    sensitivity = float(measurement.sensitivity(norm, adjacency))
    assert found.max() == pytest.approx(sensitivity, rel=1e-5)
    assert found.max() <= sensitivity * (1 + 1e-12)
    assert sensitivity == float(most**norm * measurement.inner.sensitivity(norm, adjacency))


def lacking(variable: Variable) -> Variable:
    return replace(variable, interval=replace(variable.interval, nullable=True))


def test_a_reach_of_m_in_place_of_m_squared_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Weighted, "sensitivity", lambda self, norm, adjacency: self.most * self.inner.sensitivity(norm, adjacency)
    )
    estimator = of_people(GramTable((Number(X), Levels(K))), PerPerson(rows=2), "moments")
    made = plan(estimator, COSTS[1])
    assert lost(made, Relation.REPLACE, False, [(row,) * 2 for row in ROWS]) > 0.9


@pytest.mark.parametrize("most", [1, 3, 1000])
def test_sums_are_those_of_weighed_rows_to_the_last_unit_whatever_their_order(most: int) -> None:
    r = np.random.default_rng(most)
    rows = 40_000  # more than a block
    person = np.sort(r.choice(3000, rows)).astype(np.int32)
    frame = pd.DataFrame({"x": r.integers(-2, 3, rows).astype(float), "k": r.choice(["a", "b", "c"], rows)})
    frame["g"] = r.choice(["a", "b"], rows)
    measurement = Weighted(Gram((Number(lacking(X)), Levels(K)), True, GROUPS), most)
    found = RowsOfPeople(frame, person, 3000).fold(measurement)
    order = r.permutation(rows)
    again = RowsOfPeople(frame.iloc[order], person[order], 3000).fold(measurement)
    assert found.tolist() == again.tolist()
    counted = (frame["k"] != "c").to_numpy()
    number = np.bincount(person[counted], minlength=3000)[person]
    weight = np.where(number > most, GRAIN * most // np.maximum(number, 1), GRAIN).astype(object) * counted
    step = STEPS // 2  # of one unit of x
    for cell, letter in enumerate("ab"):
        w = weight * (frame["g"] == letter).to_numpy()
        x = (frame["x"].to_numpy() * step).astype(int).astype(object)
        told = dict(
            zip(zip(*map(np.ndarray.tolist, measurement.inner.sums.places), strict=True), found[cell], strict=True)
        )
        assert told[0, 0] == w.sum()
        assert told[0, 1] == (w * x).sum()
        assert told[1, 1] == STEPS**2 * w.sum() - (w * x * x).sum()
        assert told[1, 2] == (w * x * (frame["k"] == "a").to_numpy()).sum()
