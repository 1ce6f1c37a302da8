"""Contrasts of numbers whose errors hang together: planned tables, spreads beside means, shares."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import seeded_noise

KEYS = {"k": ["a", "b"], "l": ["u", "v"]}
RUNS = 400


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    r = np.random.default_rng(4)
    rows = {"x": r.gamma(2, 2, 800).clip(0, 20), "k": r.choice(["a", "b"], 800), "l": r.choice(["u", "v"], 800)}
    return pdp.Session(epsilon=10**9).protect(pd.DataFrame(rows))


def grouped(people: pd.DataFrame) -> pdp.Release:
    by = people.dp.groupby("k", categories={"k": KEYS["k"]})["x"]
    return by.agg(["mean", "std"], epsilon=10, bounds=(0, 20))


def planned(people: pd.DataFrame, epsilon: float = 10.0) -> pdp.Release:
    return people.dp.crosstab(
        "k", "l", values="x", aggfunc="mean", margins="planned", epsilon=epsilon, bounds=(0, 20), categories=KEYS
    )


def test_means_beside_spreads_are_contrasted_as_alone(people: pd.DataFrame) -> None:
    with seeded_noise(1):
        both = grouped(people)
    found = both.dp.contrast("a", "b")
    assert found.index.tolist() == [("x", "mean"), ("x", "std")]
    means = both["x"]["mean"]
    assert found["estimate"].iloc[0] == pytest.approx(means["mean"]["a"] - means["mean"]["b"])
    spread = (means["std_error"] ** 2).sum() ** 0.5
    assert found["std_error"].iloc[0] == pytest.approx(spread)  # independent people: smaller than the sum of both
    ends = both.dp.confint(0.975)["x"]["std"]
    assert found["lower"].iloc[1] == pytest.approx(ends["lower"]["a"] - ends["upper"]["b"])


def test_an_interval_and_its_p_value_say_the_same(people: pd.DataFrame) -> None:
    """Of a hypothesis at the very end of an interval the p value is one less the level."""
    with seeded_noise(1):
        table = planned(people)
    for confidence in (0.5, 0.9, 0.99):
        end = table.dp.confint(confidence).iloc[0, 1]
        p = table.dp.test(float(end))["p_value"].iloc[0]
        assert p == pytest.approx(1 - confidence, rel=1e-3)
    found = table.dp.contrast(("a", "u"), ("b", "u"), confidence=0.9).iloc[0]
    wide = table.dp.contrast(("a", "u"), ("b", "u"), confidence=1 - found["p_value"] * 0.99).iloc[0]
    assert wide["lower"] <= 0 <= wide["upper"]


def test_a_ratio_has_no_end_where_the_second_may_be_nothing(people: pd.DataFrame) -> None:
    with seeded_noise(1):
        sure, unsure = planned(people, 100), planned(people, 0.01)
    held = sure.dp.contrast(("a", "u"), ("b", "u"), kind="ratio").iloc[0]
    assert 0 < held["lower"] < held["estimate"] < held["upper"] < 5
    lost = unsure.dp.contrast(("a", "u"), ("b", "u"), kind="ratio").iloc[0]
    assert lost["upper"] == np.inf
    assert lost["lower"] <= 0


def test_shares_are_contrasted_by_their_intervals(people: pd.DataFrame) -> None:
    with seeded_noise(1):
        shares = people["k"].dp.value_counts(normalize=True, epsilon=5, categories=KEYS["k"])
    found, ends = shares.dp.contrast("a", "b").iloc[0], shares.dp.confint(0.975)
    assert found["lower"] == pytest.approx(ends.iloc[0, 0] - ends.iloc[1, 1])
    assert np.isnan(found["std_error"])


@pytest.mark.slow
def test_planned_counts_hold_their_contrasts_at_least_as_often_as_said() -> None:
    """400 tables at 90 %: fewer than 336 hits have a chance below 1e-4 at 90 %, and the true level is far above."""
    frame = pd.DataFrame({"k": ["a"] * 70 + ["b"] * 30, "l": (["u"] * 3 + ["v"] * 2) * 20})
    people = pdp.Session(epsilon=10**9).protect(frame)
    truth = pd.crosstab(frame["k"], frame["l"], margins=True)
    hits = 0
    for _ in range(RUNS):
        table = people.dp.crosstab("k", "l", margins="planned", epsilon=1, categories=KEYS)
        found = table.dp.contrast(("a", "u"), ("a", "All"), confidence=0.9).iloc[0]
        hits += found["lower"] <= truth.loc["a", "u"] - truth.loc["a", "All"] <= found["upper"]
    assert hits >= 336
