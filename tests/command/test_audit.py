"""`python -m pandas_dp audit`: the library's own questions, on tables that are made up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pandas_dp.audit import OWN, audit_own
from pandas_dp.audit import run as own
from pandas_dp.command import main

from .scene import run, run_apart


@pytest.mark.slow
def test_questions_are_audited_by_words_of_their_names() -> None:
    found = run_apart("audit", "crosstab", "--runs", "20")
    assert found.returncode == 0
    first, *_, last = found.stdout.splitlines()
    assert first == "crosstab: nothing found. Promised: epsilon=1."
    assert last == "1 question: nothing found, which is no proof."


def test_list_names_all_questions() -> None:
    assert run("audit", "--list").stdout.split("\n") == [*OWN, ""]


def test_what_fails_ends_with_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right = own.audit

    def wrong(*given: Any, **named: Any) -> Any:
        return replace(right(*given, **named), visible=("a dtype",))

    monkeypatch.setattr(own, "audit", wrong)
    assert main(["audit", "crosstab", "--runs", "0"]) == 1
    assert "failed: crosstab" in capsys.readouterr().out


def test_a_word_of_no_question_is_refused() -> None:
    assert run("audit", "nothing of the kind").returncode == 3


@pytest.mark.slow
def test_no_question_of_the_library_fails_by_what_is_visible_and_by_exact_laws() -> None:
    for found in audit_own(runs=0):
        found.check()
        assert not found.notes, found.name
