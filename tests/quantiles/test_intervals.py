"""Intervals of quantiles: what they are made of, and how often they hold."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import pandas_dp as pdp
from pandas_dp.core.engine.fold import Part
from pandas_dp.core.engine.rows import MANY_ROWS as MANY
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.quantiles.evidence import Near, Quantiles
from pandas_dp.quantiles.fold_ranks import GridBlocks, InBins, Nearby
from pandas_dp.quantiles.measure import CumulativeInCells
from pandas_dp.quantiles.solve import Binned, curve_of, ends_around, ends_between, even_ends
from pandas_dp.quantiles.statistic_ranked_values import step_at
from pandas_dp.tables.planning.prefixes import Prefixes

TOPS = (1, 2, 5, 39, 40, 1023, 2**20, 2**60)
WHOLE = Variable("x", Interval(Fraction(0), Fraction(99), "integer"))


def are_last_steps(ends: tuple[int, ...], many: int, top: int) -> bool:
    return len(set(ends)) == many and tuple(sorted(ends)) == ends and ends[0] >= 0 and ends[-1] == top


@pytest.mark.parametrize("top", TOPS)
def test_bins_around_points_are_as_many_as_were_planned(top: int) -> None:
    r = np.random.default_rng(1)
    for many in {min(many, top + 1) for many in (2, 3, 40, 128)}:
        for points in ([0], [top], r.integers(0, top, 3, endpoint=True).tolist(), [top // 2] * 9):
            ends = ends_around(points, top, many)
            assert are_last_steps(ends, many, top)
            if many > 2 * 9 + 1:
                assert all(point in ends for point in points)  # a bin of its own


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("size", [None, 0, 50])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e9, 1e30])
def test_bins_between_bins_are_as_many_as_were_planned(top: int, size: int | None, scale: float) -> None:
    bins, r = min(20, top + 1), np.random.default_rng(2)
    strategy = Prefixes(bins, "blocks")
    stage = Binned(even_ends(top, bins), strategy, (4.0,) * len(strategy.matrix))
    curve = curve_of([stage], [r.normal(0, 1, len(strategy.matrix)) * scale], size)
    for many in {min(many, top + 1) for many in (2, 28, 100)}:
        assert are_last_steps(ends_between(curve, [0.1, 0.5, 0.9], top, many), many, top)


def test_two_looks_tell_more_than_either_and_what_they_tell_is_the_weighted_least_squares() -> None:
    r, first, second = np.random.default_rng(3), (3, 9, 19), (5, 9, 12, 19)
    stages, numbers, lines, weights = [], [], [], []
    union = np.array(sorted({*first, *second}))
    for ends, variance in ((first, 4.0), (second, 9.0)):
        strategy = Prefixes(len(ends), "optimum")
        stages.append(Binned(ends, strategy, (variance,) * len(strategy.matrix)))
        numbers.append(r.normal(1e3, 50, len(strategy.matrix)))
        within = np.searchsorted(ends, union)
        lines.append(strategy.matrix[:, within])
        weights += [variance**-0.5] * len(strategy.matrix)
    root = np.array(weights)
    counts = np.linalg.lstsq(np.vstack(lines) * root[:, None], np.concatenate(numbers) * root)[0]
    curve = curve_of(stages, numbers, None)
    assert curve.ends.tolist() == union.tolist()
    np.testing.assert_allclose(curve.below, np.cumsum(counts))
    alone = curve_of(stages[1:], numbers[1:], None)
    shared = np.searchsorted(union, second)
    assert (np.diag(curve.covariance)[shared] < np.diag(alone.covariance)).all()


def test_cells_are_counted_in_bins_of_their_own() -> None:
    r = np.random.default_rng(4)
    rows = pd.DataFrame({"x": r.integers(0, 100, 5000), "k": r.choice(["a", "b", "c", "zzz"], 5000)})
    cells = Cells((Key("k", Categories(("a", "b", "c"))),))
    ends = tuple(tuple(sorted({*r.choice(99, 6, replace=False).tolist(), 99})) for _ in range(3))
    measurement = CumulativeInCells(WHOLE, ends, Prefixes(7, "blocks"), cells)
    fold = InBins(measurement)
    counts = fold.read(Part.whole(rows, None)).reshape(3, 7)
    for place, (name, last) in enumerate(zip("abc", ends, strict=True)):
        edges = [-1, *last]
        own = rows.loc[rows["k"] == name, "x"]
        assert counts[place].tolist() == [
            int(((own > a) & (own <= b)).sum()) for a, b in zip(edges, last, strict=False)
        ]
    told = fold.finish(counts.ravel())
    assert (told == counts @ measurement.strategy.matrix.T).all()
    points = GridBlocks(WHOLE, cells, 0, 3, 0)
    assert (fold.of_kept(points.finish(points.read(Part.whole(rows, None)))) == told).all()


def test_a_median_of_many_rows_is_counted_at_each_point_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    x = pd.Series(np.random.default_rng(6).normal(50, 10, MANY + 1).clip(0, 100), name="x")
    read: list[str] = []
    for fold in (GridBlocks, Nearby, InBins):
        reading = fold.read
        monkeypatch.setattr(
            fold, "read", lambda self, part, of=reading, name=fold.__name__: read.append(name) or of(self, part)
        )
    for rows, stages in ((x, {"GridBlocks"}), (x[:1000], {"GridBlocks", "Nearby", "InBins"})):
        read.clear()
        people = pdp.Session(epsilon=1e9).protect(rows.to_frame())
        told = people["x"].dp.median(bounds=(0, 100), epsilon=1e6)
        assert set(read) == stages
        assert abs(told["median"].item() - np.sort(rows.to_numpy())[(len(rows) - 1) // 2]) < 1e-2 + 2 * (
            len(rows) < MANY
        )
        assert told["lower"].item() <= told["median"].item() <= told["upper"].item()


def test_bins_that_are_not_kept_end_no_interval() -> None:
    """Of released curves, drawn at random: the interval is that of all bins, at every level below the last."""
    r = np.random.default_rng(5)
    for _ in range(200):
        bins, q = int(r.integers(2, 80)), float(r.uniform(0.01, 0.99))
        counts = r.poisson(r.choice([0, 1, 30, 1000], bins)).astype(float)
        rows, sd = max(counts.sum(), 1.0), r.uniform(0.1, 20, bins)
        above = np.cumsum(counts) - q * rows + r.normal(0, sd)
        ends = np.sort(r.uniform(0, 100, bins))
        begins = np.append(0.0, ends[:-1])
        rounded = np.round(above, 4), np.round(sd + 1e-4, 4)
        all_bins = Near(0.0, ends, *rounded, float(np.round(rows, 4)))
        kept = Near.of(q, begins, ends, above, sd, rows)
        assert len(kept.ends) <= bins
        for level in (0.5, 0.95, 1 - 1e-6):
            for target in ("sample", "population"):
                of = [
                    Quantiles("quantile", np.array([50.0]), q, (near,), True, 0.0, (0.0, 100.0)).interval(level, target)
                    for near in (all_bins, kept)
                ]
                assert of[0] == of[1]


def test_a_value_is_taken_to_be_round_only_where_many_rows_have_it() -> None:
    fine = Variable("x", Interval(Fraction(0), Fraction(100), "float", resolution=Fraction(1, 1000)))
    strategy, ends = Prefixes(4, "blocks"), (39_990, 40_020, 40_050, 100_000)
    stage = Binned(ends, strategy, (1.0,) * 4)
    smooth = curve_of([stage], [np.array([500.0, 100.0, 100.0, 300.0])], 1000)
    marked = curve_of([stage], [np.array([300.0, 500.0, 0.0, 200.0])], 1000)
    assert step_at(marked, 0.5, fine) == 40_000
    assert step_at(smooth, 0.55, fine) not in (40_000, 40_010)


NORMAL = 50.0, 10.0
COLUMNS: dict[str, tuple[Callable[[Any, int], Any], tuple[float, float]]] = {
    "normal": (lambda r, n: r.normal(*NORMAL, n), (0, 100)),
    "tied": (lambda r, n: np.where(r.random(n) < 0.47, 40.0, np.rint(r.uniform(0, 99, n))), (0, 99)),
    "constant": (lambda r, n: np.full(n, 12.3456), (0, 1000)),
    "gapped": (lambda r, n: r.choice([0.0, 1.0, 60.0, 99.0], n), (0, 100)),
    "heavy tails": (lambda r, n: 10 * np.abs(r.standard_cauchy(n)), (0, 10**6)),
}
RUNS = 80
LEAST = binom.ppf(1e-6, RUNS, 0.94) / RUNS  # .95 less a hundredth, as if all quantiles of a release fell together


@pytest.mark.slow
@pytest.mark.parametrize("asked", [(0.5,), (0.1, 0.5, 0.9)], ids=len)
@pytest.mark.parametrize(
    ("rows", "cost"),
    [(50, {"epsilon": 0.5}), (1000, {"epsilon": 1.0}), (1000, {"rho": 0.05}), (20_000, {"epsilon": 5})],
)
@pytest.mark.parametrize("column", COLUMNS)
def test_intervals_hold(column: str, rows: int, cost: dict[str, float], asked: tuple[float, ...]) -> None:
    """As often as they say, for the rows and for whom they come from: by bad luck not once in 1,000 runs of all."""
    make, bounds = COLUMNS[column]
    r, held = np.random.default_rng(6), np.zeros((2, len(asked)))
    population = np.sort(make(r, 10**6).clip(*bounds))
    for _ in range(RUNS):
        values = make(r, rows)
        frame = pdp.Session(**{next(iter(cost)): 1e9}).protect(pd.DataFrame({"x": values}))
        found = frame["x"].dp.quantile(list(asked), bounds=bounds, **cost)
        for place, (target, truth) in enumerate(
            (("sample", np.sort(values.clip(*bounds))), ("population", population))
        ):
            ends = found.dp.confint(target=target).to_numpy()
            true = truth[[max(0, int(np.ceil(q * len(truth) - 1e-9)) - 1) for q in asked]]
            held[place] += (ends[:, 0] <= true) & (true <= ends[:, 1])
    assert (held / RUNS >= LEAST).all()
