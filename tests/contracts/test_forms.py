"""Contract of stages around released numbers: whatever was told, nobody moves the sums farther than was planned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.audit import WORLDS, Exact, Universe, World, distances
from pandas_dp.core.measure.cells import Cells, Key, Norm, Variable
from pandas_dp.core.measure.measurement import Form, Noisy
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.measure_location import HuberStage, Narrowing, Trimming
from pandas_dp.quantiles.measure import AroundChosen, BetweenBins, Ranks
from pandas_dp.tables.planning.prefixes import Prefixes

WAYS: tuple[Any, ...] = ("optimum", "blocks")
EXTREMES = (0, 1, -1, 5, 2**62, -(2**62), 10**30)
VARIABLES = {
    "whole numbers": Variable("x", Interval(Fraction(0), Fraction(8), "integer")),
    "odd": Variable("x", Interval(Fraction(-2), Fraction(3), "integer")),
    "nullable": Variable("x", Interval(Fraction(-3), Fraction(5), "float", True, Fraction(1, 2))),
    "wide": Variable("x", Interval(Fraction(-(2**60)), Fraction(2**61), "integer")),
}
WIDE = [-(2.0**60), -1.0, 2.0**59, 2.0**61]
TWO_CELLS = Cells((Key("k", Categories(("a", "b"))),))
VALUES = [-9.0, -1.5, 0.0, 1.0, 2.5, 4.0, 7.0, 8.0, np.nan]


def quantiles(variable: Variable) -> tuple[Ranks, Ranks, Ranks]:
    one, two, three = (Ranks(variable, Fraction(part, 4)) for part in (1, 2, 3))
    return one, two, three


@dataclass(frozen=True)
class Formed:
    """A form, the rows it is tried with, and answers that lead to the corners of its parameters and to others."""

    form: Any
    rows: pd.DataFrame
    inside: Callable[[Any], bool]

    def told(self) -> list[tuple[Noisy, ...]]:
        r = np.random.default_rng(5)
        widths = [_coordinates(each) for each in self.form.after]
        lines = self.form.cells.size
        corners = [tuple(np.full((lines, w), e, object) for w in widths) for e in EXTREMES]
        some = [tuple(r.integers(-(10**k), 10**k, (lines, w)).astype(object) for w in widths) for k in range(1, 8)]
        few = [tuple(r.integers(0, 12, (lines, w)).astype(object) for w in widths) for _ in range(12)]
        return [tuple(map(Noisy, each)) for each in [*corners, *some, *few]]


def _coordinates(asked: Any) -> int:
    return 1 if isinstance(asked, Ranks) else len(asked.weights(2, WORLDS[0].relation.adjacency(True)))


def ordered(limit: int) -> Callable[[Any], bool]:
    return lambda p: -limit <= p[0] <= p[1] <= limit


def last_steps(bins: int, top: int, lines: bool = False) -> Callable[[Any], bool]:
    """As many as there are bins, rising, in the grid, and the last is its end."""

    def of_one(ends: tuple[int, ...]) -> bool:
        return len(set(ends)) == bins and tuple(sorted(ends)) == ends and ends[0] >= 0 and ends[-1] == top

    return (lambda p: all(map(of_one, p))) if lines else of_one


def around(limit: int) -> Callable[[Any], bool]:
    return lambda p: -limit <= p[0] <= limit and 1 <= p[1] <= 3 * limit + 10


def formed() -> dict[str, Formed]:
    found = {}
    for name, variable in VARIABLES.items():
        rows = pd.DataFrame({"x": WIDE if name == "wide" else VALUES})
        half, ranks = variable.grid.half, quantiles(variable)
        pulling = HuberStage(ranks)
        found[f"pulling, {name}"] = Formed(pulling, rows, around(half))
        found[f"pulling again, {name}"] = Formed(HuberStage(ranks, pulling), rows, around(half))
        found[f"trimming, {name}"] = Formed(Trimming((ranks[0], ranks[2])), rows, ordered(half))
        sorted_into = rows.assign(k=["a", "b", "a", "zzz", "b", "a", "b", "a", "b"][: len(rows)])
        in_cells = Formed(
            AroundChosen((Ranks(variable, Fraction(1, 2), TWO_CELLS),), Prefixes(4, "optimum")),
            sorted_into.astype({"k": object}),
            last_steps(4, ranks[0].points - 1, True),
        )
        found[f"around what was chosen in cells, {name}"] = in_cells
        for way in WAYS:
            bins, top = min(5, ranks[0].points), ranks[0].points - 1
            first = AroundChosen(ranks[1:2], Prefixes(bins, way))
            between = BetweenBins(first, (Fraction(1, 4), Fraction(1, 2)), Prefixes(bins - 1, way), 2)
            found[f"around what was chosen, {way}, {name}"] = Formed(first, rows, last_steps(bins, top, True))
            found[f"between bins, {way}, {name}"] = Formed(between, rows, last_steps(bins - 1, top))
            narrowing = Narrowing(first, 2, 100 if way == "blocks" else None)
            found[f"narrowing, {way}, {name}"] = Formed(narrowing, rows, ordered(half))
    return found


FORMED = formed()


def keeps_its_sensitivity(form: Form, parameters: Sequence[Any], universe: Universe, world: World, norm: Norm) -> float:
    """The greatest part of the stated sensitivity that two neighbours are apart, at any of these parameters."""
    adjacency = world.relation.adjacency(world.whole)
    stated, pairs, most = float(form.sensitivity(norm, adjacency)), universe.pairs(world), 0.0
    for parameter in parameters:
        measurement: Any = form.at(parameter)
        assert (measurement.cells, measurement.weights(norm, adjacency)) == (form.cells, form.weights(norm, adjacency))
        found = Exact(measurement, universe).answers(world.whole)
        apart = distances(measurement, found, pairs, norm, form.weights(norm, adjacency))
        most = max(most, float(apart.max()) / stated)
    return most


@pytest.mark.parametrize(("world", "norm"), [*product(WORLDS, (1, 2))], ids=str)
@pytest.mark.parametrize("name", FORMED)
def test_nobody_moves_the_sums_farther_whatever_was_told(name: str, world: World, norm: Norm) -> None:
    each = FORMED[name]
    parameters = list(dict.fromkeys(each.form.parameter(told) for told in each.told()))
    parameters = parameters[:: 1 if norm == 2 else 5]
    most = keeps_its_sensitivity(each.form, parameters, Universe(each.rows, size=1 + world.swaps), world, norm)
    assert (0.7 if norm == 2 else 0.4) < most <= 1 + 1e-9


@pytest.mark.parametrize("name", FORMED)
def test_a_parameter_is_in_its_box_whatever_was_told(name: str) -> None:
    each = FORMED[name]
    assert all(each.inside(each.form.parameter(told)) for told in each.told())


@pytest.mark.parametrize("name", FORMED)
def test_what_a_row_brings_does_not_depend_on_other_rows(name: str) -> None:
    """Bit for bit: of any selection of rows, in any order, the sums are those of the rows."""
    each, r = FORMED[name], np.random.default_rng(3)
    measurement = each.form.at(each.form.parameter(each.told()[-1]))
    of_rows = [Exact(measurement, Universe(each.rows.iloc[[at]], 1, (0,))).of_whole[0] for at in range(len(each.rows))]
    for _ in range(5):
        places = r.integers(0, len(each.rows), 40)
        whole = Exact(measurement, Universe(each.rows, 0, tuple(places.tolist()))).of_whole[0]
        assert (whole == sum(of_rows[at] for at in places)).all()
