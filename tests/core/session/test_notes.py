"""`note=` behind any question: kept in label and ledger as it was written, and it changes nothing else."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import pandas_dp as pdp
from tests.refusals import refused

NOTE = "adults alone; asked for the yearly report"
SEXES = {"sex": ["f", "m"]}
DECLARED = {"sex": ["f", "m"], "vote": ["yes", "no"]}


QUESTIONS = {
    "mean": lambda people, **how: people["age"].dp.mean(bounds=(0, 1000), **how),
    "of a filter": lambda people, **how: people[people["age"] > 17]["age"].dp.median(bounds=(0, 1000), **how),
    "grouped": lambda people, **how: people.dp.groupby("sex", categories=SEXES)["age"].mean(bounds=(0, 1000), **how),
    "crosstab": lambda people, **how: people.dp.crosstab("sex", "vote", categories=DECLARED, **how),
    "marginals": lambda people, **how: people.dp.marginals([["sex"]], categories=SEXES, **how),
    "moments": lambda people, **how: people.dp.moments(["age"], bounds={"age": (0, 1000)}, rho=1, **how),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_note_is_kept_in_label_and_ledger(question: str, tmp_path: Path) -> None:
    rows = pd.DataFrame({"sex": ["f", "m"] * 500, "vote": ["yes", "no"] * 500, "age": range(1000)})
    with pdp.Session(epsilon=1e6, delta=1e-6, ledger=tmp_path / "survey.ledger", per_query=0.01) as session:
        people = session.protect(rows)
        release = QUESTIONS[question](people, note=NOTE)
        QUESTIONS[question](people)
        assert release.dp.metadata["note"] == NOTE
        assert session.ledger["note"].tolist()[0] == NOTE
        assert pd.isna(session.ledger["note"].tolist()[1])


def test_views_of_a_release_show_its_note() -> None:
    people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54]}))
    release = people["age"].dp.mean(epsilon=1, bounds=(0, 100), note="of <all>")
    assert "Note: of <all>" in repr(release).splitlines()
    assert "Note: of &lt;all&gt;" in release._repr_html_()


def test_an_alarm_has_a_note() -> None:
    session = pdp.Session(epsilon=10)
    session.protect(pd.DataFrame({"age": [31, 54]}))
    with session.watch(above=10, epsilon=1, note=NOTE):
        assert session.ledger["note"].tolist() == [NOTE]


def test_tables_are_not_paid_again_for_another_note(tmp_path: Path) -> None:
    session = pdp.Session(epsilon=10)
    people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500}))

    def ask(note: str | None) -> pdp.PublishedTables:
        question = lambda: people.dp.marginals([["sex"]], categories={"sex": ["f", "m"]}, epsilon=1, note=note)  # noqa: E731
        return pdp.publish_tables(tmp_path / "tables", {"sexes": question})

    first, again = ask(NOTE), ask(None)
    assert session.share_used == 0.1
    assert again.table(["sex"]).equals(first.table(["sex"]))


@pytest.mark.parametrize("note", ["", "two\nlines", "x" * 501, 5])
def test_a_note_is_one_line_and_refused_before_paying(note: object) -> None:
    session = pdp.Session(epsilon=10)
    people = session.protect(pd.DataFrame({"age": [31.0, 54.0]}))
    with refused(ValueError if isinstance(note, str) else (TypeError, ValueError), f"a note {str(note)[:3]!r}"):
        people["age"].dp.mean(epsilon=1, bounds=(0, 100), note=note)  # type: ignore[arg-type]
    assert session.share_used == 0
