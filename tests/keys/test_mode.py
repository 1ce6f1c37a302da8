"""The most frequent of declared categories, and those that noise may have kept from that place."""

from __future__ import annotations

import numpy as np
import pandas as pd

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused


def test_the_first_row_is_the_mode_and_counts_stay_beside_it(people: pd.DataFrame) -> None:
    found = people["region"].dp.mode()
    expected = pd.DataFrame(people)["region"].value_counts()
    assert found.index.tolist() == [expected.index[0]]
    assert found["count"].item() == expected.iloc[0]
    assert found.dp.confint().shape == (1, 2)


def test_categories_that_noise_leaves_possible_are_below_it() -> None:
    frame = pdp.Session(epsilon=1e6).protect(pd.DataFrame({"k": ["a"] * 400 + ["b"] * 395 + ["c"] * 10}))
    found = frame["k"].dp.mode(categories=["a", "b", "c"], epsilon=0.2)
    assert sorted(found.index) == ["a", "b"]
    assert found["count"].is_monotonic_decreasing


def test_the_mode_of_the_rows_is_nearly_always_among_them() -> None:
    frame = pdp.Session(epsilon=1e6).protect(pd.DataFrame({"k": ["a"] * 105 + ["b"] * 100 + ["c"] * 95}))
    answers = [frame["k"].dp.mode(categories=["c", "b", "a"], epsilon=0.1) for _ in range(60)]
    assert np.mean(["a" in found.index for found in answers]) >= 0.9  # below that by luck: less than 1e-5 if .98 hold


def test_it_costs_what_counts_cost_and_is_planned(session: pdp.Session, people: pd.DataFrame) -> None:
    planned = session.plan(lambda: people["region"].dp.mode(epsilon=1))
    assert planned["statistic"].tolist() == ["count"]
    people["region"].dp.mode(epsilon=1)
    assert session.ledger[["statistic", "epsilon"]].to_numpy().tolist() == [["value_counts", 1.0]]


def test_where_there_is_no_mode_it_is_refused_before_it_is_paid(session: pdp.Session, people: pd.DataFrame) -> None:
    with refused(errors.UnsupportedArgument, "unknown"):
        people["region"].dp.mode(categories="unknown")
    with refused(errors.UnsupportedArgument, "weaker"):
        people["region"].dp.mode(model="idp")
    with refused(errors.NoCategories, "of numbers"):
        people["free"].dp.mode()
    assert len(session.ledger) == 0
