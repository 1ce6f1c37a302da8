"""How many different people there are in each group of rows: `nunique` of the column that says whose a row is."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

VISITS = pd.DataFrame({"user": [1, 1, 2, 2, 3, 3, 3], "day": ["a", "b", "a", "a", "b", "b", "a"], "x": 1.0})
DAYS = {"day": ["a", "b"]}


@pytest.fixture
def visits() -> Any:
    return pdp.Session(epsilon=1e9, unit="user").protect(VISITS)


def test_people_of_each_day_take_one_keyword(visits: Any) -> None:
    users = visits.dp.groupby("day")["user"].nunique(epsilon=1e6, max_cells=2, categories=DAYS)
    assert users["user"].round().tolist() == [3, 2]


def test_without_it_the_sentence_names_it(visits: Any) -> None:
    with refused(errors.UnsupportedArgument):
        visits.dp.groupby("day")["user"].nunique(epsilon=1, categories=DAYS)


def test_rows_of_a_person_do_not_matter_to_people(visits: Any) -> None:
    with refused(errors.UnsupportedArgument, "alone"):
        visits["user"].dp.nunique(epsilon=1, max_rows=2)
    with refused(errors.UnsupportedArgument, "in groups"):
        visits.dp.groupby("day")["user"].nunique(epsilon=1, max_rows=2, categories=DAYS)


def test_cells_of_a_person_do_not_bound_values(visits: Any) -> None:
    with refused(errors.UnsupportedArgument):
        visits["x"].dp.nunique(epsilon=1, max_cells=2, categories={"x": [1.0, 2.0]})
