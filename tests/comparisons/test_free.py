"""Tests of what was released: shares of groups, means of groups, pairs, limits, a single count in one direction."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.errors import BadArgument, NotConcluded, UnsupportedArgument
from pandas_dp.tables.tests.conclude_posterior import Binomial
from tests.refusals import refused

from .test_values import DATA, protected

EXACT = {"rho": 1e7}
DECLARED = {"g": ["a", "b", "c"], "y": [False, True]}


def grouped(sizes: tuple[int, ...], shares: tuple[float, ...]) -> pd.DataFrame:
    rows = [
        pd.DataFrame({"g": name, "y": np.arange(size) < round(size * share)})
        for name, size, share in zip("abc", sizes, shares, strict=False)
    ]
    return pd.concat(rows, ignore_index=True)


def table(data: pd.DataFrame, groups: int = 2, **cost: Any) -> Any:
    frame = pdp.Session(rho=1e12).protect(data)
    declared = {"g": DECLARED["g"][:groups], "y": DECLARED["y"]}
    return frame.dp.crosstab("g", "y", categories=declared, **(cost or EXACT))


def shares(data: pd.DataFrame, groups: int = 2, **cost: Any) -> Any:
    frame = pdp.Session(rho=1e12).protect(data)
    return frame.dp.groupby("g", categories=DECLARED["g"][:groups])["y"].share(**(cost or EXACT))


@pytest.mark.parametrize("ask", [table, shares])
def test_without_noise_a_difference_of_shares_is_that_of_a_score_interval(ask: Callable[..., Any]) -> None:
    found = ask(grouped((200, 100), (0.3, 0.45))).dp.risk_difference()
    assert found.estimate == pytest.approx(0.15, abs=1e-3)
    assert (found.lower, found.upper) == pytest.approx((0.034, 0.265), abs=0.004)  # of Mee
    assert "b - a" in found.statistic


@pytest.mark.parametrize("ask", [table, shares])
def test_without_noise_a_ratio_of_shares_is_that_of_a_score_interval(ask: Callable[..., Any]) -> None:
    found = ask(grouped((200, 100), (0.3, 0.45))).dp.relative_risk()
    assert found.estimate == pytest.approx(1.5, abs=0.01)
    requested = stats.contingency.relative_risk(45, 100, 60, 200).confidence_interval(0.95)
    assert (found.lower, found.upper) == pytest.approx((requested.low, requested.high), rel=0.04)


def test_the_other_column_is_the_yes_where_it_is_named() -> None:
    release = table(grouped((200, 100), (0.3, 0.45)))
    assert release.dp.risk_difference(success=False).estimate == pytest.approx(-0.15, abs=1e-3)


def test_a_ratio_over_nobody_has_no_upper_end() -> None:
    found = table(grouped((200, 100), (0.0, 0.2))).dp.relative_risk()
    assert found.upper == np.inf
    assert found.lower > 1


@pytest.mark.parametrize("ask", [table, shares])
def test_without_noise_a_trend_is_that_of_cochran_and_armitage(ask: Callable[..., Any]) -> None:
    data = grouped((100, 150, 80), (0.2, 0.3, 0.35))
    found = ask(data, 3).dp.trend_test()
    w, n, x = np.arange(3), np.array([100, 150, 80]), np.array([20, 45, 28])
    p = x.sum() / n.sum()
    t = (w * (x - n * p)).sum() / np.sqrt(p * (1 - p) * ((w**2 * n).sum() - (w * n).sum() ** 2 / n.sum()))
    assert found.statistic == pytest.approx(t, abs=0.01)
    assert found.pvalue == pytest.approx(2 * stats.norm.sf(abs(t)), abs=0.002)
    assert found.expected is None
    assert "p = " in str(found)


def test_scores_of_a_trend_may_be_shifted_and_stretched_and_turned() -> None:
    release = table(grouped((100, 150, 80), (0.2, 0.3, 0.35)), 3)
    one, other = release.dp.trend_test([0, 1, 5]), release.dp.trend_test([10, 8, 0])
    assert one.statistic == pytest.approx(-other.statistic)


def test_without_noise_groups_are_compared_as_by_scipy() -> None:
    means = protected(DATA).dp.groupby("region")["wage"].mean(**EXACT)
    found = means.dp.anova_test()
    requested = stats.f_oneway(*[rows["wage"] for _, rows in DATA.groupby("region")])
    assert found.pvalue == pytest.approx(requested.pvalue, rel=0.05)
    assert (found.df, found.expected) == (2, None)


@pytest.mark.parametrize("cost", [{"rho": 0.05}, {"epsilon": 0.4}])
def test_groups_that_noise_tells_apart_are_not_said_to_differ(cost: dict[str, float]) -> None:
    """Of ten releases of equal groups, whose noise is wide, seven or more are not rejected at one in a thousand."""
    frame = protected(DATA.assign(wage=60.0))
    with seeded_noise(7):
        found = [frame.dp.groupby("region")["wage"].mean(**cost).dp.anova_test().pvalue for _ in range(10)]
    assert min(found) > 1e-3


def test_without_noise_pairs_are_those_of_mcnemar() -> None:
    pairs = pd.DataFrame({"before": [0] * 100 + [1] * 100, "after": [0] * 60 + [1] * 40 + [0] * 15 + [1] * 85})
    frame = pdp.Session(rho=1e12).protect(pairs)
    found = frame.dp.crosstab("before", "after", categories={"before": [0, 1], "after": [0, 1]}, **EXACT)
    test = found.dp.mcnemar_test()
    assert test.statistic**2 == pytest.approx(25**2 / 55, rel=0.01)
    assert test.hypothesis == "as many pairs are (0 and 1) as (1 and 0)"


@pytest.mark.parametrize("limits", [(45, 60), (50, 60), (52, 60), (45, 50), (53, 60)])
def test_equivalence_is_decided_by_the_interval_for_twice_the_error(limits: tuple[float, float]) -> None:
    mean = protected(DATA)["wage"].dp.mean(rho=0.5)
    p = mean.dp.equivalence_test(limits).pvalue
    for error in (0.001, 0.01, 0.05, 0.2, 0.4):
        low, high = mean.dp.confint(1 - 2 * error).iloc[0]
        assert (p <= error) == bool(limits[0] <= low and high <= limits[1])


def test_equivalence_is_asked_of_a_test_and_of_a_row_of_a_table() -> None:
    frame = protected(DATA)
    assert frame.dp.t_test("wage", by="union", rho=1).dp.equivalence_test((-10, 10)).pvalue < 0.01
    means = frame.dp.groupby("region")["wage"].mean(rho=1)
    assert means.loc[["n"]].dp.equivalence_test((40, 60)).pvalue < 0.01
    assert means.loc[["n"]].dp.equivalence_test((0, 10)).pvalue > 0.99


@pytest.mark.parametrize("law", [DiscreteLaplace(Fraction(3)), DiscreteGaussian(Fraction(9))])
def test_a_count_in_one_direction_has_an_exact_p_value(law: Any) -> None:
    test = Binomial(50, 0.3, law)
    at, ways = np.arange(-60, 61), stats.binom.pmf(np.arange(51), 50, 0.3)
    sums = np.convolve(ways, law.pmf(at.astype(float)))  # from -60 on
    for seen in (-5, 10, 15, 22, 40):
        assert test.beyond(seen, 1) == pytest.approx(sums[seen + 60 :].sum(), abs=1e-7)
        assert test.beyond(seen, -1) == pytest.approx(sums[: seen + 61].sum(), abs=1e-7)


def test_a_count_is_tested_in_one_direction() -> None:
    frame = pdp.Session(rho=1e12).protect(pd.DataFrame({"y": [True] * 60 + [False] * 40}))
    count = frame[frame["y"]]["y"].dp.count(rho=1e5)
    greater = count.dp.goodness_of_fit(0.5, total=100, alternative="greater")
    assert greater.pvalue == pytest.approx(stats.binomtest(60, 100, 0.5, "greater").pvalue, rel=1e-3)
    assert greater.hypothesis.endswith("at most 0.5")
    less = count.dp.goodness_of_fit(0.5, total=100, alternative="less")
    assert less.pvalue == pytest.approx(stats.binomtest(60, 100, 0.5, "less").pvalue, rel=1e-3)


REFUSED: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "a trend of one key": (
        NotConcluded,
        lambda: protected(DATA)["region"].dp.value_counts(rho=1).dp.trend_test(),
    ),
    "three groups": (NotConcluded, lambda: shares(grouped((9, 9, 9), (0.1, 0.2, 0.3)), 3).dp.relative_risk()),
    "a yes that is none": (BadArgument, lambda: table(grouped((9, 9), (0.1, 0.2))).dp.risk_difference("maybe")),
    "a yes of shares": (BadArgument, lambda: shares(grouped((9, 9), (0.1, 0.2))).dp.risk_difference(True)),
    "one share": (NotConcluded, lambda: (protected(DATA)["wage"] > 30).dp.share(rho=1).dp.trend_test()),
    "two scores": (BadArgument, lambda: shares(grouped((9, 9, 9), (0.1, 0.2, 0.3)), 3).dp.trend_test([1, 2])),
    "equal scores": (BadArgument, lambda: shares(grouped((9, 9), (0.1, 0.2))).dp.trend_test([1, 1])),
    "pairs of three": (
        NotConcluded,
        lambda: protected(DATA).dp.crosstab("region", "union", rho=1).dp.mcnemar_test(),
    ),
    "one mean": (NotConcluded, lambda: protected(DATA)["wage"].dp.mean(rho=1).dp.anova_test()),
    "limits that fall": (BadArgument, lambda: protected(DATA)["wage"].dp.mean(rho=1).dp.equivalence_test((3, 1))),
    "several numbers": (
        NotConcluded,
        lambda: protected(DATA).dp.groupby("region")["wage"].mean(rho=1).dp.equivalence_test((3, 9)),
    ),
    "cells in one direction": (
        BadArgument,
        lambda: protected(DATA)["union"].dp.value_counts(rho=1).dp.goodness_of_fit([0.5, 0.5], alternative="less"),
    ),
    "no alternative": (
        UnsupportedArgument,
        lambda: protected(DATA)["union"].dp.value_counts(rho=1).dp.goodness_of_fit([0.5, 0.5], alternative="more"),
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_release_does_not_support_is_refused(case: str) -> None:
    error, conclude = REFUSED[case]
    with refused(error, case):
        conclude()
