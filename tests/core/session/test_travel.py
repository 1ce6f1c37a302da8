"""Sessions across processes and time: one in memory stays where it is, one with a file continues its budget."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp import errors
from tests.refusals import refused


def spend(session: pdp.Session, epsilon: float) -> None:
    data = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 25}))
    data["age"].dp.sum(bounds=(0, 100), epsilon=epsilon)


@pytest.mark.parametrize("travel", [pickle.dumps, copy.deepcopy])
def test_a_session_in_memory_refuses_to_travel(travel: Any) -> None:
    with refused(errors.LedgerError):
        travel(pdp.Session(epsilon=1))


def test_a_session_opened_again_on_its_file_continues_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    with pdp.Session(epsilon=1, ledger=path) as first:
        spend(first, 0.75)
    with pdp.Session(epsilon=1, ledger=path) as second:
        assert str(second.left) == "epsilon=0.25"
        assert len(second.ledger) == 1
        with refused(errors.BudgetExceeded):
            spend(second, 0.5)


def test_two_sessions_on_one_file_share_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    with pdp.Session(epsilon=1, ledger=path) as first, pdp.Session(epsilon=1, ledger=path) as second:
        spend(first, 0.5)
        spend(second, 0.5)
        with pytest.raises(errors.BudgetExceeded):
            spend(first, 0.1)
        assert first.ledger["release"].tolist() == second.ledger["release"].tolist()


@pytest.mark.parametrize(
    "terms",
    [
        {"epsilon": 2},
        {"epsilon": 1, "delta": 1e-6},
        {"rho": 1},
        {"epsilon": 1, "neighbours": "add_remove"},
    ],
)
def test_a_file_opened_on_other_terms_is_refused(terms: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    pdp.Session(epsilon=1, ledger=path).close()
    with refused(errors.LedgerMismatch):
        pdp.Session(ledger=path, **terms)


def test_a_frame_of_an_earlier_session_is_not_answered_by_a_later_one_on_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    with pdp.Session(epsilon=1, ledger=path) as first:
        people = first.protect(pd.DataFrame({"age": [31, 54]}))
    with pdp.Session(epsilon=1, ledger=path), pytest.raises(errors.SessionClosed):
        people["age"].dp.sum(bounds=(0, 100), epsilon=0.1)


def test_a_protected_frame_that_was_pickled_is_derived_from_then_on() -> None:
    session = pdp.Session(epsilon=1)
    people = session.protect(pd.DataFrame({"age": [31, 54]}))
    again = pickle.loads(pickle.dumps(people))
    assert again["age"].dp.sum(bounds=(0, 100), epsilon=0.1).attrs["dp"]["rows"] == "derived"


# A session with a ledger that others can reach travels


def asked(session: pdp.Session) -> pd.DataFrame:
    people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
    return people["age"].dp.mean(bounds=(0, 100), epsilon=0.25)


def test_a_pickled_session_is_the_same_budget(tmp_path: Path) -> None:
    schema = pa.DataFrameSchema({"age": pa.Column(float, pa.Check.in_range(0, 100))})
    with pdp.Session(epsilon=1, ledger=tmp_path / "a", models=["dp", "idp"], schema=schema, name="survey") as session:
        asked(session)
        there = pickle.loads(pickle.dumps(session))
        asked(there)
        assert (session.share_used, there.share_used) == (0.5, 0.5)
        assert (there.name, there.models, str(there.cap), there.closed) == ("survey", ("dp", "idp"), "epsilon=1", False)
        there.protect(pd.DataFrame({"age": [31.0, 54.0]}))["age"].dp.mean(epsilon=0.25)
        with pytest.raises(errors.BudgetExceeded):
            asked(session), asked(session)
        there.close()


def test_what_a_session_protects_does_not_travel_with_it(tmp_path: Path) -> None:
    with pdp.Session(epsilon=1, ledger=tmp_path / "a") as session:
        people = session.protect(pd.DataFrame({"age": [31.5, 54.5] * 50}))
        parcel = pickle.dumps(session)
        assert len(parcel) < 10_000
        frame = pickle.dumps(people)
        there = pickle.loads(parcel)
        people["age"].dp.count(epsilon=0.1)
        assert not there._core.has_protected
        again = pickle.loads(frame)
        again["age"].dp.count(epsilon=0.1)  # of the session that protected it
        assert there.share_used == session.share_used == 0.2


def test_a_pickled_session_takes_no_older_copy_of_its_ledger(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with pdp.Session(epsilon=1, ledger=path) as session:
        older = path.read_bytes()
        asked(session)
        parcel = pickle.dumps(session)
    path.write_bytes(older)
    with pytest.raises(errors.LedgerCorrupt, match="an older copy was put back"):
        asked(pickle.loads(parcel))


def test_a_closed_session_travels_closed(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=1, ledger=tmp_path / "a")
    session.close()
    there = pickle.loads(pickle.dumps(session))
    assert there.closed
    with pytest.raises(errors.SessionClosed):
        asked(there)
    assert there.share_used == 0
