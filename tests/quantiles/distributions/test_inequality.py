"""Gini coefficient and Lorenz curve of a released distribution."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

RANKS = [0.0, 0.25, 0.5, 0.9, 1.0]


def gini(values: np.ndarray) -> float:
    """Half the mean distance of two values over their mean."""
    return float(np.abs(values[:, None] - values).mean() / 2 / values.mean())


def lorenz(values: np.ndarray, ranks: list[float]) -> np.ndarray:
    shares = np.append(0.0, np.cumsum(np.sort(values))) / values.sum()
    return np.interp(np.array(ranks) * len(values), np.arange(len(values) + 1), shares)


def released(values: np.ndarray, bounds: tuple[int, int], rho: float) -> pd.DataFrame:
    frame = pdp.Session(rho=1e15).protect(pd.DataFrame({"x": values}))
    return frame["x"].dp.cdf(bounds=bounds, rho=rho)


def test_without_noise_whole_numbers_have_those_of_the_rows(people: pd.DataFrame) -> None:
    values = pd.DataFrame(people)["age"].to_numpy(float)
    found = people["age"].dp.cdf()
    assert found.dp.gini(target="sample").iloc[0].tolist() == pytest.approx([gini(values)] * 3, abs=1e-4)
    curve = found.dp.lorenz(RANKS, target="sample")
    for column in curve:
        np.testing.assert_allclose(curve[column], lorenz(values, RANKS), atol=1e-4)


def test_any_place_of_values_in_their_bins_is_allowed_for() -> None:
    rng = np.random.default_rng(0)
    for values in (rng.lognormal(0, 1, 400).clip(0, 40), np.where(rng.random(400) < 0.5, 0.01, 39.99)):
        found = released(values, (0, 40), 1e12)
        estimate, low, high = found.dp.gini(target="sample").iloc[0]
        assert low <= min(gini(values), estimate) <= max(gini(values), estimate) <= high
        curve = found.dp.lorenz(RANKS, target="sample")
        assert (curve["lower"] <= lorenz(values, RANKS) + 1e-6).all()
        assert (curve["upper"] >= lorenz(values, RANKS) - 1e-6).all()


@pytest.mark.parametrize("target", ["sample", "population"])
def test_intervals_hold_on_skewed_values(target: str) -> None:
    rng = np.random.default_rng(1)
    everybody, held = rng.lognormal(0, 1, 3_000).clip(0, 40), []
    for _ in range(12):
        values = rng.choice(everybody, 300)
        _, low, high = released(values, (0, 40), 1.0).dp.gini(target=target).iloc[0]
        held.append(low <= gini(values if target == "sample" else everybody) <= high)
    assert sum(held) >= 8  # fewer by luck: less often than 1e-5 if each holds in .95 of cases


def test_an_interval_says_something() -> None:
    values = np.random.default_rng(2).uniform(0, 1, 20_000)
    _, low, high = released(values, (0, 1), 2.0).dp.gini().iloc[0]
    assert 0 < high - low < 0.05


def test_tenths_are_shown_where_nothing_is_said() -> None:
    found = released(np.arange(100.0), (0, 100), 1.0)
    assert found.dp.lorenz().index.tolist() == [each / 10 for each in range(1, 10)]
    assert found.dp.lorenz()["lorenz"].is_monotonic_increasing


def test_what_is_not_shared_out_is_refused() -> None:
    with refused(errors.NotConcluded, "below zero"):
        released(np.arange(100.0), (-10, 100), 1.0).dp.gini()
    with refused(errors.BadArgument, "a rank above one"):
        released(np.arange(100.0), (0, 100), 1.0).dp.lorenz([2])
