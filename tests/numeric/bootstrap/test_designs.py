"""Which rows a replicate takes: the right number, each choice alike, and whatever the rows hold."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from pandas_dp.core.engine.rows import InMemory, PandasRows
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.noise.samplers.bits import permutation, replaced, uniform_integers
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric import fold_bootstrap as backend
from pandas_dp.numeric.fold_bootstrap import subset
from pandas_dp.numeric.measure import Resamples

X = Variable("x", Interval(Fraction(0), Fraction(100), "integer"))
SEED = 11  # these tests draw from a fixed seed: they pass or fail alike at every run


def seeded() -> object:
    return replaced(np.random.default_rng(SEED).bytes)


@pytest.mark.parametrize("rows", [1, 2, 3, 8, 9, 1_000, 1_001])
def test_half_of_the_rows_are_taken(rows: int) -> None:
    assert {int(subset(rows, rows // 2).sum()) for _ in range(50)} == {rows // 2}


@pytest.mark.parametrize("rows", [4, 5, 6])
def test_every_half_is_as_likely_as_every_other(rows: int) -> None:
    with seeded():
        found = Counter(tuple(np.flatnonzero(subset(rows, rows // 2))) for _ in range(20_000))
    halves = list(combinations(range(rows), rows // 2))
    assert set(found) == set(halves)
    assert chisquare([found[half] for half in halves]).pvalue > 1e-3


@pytest.mark.parametrize("n", [1, 2, 3, 5, 2**24, 2**24 + 1, 2**40 + 3])
def test_integers_lie_below_their_bound(n: int) -> None:
    found = uniform_integers(n, 1_000)
    assert len(found) == 1_000
    assert found.min() >= 0
    assert found.max() < n


def test_integers_are_uniform() -> None:
    with seeded():
        assert chisquare(np.bincount(uniform_integers(7, 70_000), minlength=7)).pvalue > 1e-3


def test_a_word_that_would_favour_small_integers_is_drawn_again() -> None:
    """2³² = 3·1431655765 + 1: the last word is one too many."""
    words = iter([np.array([2**32 - 1, 4, 5], "<u4").tobytes(), np.array([8], "<u4").tobytes()])
    with replaced(lambda count: next(words)):
        assert uniform_integers(3, 3).tolist() == [1, 2, 2]


def test_a_permutation_holds_every_number_once_in_any_order() -> None:
    with seeded():
        found = Counter(tuple(permutation(3)) for _ in range(6_000))
    assert len(found) == 6
    assert chisquare(list(found.values())).pvalue > 1e-3


@pytest.mark.parametrize("rows", [4, 5, 9, 64, 10_001])
@pytest.mark.parametrize("replicates", [2, 4, 50])
def test_weights_take_each_row_twice_in_half_of_the_replicates(rows: int, replicates: int) -> None:
    measurement = Resamples(X, "sum", "weights", replicates, rows)
    taken = [np.bincount(drawn, minlength=rows) for drawn in backend._balanced_samples(measurement, np.arange(rows))]
    weights = np.array(taken)
    assert set(weights.sum(axis=1).tolist()) == {rows}
    assert set(weights.sum(axis=0).tolist()) == {replicates}
    odd = (weights == 1).all(axis=0)
    assert odd.sum() == rows % 2
    assert set(weights[:, ~odd].ravel().tolist()) == {0, 2}


@pytest.mark.slow
def test_over_many_pairs_a_few_thousand_groups_vary_as_much_as_the_pairs_would() -> None:
    """The variance of a replicate's sum around the whole sum is n·S² in expectation; 400 designs come within 3 %."""
    rows = 20_000
    values = np.random.default_rng(1).exponential(1.0, rows)
    measurement = Resamples(X, "sum", "weights", 20, rows)
    with seeded():
        spread = [
            np.var([drawn.sum() for drawn in backend._balanced_samples(measurement, values)], ddof=0)
            for _ in range(400)
        ]
    assert np.mean(spread) == pytest.approx(rows * values.var(ddof=1), rel=0.03)


@pytest.mark.parametrize("design", ["weights", "half-sample", "multinomial"])
@pytest.mark.parametrize("form", ["sum", "variance", "deviation", "covariance"])
def test_replicates_are_the_statistic_of_the_rows_taken(
    design: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.random.default_rng(2).integers(0, 101, 60)
    other = Variable("z", X.interval) if form == "covariance" else None
    measurement = Resamples(X, form, design, 6, 60, other)  # type: ignore[arg-type]
    seen = []
    inner = backend._ROWS[design]

    def watched(measurement: Resamples, codes: np.ndarray) -> object:
        for drawn in inner(measurement, codes):
            seen.append(drawn.copy())
            yield drawn

    monkeypatch.setitem(backend._ROWS, design, watched)
    monkeypatch.setattr(PandasRows, "engine", InMemory)  # scans draw places, which have a test of their own
    table = PandasRows(pd.DataFrame({"x": values, "z": values**2 // 100}), None).fold(measurement)
    assert table.shape == (1, 6)
    expected = {
        "sum": lambda y: y.sum(),
        "variance": lambda y: len(y) * (y**2).sum() - y.sum() ** 2,
        "deviation": lambda y: np.floor(1024 * np.sqrt(len(y) * (y**2).sum() - y.sum() ** 2)),
        "covariance": lambda y: len(y) * (y[:, 0] * y[:, 1]).sum() - y[:, 0].sum() * y[:, 1].sum(),
    }[form]
    assert table[0].tolist() == [int(expected(y)) for y in seen]
    assert {len(y) for y in seen} == {measurement.drawn}


def test_sums_of_squares_of_a_wide_range_are_exact_whatever_the_rows_hold() -> None:
    wide = Variable("x", Interval(Fraction(0), Fraction(2**60), "integer"))
    measurement = Resamples(wide, "variance", "half-sample", 2, 1_000)
    assert measurement.size * (measurement.width(wide) // 2) ** 2 < 2**53
    rows = PandasRows(pd.DataFrame({"x": [0, 2**60] * 500}), None)
    for number in rows.fold(measurement)[0].tolist():
        assert isinstance(number, int)
        assert 0 <= number <= measurement.drawn**2 * (measurement.width(wide) // 2) ** 2
