"""What is refused of moments: from declarations and arguments alone, at no cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .people import SCHEMA, people, protected

Ask = Callable[[Any], Any]
KNOTS = {"age": [18, 30, 66]}
ASKED: dict[str, tuple[type[Exception], Ask]] = {
    "no such column": (errors.UnknownColumn, lambda d: d.moments(["wage", "pay"])),
    "no list": (errors.BadArgument, lambda d: d.moments(5)),
    "no columns": (errors.UnsupportedArgument, lambda d: d.moments([])),
    "twice": (errors.UnsupportedArgument, lambda d: d.moments(["rooms", "C(rooms)"])),
    "no bounds": (errors.NoBounds, lambda d: d.moments(["wage", "extra"])),
    "no categories": (errors.NoCategories, lambda d: d.moments(["age", "C(wage)"])),
    "a factor that is not there": (errors.UnknownColumn, lambda d: d.moments(["wage"], terms=["wage:age"])),
    "three factors": (errors.UnsupportedArgument, lambda d: d.moments(["wage", "age"], terms=["wage:age:age"])),
    "no terms": (errors.BadArgument, lambda d: d.moments(["wage", "age"], terms=3)),
    "two categoricals": (errors.UnsupportedArgument, lambda d: d.moments(["region", "sex"], terms=["region:sex"])),
    "one knot": (errors.BadBounds, lambda d: d.moments(["wage", "age"], splines={"age": [30]})),
    "knots that fall": (errors.BadBounds, lambda d: d.moments(["wage", "age"], splines={"age": [30, 20]})),
    "knots that are text": (errors.BadBounds, lambda d: d.moments(["wage", "age"], splines={"age": ["a", "b"]})),
    "knots beyond floats": (errors.BadBounds, lambda d: d.moments(["wage", "age"], splines={"age": [0, 10**400]})),
    "knots of another column": (errors.UnknownColumn, lambda d: d.moments(["wage"], splines=KNOTS)),
    "no splines": (errors.BadArgument, lambda d: d.moments(["wage"], splines=[1, 2])),
    "a product of hats": (
        errors.UnsupportedArgument,
        lambda d: d.moments(["wage", "age"], splines=KNOTS, terms=["age:wage"]),
    ),
    "importance of nothing": (errors.UnknownColumn, lambda d: d.moments(["wage", "age"], importance={"pay": 2})),
    "importance below none": (errors.UnsupportedArgument, lambda d: d.moments(["wage"], importance={"wage": -1})),
    "no importance": (errors.BadArgument, lambda d: d.moments(["wage"], importance=2)),
    "pure splines": (errors.CostNotOffered, lambda d: d.moments(["wage", "age"], splines=KNOTS, epsilon=1)),
    "pure importance": (errors.CostNotOffered, lambda d: d.moments(["wage"], importance={"wage": 2}, epsilon=1)),
    "too many columns": (errors.UnsupportedArgument, lambda d: d.moments(["wage"], splines={"wage": list(range(120))})),
    "too many cells": (
        errors.UnsupportedArgument,
        lambda d: pdp_groups(d, "rooms", list(range(4000))).moments(["wage", "age", "region"]),
    ),
    "a key among the columns": (errors.UnsupportedArgument, lambda d: d.groupby("sex").moments(["sex", "wage"])),
    "weights": (errors.UnsupportedArgument, lambda d: d.moments(["wage"], weights="age")),
    "bootstrap": (errors.UnsupportedArgument, lambda d: d.moments(["wage"], bootstrap=20)),
    "one name for two": (errors.UnsupportedArgument, lambda d: d.moments(["wage", "Intercept"])),
    "individual": (errors.PrivacyError, lambda d: d.moments(["wage"], model="idp", rho=None)),
}


def pdp_groups(accessor: Any, key: str, levels: list[int]) -> Any:
    return accessor.groupby(key, categories={key: levels})


@pytest.mark.parametrize("case", ASKED)
def test_it_is_refused_before_anything_is_paid(case: str) -> None:
    error, ask = ASKED[case]
    data = people(20).assign(extra=1.0, Intercept=1.0)
    schema = SCHEMA.add_columns({"Intercept": SCHEMA.columns["wage"]})
    session = pdp.Session(epsilon=10, delta=1e-6, schema=schema, models=["dp", "idp"], per_query=0.5)
    accessor = session.protect(data).dp
    with refused(error, case):
        ask(accessor)
    assert len(session.ledger) == 0


def test_rows_of_people_are_refused_without_a_bound_on_them() -> None:
    session = pdp.Session(rho=5, schema=SCHEMA, unit="id")
    visits = session.protect(people(30).assign(id=np.arange(30) // 3))
    with refused(errors.UnsupportedArgument):
        visits.dp.moments(["wage", "age"], rho=0.1)
    assert visits.dp.moments(["wage", "age"], max_rows=2, rho=0.1).shape == (3, 3)


def test_a_table_of_people_with_one_row_each_is_answered() -> None:
    session = pdp.Session(rho=5, schema=SCHEMA, unit="id")
    persons = session.protect(people(30).assign(id=np.arange(30)), one_row=True)
    assert persons.dp.moments(["wage", "age"], rho=0.1).shape == (3, 3)


def test_a_product_is_one_in_whatever_order() -> None:
    found = protected(people(20)).dp.moments(["wage", "age"], terms=["wage:age", ("age", "wage")], rho=1)
    assert found.columns.tolist() == ["Intercept", "wage", "age", "wage:age"]


def test_categories_of_one_question_make_a_number_a_categorical() -> None:
    found = protected(people(20))[["rooms"]].dp.moments(["rooms"], categories=[1, 2], rho=1)
    assert found.columns.tolist() == ["Intercept", "C(rooms)[1]", "C(rooms)[2]"]
    assert isinstance(found, pd.DataFrame)
