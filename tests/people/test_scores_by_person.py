"""Scores that are added up by person: nobody moves them farther than was planned, at any coefficients, whatever rows
they have; the sums are exact. Proof: docs/proofs/people/scores-by-person.md."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.measure.cells import GRAIN, Key, Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.models.glm.measure_newton import ONE, NewtonSums
from pandas_dp.models.glm.measure_newton_stages import NewtonStage, SizesStage, StagePoint
from pandas_dp.models.measure import Gram, Levels, Number
from pandas_dp.people.measure import NewtonSumsOfPeople

from .universe import RELATIONS


def variable(column: str, low: int, high: int) -> Variable:
    return Variable(column, Interval(Fraction(low), Fraction(high), "integer", nullable=True))


A, B, YES, COUNT = variable("a", -1, 1), variable("b", 0, 4), variable("y", 0, 1), variable("y", 0, 9)
K = Key("k", Categories(("p", "q")))
TERMS: dict[str, tuple[Any, ...]] = {"numbers": (Number(A), Number(B)), "levels": (Number(A), Levels(K))}
ASKED = [(family, terms) for family in ("linear", "logit", "poisson") for terms in TERMS]
LIMIT = 64 * 2**20


def form(family: Any, terms: str, most: int | None) -> NewtonStage:
    response = YES if family == "logit" else COUNT
    pilot = Gram((*TERMS[terms], Number(response)), counted=True)
    return NewtonStage(family, pilot, TERMS[terms], response, None, (0, 1, 2), most=most)


def rows(family: str, terms: str) -> pd.DataFrame:
    columns = {"a": [-1.0, 1.0], "y": [0.0, 1.0] if family == "logit" else [0.0, 9.0]}
    other: dict[str, list[Any]] = {"b": [0.0, 4.0]} if terms == "numbers" else {"k": ["p", "q"]}
    whole = {**columns, **other}
    found = pd.DataFrame(list(product(*whole.values())), columns=list(whole))
    return pd.concat([found, found.iloc[:1].assign(y=np.nan)], ignore_index=True)


def parameters(stage: NewtonStage) -> list[StagePoint]:
    """Corners of the box, zero, and some at random."""
    r, size = np.random.default_rng(3), stage.columns
    corners = [tuple(LIMIT * sign for sign in signs) for signs in list(product((-1, 1), repeat=size))[:: size - 1]]
    some = [tuple(int(x) for x in r.integers(-3, 4, size) * 2**20 + r.integers(0, 99, size)) for _ in range(4)]
    clips = [1.0] if stage.family == "logit" else [1 / 1024, 0.25, 1.0, 2.0]
    return [
        StagePoint(each, clips[at % len(clips)], min(clips[at % len(clips)], (1 / 1024, 0.25)[at % 2]))
        for at, each in enumerate([(0,) * size, *corners, *some])
    ]


def table(persons: list[tuple[int, ...]], of: pd.DataFrame) -> RowsOfPeople:
    places = [row for person in persons for row in person]
    owner = np.array([at for at, person in enumerate(persons) for _ in person], np.int32)
    return RowsOfPeople(of.iloc[places].reset_index(drop=True), owner, len(persons))


def everyone(many: int, most: int) -> list[tuple[int, ...]]:
    """People of so many rows at most, or twice as many, all alike or of two kinds."""
    kinds = range(many)
    alike = [(row,) * times for row in kinds for times in (1, most, 2 * most + 1)]
    two = [(one, other) * times for one, other in combinations_with_replacement(kinds, 2) for times in (1, most)]
    return list(dict.fromkeys([(), *alike, *two]))


def farthest(measurement: NewtonSums, of: pd.DataFrame, adjacency: Adjacency, norm: int, most: int) -> float:
    """How far neighbours are apart at most, in parts of the sensitivity."""
    weights = np.array([float(each) for each in measurement.weights(norm, adjacency)])  # type: ignore[arg-type]
    found = (
        np.array([table([each], of).fold(measurement)[0] for each in everyone(len(of), most)]).astype(float) / weights
    )
    apart = found[:, None] - (found[None, :] if adjacency.swap else 0)
    sensitivity = float(measurement.sensitivity(norm, adjacency))  # type: ignore[arg-type]
    return float((np.abs(apart) ** norm).sum(axis=2).max()) / sensitivity


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.parametrize(("family", "terms"), ASKED)
def test_nobody_moves_the_sums_farther_at_any_coefficients(family: str, terms: str, most: int) -> None:
    stage, of = form(family, terms, most), rows(family, terms)
    most_moved = 0.0
    for at, told in enumerate(parameters(stage)):
        for norm, adjacency in product((1, 2) if at < 2 else (2,), RELATIONS.values()):
            moved = farthest(stage.at(told), of, adjacency, norm, most)
            assert moved <= 1 + 1e-9
            most_moved = max(most_moved, moved if norm == 2 else 0.0)
    assert most_moved > (0.97 if family == "linear" else 0.3)


@pytest.mark.parametrize("most", [1, 3])
def test_nobody_moves_more_than_two_people_s_rows_between_sizes(most: int) -> None:
    stage, of = SizesStage(form("linear", "numbers", most)), rows("linear", "numbers")
    moved = [
        farthest(stage.at(told), of, adjacency, norm, most)
        for told in parameters(stage.stage)[::3]
        for norm, adjacency in product((1, 2), RELATIONS.values())
    ]
    assert max(moved) == pytest.approx(1)
    assert max(moved) <= 1 + 1e-12


@pytest.mark.parametrize("terms", TERMS)
def test_weights_for_m_in_place_of_m_squared_are_noticed(terms: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of squares of scores alone, as of all."""
    stage, of = form("linear", terms, 3), rows("linear", terms)
    told = StagePoint((0, 0, 0, 0)[: stage.columns], 1 / 1024)
    assert farthest(stage.at(told), of, RELATIONS["replace"], 2, 3) <= 1 + 1e-9
    honest = NewtonSumsOfPeople.weights

    def shallow(self: NewtonSumsOfPeople, norm: Any, adjacency: Adjacency) -> Any:
        scores, squares = np.split(np.array(honest(self, norm, adjacency), object), [self.columns])
        return (*scores, *(squares / 3))

    monkeypatch.setattr(NewtonSumsOfPeople, "weights", shallow)
    assert farthest(stage.at(told), of, RELATIONS["replace"], 2, 3) > 1
    monkeypatch.setattr(NewtonSumsOfPeople, "weights", lambda *a: tuple(each * 4 / 7 for each in honest(*a)))
    assert farthest(stage.at(told), of, RELATIONS["replace"], 2, 3) > 1


@pytest.mark.parametrize("most", [1, 3, 1000])
@pytest.mark.parametrize(("family", "terms"), ASKED)
def test_sums_are_exact_whatever_the_order_of_rows(family: str, terms: str, most: int) -> None:
    """Against sums in Python's integers of what each row brings when it is asked alone."""
    r, of = np.random.default_rng(7), rows(family, terms)
    told = StagePoint(tuple(int(x) for x in r.integers(-(2**20), 2**20, form(family, terms, None).columns)), 0.75, 0.2)
    measurement, alone = form(family, terms, most).at(told), form(family, terms, None).at(told)
    size = alone.columns
    each = [brought(alone, of.iloc[[at]]) for at in range(len(of))]
    persons = [tuple(r.integers(0, len(of), many).tolist()) for many in [0, 1, 2, 5, 5, 9, 40, *r.integers(1, 9, 50)]]
    scores, squares = np.zeros(size, object), np.zeros((size, size), object)
    curvature = np.zeros(len(alone.places[0]), object)
    for person in persons:
        counted = [each[at] for at in person if each[at] is not None]
        weight = GRAIN if len(counted) <= most else GRAIN * most // len(counted)
        z = [sum(int(one[0][j]) for one in counted) * weight for j in range(size)]  # type: ignore[index]
        z = [(abs(x) // (GRAIN * measurement.coarse)) * (1 if x > 0 else -1) for x in z]  # type: ignore[attr-defined]
        scores = scores + np.array(z, object)
        squares = squares + np.outer(np.array(z, object), np.array(z, object))
        for one in counted:
            curvature = curvature + one[1] * weight  # type: ignore[index]
    expected = [*scores, *squares[alone.places], *([] if family == "linear" else curvature)]
    found = table(persons, of).fold(measurement)[0]
    assert found.tolist() == expected
    assert table([person[::-1] for person in persons[::-1]], of).fold(measurement)[0].tolist() == expected


def brought(measurement: NewtonSums, row: pd.DataFrame) -> tuple[Any, Any] | None:
    found = RowsOfPeople(row.reset_index(drop=True), np.zeros(1, np.int32), 1).fold(measurement)[0]
    return None if row["y"].isna().any() else (found[: measurement.columns], found[measurement.columns :])


def test_a_score_of_many_rows_is_at_most_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that products of scores are added up exactly."""
    of = rows("linear", "numbers")
    for most in (1, 2, 3, 1000, 10**6):
        measurement = form("linear", "numbers", most).at(StagePoint((0, 0, 0), 1 / 1024))
        found = table([(7,) * 3000], of).fold(measurement)[0]
        assert abs(found[:3]).max() <= ONE
        assert found[0] == pytest.approx(min(3000, most) * ONE / measurement.coarse, rel=2e-3)  # type: ignore[attr-defined]
