"""Programs on a protected table: what mixes rows is refused or was seen to read; what does not is followed."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.errors import NotFollowed
from pandas_dp.language.graph import lost_in
from pandas_dp.recording.record import Shown, nodes_of
from pandas_dp.recording.sources import values_of

from .honest import HONEST
from .programs import FURTHER, MIXING, OUTSIDE, programs
from .running import NAMES, run, table

MIXES = [each for text in MIXING.values() for each in programs(text)] + FURTHER
FREEZES = ("setdefault", "append", "__setitem__", "update")
"""What writes into a copy that nobody can write into: it fails for each row alike."""


@pytest.fixture
def session() -> pdp.Session:
    return pdp.Session(epsilon=1e9)


def asked(program: str, session: pdp.Session) -> tuple[Any, str | None]:
    """What a program makes of a protected table, and why it is not followed."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run(program, session.protect(table()), table())
    if isinstance(found, Shown):
        reason = lost_in(nodes_of(found._dp_made))
        return found, None if reason is None else reason.reason
    if not isinstance(found, pd.DataFrame | pd.Series):
        return found, "it is no table"
    with pytest.raises(pdp.errors.PrivacyError) as refusal:
        session._core.subject(found)
    return found, str(refusal.value)


@pytest.mark.parametrize("program", MIXES)
def test_what_mixes_rows_is_refused_or_was_seen_to_read(program: str, session: pdp.Session) -> None:
    try:
        found, reason = asked(program, session)
    except Exception:  # noqa: BLE001 - pandas, or the house, has no such thing: nothing to ask
        return
    if reason is None and session._core.tables.read == "nothing":
        assert any(word in program for word in FREEZES), "a mixing program was followed, and nobody knows it"
        assert found._dp_made.isna().dp.share(epsilon=1e6)["share"].item() == pytest.approx(1)


def test_most_of_them_are_refused() -> None:
    """So that the test before this one cannot pass because nothing is followed or everything is read."""
    words = []
    for program in MIXES[::5]:
        with contextlib.suppress(Exception):
            words.append(asked(program, pdp.Session(epsilon=1))[1] is None)
    assert 0.1 < np.mean(words) < 0.4


@pytest.mark.parametrize("program", programs(HONEST))
def test_what_mixes_none_is_followed_reads_nothing_and_is_what_pandas_shows(program: str, session: pdp.Session) -> None:
    found, reason = asked(program, session)
    assert reason is None
    assert session._core.tables.read == "nothing"
    made = values_of(found._dp_made, found._dp_real().index)
    if made is None or program in OTHERWISE:
        return
    ours, theirs = (each.to_frame() if isinstance(each, pd.Series) else each for each in (made, found._dp_real()))
    for place in range(theirs.shape[1]):
        a, b = ours.iloc[:, place].tolist(), theirs.iloc[:, place].astype(object).tolist()
        assert [*map(_said, a)] == [*map(_said, b)]


OTHERWISE: frozenset[str] = frozenset()
"""Of which the language has values of its own, by docs/language.md."""


def _said(value: Any) -> Any:
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return "missing"
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return pytest.approx(float(value), rel=1e-12)
    return str(value)


@pytest.mark.parametrize("program", programs(OUTSIDE))
def test_what_reads_the_table_that_was_not_protected_is_not_seen(program: str, session: pdp.Session) -> None:
    """As docs/known-limits.md says: where this fails, it may say less."""
    asked(program, session)
    assert session._core.tables.read == "nothing"


@pytest.mark.parametrize(
    "program", ["d.y.rank()", "d.y - d.y.mean()", "d.head(9)", "pd.DataFrame(d)", "d.groupby('k').y.cumsum()"]
)
def test_a_refusal_is_before_paying_and_does_not_depend_on_rows(program: str) -> None:
    said = set()
    for rows in (table(), table().iloc[:7], table().assign(y=1.0), table().iloc[:0]):
        session = pdp.Session(epsilon=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = run(program, session.protect(rows), rows)
        column = found["y"] if isinstance(found, pd.DataFrame) else found
        with pytest.raises(NotFollowed) as refusal:
            column.dp.mean(bounds=(0, 1), epsilon=0.5)
        said.add(str(refusal.value))
        assert not len(session.ledger)
    assert len(said) == 1


def test_made_says_what_was_followed_and_why_the_rest_was_not(session: pdp.Session) -> None:
    d = session.protect(table())
    lines = d.assign(z=d.y.rank(), u=d.y * 2).dp.made.split("\n")
    assert lines[0] == "u: y * 2"
    assert lines[1].startswith("z: not followed: rank looks at other rows;")


@pytest.mark.parametrize(
    "program", ["np.log(d.y - 9)", "np.sqrt(d.y - 9)", "np.exp(d.y * 999)", "np.arcsin(d.y)", "1 / d.n"]
)
def test_what_numpy_would_warn_of_is_not_said_as_it_tells_of_rows(program: str, session: pdp.Session) -> None:
    d = session.protect(table())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        eval(program, NAMES | {"d": d})
