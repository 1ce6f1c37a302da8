"""The weights of moment matrices: as they were derived apart from the code, sharp, and only for what is proved."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pandas_dp.audit import GRIDS, Exact, World, reached, universe
from pandas_dp.core.measure.cells import ONE_CELL, Cells, Key, Variable
from pandas_dp.core.neighbours import Adjacency, Relation
from pandas_dp.core.schema.values import Categories
from pandas_dp.models.measure import Gram, Levels, LinearBasis, Number

GOLDEN = json.loads((Path(__file__).parent / "moment_weights.json").read_text("utf-8"))["weights"]
WHOLE, DERIVED, LOOSE = Adjacency(True, False), Adjacency(True, True), Adjacency(False, True)
GROUPS = Cells((Key("g", Categories(("a", "b"))),))


def of(numeric: int, categorical: int, cells: Cells = ONE_CELL) -> Gram:
    numbers = [Number(Variable(f"x{at}", GRIDS["even"])) for at in range(numeric)]
    levels = [Levels(Key(f"k{at}", Categories(("a", "b")))) for at in range(categorical)]
    return Gram((*numbers, *levels), counted=True, cells=cells)


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda each: f"{each['numeric']}, {each['categorical']}")
def test_the_reach_is_that_of_the_golden_table(golden: dict[str, Any]) -> None:
    both = (golden["numeric"], golden["categorical"])
    assert of(*both).sensitivity(2, WHOLE) == of(*both).sensitivity(2, DERIVED) == Fraction(golden["swap_squared"])
    assert of(*both).sensitivity(2, LOOSE) == Fraction(golden["vanish_squared"])
    assert of(*both).sensitivity(1, WHOLE) == Fraction(golden["l1_swap"])
    assert of(*both, GROUPS).sensitivity(2, WHOLE) == golden["bound_squared"]


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda each: f"{each['numeric']}, {each['categorical']}")
def test_the_count_is_free_in_one_cell_and_all_its_room_is_used(golden: dict[str, Any]) -> None:
    measurement = of(golden["numeric"], golden["categorical"])
    for norm in (1, 2):
        assert measurement._alone(norm, DERIVED) == measurement.sensitivity(norm, DERIVED)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Boxed(LinearBasis):
    """Hats that claim the weights of numbers and categoricals."""

    in_box = True


@pytest.mark.parametrize("honest", [False, True])
def test_the_weights_of_numbers_do_not_hold_for_splines(honest: bool) -> None:
    """Two rows are farther apart than the bound for three terms, 9; with the weights that splines take they are not."""
    linear_basis = (LinearBasis if honest else Boxed)(Variable("y", GRIDS["even"]), (0.0, 5.0, 10.0))
    measurement = Gram((Number(Variable("x", GRIDS["even"])), linear_basis))
    rows = universe({"x": [0.0, 10.0], "y": [0.0, 2.0, 5.0, 10.0]}, size=1)
    found = reached(Exact(measurement, rows), World(Relation.REPLACE, whole=True), 2)
    if honest:
        found.check(tight=0.99)
    else:
        assert found.stated <= measurement._box.terms**2 == 9 < found.farthest


def test_numbers_of_the_same_law_stand_together() -> None:
    measurement = of(3, 2)
    weights = measurement.weights(2, DERIVED)
    assert [weights.count(each) for each in dict.fromkeys(weights)] == [1, 8, 15, 3, 3]
    assert sum(a != b for a, b in pairwise(weights)) == 4


def test_importance_divides_the_variance_of_sums_with_the_term() -> None:
    terms = of(2, 0).terms
    measurement = Gram(terms, importance=(Fraction(4), Fraction(1)))
    first, second = measurement.weights(2, WHOLE)[:2]
    assert float(first / second) == pytest.approx(0.5, rel=1e-5)
    assert measurement.sensitivity(2, WHOLE) == (1 + 4 + 1) ** 2
