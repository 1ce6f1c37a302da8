"""Huber's location and the trimmed mean: what they estimate, what they say of it, what they refuse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import trim_mean

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise, zero_noise
from pandas_dp.core.evidence.noise import Noise
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.errors import CostNotOffered, PrivacyError
from pandas_dp.numeric.evidence_location import TrimmedMeanEstimate
from tests.refusals import refused

BOUNDS = (-1000, 1000)


def column(values: Any, **session: Any) -> pd.Series:
    frame = pdp.Session(**(session or {"rho": 10**9})).protect(pd.DataFrame({"x": np.asarray(values, float)}))
    return frame["x"]


def lognormal(rows: int = 2000) -> np.ndarray:
    return np.exp(np.random.default_rng(3).normal(size=rows))


def root_of(values: np.ndarray, scale: float) -> float:
    middle = float(np.median(values))
    for _ in range(200):
        away = (values - middle) / (1.5 * scale)
        middle += 1.5 * scale * np.clip(away, -1, 1).mean() / (np.abs(away) < 1).mean()
    return middle


def test_location_is_the_root_of_the_clipped_sum_at_the_scale_of_the_label() -> None:
    values = lognormal()
    release = column(values).dp.location(rho=10**6, bounds=BOUNDS)
    *_, last = release.dp.metadata["stages"]
    assert last["parameter"]["clip"] == 1.5
    assert release["location"].item() == pytest.approx(root_of(values, last["parameter"]["scale"]), abs=0.01)
    assert f"scale {last['parameter']['scale']:.6g}" in release.dp.metadata["estimand"]


TIED = {
    "lognormal": lognormal(),
    "five points": np.random.default_rng(6).choice(5, 1000, p=[0.08, 0.12, 0.2, 0.35, 0.25]) + 1.0,
    "zeros": np.where(np.random.default_rng(7).random(2000) < 0.4, 0.0, lognormal()),
    "one value": np.full(50, 3.0),
}


@pytest.mark.parametrize("proportion", [0.1, 0.25])
@pytest.mark.parametrize("name", TIED)
def test_trimmed_mean_is_the_one_of_scipy_with_ties_too(name: str, proportion: float) -> None:
    release = column(TIED[name]).dp.trimmed_mean(proportion, rho=10**6, bounds=BOUNDS)
    truth = trim_mean(TIED[name], proportion)
    assert release["trimmed_mean"].item() == pytest.approx(truth, abs=0.005)
    assert release.dp.metadata["estimand"].startswith(f"mean without {proportion} of the values at either end")


def test_variance_of_a_trimmed_mean_is_that_of_winsorised_values() -> None:
    values = lognormal()
    shown = column(values).dp.trimmed_mean(0.1, rho=10**6, bounds=BOUNDS)
    low, high = np.quantile(values, [0.1, 0.9])
    classical = values.clip(low, high).std(ddof=1) / 0.8 / np.sqrt(len(values))
    assert shown["std_error"].item() == pytest.approx(classical, rel=0.01)


@pytest.mark.parametrize("seed", range(20))
def test_wrong_ends_enter_by_rank_error_times_shift(seed: int) -> None:
    """The theorem of docs/proofs/numeric/location.md, on values that are tied."""
    r = np.random.default_rng(seed)
    values, q = np.sort(r.integers(0, 12, 40)).astype(float), 0.2
    a, b = values[8], values[31]
    for low in np.arange(0, b, 0.5):
        found = (values.clip(low, b).sum() - q * 40 * (low + b)) / (40 * (1 - 2 * q))
        below, within = (values < low).sum(), (values <= low).sum()
        error = max(0.0, below - q * 40, q * 40 - within)
        excess = found - trim_mean(values, q)
        assert -1e-12 <= excess <= error * abs(low - a) / (40 * (1 - 2 * q)) + 1e-12


def test_wide_bounds_cost_next_to_nothing() -> None:
    """Fails by luck less than once in 10**6: the error would have to be a third or three times what it is."""
    narrow, wide = (
        column(lognormal(), rho=10).dp.location(rho=0.5, bounds=(-end, end))["std_error"].item() for end in (50, 10**4)
    )
    assert 0.01 < narrow < 0.1
    assert 0.01 < wide < 0.1


def test_looks_share_the_price_and_only_the_sums_have_laws() -> None:
    label = column(lognormal(), rho=10).dp.location(rho=0.5, bounds=BOUNDS).dp.metadata
    assert [stage["after"] for stage in label["stages"]] == [[], [], [], [0, 1, 2], [0, 1, 2, 3]]
    assert [law is not None for law in label["noise"]] == [False] * 3 + [True] * 2
    assert label["rho"] == 0.5


def test_ends_chosen_beyond_all_values_are_allowed_for() -> None:
    """The released numbers of 300 values around 1, clamped at -8, far below them, and at 2.2: their mean is too large
    by up to an eighth of the way to their tenth. With little noise the choice is taken to be right."""
    values = np.random.default_rng(3).normal(1, 1, 300)
    own = float(trim_mean(values, 0.1))
    u = (np.clip(values, -8, 2.2) + 2.9) / 5.1
    released = (300.0, float(u.sum()), float((1 - u**2).sum()))

    def ends(sd: int) -> tuple[float, float]:
        noise = Noise(DiscreteGaussian(Fraction(sd**2)))
        low, high = TrimmedMeanEstimate((-8, 2.2), 0.1, released, (noise, noise, noise)).interval(0.95, "sample")
        return float(low[0]), float(high[0])

    wide, narrow = ends(6), ends(2)
    assert wide[0] <= own <= wide[1]
    assert not narrow[0] <= own <= narrow[1]


def test_an_end_is_allowed_for_by_how_many_points_lie_between_it_and_the_quantile() -> None:
    """400 values around 1, clamped at -8, a tenth of which is ten standard deviations of the noise: a choice so far off
    is rare where a hundred points lie between, and not where ten thousand do."""
    values = np.random.default_rng(3).normal(1, 1, 400)
    u = (np.clip(values, -8, 2.2) + 2.9) / 5.1
    released, noise = (400.0, float(u.sum()), float((1 - u**2).sum())), Noise(DiscreteGaussian(Fraction(16)))

    def width(step: float) -> float:
        low, high = TrimmedMeanEstimate((-8, 2.2), 0.1, released, (noise, noise, noise), step).interval(0.95, "sample")
        return float(high[0] - low[0])

    assert width(0.1) < 0.5 < 1 < width(0.001)


@pytest.mark.slow
def test_a_trimmed_mean_holds_where_the_range_is_declared_far_too_wide() -> None:
    """200 releases; .87 held where ends were taken for quantiles as soon as ten thousand points were unlikely."""
    r, held = np.random.default_rng(8), []
    with seeded_noise(8):
        for _ in range(200):
            found = column(r.normal(size=730)).dp.trimmed_mean(0.1, rho=0.05, bounds=(-9000, 9000))
            held.append(found["lower"].item() <= 0 <= found["upper"].item())
    assert np.mean(held) >= 0.95


@pytest.mark.parametrize("values", [[], [3.0], [3.0] * 50, [np.nan] * 50, [1e300, -1e300]])
@pytest.mark.parametrize("name", ["location", "trimmed_mean"])
def test_any_data_have_an_answer_inside_the_bounds_or_none(name: str, values: list[float]) -> None:
    for derived in (False, True):
        x = column(values, rho=10)
        shown = getattr((x[x > -5] if derived else x).dp, name)(rho=0.1, bounds=BOUNDS)
        low, high = shown["lower"].item(), shown["upper"].item()
        assert BOUNDS[0] <= low <= high <= BOUNDS[1]


def test_where_nothing_is_known_the_interval_is_the_range() -> None:
    with zero_noise():
        x = column([1.0, 2.0], rho=10)
        shown = x[x > 5].dp.location(rho=10**-6, bounds=BOUNDS)
    assert (shown["lower"].item(), shown["upper"].item()) == BOUNDS
    assert shown["std_error"].item() == 1000


@pytest.mark.parametrize("name", ["location", "trimmed_mean"])
def test_epsilon_alone_is_refused_before_paying(name: str) -> None:
    for terms in ({"epsilon": 1}, {"epsilon": 1, "delta": 1e-6}, {"rho": 1}):
        x = column([1.0, 2.0], **terms)
        with refused(CostNotOffered, name):
            getattr(x.dp, name)(epsilon=0.1, bounds=BOUNDS)
    session = pdp.Session(epsilon=1, delta=1e-6)
    shown = getattr(session.protect(pd.DataFrame({"x": [1.0, 2.0]}))["x"].dp, name)(
        epsilon=0.5, delta=1e-7, bounds=BOUNDS
    )
    assert shown.dp.metadata["rho"] > 0


REFUSED = {
    "width": {"width": 1.0},
    "idp": {"model": "idp", "rho": None, "epsilon": 0.1},
    "mechanism": {"mechanism": "laplace"},
    "no bounds": {"bounds": None},
    "bootstrap": {"bootstrap": 100},
    "proportion": {"proportion": 0.5},
    "proportion 0": {"proportion": 0},
}


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("name", ["location", "trimmed_mean"])
def test_what_cannot_be_is_refused_before_paying(name: str, case: str) -> None:
    if name == "location" and "proportion" in case:
        pytest.skip("location has none")
    session = pdp.Session(epsilon=1, delta=1e-6, models=["dp", "idp"])
    x = session.protect(pd.DataFrame({"x": [1.0, 2.0]}))["x"]
    how = {"rho": 0.001, "bounds": BOUNDS, **REFUSED[case]}
    if case == "width":
        del how["rho"]
    with refused(PrivacyError):
        getattr(x.dp, name)(**{key: given for key, given in how.items() if given is not None})
    assert len(session.ledger) == 0


def test_times_are_refused() -> None:
    born = pdp.Session(rho=1).protect(pd.DataFrame({"born": pd.to_datetime(["2020-01-01"])}))["born"]
    with refused(PrivacyError):
        born.dp.location(rho=0.1, bounds=(pd.Timestamp("2019"), pd.Timestamp("2021")))


def test_rows_of_people_are_refused() -> None:
    session = pdp.Session(rho=1, unit="who")
    rows = session.protect(pd.DataFrame({"who": ["a", "a", "b"], "x": [1.0, 2.0, 3.0]}), max_rows=2)
    with refused(PrivacyError):
        rows["x"].dp.location(rho=0.1, bounds=BOUNDS)


@pytest.mark.parametrize("name", ["location", "trimmed_mean"])
def test_releases_of_different_scales_are_not_combined(name: str) -> None:
    x = column(lognormal(200), rho=10)
    one, two = (getattr(x.dp, name)(rho=0.1, bounds=BOUNDS) for _ in range(2))
    with refused(PrivacyError):
        pdp.combine([one, two])
