"""What bootstrap DP calibrates to equals the sensitivity by brute force over all tables of the rows that occur."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.measure.cells import Cells, Key
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.schema.values import Categories
from pandas_dp.weaker.exact import Average, NumberOf, StepTotal, Variance
from pandas_dp.weaker.ordered import Ordered
from pandas_dp.weaker.promise import facts_of

from .brute import DOMAIN, ROUNDED, STATISTICS, X, frame_of, read, sensitivities, tables_of

LETTERS = Cells((Key("k", Categories(("a", "b"))),))
PUBLIC = {"cells": "public"}
WHOLE = ["sum", "mean", "var", "var, ddof 0", "std", "min", "max", "median", "quartile", "ninth tenth", "second max"]


def data_sets(seed: int, many: int = 40, most: int = 4) -> list[np.ndarray]:
    r = np.random.default_rng(seed)
    return [r.choice(DOMAIN, 1 + place % most) for place in range(many)]


@pytest.mark.parametrize("name", WHOLE)
def test_the_reach_is_attained_by_tables_of_the_rows_that_occur(name: str) -> None:
    """The corrected table of sensitivities, private membership, where there is no cell."""
    final, statistic, _ = STATISTICS[name]
    for rows in data_sets(seed=len(name)):
        tables = np.array(tables_of(np.unique(rows), len(rows)), dtype=float)
        values = statistic(tables)
        apart = (tables[:, None, :] != tables[None, :, :]).sum(axis=2) <= 1
        brute = np.abs(values[:, None] - values[None, :])[apart].max()
        (found,) = sensitivities(final, frame_of(rows), model="bdp")
        assert found == pytest.approx(brute, abs=ROUNDED), rows


def pairs_in(frame: pd.DataFrame, absent: bool, fixed: bool) -> list[tuple[pd.DataFrame, pd.DataFrame]]:
    """Every two tables one row apart whose rows occur; with `fixed`, the cell of each row is that of the data."""
    rows: list[tuple[float, str] | None] = sorted(set(frame.itertuples(index=False, name=None)))
    rows += [None] if absent else []
    found = []
    cells = frame["k"].tolist()
    for place in range(len(frame)) if fixed else [0]:
        for others, a, b in product(product(rows, repeat=len(frame) - 1), rows, rows):
            one, two = ([*others[:place], row, *others[place:]] for row in (a, b))
            if fixed and any(
                row is None or row[1] != cell for table in (one, two) for row, cell in zip(table, cells, strict=True)
            ):
                continue
            found.append(tuple(table_of([r for r in each if r is not None]) for each in (one, two)))
    return found  # type: ignore[return-value]


def table_of(rows: list[tuple[float, str]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["x", "k"]).astype({"x": float, "k": object})


def worst(asked: object, frame: pd.DataFrame, scale: list[float], absent: bool = False, fixed: bool = False) -> float:
    """The largest loss between two tables, in parts of what was paid."""
    most = 0.0
    known: dict[str, list[float]] = {}

    def numbers(table: pd.DataFrame) -> list[float]:
        key = str(sorted(table.itertuples(index=False, name=None)))
        if key not in known:
            facts = facts_of(read(table, True), asked, 1)  # type: ignore[arg-type]
            known[key] = [float(number * asked.unit) for number in asked.numbers(facts)]  # type: ignore[attr-defined]
        return known[key]

    for one, two in pairs_in(frame, absent, fixed):
        here, there = numbers(one), numbers(two)
        loss = [abs(p - q) / s if p != q else 0.0 for p, q, s in zip(here, there, scale, strict=True) if p != q or s]
        most = max(most, sum(loss))
    return most


FRAMES = [
    table_of([(1.0, "a"), (4.0, "a"), (-2.0, "b")]),
    table_of([(5.0, "a"), (5.0, "b")]),
    table_of([(3.0, "a"), (7.0, "a"), (7.0, "a")]),
    table_of([(3.0, "a"), (6.0, "zzz"), (2.0, "a")]),
    table_of([(-3.0, "b")]),
    table_of([(9.0, "a"), (8.0, "b"), (1.0, "b")]),
]


@pytest.mark.parametrize("absent", [False, True], ids=["whole", "derived"])
@pytest.mark.parametrize("frame", FRAMES, ids=range(len(FRAMES)))
def test_tables_of_counts_move_by_two_where_two_cells_are_occupied(frame: pd.DataFrame, absent: bool) -> None:
    asked = NumberOf(LETTERS)
    scale = sensitivities(asked, frame, model="bdp", whole=not absent)
    found = worst(asked, frame, scale, absent)
    assert found <= 1
    assert not scale[0] or found == pytest.approx(1.0 if {"a", "b"} <= set(frame["k"]) else 0.5)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "derived"])
def test_tables_of_counts_have_one_scale_whatever_the_rows_and_neighbours_are_told_apart_by_epsilon_alone(
    whole: bool, norm: int
) -> None:
    """Every table of up to three rows, and each with one row elsewhere, on the scales that each has of its own."""
    asked, at = NumberOf(LETTERS), np.arange(-40, 41)
    for letters in product(["a", "b", "zzz"], repeat=3):
        for other in ["a", "b", "zzz"]:
            both = [table_of([(1.0, k) for k in (first, *letters[1:])]) for first in (letters[0], other)]
            scales = [sensitivities(asked, each, model="bdp", whole=whole, norm=norm, floor=None) for each in both]
            assert scales == [[2.0, 2.0]] * 2
            if norm == 1:
                counts = [[int((each["k"] == k).sum()) for k in "ab"] for each in both]
                p, q = (
                    np.multiply.outer(
                        *(DiscreteLaplace(Fraction(int(s))).pmf(at - c) for s, c in zip(scale, count, strict=True))
                    )
                    for scale, count in zip(scales, counts, strict=True)
                )
                assert np.maximum(p - np.e * q, 0).sum() < 1e-12  # with scales of 1 and 2 it is .31


@pytest.mark.parametrize("method", ["i", "ii", "iv", "auto"])
@pytest.mark.parametrize("absent", [False, True], ids=["whole", "derived"])
@pytest.mark.parametrize("frame", FRAMES, ids=range(len(FRAMES)))
def test_every_method_hides_a_row_in_a_table_of_sums(frame: pd.DataFrame, absent: bool, method: str) -> None:
    asked = StepTotal(X, LETTERS)
    scale = sensitivities(asked, frame, model="bdp", whole=not absent, scale=method)
    found = worst(asked, frame, scale, absent)
    assert found <= 1 + 1e-9
    if method == "i" and max(scale):
        assert found == pytest.approx(1.0)


@pytest.mark.parametrize(
    "asked",
    [StepTotal(X, LETTERS), Average(X, LETTERS), Variance(X, LETTERS), Ordered(X, LETTERS), Variance(X, LETTERS, True)],
    ids=["sum", "mean", "var", "median", "std"],
)
@pytest.mark.parametrize("frame", FRAMES, ids=range(len(FRAMES)))
def test_with_public_cells_each_cell_is_a_table_of_its_own(asked: StepTotal, frame: pd.DataFrame) -> None:
    scale = sensitivities(asked, frame, model="bdp", **PUBLIC)
    found = worst(asked, frame, scale, fixed=True)
    assert found == pytest.approx(1.0 if max(scale) else 0.0, abs=1e-4)


def test_the_paper_s_sensitivity_of_a_table_of_sums_is_too_small() -> None:
    """Erratum BDP-2: it takes the largest range in a cell, but a row may leave its cell."""
    frame = table_of([(8.0, "a"), (7.0, "a"), (9.0, "b")])
    asked = StepTotal(X, LETTERS)
    printed = [1.0, 1.0]  # the largest range in a cell
    assert worst(asked, frame, printed) == 17.0
    assert worst(asked, frame, sensitivities(asked, frame, model="bdp")) <= 1


def test_the_paper_s_sensitivity_of_a_table_of_counts_is_too_small() -> None:
    """Erratum BDP-1: (A, A, B) becomes (A, B, B), and two counts move."""
    frame = table_of([(1.0, "a"), (1.0, "a"), (1.0, "b")])
    assert worst(NumberOf(LETTERS), frame, [1.0, 1.0]) == 2.0
    assert worst(NumberOf(LETTERS), frame, sensitivities(NumberOf(LETTERS), frame, model="bdp")) == 1.0


@pytest.mark.slow
def test_cells_released_one_by_one_compose_only_if_membership_is_public() -> None:
    """Erratum BDP-5, Result 8 of the paper: {(A, 0), (A, 1), (B, 0), (B, 1)}, each total on the scale of its range."""
    frame = table_of([(0.0, "a"), (1.0, "a"), (0.0, "b"), (1.0, "b")])
    asked = StepTotal(X, LETTERS)
    assert worst(asked, frame, [1.0, 1.0]) == 2.0
    assert worst(asked, frame, sensitivities(asked, frame, model="bdp", **PUBLIC), fixed=True) == 1.0


def test_one_cell_needs_what_rows_elsewhere_leave_out() -> None:
    """Erratum BDP-3: the range of the values in the cell is not enough where a row may stand outside of it."""
    frame = table_of([(8.0, "a"), (9.0, "a"), (2.0, "b")])
    one = Cells((Key("k", Categories(("a",))),))
    asked = StepTotal(X, one)
    assert worst(asked, frame, [1.0]) == 9.0
    assert sensitivities(asked, frame, model="bdp") == [9.0]


def test_further_rows_widen_what_may_take_a_row_s_place() -> None:
    from pandas_dp.core.neighbours import PublicFacts, Relation
    from pandas_dp.core.promise_registry import every_promise
    from pandas_dp.weaker.promise import Surroundings

    few, more = frame_of(np.array([2.0, 3.0])), frame_of(np.array([8.0]))
    asked = StepTotal(X)
    public = PublicFacts(Relation.REPLACE.adjacency(True), 2)
    facts, others = (facts_of(read(each, True), asked, 1) for each in (few, more))
    around = Surroundings(public, others=others)
    assert every_promise()["bdp"].sensitivities(asked, facts, around, 1).tolist() == [6]


@pytest.mark.parametrize("norm", [1, 2])
def test_the_methods_rank_as_their_variances_do(norm: int) -> None:
    """Method (iv) never needs more than (ii), erratum BDP-4; the automatic choice has the least variance in all."""
    frame = table_of([(9.0, "a"), (8.0, "a"), (1.0, "b"), (0.5, "b")])
    asked = StepTotal(X, LETTERS)
    found = {
        method: sum(s ** (3 - norm) for s in sensitivities(asked, frame, model="bdp", scale=method, norm=norm))
        for method in ("i", "ii", "iv", "auto")
    }
    assert found["iv"] <= found["ii"]
    assert found["auto"] == min(found.values())
