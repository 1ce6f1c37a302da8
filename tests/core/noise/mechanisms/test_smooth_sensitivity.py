"""The smooth sensitivity of a value of given rank: what the definition says, and smooth for every kind of neighbour."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.noise.choice import NearRank
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.quantiles.measure import Ranks
from pandas_dp.quantiles.mechanism import EXCESS, FLOOR, SMOOTHER, depth_of, smooth_value

F = Fraction
QUANTILES = [F(0), F(1, 4), F(1, 2), F(9, 10), F(1)]


def ranks(quantile: Fraction, top: int) -> Ranks:
    return Ranks(Variable("x", Interval(F(0), F(top), "integer")), quantile)


def near_rank(rows, top: int) -> NearRank:
    values, counts = np.unique(np.array(rows, dtype=np.int64), return_counts=True)
    return NearRank(values, np.cumsum(counts), 0, top + 1, 0, len(rows))


def bound(rows, quantile: Fraction, top: int, beta: float) -> float:
    return float(smooth_value(near_rank(rows, top), ranks(quantile, top).rank(len(rows)), top + 1, beta).bound)


def by_definition(size: int, top: int, quantile: Fraction, beta: float) -> dict[tuple[int, ...], float]:
    """max over k of exp(−k·beta) times the largest local sensitivity at k rows' distance: nothing but the words."""
    tables = list(combinations_with_replacement(range(top + 1), size))
    rank = ranks(quantile, top).rank(size)
    near = {table: set(replaced(table, top)) for table in tables}
    local = {table: max(abs(table[rank - 1] - other[rank - 1]) for other in near[table]) for table in tables}
    found = {}
    for table in tables:
        reached, edge, best = {table}, {table}, 0.0
        for k in range(size + 1):
            best = max(best, math.exp(-k * beta) * max(local[each] for each in edge))
            edge = {other for each in edge for other in near[each]} - reached
            reached |= edge
            if not edge:
                break
        found[table] = best
    return found


def replaced(table, top):
    for at, value in product(range(len(table)), range(top + 1)):
        yield tuple(sorted((*table[:at], *table[at + 1 :], value)))


@pytest.mark.parametrize("beta", [0.05, 0.25, 1.0, 3.0])
@pytest.mark.parametrize(("size", "top"), [(1, 6), (2, 6), (3, 6), (4, 5), (5, 4)])
@pytest.mark.parametrize("quantile", QUANTILES, ids=str)
def test_it_is_what_the_definition_says_for_every_table(quantile, size, top, beta):
    """001.smooth_median.*.maxerr_correct_index and 001.smooth_max.*.maxerr: the error is 0."""
    for table, smooth in by_definition(size, top, quantile, beta).items():
        assert bound(table, quantile, top, beta) == pytest.approx(max(smooth, float(FLOOR)), rel=1e-9), table


def test_the_papers_index_is_wrong_on_nearly_half_of_the_tables():
    """001.smooth_median.n3.beta0.25.frac_wrong_paper_index: n = 2m + 1 has its median at m + 1, not at m."""

    def paper(table, beta):
        x, n, m = table, 3, 1

        def at(i):
            return 0 if i < 1 else 6 if i > n else x[i - 1]

        return max(math.exp(-k * beta) * (at(m + t) - at(m + t - k - 1)) for k in range(n + 1) for t in range(k + 2))

    truth = by_definition(3, 6, F(1, 2), 0.25)
    wrong = [table for table, smooth in truth.items() if not math.isclose(paper(table, 0.25), smooth, rel_tol=1e-12)]
    assert len(wrong) / len(truth) == pytest.approx(0.4642857142857143)
    assert all(math.isclose(bound(t, F(1, 2), 6, 0.25), smooth, rel_tol=1e-9) for t, smooth in truth.items())


def by_all_windows(rows, rank: int, top: int, beta: float) -> float:
    """Every window around the rank, one by one; n² of them."""
    x = [0, *sorted(rows), top]  # one row beyond each end is enough: others are as far and decay more
    return max(
        (x[b] - x[a]) * math.exp(-beta * (b - a - 1)) for a in range(rank + 1) for b in range(max(rank, a + 1), len(x))
    )


def random_tables(seed: int, count: int):
    r = np.random.default_rng(seed)
    for _ in range(count):
        size, top = int(r.integers(0, 70)), int(r.choice([1, 4, 50, 2**20, 2**46]))
        kind = r.integers(5)
        if kind == 0:
            rows = r.integers(0, top + 1, size)
        elif kind == 1:  # ties at three places, both ends among them
            rows = r.choice([0, top // 2, top], size)
        elif kind == 2:
            rows = (top * r.normal(0.5, 0.05, size)).clip(0, top).astype(np.int64)
        elif kind == 3:  # gaps that grow
            rows = (top * np.exp(r.normal(-4, 3, size))).clip(0, top).astype(np.int64)
        else:
            rows = np.full(size, r.integers(0, top + 1))
        yield rows.tolist(), top, r


def test_it_is_the_largest_of_all_windows_on_thousands_of_tables():
    for rows, top, r in random_tables(1, 4000):
        quantile = F(int(r.integers(0, 21)), 20)
        beta = float(r.choice([0.002, 0.01, 0.05, 0.2, 0.5, 0.69, 0.8, 2, 30]))
        rank = ranks(quantile, top).rank(len(rows))
        truth = max(by_all_windows(rows, rank, top, beta), float(FLOOR))
        found = float(smooth_value(near_rank(rows, top), rank, top + 1, beta).bound)
        assert truth <= found * (1 + 1e-15)
        assert found <= truth * (1 + 2 * float(EXCESS)), (rows, top, quantile, beta)


@pytest.mark.parametrize(("beta", "top"), [(0.5, 2**20), (3.0, 1000), (0.5, 10), (0.1, 2**45)])
def test_rows_farther_off_than_a_backend_lists_change_nothing(beta, top):
    r, depth, fewer = np.random.default_rng(2), depth_of(top + 1, beta), 0
    for ties in (False, True) * 4:
        rows = np.sort((top * r.beta(2, 5, 4 * depth)).astype(np.int64))
        if ties:
            rows[depth : 3 * depth] = rows[2 * depth]
        reader = PandasRows(pd.DataFrame({"x": r.permutation(rows)}), None)
        for quantile in (F(1, 2), F(1, 3), F(0), F(1)):
            measurement = ranks(quantile, top)
            rank, (near,) = measurement.rank(len(rows)), reader.near_ranks(measurement, depth)
            everything = smooth_value(near_rank(rows, top), rank, top + 1, beta)
            assert smooth_value(near, rank, top + 1, beta) == everything
            fewer += near.inside < len(rows)
    assert fewer > 16


@pytest.mark.parametrize("beta", [0.1, 0.7, 2.0])
@pytest.mark.parametrize("quantile", QUANTILES, ids=str)
def test_a_row_that_changes_or_comes_moves_it_by_at_most_beta_and_the_value_by_at_most_it(quantile, beta):
    """Every pair of neighbours of both kinds among all tables of up to five rows on six points, none among them."""
    top, known = 5, {}
    for size in range(6):
        for table in combinations_with_replacement(range(top + 1), size):
            value = smooth_value(near_rank(table, top), ranks(quantile, top).rank(size), top + 1, beta)
            known[table] = (value.position, float(value.bound))
    most, tight = math.exp(beta) * (1 + 1e-9), 0.0
    for table, (position, smooth) in known.items():
        others = set(replaced(table, top))
        if len(table) < 5:
            others |= {tuple(sorted((*table, value))) for value in range(top + 1)}
        for other in others:
            moved, there = known[other]
            assert max(smooth / there, there / smooth) <= most, (table, other)
            assert abs(position - moved) <= min(smooth, there) * (1 + 1e-12), (table, other)
            tight = max(tight, smooth / there)
    assert tight > 0.999 * math.exp(beta)


def test_without_rows_the_value_is_an_end_and_its_bound_the_range():
    for quantile, end in ((F(0), 9), (F(1, 2), 0), (F(1), 0)):
        value = smooth_value(near_rank([], 9), ranks(quantile, 9).rank(0), 10, 1.0)
        assert (value.position, float(value.bound)) == (end, pytest.approx(9, rel=1e-9))


def test_a_constant_column_has_a_bound_that_falls_with_its_rows_down_to_the_floor():
    bounds = [bound([7] * size, F(1, 2), 20, 1.0) for size in (3, 9, 21, 101)]
    assert bounds[:3] == pytest.approx([13 * math.exp(-1), 13 * math.exp(-4), 13 * math.exp(-10)], rel=1e-9)
    assert bounds[3] == float(FLOOR)


def test_bounds_are_calibrated_to_a_smoothness_that_covers_their_rounding():
    assert math.log1p(2 * EXCESS) < SMOOTHER


def test_one_row_changes_one_cell_or_moves_from_one_to_another():
    variable, two = Variable("x", Interval(F(0), F(9))), Cells((Key("k", Categories(("a", "b"))),))
    moved = {
        (cells.size, adjacency.swap): Ranks(variable, F(1, 2), cells).cells_moved(adjacency)
        for cells in (Cells(), two)
        for adjacency in (Adjacency(True, False), Adjacency(True, True), Adjacency(False, True))
    }
    assert moved == {(1, True): 1, (1, False): 1, (2, True): 2, (2, False): 1}


def test_ranks_rise_by_one_at_most_with_each_row():
    for quantile in [F(i, 40) for i in range(41)]:
        steps = np.diff([ranks(quantile, 9).rank(n) for n in range(200)])
        assert set(steps.tolist()) <= {0, 1}
