"""What `bootstrap=` answers: close to the truth where the noise is small, the right price, the same replicates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
import pandas_dp.audit
from pandas_dp import errors
from pandas_dp.core.session.session_core import core_for
from tests.refusals import refused

Protect = Callable[..., pd.DataFrame]
WAYS = ["moments", "weights", "half-sample", "multinomial"]
BIG: dict[str, dict[str, float]] = {
    "moments": {"rho": 1e6},
    "weights": {"rho": 1e6},
    "half-sample": {"epsilon": 1e3, "delta": 1e-6},
    "multinomial": {"epsilon": 1e3, "delta": 1e-6},
}
TRUTHS: dict[str, Any] = {"mean": np.mean, "sum": np.sum, "std": lambda y: np.std(y, ddof=1)}
ERRORS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": lambda y: y.std(ddof=1) / len(y) ** 0.5,
    "sum": lambda y: y.std(ddof=1) * len(y) ** 0.5,
}


@pytest.mark.parametrize("resample", [*WAYS[:3], pytest.param("multinomial", marks=pytest.mark.slow)])
@pytest.mark.parametrize("statistic", ["mean", "sum", "std"])
def test_with_little_noise_it_is_the_statistic_with_its_sampling_error(
    statistic: str, resample: str, protect: Protect
) -> None:
    """400 replicates know a standard error to 3.5 %; it is off by 25 % with a chance below 1e-8. Their mean is within
    five of its own standard errors of the statistic, but for one in a million."""
    people = protect()
    y = people["age"].to_numpy()
    release = getattr(people["age"].dp, statistic)(bootstrap=400, resample=resample, **BIG[resample])
    assert list(release.columns)[:4] == [statistic, "std_error", "lower", "upper"]
    error = release["std_error"].item()
    own = release.dp.replicates()["age"].std() / 400**0.5 if resample != "moments" else 0.0
    assert release[statistic].item() == pytest.approx(TRUTHS[statistic](y), rel=2e-3, abs=5 * own)
    if statistic in ERRORS:
        assert error == pytest.approx(ERRORS[statistic](y), rel=0.25)
        assert release["population_std"].item() == pytest.approx(y.std(ddof=1), rel=0.25)
    assert release["lower"].item() < TRUTHS[statistic](y) < release["upper"].item()


@pytest.mark.parametrize("resample", ["weights", pytest.param("half-sample", marks=pytest.mark.slow)])
def test_covariances_have_replicates_pair_by_pair(resample: str, protect: Protect) -> None:
    people = protect(2_000)[["age", "children"]]
    true = pd.DataFrame(people).cov()
    cost = {"rho": 1e6} if resample == "weights" else {"epsilon": 1e4, "delta": 1e-6}
    release = people.dp.cov(bootstrap=100, resample=resample, **cost)
    assert release.index.tolist() == [("age", "age"), ("age", "children"), ("children", "children")]
    for (first, second), row in release.iterrows():
        assert row["lower"] < true.loc[first, second] < row["upper"]
    error = (true.loc["age", "age"] * true.loc["children", "children"] / 2_000) ** 0.5  # of independent columns
    assert release.loc[("age", "children"), "std_error"] == pytest.approx(error, rel=0.5)
    assert release.dp.replicates().shape == (100, 3)


def test_by_moments_it_costs_what_the_mean_costs_and_says_the_same(protect: Protect) -> None:
    with pdp.audit.seeded_noise(3):
        plain = protect(rho=10.0)["age"].dp.mean(rho=0.5)
    with pdp.audit.seeded_noise(3):
        replicated = protect(rho=10.0)["age"].dp.mean(bootstrap=50, rho=0.5)
    pd.testing.assert_frame_equal(pd.DataFrame(plain), pd.DataFrame(replicated[plain.columns]))
    assert plain.dp.metadata["noise"] == replicated.dp.metadata["noise"]


def test_groups_derived_frames_and_proportions_have_their_errors_by_moments(protect: Protect) -> None:
    people = protect(5_000)
    grouped = people.dp.groupby("sex")["age"].mean(bootstrap=20, rho=1e5)
    true = pd.DataFrame(people).groupby("sex")["age"].agg(["mean", "sem"])
    np.testing.assert_allclose(grouped["mean"], true["mean"], rtol=0.01)
    np.testing.assert_allclose(grouped["std_error"], true["sem"], rtol=0.05)
    women = people[people["sex"] == "f"]["age"].dp.mean(bootstrap=20, rho=1e5)
    assert women["std_error"].item() == pytest.approx(true.loc["f", "sem"], rel=0.05)
    share = people["member"].dp.mean(bootstrap=20, rho=1e5)
    p = people["member"].mean()
    assert share["std_error"].item() == pytest.approx((p * (1 - p) / 5_000) ** 0.5, rel=0.05)


def test_a_spread_speaks_of_the_population_then(protect: Protect) -> None:
    people = protect()
    of_rows, of_population = people["age"].dp.std(rho=1e5), people["age"].dp.std(bootstrap=20, rho=1e5)
    assert of_rows["upper"].item() - of_rows["lower"].item() < 0.1
    assert of_population["upper"].item() - of_population["lower"].item() > 1
    pd.testing.assert_frame_equal(of_population.dp.confint(), pd.DataFrame(of_population[["lower", "upper"]]))


@pytest.mark.parametrize("resample", WAYS)
def test_replicates_are_as_many_as_asked_and_the_same_at_every_call(resample: str, protect: Protect) -> None:
    release = protect()["age"].dp.mean(bootstrap=30, resample=resample, epsilon=1, delta=1e-6)
    draws = release.dp.replicates()
    assert draws.shape == (30, 1)
    assert draws.index.name == "replicate"
    assert draws.columns.tolist() == ["age"]
    pd.testing.assert_frame_equal(draws, release.dp.replicates())
    if resample != "moments":
        assert draws["age"].mean() == pytest.approx(release["mean"].item())


def test_replicates_by_moments_vary_as_the_standard_error_says(protect: Protect) -> None:
    """Of 4,000 normal draws; off by 6 % with a chance below 1e-6."""
    release = protect()["age"].dp.mean(bootstrap=4_000, epsilon=1)
    draws = release.dp.replicates()["age"]
    assert draws.std() == pytest.approx(release["std_error"].item(), rel=0.06)
    assert draws.mean() == pytest.approx(release["mean"].item(), abs=release["std_error"].item() * 5 / 4_000**0.5)


def test_replicates_of_several_columns_and_of_groups_are_named(protect: Protect) -> None:
    people = protect()
    both = people[["age", "children"]].dp.mean(bootstrap=5, epsilon=1).dp.replicates()
    assert both.columns.tolist() == ["age", "children"]
    groups = people.dp.groupby("sex")["age"].mean(bootstrap=5, epsilon=1).dp.replicates()
    assert groups.columns.tolist() == ["f", "m"]
    several = people.dp.groupby("sex")[["age", "children"]].mean(bootstrap=5, epsilon=1).dp.replicates()
    assert several.columns.tolist() == [("age", "f"), ("age", "m"), ("children", "f"), ("children", "m")]


@pytest.mark.parametrize("resample", WAYS)
def test_a_release_survives_parquet_with_its_replicates(resample: str, protect: Protect, tmp_path: Any) -> None:
    release = protect()["age"].dp.mean(bootstrap=10, resample=resample, epsilon=1, delta=1e-6)
    release.to_parquet(tmp_path / "r.parquet")
    again = pd.read_parquet(tmp_path / "r.parquet")
    pd.testing.assert_frame_equal(again.dp.confint(0.8), release.dp.confint(0.8))
    pd.testing.assert_frame_equal(again.dp.replicates(), release.dp.replicates())


@pytest.mark.parametrize("resample", ["moments", "weights", "half-sample"])
def test_more_careful_variances_are_larger(resample: str, protect: Protect) -> None:
    people = protect()
    errors_of = {}
    for variance in ("unbiased", "conservative", "most"):
        with pdp.audit.seeded_noise(5):
            release = people["age"].dp.mean(bootstrap=50, resample=resample, variance=variance, epsilon=1, delta=1e-6)
        errors_of[variance] = release["std_error"].item()
    assert errors_of["unbiased"] < errors_of["conservative"]
    assert errors_of["unbiased"] < errors_of["most"]


def test_a_smaller_alpha_is_more_careful(protect: Protect) -> None:
    people, found = protect(), []
    for alpha in (0.2, 0.01):
        with pdp.audit.seeded_noise(5):
            release = people["age"].dp.mean(bootstrap=50, variance="conservative", alpha=alpha, epsilon=1)
        found.append(release["std_error"].item())
    assert found[0] < found[1]


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda p: p["age"].dp.mean(bootstrap=1), errors.BadArgument, "from 2 to 100,000, not 1"),
        (lambda p: p["age"].dp.mean(bootstrap=2.0), errors.BadArgument, "not 2.0"),
        (lambda p: p["age"].dp.mean(bootstrap=True), errors.BadArgument, "not True"),
        (lambda p: p["age"].dp.mean(bootstrap=9, resample="jackknife"), errors.BadArgument, "be one of 'moments'"),
        (lambda p: p["age"].dp.mean(bootstrap=9, variance="none"), errors.BadArgument, "be one of 'unbiased'"),
        (lambda p: p["age"].dp.mean(variance="most"), errors.UnsupportedArgument, "belongs to bootstrap="),
        (lambda p: p["age"].dp.mean(bootstrap=9, alpha=0.1), errors.UnsupportedArgument, "belongs to variance="),
        (
            lambda p: p["age"].dp.mean(bootstrap=9, variance="conservative", alpha=1),
            errors.BadArgument,
            "alpha must lie between 0 and 1, not 1",
        ),
        (lambda p: p["age"].dp.mean(resample="weights"), errors.UnsupportedArgument, "resample= belongs to bootstrap="),
        (lambda p: p["age"].dp.mean(bootstrap=9, resample="weights"), errors.UnsupportedArgument, "even number"),
        (
            lambda p: p["age"].dp.median(bootstrap=9),
            errors.UnsupportedArgument,
            "noise as wide as the range",
        ),
        (lambda p: p["age"].dp.std(bootstrap=9, variance="most"), errors.UnsupportedArgument, "leave variance= out"),
        (lambda p: p["age"].dp.iqr(bootstrap=8, resample="weights"), errors.UnsupportedArgument, "iqr takes no"),
        (lambda p: p["age"].dp.count(bootstrap=8), errors.UnsupportedArgument, "count takes no"),
        (lambda p: p["age"].dp.histogram(bootstrap=8), errors.UnsupportedArgument, "histogram takes no"),
        (lambda p: p["age"].dp.describe(bootstrap=8), errors.UnsupportedArgument, "count takes no"),
        (lambda p: p["sex"].dp.value_counts(bootstrap=8), errors.UnsupportedArgument, "value_counts takes no"),
        (lambda p: p[["age", "children"]].dp.cov(bootstrap=8), errors.UnsupportedArgument, "resample='weights' or"),
        (lambda p: p[["age", "children"]].dp.corr(bootstrap=8), errors.UnsupportedArgument, "corr takes no"),
        (
            lambda p: p[["age", "gap"]].dp.cov(bootstrap=8, resample="weights"),
            errors.UnsupportedArgument,
            "whole columns declared complete",
        ),
        (lambda p: p["gap"].dp.mean(bootstrap=8, resample="weights"), errors.UnsupportedArgument, "whole columns"),
        (
            lambda p: p[p["age"] > 0]["age"].dp.mean(bootstrap=8, resample="weights"),
            errors.UnsupportedArgument,
            "whole",
        ),
        (
            lambda p: p.dp.groupby("sex")["age"].mean(bootstrap=8, resample="weights"),
            errors.UnsupportedArgument,
            "no groups",
        ),
        (
            lambda p: p["age"].dp.mean(bootstrap=8, resample="half-sample", rho=0.1),
            errors.CostNotOffered,
            "cannot satisfy rho=0.1: .* Give epsilon= with delta=",
        ),
        (
            lambda p: p["age"].dp.mean(bootstrap=8, resample="multinomial", epsilon=1),
            errors.CostNotOffered,
            "a sample exposes a person",
        ),
        (
            lambda p: p["age"].dp.mean(bootstrap=8, resample="multinomial", epsilon=1, delta=1e-6, mechanism="laplace"),
            errors.CostNotOffered,
            "use 'gaussian' or 'auto'",
        ),
        (
            lambda p: p["age"].dp.mean(bootstrap=8, resample="multinomial", epsilon=1, delta=1e-16),
            errors.BadCost,
            "a delta of at least 1e-15",
        ),
        (lambda p: p["age"].dp.mean().dp.replicates(), errors.NotConcluded, "ask the question with bootstrap="),
    ],
)
def test_what_cannot_be_is_refused_before_paying(
    ask: Callable[[pd.DataFrame], Any], error: type[Exception], words: str, protect: Protect
) -> None:
    people = protect(epsilon=3.0, delta=1e-3)
    ledger = core_for(people).ledger
    with refused(error, words):
        ask(people)
    assert len(ledger.entries()) <= (words == "ask the question with bootstrap=")


def test_a_small_table_has_no_halves(protect: Protect) -> None:
    with refused(errors.UnsupportedArgument):
        protect(3)["age"].dp.mean(bootstrap=8, resample="half-sample", epsilon=1, delta=1e-6)
    assert protect(4)["age"].dp.std(bootstrap=8, resample="half-sample", epsilon=1, delta=1e-6)["std"].item() >= 0


@pytest.mark.parametrize("resample", WAYS)
@pytest.mark.parametrize("statistic", ["mean", "sum", "var", "std"])
def test_whatever_the_rows_hold_it_is_answered_in_the_same_shape(statistic: str, resample: str) -> None:
    shapes = set()
    for values in ([np.nan] * 8, [np.inf, -np.inf] * 4, [0.5] * 8, ["a", None, {}, 3] * 2, [1e300] * 8):
        session = pdp.Session(epsilon=10, delta=1e-3, schema=_plain())
        column = session.protect(pd.DataFrame({"x": values}))["x"]
        release = getattr(column.dp, statistic)(bootstrap=4, resample=resample, epsilon=1, delta=1e-6)
        shapes.add((release.shape, tuple(release.columns), tuple(map(str, release.dtypes))))
    assert len(shapes) == 1


def _plain() -> Any:
    import pandera.pandas as pa

    return pa.DataFrameSchema({"x": pa.Column(float, pa.Check.in_range(0, 1), metadata={"dp": {"complete": True}})})
