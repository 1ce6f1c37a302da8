"""A range declared far too wide: sums keep their digits, floors follow a declared resolution, squares are exact."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise, zero_noise
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.numeric.measure import ExactMoments
from pandas_dp.weaker.exact import Average, Final, StepTotal, Variance
from pandas_dp.weaker.promise import facts_of

VALUES = np.random.default_rng(5).beta(5, 7, 1000)  # of mean .42 and standard deviation .14
MODELS = ["bdp", "idp"]


def protected(values: Any = VALUES, **terms: Any) -> pd.DataFrame:
    return pdp.Session(epsilon=10**6, models=MODELS, **terms).protect(pd.DataFrame({"x": values}))


def answer(frame: pd.DataFrame, statistic: str, **asks: Any) -> float:
    return float(getattr(frame["x"].dp, statistic)(**asks)[statistic].item())


@pytest.mark.parametrize("wide", [1, 10**3, 10**6, 10**9])
@pytest.mark.parametrize("model", ["dp", *MODELS])
def test_what_is_added_up_does_not_depend_on_how_wide_the_range_is(model: str, wide: int) -> None:
    """But for a step of 2**-46 of it: .001 of a row's mean at a range of a thousand million."""
    frame, plain = protected(), pd.Series(VALUES)
    with zero_noise():
        for statistic in ("sum", "mean", "std", "var"):
            if model == "dp" and statistic in ("std", "var"):
                continue  # squares of dp are rounded in parts of the range, and its noise is as wide as that
            found = answer(frame, statistic, bounds=(0, wide), model=model, epsilon=1)
            assert found == pytest.approx(getattr(plain, statistic)(), rel=1e-4), statistic


@pytest.mark.parametrize(("wide", "resolution"), [(1, None), (10**3, None), (10**6, None), (10**9, 0.001)])
def test_bootstrap_promises_answer_alike_whatever_range_is_declared(wide: int, resolution: float | None) -> None:
    """Noise of a mean, at epsilon 50, has a scale below 1/50,000: farther off than .002 with a chance of e^-100. That
    of a variance is at most as wide."""
    asks: dict[str, Any] = {"bounds": (0, wide), "resolution": resolution, "model": "bdp", "epsilon": 50}
    frame = protected()
    assert answer(frame, "mean", **asks) == pytest.approx(VALUES.mean(), abs=0.002)
    assert answer(frame, "sum", **asks) == pytest.approx(VALUES.sum(), abs=2)
    assert answer(frame, "std", **asks) == pytest.approx(VALUES.std(ddof=1), abs=0.02)
    if resolution or wide == 1:  # ranks have 2**20 steps
        assert answer(frame, "median", **asks) == pytest.approx(np.median(VALUES), abs=0.05)


def least(final: Final, rows: int = 10) -> Fraction:
    facts = facts_of(PandasRows(pd.DataFrame({"x": [0.0] * rows}), None), final, 1)
    return final.least(facts)[0] * final.unit


@pytest.mark.parametrize("wide", [1, 10**6])
@pytest.mark.parametrize("resolution", [None, Fraction(1, 8)])
def test_no_scale_is_less_than_that_of_rows_one_step_of_the_resolution_apart(
    wide: int, resolution: Fraction | None
) -> None:
    """Without one declared, a step of ranks; whatever the grid of sums is."""
    plain = Interval(Fraction(0), Fraction(wide), "float", resolution=resolution)
    x, step = Variable("x", plain.for_sums), plain.grid.step
    assert step == (resolution or Fraction(2) ** (0 if wide == 10**6 else -20))
    assert least(StepTotal(x)) == step
    assert 0 <= least(Average(x)) - step / 10 < step / 2**20
    assert 0 <= least(Variance(x)) - step**2 / 10 < step**2 / 2**20
    assert least(Variance(x, root=True)) == pytest.approx(float(step) / 10**0.5, rel=1e-4)


def test_whole_numbers_have_a_floor_of_one_whatever_their_range() -> None:
    x = Variable("x", Interval(Fraction(0), Fraction(10**9), "integer").for_sums)
    assert least(StepTotal(x)) == 1
    assert x.grid.step == 1


@pytest.mark.parametrize("bounds", [(0, 1), (0, 10**6)], ids=str)
@pytest.mark.parametrize("statistic", ["sum", "mean", "std", "var", "min", "max"])
@pytest.mark.parametrize("model", MODELS)
def test_a_column_of_one_value_is_not_told_exactly(model: str, statistic: str, bounds: tuple[int, int]) -> None:
    """A hundred answers of eight rows, each with noise: all alike with a chance below 1e-9."""
    frame = protected([0.5 * bounds[1]] * 8)
    found = {answer(frame, statistic, bounds=bounds, model=model, epsilon=0.1) for _ in range(60)}
    assert len(found) > 1


@pytest.mark.parametrize("keys", [(), (Key("k", Categories((0, 1, 2))),)], ids=["all", "cells"])
def test_squares_are_added_up_exactly_to_the_ends_of_the_widest_grid(keys: tuple[Key, ...]) -> None:
    variable = Variable("x", Interval(Fraction(-1), Fraction(1), "float").for_sums)
    half = variable.grid.half
    assert 2**45 <= half <= 2**46
    r = np.random.default_rng(0)
    codes = np.concatenate([r.integers(-half, half + 1, 5000), [half, -half] * 40, r.integers(-9, 10, 50)])
    frame = pd.DataFrame({"x": codes * float(variable.grid.code_step), "k": np.arange(len(codes)) % 3})
    found = PandasRows(frame, None).fold(ExactMoments(variable, Cells(keys)))
    for cell in range(len(found)):
        here = [int(code) for place, code in enumerate(codes) if not keys or place % 3 == cell]
        assert found[cell].tolist() == [len(here), sum(here), sum(code**2 for code in here)]


def test_a_column_declared_of_whole_numbers_is_counted_in_them_whatever_bounds_a_question_has() -> None:
    schema = pa.DataFrameSchema({"x": pa.Column(int)})
    frame = protected(np.arange(100), schema=schema)
    for bounds in ((0, 10**7), (0.0, 1e7)):
        whole = frame["x"].dp.sum(bounds=bounds, epsilon=10)
        assert whole["sum"].dtype == np.int64
    share = (frame["x"] / 7).dp.mean(bounds=(0, 20), epsilon=1000)["mean"].item()
    assert share == pytest.approx(99 / 14, abs=0.1)  # of a derived column numbers are numbers


WIDE = {"bounds": (0, 10**9), "epsilon": 1}


@pytest.mark.parametrize("statistic", ["sum", "mean", "std", "var", "median", "max", "iqr"])
def test_bootstrap_answers_below_the_least_noise_of_their_range_say_so(statistic: str) -> None:
    """Of values around .42 in a range of a thousand million: noise is that of steps of 1,024."""
    with zero_noise():
        told = getattr(protected()["x"].dp, statistic)(model="bdp", **WIDE)
        fine = getattr(protected()["x"].dp, statistic)(model="bdp", resolution=0.001, **WIDE)
    (finding,) = told.dp.check().itertuples()
    assert "1,024" in finding.finding
    assert "resolution=" in finding.advice
    assert "1,024" in str(told)
    assert "give resolution=" in str(told)
    assert fine.dp.check().empty
    assert "0.001" in str(fine)
    assert "give resolution=" not in str(fine)


@pytest.mark.parametrize("model", ["dp", *MODELS])
@pytest.mark.parametrize("statistic", ["median", "quantile", "iqr"])
def test_ranks_told_in_few_steps_have_a_hint_under_every_promise(model: str, statistic: str) -> None:
    with zero_noise():
        ask = getattr(protected()["x"].dp, statistic)
        assert ask(model=model, **WIDE).dp.check()["finding"].str.contains("few of the steps").any()
        assert not ask(model=model, bounds=(0, 1), epsilon=1).dp.check()["finding"].str.contains("steps").any()


@pytest.mark.parametrize("statistic", ["sum", "mean"])
def test_individual_answers_say_that_noise_follows_the_range(statistic: str) -> None:
    """Half of it, whatever the resolution: any row may become the farther end."""
    with zero_noise():
        for resolution in (None, 0.001):
            told = getattr(protected()["x"].dp, statistic)(model="idp", resolution=resolution, **WIDE)
            assert "one row moved by 500,000,0" in str(told)
            assert told.dp.check()["advice"].str.contains("Closer bounds").any()
        near = getattr(protected()["x"].dp, statistic)(model="idp", bounds=(0, 1), epsilon=1)
        assert near.dp.check().empty


@pytest.mark.parametrize("statistic", ["sum", "mean", "std", "var"])
@pytest.mark.parametrize("model", MODELS)
def test_what_is_said_of_the_least_noise_is_true(model: str, statistic: str) -> None:
    """Of a column of one value, where every scale is the least: that of the range under idp in the middle of it."""
    session = pdp.Session(epsilon=10**6, models=MODELS)
    frame = session.protect(pd.DataFrame({"x": [512.0] * 50}), complete=["x"])
    asks: dict[str, Any] = {"bounds": (0, 1024), "model": model, "epsilon": 1}
    with seeded_noise(3):
        answers = np.array([answer(frame, statistic, **asks) for _ in range(400)])
    told = getattr(frame["x"].dp, statistic)(**asks).attrs["dp"]["evidence"][0]
    assert told["by"] == ("range" if model == "idp" and statistic in ("sum", "mean") else "bounds")
    least = {"sum": told["step"], "mean": told["step"] / 50}.get(statistic, told["step"] ** 2 / 50)
    spread = answers - 512 * (50 if statistic == "sum" else 1) * (statistic in ("sum", "mean"))
    if statistic == "std":
        spread = spread**2
    # Laplace noise of this scale: half of it is farther off than ln 2 scales, a variance is cut off at 0 below
    assert np.mean(np.abs(spread) > np.log(2) * least * 0.99) > (0.38 if statistic in ("sum", "mean") else 0.14)


def test_without_a_floor_nothing_is_said_of_one() -> None:
    told = protected()["x"].dp.mean(bounds=(0, 10**9), model="bdp", floor=0, epsilon=1)
    assert told.attrs["dp"]["evidence"][0]["step"] is None
    assert "never less" not in str(told)


def test_a_resolution_wider_than_noise_and_values_has_a_hint() -> None:
    frame = protected()
    with zero_noise():
        coarse, fine = (frame["x"].dp.mean(bounds=(0, 10), resolution=r, epsilon=10) for r in (1, 0.01))
    assert coarse.dp.check()["finding"].str.contains("read in steps of 1,").any()
    assert fine.dp.check().empty
