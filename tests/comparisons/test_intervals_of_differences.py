"""Intervals of a difference of two groups: the hull of what a test does not reject, and what stands beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.comparisons.evidence_differences import Quadratic, _not_rejected

DECLARED = {"bounds": {"wage": (0, 120)}, "categories": {"g": ["a", "b"]}}


def held(equation: tuple[float, float], variance: Quadratic) -> np.ndarray:
    """Of many differences between -1 and 1 those that are not rejected."""
    tried = np.linspace(-1, 1, 20_001)
    first, second = equation
    off = (first - second * tried) ** 2
    return tried[off <= 1.96**2 * (variance.constant + variance.linear * tried + variance.square * tried**2)]


def test_an_interval_is_the_hull_of_all_differences_that_are_not_rejected() -> None:
    rng = np.random.default_rng(3)
    kinds = set()
    for _ in range(300):
        second = float(rng.uniform(0.05, 2))
        square, constant = rng.uniform(0.001, 0.6, 2)
        variance = Quadratic(float(constant), float(rng.uniform(-1.9, 1.9) * np.sqrt(square * constant)), float(square))
        equation = (float(rng.normal(0, 2)), second)
        low, high = _not_rejected(equation, variance, 1.96, 1.0)
        by_trying = held(equation, variance)
        if not len(by_trying):
            assert low == high or (low, high) == (-1, 1)
            continue
        assert (low, high) == pytest.approx((by_trying[0], by_trying[-1]), abs=2e-4)
        kinds.add((second**2 > 1.96**2 * square, low == -1, high == 1))
    assert {(False, True, True), (False, False, True), (False, True, False), (True, False, False)} <= kinds


def test_where_a_weight_is_lost_in_noise_an_interval_is_all_there_can_be() -> None:
    assert _not_rejected((1.0, -0.3), Quadratic(1, 0, 0.01), 1.96, 1.0) == (-1, 1)
    assert _not_rejected((1.0, float("nan")), Quadratic(1, 0, 0.01), 1.96, 1.0) == (-1, 1)


@pytest.mark.parametrize("question", ["rank_test", "t_test"])
def test_of_one_person_and_five_no_difference_is_told(question: str) -> None:
    rows = pd.DataFrame({"wage": [20.0, 30, 40, 50, 60, 70], "g": list("abbbbb")})
    people = pdp.Session(rho=1e9).protect(rows)
    asked = getattr(people.dp, question)("wage", by="g", **DECLARED, rho=1e6)
    found = pd.DataFrame(asked).iloc[0]
    assert found["p_value"] > 0.1
    assert (found["lower"], found["upper"]) == ((0, 1) if question == "rank_test" else (-120, 120))
    assert found[["estimate", "std_error"]].isna().all()
    assert "not told" in repr(asked)


def test_of_enough_people_the_difference_is_told() -> None:
    rows = pd.DataFrame({"wage": [20.0] * 10 + [30.0, 40, 50, 60, 70] * 2, "g": ["a"] * 10 + ["b"] * 10})
    people = pdp.Session(rho=1e9).protect(rows)
    found = pd.DataFrame(people.dp.rank_test("wage", by="g", **DECLARED, rho=1e6)).iloc[0]
    assert found["estimate"] == pytest.approx(1, abs=1e-3)
    assert found["lower"] > 0.5
