"""Contract 2 for individual DP and bootstrap DP: every table with the scales it calibrates, exact probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from pandas_dp.audit import WORLDS, Case, Fixed, Universe, World, plan_of
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.promise_registry import PUBLIC, every_promise
from pandas_dp.errors import UnsupportedArgument
from tests.contracts.cases import cases

ASKED = ("Count count", "Sum ", "Mean ", "Spread ", "Quantile ")
REPLACING = [world for world in WORLDS if world.swaps]
TOLERANCE = 1e-9


def small(case: Case) -> bool:
    grid = case.name.partition(": ")[2]
    if case.name.startswith(("Quantile min 0", "Quantile quantile 0:", "Quantile quantile 9/10")):
        return False
    odd = grid == "odd, all" and case.name.startswith(("Sum ", "Mean "))
    names = ("even, all", "even, two cells", "two points, nullable, all")
    return odd or case.name == "Count size, two cells" or (case.name.startswith(ASKED) and grid in names)


def few(universe: Universe) -> Universe:
    """Both ends, a value inside and a gap; or four in two cells, and one in none."""
    places = [0, 2, 3, 5, 8] if len(universe.rows) == 9 else [0, 1, 3, 4] if len(universe.rows) > 4 else [0, 1, 2, 3]
    return Universe(universe.rows.iloc[places].reset_index(drop=True), 3)


SMALL = [replace(case, universe=few(case.universe)) for case in cases() if small(case)]


def fixed(case: Case, world: World, cost: Cost, model: str, mechanism: str = "auto") -> Iterator[Fixed]:
    """One for each table of the universe."""
    if model == "bdp" and not world.whole:  # where all sizes are compared
        case = replace(case, universe=replace(case.universe, size=2))
    known: dict[Any, Any] = {}
    plans = {
        size: plan_of(replace(case, universe=replace(case.universe, size=size)), world, cost, mechanism, model)
        for size in range(case.universe.size + 1)
    }
    for table in case.universe.tables:
        yield Fixed(plans[len(table)], case.universe, world, table, known)


def test_the_contracts_are_run_for_every_promise_with_a_private_scale() -> None:
    assert set(every_promise()) - set(PUBLIC) == {"idp", "bdp"}
    assert {type(case.estimator).__name__ for case in SMALL} >= {"Count", "Sum", "Mean", "Spread", "Quantile"}


@pytest.mark.parametrize("world", WORLDS, ids=str)
@pytest.mark.parametrize("case", SMALL, ids=str)
def test_a_table_is_told_from_each_neighbour_no_better_than_was_paid_for(case: Case, world: World) -> None:
    """On the scale of that table. Somewhere all of the price is used; of spreads in cells no table of three rows does,
    as a row cannot leave one cell of two rows and enter another."""
    used = [each.spent_individually() for each in fixed(case, world, Pure(Fraction(1)), "idp") if each.plan.steps]
    assert max(used, default=0.0) <= 1 + TOLERANCE
    assert not used or max(used) > (0.7 if "Spread" in case.name and "cells" in case.name else 0.999)


@pytest.mark.parametrize("world", REPLACING, ids=str)
@pytest.mark.parametrize("case", SMALL, ids=str)
def test_tables_of_the_rows_that_occur_are_told_apart_no_better_than_was_paid_for(case: Case, world: World) -> None:
    """Of any pair, by whichever mechanism; what is not offered is refused for every table alike."""
    found = []
    for cost in (Pure(Fraction(1)), Concentrated(Fraction(1, 8))):
        for mechanism in ("auto", "laplace" if isinstance(cost, Pure) else "gaussian"):
            try:
                used = [
                    each.spent_by_rows_that_occur()
                    for each in fixed(case, world, cost, "bdp", mechanism)
                    if each.plan.steps
                ]
            except UnsupportedArgument:
                assert not_offered(case, world, mechanism)
                continue
            assert not (not_offered(case, world, mechanism) and used)
            assert max(used, default=0.0) <= 1 + TOLERANCE
            found += used
    assert not found or max(found) > least_used(case)


def least_used(case: Case) -> float:
    """Few rows cannot be as far off a rank as many."""
    return 0.1 if "Quantile" in case.name else 0.999


def not_offered(case: Case, world: World, mechanism: str) -> bool:
    """Noise on the value at a rank, where the number of rows is private."""
    return size_is_private(case, world) and "Quantile" in case.name and mechanism != "auto"


def size_is_private(case: Case, world: World) -> bool:
    return not world.whole or "cell" in case.name or "nullable" in case.name
