"""Mistakes of a first hour, each answered with what to do, before anything is paid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

KEYS = {"k": ["a", "b"]}


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(epsilon=10)


@pytest.fixture
def people(session: pdp.Session) -> pdp.ProtectedFrame:
    return session.protect(pd.DataFrame({"x": np.arange(100.0) % 9, "k": ["a", "b"] * 50}))


def table_of(package: str) -> Any:
    """As a package that is not installed would make one."""
    return type("DataFrame", (), {"__module__": f"{package}.dataframe"})()


SESSIONS: dict[str, Callable[[], Any]] = {
    "a cap without a name": lambda: pdp.Session(1),  # type: ignore[misc]
    "eps": lambda: pdp.Session(eps=1),  # type: ignore[call-arg]
    "budget": lambda: pdp.Session(budget=1),  # type: ignore[call-arg]
}
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda f: f["x"].dp.mean(1),
    "histogram": lambda f: f["x"].dp.histogram(5, 1),
    "of a table": lambda f: f.dp.corr(1),
    "gaps": lambda f: f.dp.gaps(1),
    "of groups": lambda f: f.dp.groupby("k", categories=KEYS).size(1),
    "nothing to explain": lambda f: f.dp.ols(y="x", x=["k"], epsilon=1),
    "bounds among nothing": lambda f: f["x"].dp.choose_bounds(epsilon=1),
    "no event": lambda f: f.dp.survival("x", epsilon=1),
    "looks of a logit": lambda f: f.dp.logit("x", ["k"], stages=2, epsilon=1),
    "nothing to contrast": lambda f: f["x"].dp.mean(bounds=(0, 9), epsilon=1).dp.contrast(),
    "two columns of groups": lambda f: f.dp.groupby("k", categories=KEYS)["x", "k"].mean(epsilon=1),
    "pandas' groups": lambda f: f.groupby("k")["x"].dp.mean(epsilon=1),
    "pandas' groups of tables": lambda f: f.groupby("k").dp.size(epsilon=1),
}
TABLES: dict[str, Any] = {
    "dask": table_of("dask"),
    "spark": table_of("pyspark"),
    "numpy": np.ones((2, 2)),
    "a dictionary": {"x": [1]},
    "a path": Path("people.csv"),
    "a series": pd.Series([1]),
    "something else": 7,
}


@pytest.mark.parametrize("case", SESSIONS)
def test_a_session_says_how_it_is_opened(case: str) -> None:
    with refused(errors.UnsupportedArgument, case):
        SESSIONS[case]()


@pytest.mark.parametrize("case", QUESTIONS)
def test_a_question_says_how_it_is_asked(case: str, session: pdp.Session, people: pdp.ProtectedFrame) -> None:
    with refused(errors.UnsupportedArgument, case):
        QUESTIONS[case](people)
    assert len(session.ledger) == (case == "nothing to contrast")


@pytest.mark.parametrize("case", TABLES)
def test_what_is_no_table_of_pandas_is_told_how_to_become_one(case: str, session: pdp.Session) -> None:
    with refused(errors.NotProtected, case):
        session.protect(TABLES[case])


def test_a_merge_by_pandas_itself_is_told_of_the_method_which_answers(
    session: pdp.Session, people: pdp.ProtectedFrame
) -> None:
    other = pd.DataFrame({"k": ["a", "b"], "weight": [1.0, 2.0]})
    with pytest.raises(errors.NoSession, match=r"write df\.merge\(other, how='left', on='key'\), which keeps"):
        pd.merge(people, other, how="left", on="k")["weight"].dp.mean(epsilon=1, bounds=(0, 2))  # noqa: PD015
    assert len(session.ledger) == 0
    for merged in (people.merge(other, how="left", on="k"), people.join(other.set_index("k"), on="k")):
        found = merged["weight"].dp.mean(epsilon=5, bounds=(0, 2))
        assert found["mean"].item() == pytest.approx(1.5, abs=0.5)


def test_names_that_are_elsewhere_are_found() -> None:
    with pytest.raises(AttributeError, match=r"df = pdp\.Session\(epsilon=1, schema=\.\.\.\)\.protect\(df\)"):
        _ = pdp.protect  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"questions are asked of a table: df\['x'\]\.dp\.mean"):
        _ = pdp.mean  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"no attribute 'other'\.$"):
        _ = pdp.other  # type: ignore[attr-defined]


def test_pandas_groups_stay_as_pandas_has_them(people: pdp.ProtectedFrame) -> None:
    grouped = pd.DataFrame(people).groupby("k")
    assert grouped["x"].mean().tolist() == grouped["x"].agg("mean").tolist()
    assert "df.dp.groupby(keys)" in repr(grouped.dp)
    assert dir(grouped.dp) == []
    assert not hasattr(grouped.dp, "__array__")
