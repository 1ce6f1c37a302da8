"""What a test cannot be asked of, from public facts alone, before anything is paid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import BadArgument, NotConcluded, UnsupportedArgument
from tests.refusals import refused

from .test_values import DATA, People, protected

ASKED: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "three groups": (BadArgument, lambda f: f.dp.t_test("wage", by="region", rho=1)),
    "nothing to compare": (BadArgument, lambda f: f.dp.t_test("wage", rho=1)),
    "no column": (BadArgument, lambda f: f.dp.t_test(by="union", rho=1)),
    "a column and pairs": (BadArgument, lambda f: f.dp.t_test("wage", paired=("wage", "after"), rho=1)),
    "groups and a value": (BadArgument, lambda f: f.dp.t_test("wage", by="union", value=3, rho=1)),
    "a value that is none": (BadArgument, lambda f: f.dp.t_test("wage", value="much", rho=1)),
    "pairs of three": (BadArgument, lambda f: f.dp.t_test(paired=("wage", "after", "mark"), rho=1)),
    "ranks without groups": (BadArgument, lambda f: f.dp.rank_test("wage", rho=1)),
    "other": (UnsupportedArgument, lambda f: f.dp.rank_test("wage", by="region", other=True, rho=1)),
    "one group": (BadArgument, lambda f: f.dp.rank_test("wage", by="region", categories=["n"], rho=1)),
    "weaker": (UnsupportedArgument, lambda f: f.dp.t_test("wage", by="union", model="idp", epsilon=1)),
    "weights": (UnsupportedArgument, lambda f: f.dp.t_test("wage", by="union", weights="mark", rho=1)),
    "a path of three groups": (BadArgument, lambda f: f.dp.ks_test("wage", by="region", rho=1)),
}


@pytest.mark.parametrize("case", ASKED)
def test_refused_before_paying(case: str) -> None:
    error, ask = ASKED[case]
    session = pdp.Session(rho=10, schema=People, models=["dp", "idp"])
    frame = session.protect(DATA)
    with refused(error, case):
        ask(frame)
    assert len(session.ledger) == 0


def test_rows_of_people_are_refused_and_people_are_not() -> None:
    rows = DATA.assign(person=np.arange(len(DATA)) // 2)
    session = pdp.Session(rho=10, unit="person")
    visits = session.protect(rows)
    declared: dict[str, Any] = {"bounds": {"wage": (0, 120)}, "categories": {"union": [False, True]}}
    with refused(UnsupportedArgument):
        visits.dp.t_test("wage", by="union", max_rows=2, rho=1, **declared)
    people = session.protect(DATA.assign(person=range(len(DATA))), one_row=True)
    assert len(people.dp.t_test("wage", by="union", rho=1, **declared)) == 1


def test_several_groups_have_no_interval() -> None:
    release = protected(DATA).dp.rank_test("wage", by="region", rho=1)
    with refused(NotConcluded):
        release.dp.confint()


def test_a_path_has_no_interval_for_a_population() -> None:
    release = protected(DATA).dp.ks_test("wage", by="union", rho=1)
    assert release.dp.confint().shape == (1, 2)
    with refused(NotConcluded):
        release.dp.confint(target="population")


def test_tests_are_not_combined() -> None:
    frame = protected(DATA)
    for ask in (
        lambda: frame.dp.t_test("wage", by="union", rho=1),
        lambda: frame.dp.t_test("wage", value=1, rho=1),
        lambda: frame.dp.rank_test("wage", by="region", rho=1),
        lambda: frame.dp.ks_test("wage", by="union", rho=1),
    ):
        with refused(NotConcluded, "tests are not combined"):
            pdp.combine([ask(), ask()])


def test_times_are_no_numbers() -> None:
    frame = pdp.Session(rho=10).protect(pd.DataFrame({"t": pd.date_range("2020", periods=4), "g": [True, False] * 2}))
    ends = pd.Timestamp("2020"), pd.Timestamp("2021")
    with pytest.raises(pdp.PrivacyError, match="holds times"):
        frame.dp.t_test("t", by="g", bounds={"t": ends}, categories={"g": [False, True]}, rho=1)
