"""Reference values that were computed apart from the library: exact maxima over small grids of people."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pandas_dp.core.measure.cells import GRAIN, Cells, Key, Variable
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.numeric.measure import Counts, Totals
from pandas_dp.numeric.statistic_sums import Count
from pandas_dp.people.measure import PeopleCounts, RowMeans, ValuesOfPeople, Weighted
from pandas_dp.people.statistic import TableOverRows
from pandas_dp.quantiles.measure import Ranks
from pandas_dp.tables.planning.planning import MeasuredShares
from pandas_dp.tables.statistic import TableOfMargins

from .asking import public
from .test_sensitivity_of_people import numbers
from .universe import ADD_REMOVE, REPLACE, people, read

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden.json").read_text("utf-8"))
Array = np.ndarray[Any, Any]


def table(cells: int) -> Cells:
    return Cells((Key("k", Categories(tuple(range(cells)))),))


def integers(low: int, high: int) -> Variable:
    return Variable("x", Interval(Fraction(low), Fraction(high), "integer", nullable=True))


def grid(parts: int, steps: int) -> Array:
    """All points of the simplex in steps of one part in so many."""
    every = [each for each in product(range(steps + 1), repeat=parts - 1) if sum(each) <= steps]
    return np.array([(*each, steps - sum(each)) for each in every]) / steps


@pytest.mark.parametrize(("parts", "steps", "factor"), [(3, 12, 8), (3, 12, 8.1), (4, 6, 8), (5, 4, 8)])
def test_products_on_a_simplex(parts: int, steps: int, factor: float) -> None:
    points = grid(parts, steps)
    first, second = np.triu_indices(parts, 1)
    products = points[:, first] * points[:, second]
    apart = ((points[:, None] - points[None, :]) ** 2).sum(axis=2)
    apart += factor * ((products[:, None] - products[None, :]) ** 2).sum(axis=2)
    assert apart.max() == pytest.approx(GOLDEN[f"simplex.parts{parts}.K{steps}.kappa{factor:g}"], rel=1e-9)


MEANS = [  # name, cells, steps, norm, whether someone is replaced
    ("L2.single.wt3.mu16", 1, 12, 2, True),
    ("L2.cells2.K4.mu8", 2, 4, 2, True),
    ("L2.cells2.K6.mu8", 2, 6, 2, True),
    ("L2.cells3.K4.mu8", 3, 4, 2, True),
    ("L1.single.w1.5.lam3", 1, 12, 1, True),
    ("L1.cells2.K4.lam4", 2, 4, 1, True),
]


@pytest.mark.parametrize(("name", "cells", "steps", "norm", "replaced"), MEANS)
def test_means_of_rows(name: str, cells: int, steps: int, norm: Any, replaced: bool) -> None:
    adjacency = REPLACE if replaced else ADD_REMOVE
    measurement = RowMeans(integers(0, 1), Cells() if cells == 1 else table(cells), 1)
    units = np.array([1, 1, *(measurement.scale,) * 3]) * float(measurement.scale)
    weights = np.array([float(each) for each in measurement.weights(norm, adjacency)]) / units
    found = numbers(grid(2 * cells + 1, steps)[:, :-1].reshape(-1, cells, 2)) / weights
    apart = (np.abs(found[:, None] - (found[None, :] if replaced else 0)) ** norm).sum(axis=(2, 3)).max()
    assert apart == pytest.approx(GOLDEN[f"rowmeans.{name}"], rel=1e-4)  # weights are rounded up
    assert apart <= float(measurement.sensitivity(norm, adjacency)) * (1 + 1e-12)


@pytest.mark.parametrize(("name", "cells", "factor"), [("cells3.K6.mu8", 3, 8), ("wt1.mu16", 1, 16)])
def test_who_comes_or_goes(name: str, cells: int, factor: float) -> None:
    found = numbers(grid(2 * cells + 1, 6)[:, :-1].reshape(-1, cells, 2))
    length = (found**2 * [1, 1, factor, factor, factor]).sum(axis=(1, 2)).max()
    assert length == pytest.approx(GOLDEN[f"rowmeans.L2.alone.{name}"], rel=1e-9)


def test_counts_of_rows_and_of_people() -> None:
    rows, cells = Weighted(Counts(table(5)), 4), Weighted(Counts(table(1)), 4)
    said = {
        "counts.C5.m4.c4.k5.diameter.L1": rows.sensitivity(1, REPLACE),
        "counts.C5.m4.c4.k5.diameter.L2sq": rows.sensitivity(2, REPLACE),
        "counts.C1.m4.c4.k1.radius.L1": cells.sensitivity(1, ADD_REMOVE),
        "counts.C1.m4.c4.k1.radius.L2sq": cells.sensitivity(2, ADD_REMOVE),
        "counts.C6.m3.c1.k3.diameter.L2sq": PeopleCounts(table(6), 3, 2).sensitivity(2, REPLACE),
        "counts.C6.m3.c1.k3.radius.L2sq": PeopleCounts(table(6), 3, 2).sensitivity(2, ADD_REMOVE),
        "counts.C6.m3.c1.k3.radius.L1": PeopleCounts(table(6), 3, 1).sensitivity(1, ADD_REMOVE),
    }
    assert said == {name: GOLDEN[name] for name in said}


def test_sums_of_rows() -> None:
    assert Weighted(Totals(integers(-2, 3)), 2).sensitivity(1, REPLACE) == GOLDEN["sums.L-2.U3.m2.absent.width"]
    assert Weighted(Totals(integers(2, 5)), 3).sensitivity(1, REPLACE) == GOLDEN["sums.L2.U5.m3.absent.width"]


@pytest.mark.parametrize(("most", "q"), [(1, "1/2"), (1, "1/4"), (2, "1/2"), (3, "1/2"), (3, "1/4")])
def test_ranks(most: int, q: str) -> None:
    measurement = Ranks(integers(0, 4), Fraction(q), most=most)
    swap, alone = GOLDEN.get(f"ranks.m{most}.q{q}.swap"), GOLDEN.get(f"ranks.m{most}.q{q}.alone")
    assert swap is None or swap <= measurement.sensitivity(1, REPLACE) / GRAIN <= most
    assert alone is None or alone <= measurement.sensitivity(1, ADD_REMOVE) / GRAIN == most * max(
        Fraction(q), 1 - Fraction(q)
    )
    if q == "1/2" and swap is not None:
        assert measurement.sensitivity(1, REPLACE) == swap * GRAIN


def test_different_values() -> None:
    same = [((0, "a"), (1, "a"), (2, "a"))] * 3
    assert read(same).fold(ValuesOfPeople(integers(0, 2), 1)).item() == GOLDEN["distinct.example.flow1"]
    others = [((0, "a"), (1, "a")), ((1, "a"),)]
    for most, relation in ((1, "add"), (1, "swap"), (2, "swap")):
        measurement = ValuesOfPeople(integers(0, 2), most)
        everyone = people((0, 1, 2), ("a",), 3)
        found = np.array([read([each, *others]).fold(measurement).item() for each in everyone])
        apart = found[:, None] - (found[None, :] if relation == "swap" else found[0])
        assert (
            np.abs(apart).max() <= GOLDEN[f"distinct.flow.ell{most}.{relation}"] == measurement.sensitivity(1, REPLACE)
        )


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("norm", [1, 2])
def test_the_total_of_a_planned_table_is_free(most: int, norm: int) -> None:
    """The cost that (a, b) rows on either side use, of 1, with all of the cost for a table and half for its total."""
    cells = Cells((*table(2).keys, Key("x", Breaks((Fraction(0), Fraction(2), Fraction(5))))))
    measured = MeasuredShares(((0, 1), ()), (Fraction(1, 2), Fraction(1, 2)))
    planned = TableOverRows(TableOfMargins(Count(cells), measured.tables, measured), most)
    shares = dict(zip(measured.tables, planned.shares(public()), strict=True))
    used = max(
        float(shares[0, 1] * (a**norm + b**norm) / (2 * most**norm) + shares[()] * Fraction(abs(a - b), most) ** norm)
        for a, b in product(range(most + 1), repeat=2)
    )
    assert used == GOLDEN.get(f"margins.total_free.m{most}.L{norm}", 1.0)
