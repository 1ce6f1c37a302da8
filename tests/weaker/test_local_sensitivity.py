"""What individual DP calibrates to equals the local sensitivity by brute force, on thousands of small data sets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

from pandas_dp.core.engine import sweep
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.weaker.exact import Average, Final, NumberOf, StepTotal, Variance
from pandas_dp.weaker.ordered import Ordered, RankDistance
from pandas_dp.weaker.promise import facts_of

from .brute import (
    DOMAIN,
    HIGH,
    LOW,
    ROUNDED,
    STATISTICS,
    X,
    frame_of,
    in_groups,
    moved,
    neighbours,
    read,
    sensitivities,
    value,
)

SETS = 250


def data_sets(seed: int, many: int = SETS, most: int = 7) -> list[np.ndarray]:
    """Ties, ends, even sizes and odd ones, a single row."""
    r = np.random.default_rng(seed)
    found = []
    for place in range(many):
        few = r.choice(DOMAIN, r.integers(1, len(DOMAIN)), replace=False) if place % 2 else DOMAIN
        found.append(r.choice(few, 1 + place % most))
    return found


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "derived"])
@pytest.mark.parametrize("name", STATISTICS)
def test_the_reach_is_the_local_sensitivity(name: str, whole: bool) -> None:
    final = STATISTICS[name][0]
    for rows in [*data_sets(seed=len(name)), *([] if whole else [np.zeros(0)])]:
        (found,) = sensitivities(final, frame_of(rows), whole=whole)
        assert found == pytest.approx(moved(name, rows, absent=not whole), abs=ROUNDED), rows


@pytest.mark.parametrize("name", STATISTICS)
def test_the_number_is_the_statistic(name: str) -> None:
    final = STATISTICS[name][0]
    for rows in [*data_sets(seed=99, many=60), np.zeros(0)]:
        (number,) = final.numbers(facts_of(read(frame_of(rows), True), final, 1))
        exact = float(number * final.unit + final.origin)
        assert exact == pytest.approx(value(name, rows), abs=2.0**-19), rows


@pytest.mark.parametrize("group", [2, 3])
@pytest.mark.parametrize("name", ["sum", "mean", "min", "max", "median", "quartile", "second max"])
def test_the_reach_of_a_group_is_that_of_all_its_rows_together(name: str, group: int) -> None:
    """Groups no larger than the data; the brute force tries every way to replace them."""
    final = STATISTICS[name][0]
    for rows in data_sets(seed=group, many=12, most=5):
        if len(rows) >= group:
            (found,) = sensitivities(final, frame_of(rows), group=group)
            assert found == pytest.approx(in_groups(name, rows, group), abs=1e-9), rows


def test_a_grid_of_an_odd_number_of_steps_counts_its_middle_as_half_a_step() -> None:
    odd = Variable("x", Interval(Fraction(0), Fraction(3), "integer"))
    for rows in ([0.0, 3.0, 1.0], [np.nan, 2.0], [np.nan]):
        (total,) = sensitivities(StepTotal(odd), frame_of(np.array(rows)))
        known = np.where(np.isnan(rows), 1.5, rows)
        assert total >= max(3 - known.min(), known.max()) - 1e-9
        assert total <= max(3 - known.min(), known.max()) + 0.5


def test_counts_move_by_one_and_tables_by_two() -> None:
    """Erratum BDP-1, of which IDP-3 is the same: under replacement a row leaves one cell and enters another."""
    frame = pd.DataFrame({"x": [1.0, 2.0, 7.0], "k": ["a", "a", "b"]})
    letters = Cells((Key("k", Categories(("a", "b"))),))
    assert sensitivities(NumberOf(letters), frame) == [2, 2]
    between = Cells((Key("x", Breaks((0.0, 3.0)), clamp=X.interval),))
    assert sensitivities(NumberOf(between), frame) == [1]
    assert sensitivities(NumberOf(), frame, whole=False) == [1]
    assert sensitivities(NumberOf(letters), frame, group=3) == [6, 6]


@pytest.mark.parametrize("final", [StepTotal, Average, Ordered])
def test_a_row_that_changes_its_group_spends_no_more_than_one_that_stays(final: type) -> None:
    """Every neighbour of tables in two cells: the shares of the loss in both cells add up to one at most, and for some
    neighbour of some table to one exactly."""
    cells = Cells((Key("k", Categories(("a", "b"))),))
    asked = final(X, cells)
    r = np.random.default_rng(5)
    most = 0.0
    for size in (1, 2, 3, 4, 4, 4):
        frame = pd.DataFrame({"x": r.choice(DOMAIN, size).astype(float), "k": r.choice(["a", "b", "c"], size)})
        scale = sensitivities(asked, frame)
        here = numbers(asked, frame)
        for at in range(size):
            for x in (LOW, HIGH, 2):
                for k in "abc":
                    other = frame.copy()
                    other.loc[at] = [float(x), k]
                    there = numbers(asked, other)
                    loss = sum(abs(p - q) / s if p != q else 0.0 for p, q, s in zip(here, there, scale, strict=True))
                    assert loss <= 1 + 1e-9
                    most = max(most, loss)
    assert most > 0.999


def numbers(asked: Final, frame: pd.DataFrame) -> list[float]:
    found = facts_of(read(frame, True), asked, 1)
    return [float(number * asked.unit + asked.origin) for number in asked.numbers(found)]


def test_the_formula_of_the_paper_with_its_index_misses_half_of_the_medians() -> None:
    """Erratum IDP-6: of n = 2m + 1 rows the median is number m + 1, and beyond them stand the domain's ends."""
    final = STATISTICS["median"][0]
    wrong = tried = 0
    for rows in data_sets(seed=3, many=200, most=7):
        if len(rows) % 2 == 0 or len(rows) < 3:
            continue
        x = np.sort(rows)
        m = (len(rows) - 1) // 2
        at = lambda i, x=x: LOW if i < 1 else HIGH if i > len(x) else x[i - 1]  # noqa: E731
        printed = max(at(m) - at(m - 1), at(m + 1) - at(m))
        (ours,) = sensitivities(final, frame_of(rows))
        assert ours == moved("median", rows, absent=False)
        tried += 1
        wrong += printed != ours
    assert tried > 50
    assert wrong > tried / 4


@pytest.mark.parametrize("name", ["sum", "mean", "max", "median", "quartile", "second max"])
def test_the_reach_of_two_rows_that_may_be_absent_is_that_of_two_moves(name: str) -> None:
    """In a derived frame: every table two moves away, each a row that is replaced, comes or goes."""
    final, statistic, of_none = STATISTICS[name]
    for rows in [*data_sets(seed=8, many=4, most=4), np.zeros(0)]:
        now, most = value(name, rows), 0.0
        for tables in neighbours(rows, absent=True).values():
            for table in np.unique(np.sort(tables, axis=1), axis=0) if tables.size else [np.zeros(0)]:
                for size, further in neighbours(table, absent=True).items():
                    found = statistic(further) if size else np.array([of_none])
                    most = max(most, float(np.abs(found - now).max()))
        (sensitivity,) = sensitivities(final, frame_of(rows), whole=False, group=2)
        assert sensitivity == pytest.approx(most, abs=1e-9), rows


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("name", STATISTICS)
def test_where_rows_come_and_go_the_reach_is_that_of_as_many_in_all(name: str, group: int) -> None:
    """Under add_remove: every table with rows taken out or put in, or one of each; a distance of quartiles of few rows
    is a bound."""
    final, statistic, of_none = STATISTICS[name]
    for rows in [*data_sets(seed=8, many=12, most=6), np.zeros(0)]:
        most, now = 0.0, value(name, rows)
        for out in range(min(group, len(rows)) + 1):
            for into in range(group + 1 - out):
                for gone in combinations(range(len(rows)), out):
                    kept = np.delete(rows, list(gone))
                    means = [kept.mean()] if name.startswith(("var", "std")) and len(kept) else []
                    entering = combinations_with_replacement([*DOMAIN, *means], into)
                    tables = np.array([[*kept, *more] for more in entering])
                    values = statistic(tables) if tables.size else np.array([of_none])
                    most = max(most, float(np.abs(values - now).max()))
        (found,) = sensitivities(final, frame_of(rows), group=group, relation=Relation.ADD_REMOVE)
        assert found >= most - ROUNDED
        if name != "iqr":
            assert found == pytest.approx(most, abs=ROUNDED), rows


SPREADS = ["var", "var, ddof 0", "std"]


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "derived"])
@pytest.mark.parametrize("group", [2, 3])
@pytest.mark.parametrize("name", SPREADS)
def test_the_reach_of_a_spread_is_that_of_all_rows_of_the_group_together(name: str, group: int, whole: bool) -> None:
    """Every way to take rows out and to put rows of the domain in, or the mean of the rest: thousands of data sets."""
    final = STATISTICS[name][0]
    for rows in data_sets(seed=group + 10 * whole, many=250, most=7):
        (found,) = sensitivities(final, frame_of(rows), whole=whole, group=group)
        assert found == pytest.approx(changed(name, rows, group, absent=not whole), abs=ROUNDED), rows


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "derived"])
@pytest.mark.parametrize("group", [2, 3])
def test_the_reach_of_a_distance_of_quantiles_covers_the_group_and_no_more_where_rows_are_many(
    group: int, whole: bool
) -> None:
    """A bound on few rows; attained where more stand between the quartiles than leave."""
    final, r = STATISTICS["iqr"][0], np.random.default_rng(group)
    for rows in data_sets(seed=group, many=100, most=7):
        (found,) = sensitivities(final, frame_of(rows), whole=whole, group=group)
        assert found >= changed("iqr", rows, group, absent=not whole) - 1e-9, rows
    for size in (13, 14, 15, 16)[: 4 if group == 2 else 2]:
        rows = r.choice(DOMAIN, size)
        (found,) = sensitivities(final, frame_of(rows), whole=whole, group=group)
        assert found == pytest.approx(changed("iqr", rows, group, absent=not whole), abs=1e-9), rows


def changed(name: str, rows: np.ndarray, group: int, absent: bool) -> float:
    """How far the statistic moves when up to so many rows leave and as many enter, by definition."""
    _, statistic, of_none = STATISTICS[name]
    now, most = value(name, rows), 0.0
    extended = name in SPREADS
    for out in range(min(group, len(rows)) + 1):
        for into in range(group + 1) if absent else [out]:
            tables = [
                np.append(kept, entering)
                for kept in {tuple(sorted(each)) for each in combinations(rows.tolist(), len(rows) - out)}
                for entering in entrants(np.array(kept), into, extended)
            ]
            size = len(rows) - out + into
            found = statistic(np.array(tables, dtype=float)) if size else np.array([of_none])
            most = max(most, float(np.abs(found - now).max()))
    return most


def entrants(kept: np.ndarray, into: int, extended: bool) -> list[tuple[float, ...]]:
    """A spread is convex in what enters, so greatest at the ends of the domain, and least at the mean of the rest."""
    if not extended:
        return list(combinations_with_replacement(DOMAIN.tolist(), into))
    inside = [(float(kept.mean()),) * into] if len(kept) else [(0.0,) * into]
    return [*combinations_with_replacement((LOW, HIGH), into), *inside]


def test_a_spread_is_extreme_where_the_ends_of_the_domain_or_the_mean_of_the_rest_enter() -> None:
    """What the test above takes for granted, of every entry on the domain."""
    for rows in data_sets(seed=77, many=40, most=6):
        for into in (1, 2, 3):
            few = [np.append(rows, each) for each in entrants(rows, into, True)]
            all_of_them = [np.append(rows, each) for each in entrants(rows, into, False)]
            some, every = (np.array(tables, dtype=float).var(axis=1) for tables in (few, all_of_them))
            assert some.max() == pytest.approx(every.max())
            assert some.min() <= every.min() + 1e-12


@pytest.mark.slow
def test_a_group_in_cells_spends_no_more_than_was_paid_for() -> None:
    """Two rows at a time, replaced within a cell, across, or to nowhere: every neighbour of small tables."""
    cells = Cells((Key("k", Categories(("a", "b"))),))
    r = np.random.default_rng(6)
    for asked in (Variance(X, cells), Variance(X, cells, root=True), RankDistance(X, cells)):
        most = 0.0
        for size in (2, 3, 4):
            frame = pd.DataFrame({"x": r.choice(DOMAIN, size).astype(float), "k": r.choice(["a", "b"], size)})
            scale = sensitivities(asked, frame, group=2)
            here = numbers(asked, frame)
            for at in combinations(range(size), 2):
                for new in product(product((LOW, 2, HIGH), "abc"), repeat=2):
                    other = frame.copy()
                    for place, (x, k) in zip(at, new, strict=True):
                        other.loc[place] = [float(x), k]
                    there = numbers(asked, other)
                    loss = sum(abs(p - q) / s if p != q else 0.0 for p, q, s in zip(here, there, scale, strict=True))
                    assert loss <= 1 + 1e-6
                    most = max(most, loss)
        assert most > 0.5


@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize("name", STATISTICS)
def test_two_threads_find_what_one_finds(name: str, group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in cells, and where rows of a cell are in both halves."""
    final = replace(STATISTICS[name][0], cells=Cells((Key("k", Categories(("a", "b"))),)))
    r = np.random.default_rng(9)
    for size in (0, 1, 2, 9, 30):
        frame = pd.DataFrame({"x": r.choice(DOMAIN, size).astype(float), "k": r.choice(["a", "b", "c"], size)})
        both = (final, STATISTICS[name][0])
        alone = [sensitivities(each, frame, group=group) for each in both]
        with monkeypatch.context() as patch:
            patch.setattr(sweep, "MANY", 1)
            patch.setattr(sweep, "VERY_MANY", 1)
            assert alone == [sensitivities(each, frame, group=group) for each in (final, STATISTICS[name][0])]


@pytest.mark.parametrize("shape", ["spread", "tied", "constant", "skewed"])
def test_a_spread_of_many_blocks_of_rows_moves_as_far_as_the_farthest_row_moves_it(shape: str) -> None:
    """By the formula for one row, over all rows: 300,000 of them on a grid of a million points."""
    r, n = np.random.default_rng(2), 300_000
    wide = Variable("x", Interval(Fraction(0), Fraction(1_000_000), "integer"))
    x = {
        "spread": r.integers(0, 1_000_001, n),
        "tied": r.choice([0, 499_999, 500_003, 10**6], n),
        "constant": np.full(n, 7),
        "skewed": np.minimum(r.exponential(1000, n).astype(int), 10**6),
    }[shape].astype(float)
    (found,) = sensitivities(Variance(wide), frame_of(x))
    centred = x - x.mean()  # where sums of squares lose no digits
    others, spread = -centred / (n - 1), (centred**2).sum()
    kept = spread - centred**2 * n / (n - 1)  # of the others, around their own mean
    moved = [kept - spread] + [kept + (end - others) ** 2 * (n - 1) / n - spread for end in (0, 10**6) - x.mean()]
    assert found == pytest.approx(max(np.abs(each).max() for each in moved) / (n - 1), rel=1e-6)
