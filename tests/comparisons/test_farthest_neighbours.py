"""How far one row moves the sums of a test, over fine grids of rows and over every parameter of a later stage."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import WORLDS, Exact, Universe, World, distances
from pandas_dp.comparisons.measure import (
    BINS,
    PARTS_OF_ROW,
    TOP,
    Gap,
    LearnedRanks,
    LearnedScores,
    LinearScore,
    ScoreHistogram,
    ScoreMoments,
    SignedSums,
    TopOfPath,
)
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import Adjacency, Relation
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.quantiles.measure import AroundAndEven, Ranks
from pandas_dp.tables.planning.prefixes import Prefixes

GROUP = Key("k", Categories(("a", "b")))
WAYS = [Adjacency(True, False), Adjacency(True, True), Adjacency(False, True)]


def weighed(norm: int, adjacency: Adjacency) -> tuple[np.ndarray, np.ndarray, float]:
    """What each of many rows brings, in the weights of the measurement: the rows, and one that is in neither group."""
    measurement = SignedSums(LinearScore(Variable("x", Interval(Fraction(0), Fraction(1), "float"))), GROUP)
    a = np.linspace(-1, 1, 401)
    found = [[s**0, s, a, s * a, 1 - a * a, s * (1 - a * a)] for s in (-np.ones_like(a), np.ones_like(a))]
    rows = np.concatenate([np.array(np.broadcast_arrays(*each)).T for each in found])
    tops = np.array([1, 1, TOP, TOP, TOP**2, TOP**2])
    weights = np.array([float(w) for w in measurement.weights(norm, adjacency)]) / tops  # type: ignore[arg-type]
    return rows / weights, np.zeros((1, 6)), float(measurement.sensitivity(norm, adjacency))  # type: ignore[arg-type]


def farthest(one: np.ndarray, other: np.ndarray, norm: int) -> float:
    return max(float((np.abs(each - other) ** norm).sum(axis=1).max()) for each in one)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("adjacency", WAYS, ids=str)
def test_no_row_moves_the_signed_sums_farther_and_some_do(adjacency: Adjacency, norm: int) -> None:
    """Theorem T1: with the sums that Welch needs, and the number of rows, at the price of the difference alone."""
    rows, nothing, sensitivity = weighed(norm, adjacency)
    moved = [farthest(rows, rows, norm)] if adjacency.swap else []
    if adjacency.vanish:
        moved.append(farthest(rows, nothing, norm))
    assert sensitivity * 0.999 <= max(moved) <= sensitivity * (1 + 1e-12)


@pytest.mark.parametrize("norm", [1, 2])
def test_the_number_of_rows_is_free_where_rows_can_be_swapped(norm: int) -> None:
    rows, nothing, sensitivity = weighed(norm, Adjacency(True, True))
    assert 0.999 * sensitivity <= farthest(rows, nothing, norm) <= sensitivity


def test_a_path_moves_by_one_row_at_most_whatever_the_groups_are() -> None:
    """Theorem T3, over all tables of up to five rows with three values; the larger the table, the closer to one."""
    farthest = {}
    for size in (1, 2, 3, 4, 5):
        variable = Variable("x", Interval(Fraction(0), Fraction(2), "integer"))
        measurement = TopOfPath(variable, GROUP, size)
        made = pd.DataFrame(list(product([0.0, 1.0, 2.0], ["a", "b"])), columns=["x", "k"])
        universe, world = Universe(made, size=size), World(Relation.REPLACE, True)
        tops = Exact(measurement, universe).answers(True)[:, 0, 0].astype(float) / size
        pairs = universe.pairs(world)
        farthest[size] = np.abs(tops[pairs[:, 0]] - tops[pairs[:, 1]]).max()
        assert measurement.sensitivity(2, world.relation.adjacency(True)) == 1
        assert farthest[size] <= 1 - 1 / size + 1e-12
    assert farthest[5] >= 0.8 - 1e-12
    with pytest.raises(AssertionError, match="public"):
        measurement.sensitivity(2, Adjacency(True, True))


@pytest.mark.parametrize("relation", Relation)
def test_a_path_of_a_private_number_of_rows_moves_by_one_at_most(relation: Relation) -> None:
    """Theorem T3, over all tables of up to five rows, of which some have no value and some are in neither group."""
    made = pd.DataFrame([*product([0.0, 1.0], ["a", "b"]), (np.nan, "a"), (1.0, "z")], columns=["x", "k"])
    measurement, reached = (
        TopOfPath(Variable("x", Interval(Fraction(0), Fraction(1), "integer", nullable=True)), GROUP),
        0.0,
    )
    for size in (2, 5):
        universe = Universe(made, size=size)
        for whole in (True, False):
            told = Exact(measurement, universe).answers(whole)[:, 0].astype(float) / PARTS_OF_ROW
            pairs = universe.pairs(World(relation, whole))
            moved = np.abs(told[pairs[:, 0]] - told[pairs[:, 1]]).max(axis=0)
            assert (moved <= 1).all()
            reached = max(reached, float(moved.min()))
    assert reached >= 0.4
    for norm in (1, 2):
        weights = measurement.weights(norm, Adjacency(True, True))  # type: ignore[arg-type]
        parts = sum((PARTS_OF_ROW / each) ** norm for each in weights)
        assert measurement.sensitivity(norm, Adjacency(True, True)) >= parts  # type: ignore[arg-type]


X, Y = (Variable(name, Interval(Fraction(0), Fraction(4), "float", resolution=Fraction(1, 2))) for name in "xy")
RISING = tuple(range(-TOP, TOP, 2 * TOP // BINS))[:BINS]
BOX = [
    (0,) * BINS,
    (TOP,) * BINS,
    (-TOP,) * BINS,
    RISING,
    (10**30,) * (BINS // 2) + (-(10**30),) * (BINS // 2),  # which no first stage tells
    *[tuple(np.random.default_rng(seed).integers(-TOP, TOP + 1, BINS).tolist()) for seed in range(6)],
]


def forms(world: World) -> dict[str, tuple[LearnedScores, Universe]]:
    counted = not world.relation.size_is_public(world.whole)
    pairs, gap = pd.DataFrame(list(product([0.0, 1.5, 4.0], repeat=2)), columns=["x", "y"]), Gap(X, Y)
    form = LearnedScores(ScoreHistogram(gap), ScoreMoments(gap, Cells(), counted))
    return {"pairs": (form, Universe(pairs, size=2))}


@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("name", ["pairs"])
def test_the_reach_holds_for_every_parameter(name: str, world: World) -> None:
    form, universe = forms(world)[name]
    adjacency = world.relation.adjacency(world.whole)
    for parameter in BOX:
        measurement = form.at(parameter)
        found = Exact(measurement, universe).answers(world.whole)
        for norm in (1, 2):
            weights = form.weights(norm, adjacency)  # type: ignore[arg-type]
            assert weights == measurement.weights(norm, adjacency)  # type: ignore[arg-type]
            apart = distances(measurement, found, universe.pairs(world), norm, weights)  # type: ignore[arg-type]
            assert apart.max() <= float(form.sensitivity(norm, adjacency)) * (1 + 1e-9)  # type: ignore[arg-type]


def of_pairs() -> LearnedScores:
    return LearnedScores(ScoreHistogram(Gap(X, Y)), ScoreMoments(Gap(X, Y)))


@pytest.mark.parametrize("counts", [[0] * BINS, [2**62] * BINS, [-(2**62)] * BINS, [1] + [0] * (BINS - 1), "mixed"])
def test_heights_rise_and_stay_in_range_whatever_the_first_look_says(counts: Any) -> None:
    counts = [(-1) ** k * 3**k for k in range(BINS)] if counts == "mixed" else counts
    heights = of_pairs().parameter((Noisy(np.array([counts], dtype=object)),))
    assert len(heights) == BINS
    assert all(a <= b for a, b in pairwise(heights))
    assert 0 <= heights[0] <= heights[-1] <= TOP


def test_heights_are_the_shares_of_rows_below() -> None:
    counts = [10] * 10 + [0] * (BINS - 20) + [30] * 10
    heights = np.array(of_pairs().parameter((Noisy(np.array([counts], dtype=object)),))) / TOP
    below = np.cumsum([0, *counts]) / 400
    np.testing.assert_allclose(heights, (below[1:] + below[:-1]) / 2, atol=1e-5)


@pytest.mark.parametrize("wide", [8.0, 1e6, 1e8])
def test_distances_of_pairs_have_bins_that_are_narrow_near_nothing(wide: float) -> None:
    """A factor of 1.42 and more has a bin of its own, equal values none, in whatever range, each in its own steps."""
    ends = Fraction(0), Fraction(wide)
    first = Variable("x", Interval(*ends, "float"))
    for second in (replace(first, column="y"), Variable("y", Interval(-ends[1] / 3, ends[1], "float"))):
        gap, away = Gap(first, second).for_ranks, np.array([0, 0.2, 0.3, 1, 1.5, 4, -0.2, -4])
        values = np.pi + np.zeros(len(away)), np.pi + away
        codes = [
            np.rint((each - float(v.grid.centre)) / float(v.grid.code_step))
            for each, v in zip(values, gap.variables, strict=True)
        ]
        ways, places = gap.places(codes)
        assert ways.tolist() == np.sign(away).tolist()
        assert (np.diff(places[1:6]) > 0).all()
        assert places[[1, 5]].tolist() == places[[6, 7]].tolist()
        assert places.max() < BINS


def learned(size: int | None, points: int = 9) -> LearnedRanks:
    variable = Variable("x", Interval(Fraction(0), Fraction(points - 1), "integer"))
    counts = AroundAndEven((Ranks(variable, Fraction(1, 2)),), Prefixes.planned(min(6, points), 2, size is None, False))
    return LearnedRanks(counts, SignedSums(LinearScore(variable), GROUP), size)


@pytest.mark.parametrize("size", [None, 4])
@pytest.mark.parametrize("answer", [0, 1, -5, 2**62, -(2**62), 10**30])
def test_ranks_are_learned_from_whatever_the_first_looks_say(size: int | None, answer: int) -> None:
    """Bins rise to the end of the grid; heights rise, and no score is beyond the ends."""
    form = learned(size)
    strategy = form.counts.strategy
    told = Noisy(np.array([[answer]], object)), Noisy(np.array([[answer] * len(strategy.matrix)], object))
    ends, heights = form.parameter(told)
    assert len(ends) == len(heights) == strategy.bins
    assert all(a < b for a, b in pairwise(ends))
    assert ends[-1] == 8
    assert all(a <= b for a, b in pairwise(heights))
    assert -TOP <= heights[0] <= heights[-1] <= TOP


@pytest.mark.parametrize("world", WORLDS, ids=str)
def test_the_reach_of_learned_ranks_holds_for_every_parameter(world: World) -> None:
    form, adjacency = learned(None, 5), world.relation.adjacency(world.whole)
    rows = pd.DataFrame([*product([0.0, 1.0, 2.0, 4.0, np.nan], "ab"), (4.0, "z")], columns=["x", "k"])
    universe = Universe(rows, size=2)
    ends = tuple(range(5))
    for heights in [(0,) * 5, (TOP,) * 5, (-TOP, -TOP, 0, TOP, TOP), (10**30, -(10**30), 7, 10**30, -(10**30))]:
        measurement = form.at((ends, heights))
        found = Exact(measurement, universe).answers(world.whole)
        for norm in (1, 2):
            weights = form.weights(norm, adjacency)  # type: ignore[arg-type]
            apart = distances(measurement, found, universe.pairs(world), norm, weights)  # type: ignore[arg-type]
            assert apart.max() <= float(form.sensitivity(norm, adjacency)) * (1 + 1e-9)  # type: ignore[arg-type]


def test_a_value_has_the_height_of_its_bin() -> None:
    form = learned(None)
    score = form.at(((1, 4, 8), (-TOP, 0, TOP))).score
    grid = form.counts.variable.grid
    codes = np.array([grid.factor * step - grid.half for step in range(9)], float)
    assert score.of([codes]).tolist() == [-TOP] * 2 + [0] * 3 + [TOP] * 4
