"""Sessions across processes and time: one in memory stays where it is, one with a file continues its budget."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp import errors

STAY = (
    "a session without a ledger file cannot be copied or pickled; open it with a file, e.g. "
    'Session(..., ledger="survey.ledger").'
)


def spend(session: pdp.Session, epsilon: float) -> None:
    data = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 25}))
    data["age"].dp.sum(bounds=(0, 100), epsilon=epsilon)


@pytest.mark.parametrize("travel", [pickle.dumps, copy.deepcopy])
def test_a_session_in_memory_refuses_to_travel(travel: Any) -> None:
    with pytest.raises(errors.LedgerError) as caught:
        travel(pdp.Session(epsilon=1))
    assert str(caught.value) == STAY


def test_a_session_opened_again_on_its_file_continues_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    with pdp.Session(epsilon=1, ledger=path) as first:
        spend(first, 0.75)
    with pdp.Session(epsilon=1, ledger=path) as second:
        assert str(second.left) == "epsilon=0.25"
        assert len(second.ledger) == 1
        with pytest.raises(errors.BudgetExceeded) as caught:
            spend(second, 0.5)
        assert str(caught.value) == "asked for epsilon=0.5, but only epsilon=0.25 of epsilon=1 is left."


def test_two_sessions_on_one_file_share_its_budget(tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    with pdp.Session(epsilon=1, ledger=path) as first, pdp.Session(epsilon=1, ledger=path) as second:
        spend(first, 0.5)
        spend(second, 0.5)
        with pytest.raises(errors.BudgetExceeded):
            spend(first, 0.1)
        assert first.ledger["release"].tolist() == second.ledger["release"].tolist()


@pytest.mark.parametrize(
    ("terms", "differences"),
    [
        ({"epsilon": 2}, "a cap of epsilon=1, not epsilon=2"),
        ({"epsilon": 1, "delta": 1e-6}, "a cap of epsilon=1, not epsilon=1, delta=1e-06"),
        ({"rho": 1}, "a cap of epsilon=1, not rho=1"),
        ({"epsilon": 1, "neighbours": "add_remove"}, "neighbours 'replace', not 'add_remove'"),
    ],
)
def test_a_file_opened_on_other_terms_is_refused(terms: dict[str, Any], differences: str, tmp_path: Path) -> None:
    path = tmp_path / "survey.ledger"
    pdp.Session(epsilon=1, ledger=path).close()
    with pytest.raises(errors.LedgerMismatch) as caught:
        pdp.Session(ledger=path, **terms)
    assert str(caught.value) == f"{path} was opened with {differences}; open it as it was, or give another file."


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
    assert again["age"].dp.sum(bounds=(0, 100), epsilon=0.1).attrs["dp"]["derived"] is True
