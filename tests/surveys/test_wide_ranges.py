"""A range declared far too wide: ratios, weighted means and totals, and tests of means lose nothing between steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import zero_noise
from pandas_dp.comparisons.measure import TOP, LinearScore, ScoreMoments
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.neighbours import Adjacency
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric import measure
from pandas_dp.numeric.measure_ratios import RatioSums
from pandas_dp.surveys.measure import WeighedMeans, Weight

ROWS = 4000
R = np.random.default_rng(5)
GROUP = R.choice(["a", "b"], ROWS)
X = R.beta(5, 7, ROWS) + 0.2 * (GROUP == "b")  # around a half
D, W = R.uniform(1, 2, ROWS), R.uniform(1, 9, ROWS)
PEOPLE = pd.DataFrame({"x": X, "z": X + R.normal(0.1, 0.05, ROWS), "d": D, "g": GROUP, "w": W})
IN_A = GROUP == "a"

Ask = Callable[[Any, dict[str, Any]], Any]
QUESTIONS: dict[str, tuple[Ask, tuple[str, ...], float]] = {  # with the columns in wide ranges, and the truth
    "ratio": (lambda f, by: f.dp.ratio("x", "d", **by), ("x", "d"), X.sum() / D.sum()),
    "weighted ratio": (
        lambda f, by: f.dp.ratio("x", "d", weights="w", **by),
        ("x", "d"),
        (W * X).sum() / (W * D).sum(),
    ),
    "domain": (
        lambda f, by: f.dp.groupby("g", categories={"g": ["a"]})["x"].mean(weights="w", **by),
        ("x",),
        (W * X)[IN_A].sum() / W[IN_A].sum(),
    ),
    "weighted mean": (lambda f, by: f["x"].dp.mean(weights="w", **by), ("x",), (W * X).sum() / W.sum()),
    "total": (lambda f, by: f["x"].dp.sum(weights="w", **by), ("x",), (W * X).sum()),
    "two means": (
        lambda f, by: f.dp.t_test("x", by="g", categories={"g": ["a", "b"]}, **by),
        ("x",),
        X[~IN_A].mean() - X[IN_A].mean(),
    ),
    "pairs": (lambda f, by: f.dp.t_test(paired=("x", "z"), **by), ("x", "z"), (PEOPLE["z"] - X).mean()),
    "one mean": (lambda f, by: f.dp.t_test("x", value=0, **by), ("x",), X.mean()),
    "private bounds": (lambda f, by: f["x"].dp.mean(bounds="private", **by), (), X.mean()),
}


WEIGHTED = ("weighted ratio", "domain", "weighted mean", "total")


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("wide", [10**3, 10**6])
def test_means_and_ratios_do_not_depend_on_how_wide_the_range_is(name: str, wide: int) -> None:
    """Steps of a millionth of the range told 0 for each pair, and a weighted mean in steps of 122."""
    ask, columns, truth = QUESTIONS[name]
    weighted = {"w": (0, 10)} if name in WEIGHTED else {}
    schema = _schema(wide) if not columns else None
    frame = pdp.Session(rho=10**9, schema=schema).protect(PEOPLE)
    how = {"bounds": {**dict.fromkeys(columns, (0, wide)), **weighted}} if columns else {}
    with zero_noise():
        told = ask(frame, {"rho": 10**6, **how})
    assert float(told.iloc[0, 0]) == pytest.approx(truth, rel=1e-3)


def _off(above: Any, below: Any, of: float) -> float:
    """The error of a ratio: that of the sum of what is left of it."""
    rest = above - above.sum() / below.sum() * below
    return float(np.sqrt(ROWS / (ROWS - 1) * (rest**2).sum()) / of)


SQUARED = X.var(ddof=1) / ROWS, (PEOPLE["z"] - X).var(ddof=1) / ROWS
ERRORS = {
    "ratio": _off(X, D, D.sum()),
    "weighted ratio": _off(W * X, W * D, (W * D).sum()),
    "domain": _off(W * X * IN_A, W * IN_A, (W * IN_A).sum()),
    "weighted mean": _off(W * X, W, W.sum()),
    "total": np.sqrt(ROWS * (W * X).var(ddof=1)),
    "two means": np.sqrt(sum(X[here].var(ddof=1) / here.sum() for here in (IN_A, ~IN_A))),
    "pairs": np.sqrt(SQUARED[1]),
    "one mean": np.sqrt(SQUARED[0]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_follow_the_values_where_the_range_is_wide(name: str) -> None:
    """Squares have forty digits: .001 of these at a range of a hundred."""
    ask, columns, _ = QUESTIONS[name]
    by = dict.fromkeys(columns, (0, 100)) | ({"w": (0, 10)} if name in WEIGHTED else {})
    with zero_noise():
        told = ask(pdp.Session(rho=10**9).protect(PEOPLE), {"rho": 10**6, "bounds": by})
    assert float(told["std_error"].iloc[0]) == pytest.approx(ERRORS[name], rel=0.01)


def _schema(wide: int) -> Any:
    return pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, wide))})


WAYS = [Adjacency(True, False), Adjacency(True, True), Adjacency(False, True)]
KEYS = Cells((Key("k", Categories(("a", "b"))),))
FINE = Variable("x", Interval(Fraction(0), Fraction(1), "float", True).for_sums)
OTHER = Variable("y", Interval(Fraction(-3), Fraction(9), "float", True).for_sums)
WEIGHT = Weight.of("w", Interval(Fraction(0), Fraction(7), "float"))
MEASUREMENTS: dict[str, Any] = {
    "mean": WeighedMeans.of(FINE, None, Cells()),
    "weighted mean": WeighedMeans.of(FINE, WEIGHT, Cells()),
    "weighted means": WeighedMeans.of(FINE, WEIGHT, KEYS),
    "counted": WeighedMeans.of(FINE, WEIGHT, KEYS, True),
    "ratio": RatioSums.of(FINE, OTHER, None),
    "weighted ratio": RatioSums.of(FINE, OTHER, WEIGHT, KEYS),
}


def rows_of(measurement: Any, many: int = 60) -> np.ndarray:
    """What rows bring, at the ends of all ranges and between them, and one that is left out."""
    r, codes = np.random.default_rng(3), []
    reads = getattr(measurement, "reads", measurement.variables)
    for variable in reads:
        half = variable.grid.half
        ends = r.choice([-half, half, 0], many)
        codes.append(np.where(r.random(many) < 0.5, ends, r.integers(-half, half + 1, many)).astype(float))
    columns = [np.append(each, 0).astype(object) for each in measurement.numbers(codes)]
    return np.column_stack(columns)


def brought(measurement: Any, rows: np.ndarray) -> np.ndarray:
    """The same as it is released, a cell by itself: of what is told from the number of rows, what is left of it."""
    return np.array([measurement.arrange(row.reshape(1, -1))[0] for row in rows], dtype=object)


@pytest.mark.parametrize("digits", [40, 5], ids=["digits", "few digits"])
@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("adjacency", WAYS, ids=str)
@pytest.mark.parametrize("name", MEASUREMENTS)
def test_no_row_moves_sums_with_rounded_products_farther_than_their_reach(
    name: str, adjacency: Adjacency, norm: Any, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whole numbers. Products of five digits instead of forty: where what rounding adds is left out, these move
    farther than is said."""
    monkeypatch.setattr(measure, "PRODUCT_BITS", digits)
    measurement = replace(MEASUREMENTS[name])  # which has worked nothing out before
    weights = [Fraction(each) for each in measurement.weights(norm, adjacency)]
    vectors = [
        [Fraction(int(each)) / w for each, w in zip(row, weights, strict=True)]
        for row in brought(measurement, rows_of(measurement))
    ]
    nothing, moved = [Fraction(0)] * len(weights), Fraction(0)
    for one in vectors:
        if adjacency.vanish or measurement.cells.size > 1:
            alone = sum(abs(each) ** norm for each in one)
            moved = max(moved, alone * (2 if adjacency.swap and measurement.cells.size > 1 else 1))
        for other in vectors if adjacency.swap else [nothing]:
            moved = max(moved, sum(abs(a - b) ** norm for a, b in zip(one, other, strict=True)))  # type: ignore[type-var]
    assert moved <= measurement.sensitivity(norm, adjacency)
    assert not any(0 < max(map(abs, each)) < 0.03 for each in zip(*vectors, strict=True))  # in another unit
    assert measurement.shifts[-1] if isinstance(measurement, RatioSums) else measurement.shift
    assert digits < 40 or moved > 0.5 * measurement.sensitivity(norm, adjacency)


@pytest.mark.parametrize("counted", [False, True])
def test_scores_are_weighed_as_a_column_of_them_would_be(counted: bool) -> None:
    """So many units of a score as one may be: squares of the widest are exact in 64 bits."""
    measurement = ScoreMoments(LinearScore(FINE), Cells(), counted)
    (one,) = measurement.numbers([np.array([float(FINE.grid.half)])])[1:2]
    assert one.tolist() == [TOP]
    assert (TOP**2).bit_length() <= 62
    assert measurement.weights(1, WAYS[0])[-2] == TOP
    assert measurement.weights(2, WAYS[0])[-1] == TOP**2 * measurement.moments.weights(2, WAYS[0])[-1]
