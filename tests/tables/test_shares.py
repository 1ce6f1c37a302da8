"""Shares of a released crosstab: what pandas shows, with intervals that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from pandas_dp.testing import zero_noise

TWO = {"k": ["a", "b", "c"], "j": ["1", "2"]}
DATA = pd.DataFrame({"k": ["a"] * 70 + ["b"] * 25 + ["c"] * 5, "j": ["1", "2", "1", "1", "2"] * 20})


@pytest.mark.parametrize("of", ["all", "index", "columns"])
@pytest.mark.parametrize("margins", [False, True, "planned"])
def test_shares_are_those_of_pandas_and_their_intervals_hold(of: str, margins: Any) -> None:
    """60 tables, 6 shares each, at level 0.8 and more for either end: below 0.62 would be luck of less than 1e-6."""
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(DATA)
    truth = pd.crosstab(DATA.k, DATA.j, normalize=of)  # type: ignore[call-overload]
    with zero_noise():
        exact = frame.dp.crosstab("k", "j", epsilon=1, categories=TWO, margins=margins).dp.shares(of)
    assert exact["share"].to_numpy() == pytest.approx(truth.to_numpy())
    held = 0.0
    for _ in range(60):
        found = frame.dp.crosstab("k", "j", epsilon=1, categories=TWO, margins=margins).dp.shares(of, level=0.8)
        assert found["lower"].to_numpy().min() >= 0
        assert found["upper"].to_numpy().max() <= 1
        within = (found["lower"].to_numpy() <= truth.to_numpy()) & (truth.to_numpy() <= found["upper"].to_numpy())
        held += within.mean() / 60
    assert held > 0.62


def test_an_empty_table_has_shares_that_say_nothing() -> None:
    session = pdp.Session(epsilon=10**9)
    frame = session.protect(DATA.iloc[:1].assign(k="never"))
    for _ in range(10):
        found = frame.dp.crosstab("k", "j", epsilon=0.01, categories=TWO).dp.shares("index")
        assert (found["lower"].to_numpy() >= 0).all()
        assert np.nanmax(found["upper"].to_numpy()) == 1


@pytest.mark.parametrize(
    ("conclude", "says"),
    [
        (lambda t: t.dp.shares("rows"), "of must be 'all', 'index' or 'columns'"),
        (lambda t: t.dp.shares(level=1), "level must lie between 0 and 1, not 1."),
        (lambda t: t.dp.round_to(5).dp.shares(), "before it is rounded or adjusted"),
    ],
)
def test_what_cannot_be_shared_out_is_refused(conclude: Any, says: str) -> None:
    session = pdp.Session(epsilon=10)
    table = session.protect(DATA).dp.crosstab("k", "j", epsilon=1, categories=TWO)
    with pytest.raises(errors.PrivacyError, match=says.replace("(", r"\(")):
        conclude(table)
