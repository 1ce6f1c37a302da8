"""Knots that a float cannot tell apart would make no number of a row, and are refused before anything is paid."""

from __future__ import annotations

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import BadBounds
from tests.refusals import refused

KNOTS = {
    "the same in steps": ([0, 1e-20], (0, 8)),
    "the same in a wide range": ([0, 1, 2], (0, 1e17)),
    "on both sides of zero": ([-1e-20, 0, 1e-20], (-1, 1)),
    "the least float": ([0, 5e-324], (0, 1)),
    "farther than a float": ([-1e308, 1e308], (0, 1)),
    "beyond the range, without end": ([1e307, 2e307], (0, 1e-9)),
}


@pytest.mark.parametrize("name", KNOTS)
@pytest.mark.parametrize("question", ["moments", "gam_classifier"])
def test_knots_that_are_not_told_apart_are_refused(name: str, question: str) -> None:
    knots, bounds = KNOTS[name]
    session = pdp.Session(rho=100)
    people = session.protect(pd.DataFrame({"x": [1.0, 0.0] * 50, "z": [0.0, 0.5] * 50}))
    given = {"splines": {"z": knots}, "bounds": {"x": (0, 1), "z": bounds}, "rho": 0.01}
    with refused(BadBounds, f"knots, {question}"):
        if question == "moments":
            people.dp.moments(["x", "z"], **given)
        else:
            people.dp.gam_classifier("x", ["z"], **given)
    assert len(session.ledger) == 0
