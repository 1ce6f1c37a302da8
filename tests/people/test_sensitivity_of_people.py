"""Contract 1 for people: whatever rows a person has, or has instead, no exact answer moves farther than its
sensitivity.

What a person adds is a function of her rows alone, and people add up; so two people who are replaced are all that there
is to try. Proofs: docs/proofs/people/rows-of-people.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.measure.cells import GRAIN, Cells, Key, Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.measure import Counts, Moments, Totals
from pandas_dp.people.measure import PeopleCounts, PeopleTotals, PersonTotals, RowMeans, Weighted
from pandas_dp.quantiles.measure import Cumulative, CumulativeInCells
from pandas_dp.tables.measure import MarginOf
from pandas_dp.tables.planning.prefixes import Prefixes

from .universe import ADD_REMOVE, RELATIONS, REPLACE, brought, moved, people, read

EVEN = Variable("x", Interval(Fraction(-2), Fraction(2), "integer", nullable=True))
ODD = Variable("x", Interval(Fraction(1), Fraction(4), "integer", nullable=True))
WIDE = Variable("x", Interval(Fraction(0), Fraction(2**45), "integer", nullable=True))
KEY = Key("k", Categories(("a", "b")))
CELLS = {"no keys": Cells(), "two cells": Cells((KEY,)), "three cells": Cells((Key("k", Categories(("a", "b", "c"))),))}
LETTERS = {"no keys": ("a",), "two cells": ("a", "b", "zzz"), "three cells": ("a", "b", "c")}
VALUES = {EVEN: (-2, 0, 2), ODD: (1, 2, 4), WIDE: (0, 2**40, 2**45)}


def asked(variable: Variable, cells: Cells, most: int) -> Iterator[Any]:
    yield Weighted(Counts(cells), most)
    yield Weighted(Counts(cells, (variable,)), most)
    yield Weighted(Totals(variable, cells), most)
    yield Weighted(Moments(variable, cells, counted=True), most)
    yield RowMeans(variable, cells, most)
    if cells.keys:
        yield from (Weighted(MarginOf(Counts(cells), kept), most) for kept in ((), (0,)))
        yield Weighted(MarginOf(Totals(variable, cells), ()), most)


def in_bins(variable: Variable, cells: Cells, most: int) -> Iterator[tuple[Weighted, Any]]:
    """In both ways, each with the norm of its noise; with a free total where that is asked, and without."""
    top = variable.grid.points - 1
    for (way, norm), total in product((("optimum", 2), ("blocks", 1)), (False, True)):
        strategy = Prefixes(3, way, total and not cells.keys)  # type: ignore[arg-type]
        for ends in ((0, 1, top), (1, top - 1, top)):
            inner = CumulativeInCells(variable, (ends,) * cells.size, strategy, cells)
            yield Weighted(inner if cells.keys else Cumulative(variable, ends, strategy), most), norm


@pytest.mark.slow
@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("variable", [EVEN, ODD, WIDE], ids=["even", "odd", "wide"])
@pytest.mark.parametrize("most", [1, 2])
def test_nobody_moves_an_answer_farther_than_its_reach_and_some_do_as_far(
    cells: str, variable: Variable, most: int
) -> None:
    keys = LETTERS[cells]
    everyone = people((*VALUES[variable], None), keys, 2 if CELLS[cells].keys else 3)
    for measurement in asked(variable, CELLS[cells], most):
        exact = brought(measurement, everyone)
        for norm, adjacency in product((1, 2), RELATIONS.values()):
            found, sensitivity = moved(measurement, norm, adjacency, exact)
            assert found <= float(sensitivity) * (1 + 1e-12), measurement
            assert found >= (0.8 if isinstance(measurement, RowMeans) and norm == 1 else 0.99) * float(sensitivity), (
                measurement
            )


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("most", [1, 2])
def test_nor_numbers_of_rows_in_bins_wherever_these_end(cells: str, most: int) -> None:
    everyone = people((-2, 0, 2, None), LETTERS[cells], 2)
    for measurement, norm in in_bins(EVEN, CELLS[cells], most):
        exact = brought(measurement, everyone)
        for adjacency in RELATIONS.values():
            found, sensitivity = moved(measurement, norm, adjacency, exact)
            assert 0.99 * float(sensitivity) <= found <= float(sensitivity) * (1 + 1e-12), measurement
            assert measurement.inner.sensitivity(norm, adjacency) * most**norm == sensitivity


@pytest.mark.parametrize("cells", CELLS)
def test_rows_of_people_are_counted_in_the_bins_of_their_cells(cells: str) -> None:
    ends = tuple((at, at + 1, 4) for at in (0, 1, 2)[: CELLS[cells].size])
    strategy = Prefixes(3, "blocks")
    measurement = Weighted(CumulativeInCells(EVEN, ends, strategy, CELLS[cells]), 2)
    if not CELLS[cells].keys:
        measurement = Weighted(Cumulative(EVEN, ends[0], strategy), 2)
    everyone = [*people((-2, -1, 0, 2, None), ("a", "b"), 2), ((-2, "a"), (0, "a"), (1, "b"), (2, "a"))]
    want = np.zeros((len(ends), 3), object)
    for rows in everyone:
        own = [(x, k) for x, k in rows if x is not None and (not CELLS[cells].keys or k in ("a", "b"))]
        for x, k in own:
            cell = "ab".index(k) if CELLS[cells].keys else 0
            want[cell, int(np.searchsorted(ends[cell], x + 2))] += GRAIN if len(own) <= 2 else GRAIN * 2 // len(own)
    assert (read(everyone).fold(measurement) == want @ strategy.matrix.T).all()


@pytest.mark.parametrize(("low", "high"), [(-3, 5), (2, 5), (-6, 6), (-5, -1), (-6, -3)])
def test_sums_of_people_are_clamped_and_those_without_rows_add_nothing(low: int, high: int) -> None:
    measurement, everyone = PersonTotals(EVEN, low, high), people((-2, 0, 2, None), ("a",), 3)
    exact = brought(measurement, everyone)
    present = [
        min(max(sum(x for x, _ in rows if x is not None), low), high)
        for rows in everyone
        if any(x is not None for x, _ in rows)
    ]
    assert sorted(exact.ravel()) == sorted([*present, *(0,) * (len(everyone) - len(present))])
    for norm, adjacency in product((1, 2), RELATIONS.values()):
        found, sensitivity = moved(measurement, norm, adjacency, exact)
        assert found == sensitivity


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("most", [1, 2, 3])
def test_people_in_cells(norm: Any, size: int, most: int) -> None:
    letters = ("a", "b", "c", "d")[:size]
    cells = Cells((Key("k", Categories(letters)),))
    everyone = people((0,), letters, 4)
    for adjacency, other in product(RELATIONS.values(), (1, 2)):
        measurement = PeopleCounts(cells, most, norm)
        found, sensitivity = moved(measurement, other, adjacency, brought(measurement, everyone))
        assert found <= float(sensitivity) * (1 + 1e-9)
        if other == norm:
            assert found >= 0.999 * float(sensitivity)


@pytest.mark.parametrize("ends", [(-3, 5), (-4, 4), (2, 5), (0, 3), (-5, -1)], ids=str)
@pytest.mark.parametrize(("size", "most"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (4, 2)])
def test_clamped_sums_of_people_in_cells(size: int, most: int, ends: tuple[int, int]) -> None:
    letters = ("a", "b", "c", "d")[:size]
    cells = Cells((Key("k", Categories(letters)),))
    everyone = people((-2, 2), letters, 5 - size)
    low, high = ends
    for norm, adjacency, other in product((1, 2), RELATIONS.values(), (1, 2)):
        measurement = PeopleTotals(cells, most, norm, (EVEN,), low, high)  # type: ignore[arg-type]
        exact = brought(measurement, everyone)
        found, sensitivity = moved(measurement, other, adjacency, exact)
        assert found <= float(sensitivity) * (1 + 1e-9)


@pytest.mark.slow
def test_clamped_sums_in_cells_attain_their_reach() -> None:
    """With ends that one row reaches."""
    letters = ("a", "b", "c", "d")
    cells = Cells((Key("k", Categories(letters)),))
    for norm, adjacency, (low, high) in product((1, 2), RELATIONS.values(), [(0, 2), (-2, 0), (-2, 2)]):
        for most in (1, 2, 4):
            measurement = PeopleTotals(cells, most, norm, (EVEN,), low, high)  # type: ignore[arg-type]
            found, sensitivity = moved(
                measurement, norm, adjacency, brought(measurement, people((-2, 2), letters, most))
            )
            assert found == sensitivity


def test_more_rows_than_count_weigh_less_and_none_is_dropped() -> None:
    measurement = Weighted(Counts(CELLS["two cells"]), 2)
    assert read([((0, "a"),) * 3 + ((0, "b"),)]).fold(measurement).ravel().tolist() == [3 * GRAIN // 2, GRAIN // 2]
    assert read([((0, "a"),), ((0, "b"),) * 2]).fold(measurement).ravel().tolist() == [GRAIN, 2 * GRAIN]
    assert read([((0, "a"), (0, "zzz"), (0, "zzz"))]).fold(measurement).ravel().tolist() == [
        GRAIN,
        0,
    ]  # two are in no cell
    assert read([((1.0, "a"), (None, "a"), (None, "b"))]).fold(Weighted(Totals(EVEN), 1)).item() == GRAIN


def test_a_person_with_a_million_rows_counts_as_those_that_may() -> None:
    many = one_person(10**6)
    for measurement in asked(EVEN, CELLS["two cells"], 2):
        found = many.fold(measurement).astype(object)
        weights = np.array([float(each) for each in measurement.weights(1, REPLACE)])
        assert np.abs(found / weights).sum() <= float(measurement.sensitivity(1, ADD_REMOVE))
    beyond = one_person(2**22 + 1)
    assert beyond.fold(Weighted(Counts(), 2)).item() == 0  # less than a part each
    assert beyond.fold(PersonTotals(EVEN, 0, 7)).item() == 7


def one_person(rows: int) -> RowsOfPeople:
    frame = pd.DataFrame({"x": np.full(rows, 2), "k": pd.Categorical(["a"]).repeat(rows)})
    return RowsOfPeople(frame, np.zeros(rows, np.int32), 1)


@pytest.mark.parametrize("cells", CELLS)
def test_people_add_up_in_whatever_order_their_rows_come(cells: str) -> None:
    everyone = people((-2, 1, None), ("a", "b"), 2)
    beside = PeopleCounts(CELLS[cells], 1, 2), PeopleTotals(CELLS[cells], 1, 2, (EVEN,), -3, 5)
    for measurement in (*asked(EVEN, CELLS[cells], 2), *beside):
        together = brought(measurement, everyone).sum(axis=0)
        assert (read(everyone).fold(measurement) == together).all()
        assert (read(everyone[::-1], [measurement]).fold(measurement) == together).all()


@pytest.mark.parametrize("numbers", [None, 2**40, 2**62], ids=["packed", "beside", "beyond 64 bits"])
def test_pairs_that_are_sorted_are_those_that_have_a_place_each(
    numbers: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    everyone = people((-2, 1), ("a", "b", "c"), 3)
    measurements = [RowMeans(EVEN, CELLS["three cells"], 2), PeopleCounts(CELLS["three cells"], 2, 2)]
    before = [read(everyone).fold(measurement) for measurement in measurements]
    monkeypatch.setattr("pandas_dp.people.fold.DENSE", 5)
    monkeypatch.setattr("pandas_dp.people.fold.LONGEST", 7)  # some people at a time
    for measurement, found in zip(measurements, before, strict=True):
        assert (read(everyone, numbers=numbers).fold(measurement) == found).all()


def test_sums_of_wide_codes_are_exact_whatever_they_weigh() -> None:
    r = np.random.default_rng(11)
    everyone = [tuple((int(x), "a") for x in r.integers(0, 2**45, many)) for many in r.integers(1, 6, 500)]
    found = read(everyone).fold(Weighted(Totals(WIDE), 2)).item()
    assert found == sum(min(GRAIN, GRAIN * 2 // len(rows)) * x for rows in everyone for x, _ in rows)


BEST = 1 / Fraction(1316, 1000) ** 2  # κ under add_remove


def test_free_products_on_a_simplex_of_many_cells() -> None:
    """Theorems R4 to R6 over random people of up to five cells, of whom many have all their weight in few places."""
    r = np.random.default_rng(5)
    for cells in (1, 2, 3, 5):
        cell = Cells((Key("k", Categories(tuple(range(cells)))),))
        measurement = RowMeans(EVEN, cell, 1)
        u, v = (simplex(r, 20_000, cells) for _ in range(2))
        for norm, adjacency in product((1, 2), (REPLACE, ADD_REMOVE)):
            apart = numbers(u) - (numbers(v) if adjacency.swap else 0)
            weights = (
                np.array([float(w) for w in measurement.weights(norm, adjacency)])
                / [measurement.scale]
                * np.array([1, 1, *(1 / measurement.scale,) * 3])
            )
            far = (np.abs(apart / weights) ** norm).sum(axis=(1, 2)).max()
            assert far <= float(measurement.sensitivity(norm, adjacency)) * (1 + 1e-9)
            if norm == 2:
                assert far >= 0.97 * float(measurement.sensitivity(norm, adjacency))


def simplex(r: np.random.Generator, many: int, cells: int) -> np.ndarray[Any, Any]:
    """Points (u_1, v_1, u_2, …) of what is not negative and adds up to one at most: vertices, edges, anything."""
    points = r.dirichlet(np.full(2 * cells + 1, 0.15), many)
    return points[:, :-1].reshape(many, cells, 2)


def numbers(points: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    u, v = points[:, :, 0], points[:, :, 1]
    rest = 1 - u - v
    return np.stack([u + v, u - v, u * v, u * rest, v * rest], axis=2)


def test_an_answer_of_several_people_is_not_bounded_by_its_reach() -> None:
    """The test above would notice a sensitivity that is too small: two people move farther than one."""
    everyone = [pair + other for pair, other in product(people((-2, 2), ("a",), 1), repeat=2)]
    measurement = Weighted(Totals(EVEN), 1)
    adjacency = Adjacency(swap=True, vanish=True)
    found = max(abs(int(read([one[:1], one[1:]]).fold(measurement).item())) for one in everyone)
    assert 2 * found > measurement.sensitivity(1, adjacency)
