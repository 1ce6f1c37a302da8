"""Counts, means and variances of private size under bootstrap DP: what is added up, and how far it moves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import custodian
from pandas_dp.audit import zero_noise
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.core.session.planning import planning
from pandas_dp.weaker.exact import LocationScale
from pandas_dp.weaker.ordered import FINER, Portions
from pandas_dp.weaker.promise import facts_of

from .brute import read

LETTERS = Cells((Key("k", Categories(("a", "b"))),))
GRIDS = {
    "even": Variable("x", Interval(Fraction(0), Fraction(8), "integer")),
    "odd": Variable("x", Interval(Fraction(0), Fraction(9), "integer")),
}


def moved(portions: Portions, norm: int, floored: bool = True) -> dict[str, float]:
    """The largest loss, in parts of what was paid, over a fine grid of rows between the ends, by kind of change."""
    one = portions.cells.size == 1
    low, high = (np.array([at] * portions.cells.size, dtype=object) for at in (-5, 7))
    on = portions.location_scale(low, high, floored)
    sensitivity = portions.sensitivities(on, norm)[0].astype(float)

    def brought(code: int) -> np.ndarray[Any, Any]:
        frame = pd.DataFrame({"x": [float(code + 8)], "k": ["a"]})
        wide = Variable("x", Interval(Fraction(0), Fraction(16), "integer"))
        facts = facts_of(read(frame, True), Portions(wide, portions.cells, portions.squared), 1)
        return np.asarray(portions.sums(facts, on)[0], dtype=float)

    rows = [brought(code) for code in range(-5, 8)]
    loss = lambda v: float((np.abs(v) ** norm / sensitivity).sum())  # noqa: E731
    comes = max(map(loss, rows))
    return {"stays": max(loss(a - b) for a in rows for b in rows), "adjacency": comes if one else 2 * comes}


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("cells", [Cells(), LETTERS], ids=["one cell", "cells"])
def test_noise_is_as_narrow_as_each_kind_of_change_allows(cells: Cells, squared: bool, norm: int) -> None:
    """One that stays and one that changes its cell, comes or goes: both use all of the price, or, with squares in one
    cell, where nobody changes cells, the first alone."""
    found = moved(Portions(GRIDS["even"], cells, squared), norm)
    assert found["stays"] == pytest.approx(1.0)
    assert found["adjacency"] == pytest.approx(0.5 if squared and cells.size == 1 else 1.0)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("cells", [Cells(), LETTERS], ids=["one cell", "cells"])
@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("floored", [False, True])
def test_sums_without_noise_tell_the_count_the_mean_and_the_variance(
    grid: str, cells: Cells, squared: bool, floored: bool
) -> None:
    r, portions = np.random.default_rng(3), Portions(GRIDS[grid], cells, squared)
    variable = portions.variable.grid
    for size in (1, 2, 9):
        frame = pd.DataFrame({"x": r.integers(0, 9, size).astype(float), "k": ["a"] * size})
        facts = facts_of(read(frame, True), portions, 1)
        on = portions.location_scale(facts.lowest[:, 0], facts.highest[:, 0], floored)
        with np.errstate(all="ignore"):  # of no rows there is no mean
            rows, mean, *variance = portions.conclude(portions.sums(facts, on), on)[0]
        step = float(variable.code_step)
        assert rows == pytest.approx(size)
        assert float(variable.centre) + step * mean == pytest.approx(frame["x"].mean())
        if squared:
            assert step**2 * variance[0] == pytest.approx(frame["x"].var(ddof=0), abs=1e-9)


SCHEMA = pa.DataFrameSchema(
    {
        "k": pa.Column(str, pa.Check.isin(["a", "b", "c"])),
        "x": pa.Column(float, pa.Check.in_range(0, 100), nullable=True),
    }
)


def people(low: float, high: float, rows: int = 3000) -> pd.DataFrame:
    r = np.random.default_rng(8)
    return pd.DataFrame({"k": r.choice(["a", "b", "c"], rows), "x": r.uniform(low, high, rows)})


def test_answers_without_noise_are_those_of_pandas_also_where_the_size_is_private() -> None:
    plain = people(20, 60)
    plain.loc[::7, "x"] = np.nan
    asks: list[Callable[[Any], Any]] = [
        lambda x: x.mean(),
        lambda x: x.var(),
        lambda x: x.std(),
        lambda x: x.var(ddof=0),
    ]
    private: list[Callable[[Any], Any]] = [
        lambda x: x.dp.mean(model="bdp", epsilon=1).iloc[0, 0],
        lambda x: x.dp.var(model="bdp", epsilon=1).iloc[0, 0],
        lambda x: x.dp.std(model="bdp", rho=1).iloc[0, 0],
        lambda x: x.dp.var(ddof=0, model="bdp", epsilon=1).iloc[0, 0],
    ]
    with pdp.Session(epsilon=100, delta=1e-6, schema=SCHEMA, models=["bdp"]) as session, zero_noise():
        known = session.protect(plain)
        for theirs, ours in zip(asks, private, strict=True):
            assert ours(known["x"]) == pytest.approx(theirs(plain["x"]), rel=1e-4)
            some = known[known["x"] < 40]["x"]
            assert ours(some) == pytest.approx(theirs(plain[plain["x"] < 40]["x"]), rel=1e-4)
        told = known["x"].dp.describe(model="bdp", epsilon=1)
        assert told.loc["std"].iloc[0] == pytest.approx(plain["x"].std(), rel=1e-4)
        both = known.dp.groupby("k")["x"].agg(["mean", "std"], model="bdp", epsilon=1)
        assert both.iloc[:, -1].tolist() == pytest.approx(plain.groupby("k")["x"].std().tolist(), rel=1e-4)


def test_a_mean_and_a_spread_in_one_release_share_their_sums() -> None:
    with pdp.Session(epsilon=1, schema=SCHEMA, models=["bdp"]) as session:
        known = session.protect(people(0, 100))
        with planning() as noted:
            known.dp.groupby("k")["x"].agg(["mean", "std"], model="bdp", epsilon=1)
            known.dp.groupby("k")["x"].agg(["mean", "count"], model="bdp", epsilon=1)
    assert [len(each.plan.steps) for each in noted] == [1, 2]
    assert noted[0].plan.requested == ((0,), (0,))


@pytest.mark.parametrize(("low", "high"), [(0, 100), (45, 55), (0, 20), (90, 100)])
def test_means_of_groups_are_nearer_than_under_dp_wherever_the_rows_are(low: float, high: float) -> None:
    """Also over all of the range, where bdp has no smaller domain. The root of the mean square of 3 × 600 errors, good
    to about one in thirty; dp's is larger by a fifth at least: luck fails this less than once in 10,000 times."""
    with pdp.Session(epsilon=1, schema=SCHEMA, models=["bdp"], custodian=True) as session:
        known = session.protect(people(low, high))
        table = custodian.promises(known, "pivot_table", "x", "k", aggfunc="mean", epsilon=0.5, draws=600)
        rmse = table["rmse"].groupby("model").first()
    assert rmse["bdp"] < rmse["dp"]


def test_a_column_of_one_value_is_answered_and_gets_noise_but_for_the_floor() -> None:
    with pdp.Session(epsilon=1000, schema=SCHEMA, models=["bdp"]) as session:
        known = session.protect(pd.DataFrame({"k": ["a", "b"] * 500, "x": [50.0] * 1000}))
        asks: dict[str, Any] = {"model": "bdp", "epsilon": 1}
        noisy = [known["x"].dp.mean(**asks)["mean"].item() for _ in range(30)]
        exact = [known["x"].dp.mean(floor=0, **asks)["mean"].item() for _ in range(3)]
        spread = known["x"].dp.std(floor=0, **asks)["std"].item()
        empty = known.dp.groupby("k")["x"].mean(**asks)["mean"]
    assert len(set(noisy)) > 20  # of thirty draws of noise in millionths of a step; fewer by luck: below 1e-50
    assert exact == [50.0] * 3
    assert spread == 0.0
    assert empty.index.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("bounds", [(0, 1), (0, 1_000_000)], ids=str)
@pytest.mark.parametrize("rho", [False, True])
def test_a_few_rows_of_one_value_are_not_told_exactly_by_a_median(bounds: tuple[int, int], rho: bool) -> None:
    """The value, and the point next to it on either side, each with a chance of a fifth at least: that one of them is
    not among sixty answers has a chance below 1e-5."""
    cost = {"rho": 0.005} if rho else {"epsilon": 0.1}
    with pdp.Session(epsilon=1000, delta=1e-9, models=["bdp"]) as session:
        known = session.protect(pd.DataFrame({"x": [0.37 * bounds[1]] * 8}))
        asks: dict[str, Any] = {"model": "bdp", "bounds": bounds, **cost}
        found = {known["x"].dp.median(**asks)["median"].item() for _ in range(60)}
    assert len(found) == 3
    assert min(found) < 0.37 * bounds[1] < max(found)


def test_a_mean_where_no_row_occurs_does_not_stand_out() -> None:
    """Of forty answers, each missing or far off: to be within 1 of the middle, 50, has a chance below one in ten for
    each; for half of them, below 1e-9."""
    with pdp.Session(epsilon=1000, schema=SCHEMA, models=["bdp"]) as session:
        known = session.protect(people(0, 100).replace({"k": {"c": "b"}}))
        found = [known.dp.groupby("k")["x"].mean(model="bdp", epsilon=1)["mean"].iloc[2] for _ in range(40)]
    assert sum(abs(each - 50) < 1 for each in found) < 20


@pytest.mark.parametrize("cells", [1, 3])
@pytest.mark.parametrize("squared", [False, True])
def test_the_digits_of_an_answer_do_not_show_between_which_rows_it_was_taken(squared: bool, cells: int) -> None:
    """Numbers small enough for a float to hold 2^-40: every one stands on that grid, whatever the width."""
    rng = np.random.default_rng(3)
    keys = Cells((Key("k", Categories(tuple(range(cells)))),)) if cells > 1 else Cells()
    portions = Portions(Variable("x", Interval(Fraction(0), Fraction(2000), "integer")), keys, squared)
    for width in (37, 211, 333, 789):
        on = LocationScale(*(np.array([v] * cells, dtype=object) for v in (5, width)), np.zeros(cells, bool))
        parts = width ** (2 if squared else 1) * FINER
        sums = rng.integers(20, 400, (cells, 3)) * parts + rng.integers(0, FINER, (cells, 3))
        found = portions.conclude(sums.astype(object), on)
        assert (found[:, 0] * FINER == np.round(found[:, 0] * FINER)).all()
        assert (np.abs(found[:, 1]) < 2**12).all()
        assert (found[:, 1] * 2.0**40 == np.round(found[:, 1] * 2.0**40)).all()
        if squared:
            small = np.abs(found[:, 2]) < 2**12
            assert (found[small, 2] * 2.0**40 == np.round(found[small, 2] * 2.0**40)).all()


def test_sums_of_no_rows_are_concluded_without_an_error() -> None:
    on = LocationScale(*(np.array([v], dtype=object) for v in (0, 7)), np.zeros(1, bool))
    for squared in (False, True):
        portions = Portions(Variable("x", Interval(Fraction(0), Fraction(10), "integer")), Cells(), squared)
        for noisy in ([0, 0, 0], [1, -1, 0], [-5, 10, -5], [1, 10**400, -(10**400)]):
            assert portions.conclude(np.array([noisy], dtype=object), on).shape == (1, 2 + squared)


def test_a_deviation_under_bdp_is_the_root_of_the_noisy_variance() -> None:
    """Median errors of 200 draws: of the root of a noisy variance some 0.004, of noise on the root some 0.4."""
    x = np.arange(20_000) % 100
    with pdp.Session(epsilon=10**6, models=["bdp"]) as session:
        age = session.protect(pd.DataFrame({"x": x.astype(float)}))["x"]
        asked = [age.dp.std(model="bdp", epsilon=1, bounds=(0, 100)).iloc[0, 0] for _ in range(200)]
    assert np.median(np.abs(np.array(asked) - x.std(ddof=1))) < 0.02
