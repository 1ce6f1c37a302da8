"""What regressions refuse, and in which words: before anything is paid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

TABLE = pd.DataFrame(
    {
        "wage": np.linspace(0, 40, 400),
        "school": np.arange(400) % 20,
        "region": ["north", "south"] * 200,
        "union": [True, False, False, True] * 100,
        "person": np.arange(400) // 4,
    }
)
BOUNDS = {"wage": (0, 40), "school": (0, 20)}
SORTS = {"region": ["north", "south"], "union": [False, True]}


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(rho=10)


@pytest.fixture
def people(session: pdp.Session) -> Any:
    return session.protect(TABLE)


@pytest.mark.parametrize("statistic", ["ols", "logit", "poisson", "plan_ols"])
def test_one_pair_of_bounds_for_several_columns_is_refused(statistic: str, people: Any, session: pdp.Session) -> None:
    with refused(errors.BadBounds, statistic):
        getattr(people.dp, statistic)("wage ~ school", bounds=(0, 40), rho=1)
    assert len(session.ledger) == 0


def test_one_pair_of_bounds_is_that_of_the_only_column_of_numbers(people: Any) -> None:
    one_sort = {"region": ["north", "south"]}
    assert len(people.dp.ols("wage ~ C(region)", bounds=(0, 40), categories=one_sort, rho=1)) == 2


@pytest.mark.parametrize("formula", ["wage ~ school + region", "wage ~ school + C(union)"])
def test_a_column_of_which_nothing_is_declared_may_hold_numbers_or_labels(formula: str, people: Any) -> None:
    with refused(errors.PrivacyError, formula):
        people.dp.ols(formula, bounds=BOUNDS, rho=1)


@pytest.mark.parametrize("formula", ["wage ~ scool", "wag ~ school"])
@pytest.mark.parametrize("statistic", ["ols", "logit"])
def test_a_word_of_a_formula_that_is_no_column_is_named(statistic: str, formula: str, people: Any) -> None:
    with refused(errors.UnknownColumn, f"{statistic}, {formula}"):
        getattr(people.dp, statistic)(formula, bounds=BOUNDS, rho=1)


def test_two_categories_that_are_multiplied_are_asked_otherwise(people: Any) -> None:
    with refused(errors.UnsupportedArgument):
        people.dp.ols("wage ~ C(region)*C(union)", bounds={"wage": (0, 40)}, categories=SORTS, rho=1)


@pytest.mark.parametrize("hypothesis", ["scool = 0", ["scool"], {"scool": 1}])
def test_a_word_of_a_hypothesis_that_is_no_coefficient_is_named(hypothesis: Any, people: Any) -> None:
    fit = people.dp.ols("wage ~ school", bounds=BOUNDS, rho=1)
    with refused(errors.UnsupportedArgument):
        fit.dp.wald_test(hypothesis)


ASKED: dict[str, Any] = {
    "kmeans": lambda p: p.dp.kmeans(["wage", "school"], 2, bounds=BOUNDS, rho=1),
    "t_test": lambda p: p.dp.t_test("wage", value=3, bounds=(0, 40), rho=1),
    "rank_test": lambda p: p.dp.rank_test("wage", "union", bounds=(0, 40), categories=SORTS["union"], rho=1),
    "location": lambda p: p["wage"].dp.location(bounds=(0, 40), rho=1),
    "trimmed_mean": lambda p: p["wage"].dp.trimmed_mean(bounds=(0, 40), rho=1),
    "cdf": lambda p: p["wage"].dp.cdf(bounds=(0, 40), rho=1),
    "survival": lambda p: p.dp.survival("wage", "union", bounds=(0, 40), rho=1),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_question_of_one_row_a_person_is_not_told_to_say_how_many_rows_count(name: str) -> None:
    session = pdp.Session(rho=10, unit="person")
    with refused(errors.UnsupportedArgument, f"of people, {name}") as caught:
        ASKED[name](session.protect(TABLE))
    assert "max_rows" not in str(caught.value)
    assert len(session.ledger) == 0


@pytest.mark.parametrize("proportion", [10, "a tenth"])
def test_what_is_no_share_is_called_a_proportion(proportion: Any, people: Any) -> None:
    with refused(errors.BadArgument, f"trimmed_mean({proportion!r})"):
        people["wage"].dp.trimmed_mean(proportion, bounds=(0, 40), rho=1)
