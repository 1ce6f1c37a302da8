"""Sums of products of terms: the integers of a slow loop, whatever the order of rows and the sizes of blocks."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.models import fold
from pandas_dp.models.measure import STEPS, Gram, Levels, LinearBasis, Number, Product, Slopes
from pandas_dp.models.moments.measure_powers import Power

X = Variable("x", Interval(Fraction(0), Fraction(10)))
I = Variable("i", Interval(Fraction(-3), Fraction(4), "integer", nullable=True))  # noqa: E741
WIDE = Variable("n", Interval(Fraction(0), Fraction(10**6), "integer"))
K, J = Key("k", Categories(("a", "b", "c"))), Key("j", Categories((1, 2)))
KNOTS = (0.0, 2.5, 10.0)
TERMS = (
    *(Number(X), Number(I), Number(WIDE), Levels(K), Product(X, I), Power(X, 2), Power(X, 3)),
    *(Slopes(K, X), LinearBasis(X, KNOTS)),
)
CELLS = {"all": Cells(), "groups": Cells((J,))}


def table(rows: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    ends = rng.random(rows) < 0.3
    return pd.DataFrame(
        {
            "x": np.where(ends, rng.choice([-5.0, 0.0, 10.0, 1e300, np.nan], rows), rng.random(rows) * 10),
            "i": pd.array(rng.integers(-5, 6, rows), "Int64").copy(),
            "n": rng.integers(-5, 2 * 10**6, rows),
            "k": rng.choice([*"abcz"], rows),
            "j": rng.choice([1, 2, 3], rows),
        }
    ).assign(i=lambda t: t["i"].mask(t["n"] % 7 == 0))


def slow(data: pd.DataFrame, measurement: Gram) -> list[Any]:
    """Row by row, in Python's integers."""
    found = np.zeros((measurement.cells.size, *(len(measurement.sums.columns),) * 2), object)
    for row in data.itertuples():
        if pd.isna(row.i) or row.k not in "abc" or (measurement.cells.keys and row.j == 3):
            continue
        x = 5.0 if np.isnan(row.x) else min(max(row.x, 0.0), 10.0)
        y = round(x / float(X.grid.step)) - X.grid.offset
        u = round(y * (STEPS / X.grid.half))
        i = (2 * min(max(row.i, -3), 4) - 1) * (STEPS // 7)
        n = round((min(max(row.n, 0), 10**6) - 500_000) * (STEPS / 500_000))
        level = [int(row.k == each) for each in "abc"]
        centred = [(knot - 5.0) * (STEPS / (X.grid.half * float(X.grid.code_step))) for knot in KNOTS]
        at = int(u >= centred[1])
        above = round(STEPS * min(max((u - centred[at]) / (centred[at + 1] - centred[at]), 0.0), 1.0))
        linear_basis = [0, 0, 0]
        linear_basis[at], linear_basis[at + 1] = STEPS - above, above
        square = round(Fraction(2 * u * u, STEPS)) - STEPS
        cube = min(max(round(Fraction(2 * u * square, STEPS)) - u, -STEPS), STEPS)
        line = [1, u, i, n, *level, round(u * i / STEPS), square, cube, *(each * u for each in level), *linear_basis]
        found[row.j - 1 if measurement.cells.keys else 0] += np.outer(np.array(line, object), line)
    return measurement.arrange(found).tolist()


@pytest.mark.parametrize("block", [2**15, 64])
@pytest.mark.parametrize("place", CELLS)
def test_the_fold_finds_what_a_loop_finds(place: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fold, "BLOCK", block)
    monkeypatch.setattr(fold, "EXACT", block // 4)
    monkeypatch.setattr(fold, "KEPT", 3 * block)
    data, measurement = table(700), Gram(TERMS, True, CELLS[place])
    assert PandasRows(data, None).fold(measurement).tolist() == slow(data, measurement)


@pytest.mark.parametrize("place", CELLS)
def test_neither_order_nor_other_rows_change_what_a_row_brings(place: str) -> None:
    data, measurement = table(5000), Gram(TERMS, True, CELLS[place])
    every = PandasRows(data, None).fold(measurement)
    shuffled = data.sample(frac=1, random_state=1)
    assert (PandasRows(shuffled, None).fold(measurement) == every).all()
    for at in (0, 17, 4999):
        alone = PandasRows(data.iloc[[at]], None).fold(measurement)
        rest = PandasRows(data.drop(index=at), None).fold(measurement)
        assert (rest + alone == every).all()


def test_rows_of_a_derived_frame_count_once() -> None:
    data, measurement = table(300), Gram(TERMS, True)
    known = KnownIds(200)
    twice = pd.concat([data, data.iloc[:50]])
    assert (PandasRows(twice, known).fold(measurement) == PandasRows(data.iloc[:200], None).fold(measurement)).all()


@pytest.mark.parametrize("ends", list(product((0.0, 10.0), (0, 10**6))))
def test_sums_stay_exact_where_every_row_is_at_an_end(ends: tuple[float, int]) -> None:
    """200,000 rows of the largest products there are."""
    rows, measurement = 200_000, Gram((Number(X), Number(WIDE), Product(X, WIDE)))
    data = pd.DataFrame({"x": np.full(rows, ends[0]), "n": np.full(rows, ends[1])})
    one, other = (1 if end else -1 for end in ends)
    line = [1, one * STEPS, other * STEPS, one * other * STEPS]
    expected = [rows * line[a] * line[b] for a, b in zip(*measurement.sums.places, strict=True)]
    assert PandasRows(data, None).fold(measurement)[0].tolist() == expected


def test_sums_stay_exact_beyond_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where int64 holds few rows, they are added to Python's integers in time."""
    monkeypatch.setattr(fold, "KEPT", fold.BLOCK)
    rows, measurement = 70_000, Gram((Number(X),))
    data = pd.DataFrame({"x": np.full(rows, 10.0)})
    assert PandasRows(data, None).fold(measurement)[0].tolist() == [rows * STEPS, rows * STEPS**2]
    assert (fold.KEPT + fold.BLOCK) * STEPS**2 < 2**63
