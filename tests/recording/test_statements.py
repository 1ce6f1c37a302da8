"""Statements as others write them, on a protected table: most that are row by row are followed, no other one is."""

from __future__ import annotations

import contextlib
import io
import warnings
from collections import Counter

import pytest

import pandas_dp as pdp
from pandas_dp import pandas as ours
from pandas_dp.language.graph import lost_in
from pandas_dp.recording.record import Shown, nodes_of

from ..language.statements.reading import given as result_of
from ..language.statements.reading import statements
from ..language.statements.tables import TABLES


@pytest.mark.slow  # ten seconds
@pytest.mark.parametrize(("half", "share"), [("open", 0.97), ("kept", 0.95)])
def test_nine_in_ten_are_followed(half: str, share: float) -> None:
    words = Counter(_word(each.table, each.text) for each in statements(half, "row"))
    assert words["followed"] >= share * words.total()
    assert words["followed after reading"] <= 2


@pytest.mark.slow
@pytest.mark.parametrize("half", ["open", "kept"])
def test_none_that_mixes_rows_is(half: str) -> None:
    assert not {_word(each.table, each.text) for each in statements(half, "mixing")} & {"followed"}


def _word(table: str, text: str) -> str:
    session = pdp.Session(epsilon=1)
    protected = session.protect(TABLES[table]())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found = result_of(text, protected, ours)
        except Exception:  # noqa: BLE001 - pandas raises on these rows
            return "raised"
    if not isinstance(found, Shown) or lost_in(nodes_of(found._dp_made)) is not None:
        return "not followed"
    return "followed" if session._core.tables.read == "nothing" else "followed after reading"
