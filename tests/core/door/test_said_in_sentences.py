"""What was once Python's own TypeError, or a wrong guess, is a sentence."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

TABLE = pd.DataFrame({"wage": [20.0, 30.0] * 200, "ill": [0, 1] * 200, "sex": ["f", "m"] * 200})


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(epsilon=10)


@pytest.fixture
def people(session: pdp.Session) -> Any:
    return session.protect(TABLE)


def test_a_watch_has_its_cost_as_epsilon(session: pdp.Session) -> None:
    with refused(errors.BadCost):
        session.watch(above=10, rho=1)
    assert len(session.ledger) == 0


def test_a_test_of_tests_is_told_what_is_small(people: Any) -> None:
    with refused(errors.BadArgument):
        people.dp.blocks(40, bounds=(0, 100)).test_of_tests(lambda rows: 0.5, epsilon=1)


def test_a_location_in_groups_is_asked_of_parts(people: Any) -> None:
    with refused(AttributeError):
        people.dp.groupby("sex")["wage"].location()


def test_a_risk_of_means_is_one_of_shares(people: Any) -> None:
    means = people.dp.groupby("sex", categories=["f", "m"])["ill"].mean(bounds=(0, 1), epsilon=1)
    with refused(errors.NotConcluded):
        means.dp.relative_risk()
