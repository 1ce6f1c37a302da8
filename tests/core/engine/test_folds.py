"""Folds finish alike whatever the cut of the rows, the order and the tree in which partials are merged."""

from __future__ import annotations

import pickle
from fractions import Fraction
from functools import reduce
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pandas_dp.core.engine.fold import Part
from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import InMemory, PandasRows
from pandas_dp.core.engine.sweep import SumsOf
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.models.fold import ProductsOfTerms
from pandas_dp.models.measure import Gram, Levels, LinearBasis, Number, Product
from pandas_dp.models.moments.measure_powers import Power
from pandas_dp.numeric.fold_bootstrap import Different, EveryCode
from pandas_dp.numeric.measure import Counts, Distinct, Moments, MomentsTogether, Totals
from pandas_dp.quantiles.fold_ends import Ends, Middle
from pandas_dp.quantiles.fold_ranks import Nearby, grid_blocks_of
from pandas_dp.quantiles.measure import Ranks
from pandas_dp.tables.measure import MarginOf

from ...engines.parts import Split, sent

F = Fraction
X = Variable("x", Interval(F(0), F(8), nullable=True))
N = Variable("n", Interval(F(-(2**45)), F(2**45), "integer"))
WIDE = Variable("n", Interval(F(-(2**62)), F(2**62), "integer"))
KEYS = (Key("k", Categories(("a", "b", "c")), other=True), Key("x", Breaks((0.0, 2.0, 8.0))))
CELLS = [Cells(), Cells(KEYS[:1]), Cells(KEYS)]
TERMS = (
    Number(X),
    Number(N),
    Levels(Key("k", Categories(("a", "c")))),
    Product(X, N),
    Power(X, 3),
    LinearBasis(N, (-(2.0**30), 0.0, 2.0**40)),
)
FOLDS = {
    **{f"counts in {cells.size}": SumsOf(Counts(cells, (X,))) for cells in CELLS},
    **{f"totals in {cells.size}": SumsOf(Totals(N, cells)) for cells in CELLS},
    **{f"moments in {cells.size}": SumsOf(Moments(X, cells, counted=True)) for cells in CELLS},
    "wide totals": SumsOf(Totals(WIDE, CELLS[1])),
    "products": SumsOf(MomentsTogether((X, N))),
    **{f"moment matrix in {cells.size}": ProductsOfTerms(Gram(TERMS, True, cells)) for cells in CELLS},
    **{f"stretches in {cells.size}": grid_blocks_of(Ranks(X, F(1, 2), cells))[0] for cells in CELLS},
    "stretches of wide numbers": grid_blocks_of(Ranks(WIDE, F(1, 2), CELLS[1]))[0],
    "positions": Nearby(X, CELLS[1], 0, 4, (0, 5, 10, 2**19), (2**20, 2**19, 2**20, 2**20)),
    "positions alone": Nearby(X, CELLS[0], 0, 1, (2**10,), (2**19,)),
    **{f"different in {cells.size}": Different(X, cells) for cells in CELLS},
    "different wide": Different(WIDE, CELLS[1]),
    **{f"ends in {cells.size}": Ends(X, cells, 3) for cells in CELLS},
    "middle": Middle(N, CELLS[1], 2, (-5.0, 0.0, 3.0, 1.0), (5.0, 0.0, 9.0, 7.0)),
}


@st.composite
def frames(draw) -> pd.DataFrame:
    size = draw(st.integers(0, 12))

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    x = column(st.sampled_from([0.0, 0.125, 1.0, 2.0, 7.5, 8.0, 9.0, np.nan]))
    n = column(st.one_of(st.integers(-10, 10), st.integers(-(2**63), 2**63 - 1)))
    k = pd.Series(column(st.sampled_from(["a", "b", "c", "z", None])), dtype=object)
    table = pd.DataFrame({"x": np.array(x, float), "n": np.array(n, np.int64), "k": k})
    return table.astype({"k": draw(st.sampled_from(["category", "str", "object"]))})


def plain(found: object) -> object:
    """Nested lists, to be compared."""
    if isinstance(found, np.ndarray):
        return found.tolist()
    return [plain(each) for each in found] if isinstance(found, tuple) else found


@settings(max_examples=25)
@given(frames(), st.data())
@pytest.mark.parametrize("name", FOLDS)
def test_any_cut_any_order_and_any_tree_finish_alike(name: str, table: pd.DataFrame, data: st.DataObject) -> None:
    fold = FOLDS[name]
    kept = data.draw(st.sampled_from([None, np.arange(len(table)) % 3 != 1]))
    whole = Part.whole(table, kept)
    want = plain(fold.finish(fold.read(whole)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(table)), max_size=4)))
    partials = [sent(fold.read(part)) for part in whole.cut(*cuts)]
    while len(partials) > 1:
        one, other = (partials.pop(data.draw(st.integers(0, len(partials) - 1))) for _ in range(2))
        before = pickle.dumps((one, other))
        partials.append(sent(fold.merge(one, other)))
        assert pickle.dumps((one, other)) == before
    assert plain(fold.finish(partials[0])) == want


@pytest.mark.parametrize("name", FOLDS)
def test_a_fold_is_a_value_that_travels(name: str) -> None:
    fold = FOLDS[name]
    again = pickle.loads(pickle.dumps(fold))
    assert again == fold
    assert hash(again) == hash(fold)


def test_sums_of_parts_widen_by_the_rows_of_all() -> None:
    """Each part fits int64 by itself; together they might not."""
    fold, one = SumsOf(Totals(N)), Part.whole(pd.DataFrame({"n": [2**45]}), None)
    piece = fold.read(one)
    assert piece.sums.dtype == np.int64
    many = piece
    for _ in range(20):
        many = fold.merge(many, many)
    assert many.sums.dtype == object
    assert many.rows == 2**20
    assert fold.finish(many).tolist() == [[2**20 * int(each) for each in fold.finish(piece)[0]]]


BOUND = 4096  # of pickle itself, and of numpy's headers


@pytest.mark.parametrize("name", [name for name in FOLDS if "wide" not in name])
def test_a_partial_is_no_larger_than_public_facts_say(name: str) -> None:
    """Made to break it: every row different, and as many as fill every cell."""
    fold, rows = FOLDS[name], 40_000
    r = np.random.default_rng(1)
    n, k = r.integers(-(2**50), 2**50, rows), r.choice([*"abc"], rows)
    table = pd.DataFrame({"x": r.random(rows) * 8, "n": n, "k": k})
    size = len(pickle.dumps(fold.read(Part.whole(table, None))))
    assert size <= BOUND + bytes_of(fold), (size, bytes_of(fold))


def bytes_of(fold: object) -> int:
    cells = 1 if not hasattr(fold, "cells") else fold.cells.size
    if isinstance(fold, SumsOf):
        return 8 * fold.measurement.cells.size * len(fold.measurement.monomials)
    if isinstance(fold, ProductsOfTerms):
        return 16 * fold.measurement.cells.size * len(fold.measurement.sums.columns) ** 2
    if isinstance(fold, Ends):
        return 16 * cells * fold.many
    points = fold.variable.grid.high - fold.variable.grid.low + 1 if not isinstance(fold, Different) else fold.width
    if isinstance(fold, Different):
        return cells * points
    if isinstance(fold, Middle):
        return 16 * cells * fold.many * 2 + 16 * fold.many * int(sum(fold.high) - sum(fold.low) + 4)
    if isinstance(fold, Nearby):
        return 16 * sum(b - a for a, b in zip(fold.starts, fold.stops, strict=True))
    return 8 * (fold.last - fold.first) * ((points - 1 >> fold.shift) + 1)


def test_rows_in_parts_answer_as_rows_in_one() -> None:
    r = Random(3)
    x, k = ([draw() for _ in range(300)] for draw in (lambda: r.random() * 8, lambda: r.choice("abz")))
    table = pd.DataFrame({"x": x, "n": range(300), "k": k})
    one = PandasRows(table, KnownIds(250))
    for seed in range(5):
        in_parts = type("InParts", (PandasRows,), {"engine": lambda part, seed=seed: Split(part, seed)})
        many, moments = in_parts(table, KnownIds(250)), Moments(X, CELLS[2])
        margins = MarginOf(moments, (0,)), MarginOf(moments, ())
        for measurement in (moments, *margins, Distinct(X, CELLS[1]), Distinct(KEYS[1], CELLS[1])):
            assert many.fold(measurement).tolist() == one.fold(measurement).tolist()
        for measurement in (Ranks(X, F(1, 2), CELLS[1]), Ranks(N, F(1, 4))):
            found, want = many.near_ranks(measurement, 5), one.near_ranks(measurement, 5)
            assert [(a.start, a.stop, a.below, a.rows, a.positions().tolist()) for a in found] == [
                (a.start, a.stop, a.below, a.rows, a.positions().tolist()) for a in want
            ]


def test_what_will_be_asked_is_read_together_and_once() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "n": [1, 2, 3], "k": ["a", "b", "z"]})
    runs = []

    class Counted(InMemory):
        def run(self, folds):
            runs.append(len(folds))
            return super().run(folds)

    moments = Moments(X, CELLS[1])
    ranks = [Ranks(variable, share) for variable in (X, N) for share in (F(1, 2), F(1, 4))]
    rows = type("Seen", (PandasRows,), {"engine": Counted})(
        table, None, [moments, Totals(N), MarginOf(moments, ()), *ranks]
    )
    for measurement in (moments, Totals(N), MarginOf(moments, ())):
        rows.fold(measurement)
    assert runs == [4]  # moments for themselves and their margin; totals; points of x, of which all is known; of n
    for measurement in ranks:
        rows.near_ranks(measurement, 1)
    assert runs == [4, 1, 1]  # the positions near each rank of n, whose grid is wide
    rows.fold(moments)
    assert runs == [4, 1, 1, 1], "kept until the last that was announced has asked, and no longer"


@settings(max_examples=30)
@given(st.lists(st.sampled_from([0.0, 0.125, 1.0, 7.5, 8.0, 9.0, np.nan]), max_size=9), st.integers(0, 5))
def test_every_point_counted_once_tells_the_ladders_that_two_looks_tell(values: list[float], depth: int) -> None:
    table = pd.DataFrame(
        {"x": np.array(values, float), "k": ["a", "b", "z"] * (len(values) // 3) + ["a"] * (len(values) % 3)}
    )
    measurements = [Ranks(X, share, cells) for share in (F(0), F(1, 3), F(1)) for cells in (CELLS[0], CELLS[1])]
    once, twice = PandasRows(table, None, measurements), PandasRows(table, None)
    for measurement in measurements:
        found, want = ([vars(each) for each in rows.near_ranks(measurement, depth)] for rows in (once, twice))
        assert repr(found) == repr(want)


def test_codes_of_all_rows_lose_none() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, np.nan, 4.0], "n": [1, 2, 3, 4]})
    fold = EveryCode((X, N))
    whole, parts = fold.read(Part.whole(table, None)), Part.whole(table, None).cut(0, 1, 3)
    assert sorted(map(tuple, reduce(fold.merge, map(fold.read, parts)).tolist())) == sorted(map(tuple, whole.tolist()))
