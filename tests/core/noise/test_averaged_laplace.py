"""The average of Laplace draws: its law, its privacy, where it beats Gaussian noise, and that a delta buys nothing."""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import chi2, norm

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.core.budget.cost import Approximate, Pure
from pandas_dp.core.noise.averaged import AveragedLaplace, AveragedLaplaceLaw
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.core.noise.mechanism import first_within, law_from_json
from tests.refusals import refused

SMALL = [
    (Fraction(1, 2), 3),
    (Fraction(4), 3),
    (Fraction(20), 5),
    (Fraction(7), 9),
    (Fraction(3), 1),
    (Fraction(5), 31),
]


def rounded_average(scale: Fraction, draws: int) -> tuple[np.ndarray, np.ndarray]:
    """Every value of the rounded average and its probability, by convolving the draws."""
    sensitivity = int(50 * scale + 50)
    one = DiscreteLaplace(scale).pmf(np.arange(-sensitivity, sensitivity + 1))
    mass = one
    for _ in range(draws - 1):
        mass = np.convolve(mass, one)
    values = (2 * np.arange(-sensitivity * draws, sensitivity * draws + 1) + draws) // (2 * draws)
    return np.unique(values), np.bincount(values - values.min(), weights=mass)


@pytest.mark.parametrize(("scale", "draws"), SMALL, ids=str)
def test_the_law_is_that_of_the_rounded_average(scale: Fraction, draws: int) -> None:
    law = AveragedLaplaceLaw(scale, draws)
    values, mass = rounded_average(scale, draws)
    near = np.abs(values) <= 8 * law.sd + 2
    assert law.pmf(values[near]) == pytest.approx(mass[near], rel=1e-8)
    for k in range(int(6 * law.sd) + 2):
        assert law.sf(k) == pytest.approx(mass[values > k].sum(), rel=1e-8)
        assert law.cdf(-k) == pytest.approx(mass[values <= -k].sum(), rel=1e-8)
    assert law.variance == pytest.approx((mass * values.astype(float) ** 2).sum(), rel=1e-9)
    for angle in (0.0, 0.01, 1.0, np.pi, 5.0, 40.0):
        assert law.cf(angle) == pytest.approx((mass * np.cos(angle * values)).sum(), abs=1e-12)
    for level in (0.5, 0.9, 0.95, 0.999):
        half = law.half_width(level)
        assert mass[np.abs(values) <= half].sum() >= level
        assert half == 0 or mass[np.abs(values) < half].sum() < level


def test_a_quantile_is_decided_with_more_digits_where_floats_cannot_tell() -> None:
    """The tail beyond 6 as a float lies within 10^-16 of the truth: on which side, more digits say."""
    law = AveragedLaplaceLaw(Fraction(20), 5)
    tail = float(law.sf(6))
    for nudge in (-1e-10, 1e-10):
        first = law._first(Fraction(tail) * Fraction(1 + nudge))
        assert first == (6 if nudge > 0 else 7)
    assert law._first(Fraction(tail)) in (6, 7)
    assert law._tail_test(Fraction(tail) * Fraction(1 - 1e-14))(6)
    assert not law._tail_test(Fraction(tail) * Fraction(1 + 1e-14))(6)


@pytest.mark.parametrize("first", [0, 1, 2, 5, 63, 10**30, 10**90])
@pytest.mark.parametrize("off", [0, 1, -1, 3, -4, 1000, 10**9])
def test_a_search_from_a_guess_finds_the_first_that_does_not_exceed(first: int, off: int) -> None:
    asked = []

    def exceeds(k: int) -> bool:
        assert k >= 0
        asked.append(k)
        return k < first

    assert first_within(exceeds, max(0, first + off)) == first
    assert len(asked) <= 4 + 2 * abs(off).bit_length() + max(first.bit_length() - 48, 0)


def test_the_quantile_of_a_law_that_floats_cannot_tell_apart_is_found() -> None:
    law = AveragedLaplaceLaw(Fraction(10**40), 3)
    half = law.half_width(0.95)
    exceeds = law._tail_test((1 - Fraction(0.95)) / 2)
    assert exceeds(half - 1)
    assert not exceeds(half)


def test_one_draw_is_the_laplace_law() -> None:
    one, law = AveragedLaplaceLaw(Fraction(7, 2), 1), DiscreteLaplace(Fraction(7, 2))
    at = np.arange(-60, 61)
    assert one.pmf(at) == pytest.approx(law.pmf(at), rel=1e-13)
    assert [one.half_width(level) for level in (0.5, 0.95)] == [law.half_width(level) for level in (0.5, 0.95)]


def test_wide_laws_of_many_draws_do_not_overflow() -> None:
    law = AveragedLaplaceLaw(Fraction(10**12), 99)
    assert law.sd == pytest.approx(np.sqrt(2 / 99) * 1e12)
    assert law.half_width(0.95) == pytest.approx(norm.ppf(0.975) * law.sd, rel=0.01)
    assert law.sf(1e300) == 0


def test_the_law_comes_back_from_json() -> None:
    law = AveragedLaplaceLaw(Fraction(7, 2), 5)
    assert law_from_json(law.to_json()) == law


@pytest.mark.parametrize("draws", [0, 2, 101, -3])
def test_a_law_has_an_odd_number_of_draws(draws: int) -> None:
    with pytest.raises(ValueError, match="must be odd"):
        AveragedLaplaceLaw(Fraction(1), draws)


@pytest.mark.parametrize(("scale", "draws"), [(Fraction(3), 3), (Fraction(25), 5), (Fraction(60), 99)], ids=str)
def test_draws_follow_the_law(scale: Fraction, draws: int) -> None:
    """A chi-squared test of 100,000 draws, at 1e-6."""
    law, size = AveragedLaplaceLaw(scale, draws), 100_000
    seen = AveragedLaplace(draws).add_noise(np.zeros((size, 1), dtype=object), (law,))[:, 0].astype(np.int64)
    edge = int(2.5 * law.sd)
    inner = np.arange(-edge, edge + 1)
    expected = size * np.array([law.cdf(-edge - 1), *law.pmf(inner), law.sf(edge)])
    found = np.array([(seen < -edge).sum(), *(np.count_nonzero(seen == k) for k in inner), (seen > edge).sum()])
    assert chi2.sf(((found - expected) ** 2 / expected).sum(), len(found) - 1) > 1e-6


def test_all_draws_together_spend_epsilon_and_not_more() -> None:
    """Each coordinate has a share of the sensitivity; the log-ratio of all draws is at most draws·sensitivity/scale."""
    mechanism, epsilon, sensitivity = AveragedLaplace(7), Fraction(3, 10), Fraction(5)
    weights = [Fraction(1), Fraction(3, 2)]
    laws = [mechanism.law(weight, sensitivity, Pure(epsilon)) for weight in weights]
    moved = [(Fraction(5), Fraction(0)), (Fraction(2), Fraction(9, 2)), (Fraction(0), Fraction(15, 2))]
    for shifts in moved:  # |shift|/weight adds up to the sensitivity
        assert sum(s / w for s, w in zip(shifts, weights, strict=True)) == sensitivity
        assert sum(7 * s / law.scale for s, law in zip(shifts, laws, strict=True)) == epsilon


# -- against Gaussian noise

# golden values 004.remark2.analytic_sigma2.* and 004.remark2.kmax.*
ANALYTIC = {(0.1, 1e-5): 9.455358173049014, (0.1, 1e-6): 13.180305469419038, (0.5, 1e-6): 16.231303895230397}
ANALYTIC |= {(0.5, 1e-8): 24.322324737065617, (1.0, 1e-5): 13.91761239468951, (1.0, 1e-8): 26.01314972815491}
MOST = {(0.1, 1e-5): 4.727679086524507, (0.1, 1e-6): 6.590152734709519, (0.1, 1e-8): 10.551205303827215}
MOST |= {(0.5, 1e-5): 6.18082329942917, (0.5, 1e-6): 8.115651947615198, (0.5, 1e-8): 12.161162368532809}
MOST |= {(1.0, 1e-5): 6.958806197344755, (1.0, 1e-6): 8.923955858961989}


def analytic_variance(epsilon: float, delta: float) -> float:
    """The least variance of Gaussian noise, reach 1, that is (epsilon, delta)-DP (Balle & Wang 2018)."""

    def excess(mu: float) -> float:
        return float(norm.cdf(mu / 2 - epsilon / mu) - exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)) - delta

    return float(1 / brentq(excess, 1e-3, 20, xtol=1e-14) ** 2)


@pytest.mark.parametrize("cost", ANALYTIC, ids=str)
def test_the_analytic_gaussian_is_the_golden_one(cost: tuple[float, float]) -> None:
    assert analytic_variance(*cost) * cost[0] ** 2 == pytest.approx(ANALYTIC[cost], rel=1e-6)


@pytest.mark.parametrize("cost", MOST, ids=str)
def test_so_many_draws_beat_the_analytic_gaussian(cost: tuple[float, float]) -> None:
    epsilon = Pure(Fraction(cost[0]).limit_denominator(10))
    fine = Fraction(10**6)  # in so fine steps that the discrete law is the continuous one
    best = floor(MOST[cost])
    odd = best - (1 - best % 2)
    for draws, wins in ((odd, True), (odd + 2, False)):
        variance = AveragedLaplace(draws).law(Fraction(1), fine, epsilon).variance / float(fine) ** 2
        assert variance * cost[0] ** 2 == pytest.approx(2 * draws, rel=1e-6)
        assert (variance < analytic_variance(*cost)) == wins
    assert analytic_variance(*cost) * cost[0] ** 2 / 2 == pytest.approx(MOST[cost], rel=1e-6)


def composed_delta(sensitivity: float, draws: int, epsilon: float, utility_runs: int = 128) -> float:
    """The delta at this epsilon of so many Laplace releases, sensitivity/scale given: exact for a ladder of losses."""
    ratio = exp(-sensitivity / utility_runs)
    one = [
        1 / (1 + ratio),
        *((1 - ratio) / (1 + ratio) * ratio ** np.arange(1, utility_runs)),
        ratio**utility_runs / (1 + ratio),
    ]
    mass = np.array([1.0])
    for _ in range(draws):
        mass = np.convolve(mass, one)
    loss = sensitivity * (draws - 2 * np.arange(len(mass)) / utility_runs)
    return float((mass * np.maximum(0, -np.expm1(epsilon - loss))).sum())


@pytest.mark.parametrize("cost", [(0.1, 1e-5), (0.5, 1e-6), (1.0, 1e-6), (1.0, 1e-8), (2.0, 1e-6)], ids=str)
def test_a_delta_buys_nothing_wherever_the_average_beats_the_gaussian(cost: tuple[float, float]) -> None:
    """With the delta spent, each draw may have a sensitivity/scale that is a little larger than epsilon/draws; the
    variance falls by less than one part in two hundred."""
    epsilon, delta = cost
    draws = 1
    while 2 * draws / epsilon**2 < analytic_variance(epsilon, delta):
        spent = brentq(lambda r, k=draws: composed_delta(r, k, epsilon) - delta, epsilon / draws, 2 * epsilon)
        assert 0.995 <= (epsilon / draws / spent) ** 2 <= 1
        draws += 1
    assert draws >= 5


def test_tails_are_not_normal() -> None:
    """Golden values 004.kavg.tail6.k5 and 004.kavg.TV.k1."""
    five = AveragedLaplaceLaw(Fraction(10**6), 5)
    assert 2 * five.sf(6 * five.sd) / (2 * norm.sf(6)) == pytest.approx(1990.758854257496, rel=1e-3)
    one = AveragedLaplaceLaw(Fraction(2_000), 1)
    at = np.arange(-60_000, 60_001)
    normal = norm.cdf((at + 0.5) / one.sd) - norm.cdf((at - 0.5) / one.sd)
    assert np.abs(one.pmf(at) - normal).sum() / 2 == pytest.approx(0.14130221585183217, abs=1e-6)


# -- as a user asks


def ask(people: pd.DataFrame, **keywords: Any) -> pdp.Release:
    return people["age"].dp.sum(mechanism="averaged-laplace", **keywords)


def test_it_spends_epsilon_alone_also_where_a_delta_is_named(session: pdp.Session, people: pd.DataFrame) -> None:
    for cost in ({"epsilon": 0.5}, {"epsilon": 0.5, "delta": 1e-8}):
        release = ask(people, **cost)
        label = release.attrs["dp"]
        assert (label["epsilon"], label["delta"], label["rho"]) == (0.5, 0.0, None)
        assert label["noise"] == [
            [{"law": {"distribution": "averaged laplace", "scale": "1000", "draws": "5"}, "numbers": 1}]
        ]
        assert "epsilon=0.5; one row replaced; averaged-laplace noise" in release.dp.guarantee
    assert session.ledger["epsilon"].tolist() == [0.5, 0.5]


def test_its_intervals_are_those_of_its_law(people: pd.DataFrame) -> None:
    release = ask(people, epsilon=0.5, draws=9)
    law = AveragedLaplaceLaw(Fraction(1800), 9)
    low, high = release.dp.confint(0.9).iloc[0]
    assert (high - low) / 2 == law.half_width(0.9)
    assert release["std_error"].item() == pytest.approx(law.sd)


@pytest.mark.parametrize("rows", [30, 400])
def test_a_mean_and_a_table_can_have_it(rows: int, people: pd.DataFrame) -> None:
    some = people[people["age"] > {30: 92, 400: -1}[rows]]
    mean = some["age"].dp.mean(mechanism="averaged-laplace", epsilon=1000)
    assert mean["mean"].item() == pytest.approx(some["age"].mean(), abs=1)
    table = some.dp.crosstab("sex", "region", mechanism="averaged-laplace", epsilon=1000, draws=3)
    assert table.dp.contrast("f", "m").shape == (3, 6)


def test_it_is_refused_where_the_gaussian_has_less_noise(people: pd.DataFrame, session: pdp.Session) -> None:
    """The Gaussian worth (1, 1e-6) has a variance of 20.5 reaches squared, which 9 draws stay below and 11 do not."""
    ask(people, epsilon=1, delta=1e-6, draws=9)
    for draws, delta in ((11, 1e-6), (5, 0.01)):
        with refused(errors.CostNotOffered, f"draws={draws}, delta={delta}"):
            ask(people, epsilon=1, delta=delta, draws=draws)
    assert len(session.ledger) == 1
    assert 9 < 1 / (2 * float(Approximate(Fraction(1), Fraction(1, 10**6)).concentrated().rho)) / 2 < 11


def test_it_is_refused_in_a_session_that_counts_rho() -> None:
    session = pdp.Session(rho=1)
    people = session.protect(pd.DataFrame({"age": [1, 2, 3]}))
    with refused(errors.CostNotOffered):
        ask(people, bounds=(0, 9), epsilon=0.1)
    assert len(session.ledger) == 0


@pytest.mark.parametrize(
    "keywords",
    [
        {"draws": 4},
        {"draws": 101},
        {"draws": True},
        {"draws": "5"},
        {"rho": 0.1},
    ],
    ids=str,
)
def test_what_it_cannot_do_is_refused(keywords: dict[str, Any], people: pd.DataFrame) -> None:
    with refused(errors.PrivacyError, str(keywords)):
        ask(people, **keywords)


def test_draws_belong_to_it(people: pd.DataFrame) -> None:
    with refused(errors.UnsupportedArgument):
        people["age"].dp.sum(draws=5)
    with pytest.raises(errors.UnknownMechanism):
        people["age"].dp.median(mechanism="averaged-laplace")


def test_the_paper_counts_a_factor_too_few() -> None:
    """Erratum BOOT-7: with epsilon/√(k ln 1/delta) a draw, k draws have a delta of 1e-6 only beyond epsilon = 1."""
    for draws, true in ((20, 1.0476), (100, 1.1242)):
        each = 1 / np.sqrt(draws * log(1e6))
        epsilon = brentq(lambda e, r=each, k=draws: composed_delta(r, k, e, 16) - 1e-6, 0.5, 2)
        assert epsilon == pytest.approx(true, abs=2e-3)
