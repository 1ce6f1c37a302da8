"""What `derive` takes: a frame and expressions, or under a unit a function of the rows of one person."""

from __future__ import annotations

from typing import Any

import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused

from .rows import Visits, visits

WRONG: dict[str, Any] = {
    "nothing": lambda s, f: s.derive(lambda d: d),
    "no function": lambda s, f: s.derive(5, f),
    "no frame": lambda s, f: s.derive(lambda d: d, 5),
    "all rows": lambda s, f: s.derive(lambda d: d.assign(z=d.x - d.x.mean()), f),
    "function and expression": lambda s, f: s.derive(lambda d: d, f, z="n"),
    "frame and frame": lambda s, f: s.derive(f, f),
    "no expression": lambda s, f: s.derive(f),
    "each": lambda s, f: s.derive(lambda d: d, f, each="row"),
    "each without a unit": lambda s, f: s.derive(lambda d: d, f, each="person"),
    "lost": lambda s, f: s.derive(f.reset_index(drop=True), z="n"),
    "scanned": lambda s, f: s.derive(s.scan(visits()), z="n"),
    "another session": lambda s, f: pdp.Session(epsilon=1).derive(f, z="n"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_derivation_is_refused(name: str) -> None:
    session = pdp.Session(epsilon=1, schema=Visits)
    with refused(errors.PrivacyError, name):
        WRONG[name](session, session.protect(visits()))


OF_PEOPLE: dict[str, Any] = {
    "undeclared": lambda s, f: s.derive(lambda d: d, f.assign(new=1), each="person"),
    "lost": lambda s, f: s.derive(lambda d: d, f.reset_index(drop=True), each="person"),
    "columns of levels": lambda s, f: s.derive(lambda d: d, f[["n"]].set_axis([["n"], ["m"]], axis=1), each="person"),
    "two frames": lambda s, f: s.derive(lambda d, e: d, f, f, each="person"),
    "all rows": lambda s, f: s.derive(lambda d: d.groupby("pid")[["n"]].sum(), f),
}


@pytest.mark.parametrize("name", OF_PEOPLE)
def test_what_is_no_derivation_of_a_person_is_refused(name: str) -> None:
    session = pdp.Session(epsilon=1, schema=Visits, unit="pid")
    with refused(errors.PrivacyError, f"of people: {name}"):
        OF_PEOPLE[name](session, session.protect(visits()))


def test_a_closed_session_derives_nothing() -> None:
    session = pdp.Session(epsilon=1, schema=Visits)
    frame = session.protect(visits())
    session.close()
    with pytest.raises(errors.SessionClosed):
        session.derive(frame, z="n")
