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

from ..refusals import refused


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
    assert again["age"].dp.sum(bounds=(0, 100), epsilon=0.1).attrs["dp"]["derived"] is True
