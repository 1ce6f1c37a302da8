"""Questions that are published once: what a rerun gets, what a name refuses, and what a killed process leaves."""

from __future__ import annotations

import json
import logging
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pytest

import pandas_dp as pdp
from pandas_dp.core.session import jobs
from pandas_dp.errors import BadArgument, BudgetExceeded, LedgerCorrupt, LedgerError, UnsupportedArgument
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
SCHEMA = pa.DataFrameSchema(
    {
        "age": pa.Column(float, pa.Check.in_range(0, 100)),
        "sex": pa.Column(str, pa.Check.isin(["f", "m"])),
        "seen": pa.Column("datetime64[ns]", pa.Check.in_range(pd.Timestamp("2026-01-01"), pd.Timestamp("2027-01-01"))),
        "town": pa.Column(str),
    }
)


def rows() -> pd.DataFrame:
    start = pd.Timestamp("2026-03-01")
    return pd.DataFrame(
        {
            "age": [31.0, 54.0, 47.0, 28.0] * 100,
            "sex": ["f", "m", "f", "m"] * 100,
            "seen": pd.Series([start, start + pd.Timedelta(days=40)] * 200).astype("datetime64[ns]"),
            "town": ["a", "b", "b", "b"] * 100,
        }
    )


def opened(path: Path | None, **how: object) -> pdp.Session:
    return pdp.Session(**{"epsilon": 100, "delta": 1e-3, "schema": SCHEMA, "ledger": path, **how})  # type: ignore[arg-type]


@pytest.fixture(params=["a file", "memory"])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[pdp.Session]:
    with opened(tmp_path / "a.ledger" if request.param == "a file" else None) as made:
        yield made


QUESTIONS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "mean": lambda people: people["age"].dp.mean(epsilon=1),
    "mean of times": lambda people: people["seen"].dp.mean(epsilon=1),
    "cut": lambda people: people[people["age"] > 40].dp.crosstab(
        "sex", "town", categories={"town": ["a", "b"]}, epsilon=1
    ),
    "margins": lambda people: people.dp.pivot_table("age", "sex", aggfunc="mean", epsilon=1),
    "groups": lambda people: people.dp.groupby("sex")["age"].mean(epsilon=1),
    "quantiles": lambda people: people["age"].dp.quantile([0.25, 0.5], epsilon=1),
    "bins": lambda people: people["age"].dp.histogram([0, 30, 60, 100], epsilon=1),
    "months": lambda people: people["seen"].dp.histogram("MS", epsilon=1),
    "found keys": lambda people: people["town"].dp.value_counts(categories="unknown", epsilon=1, delta=1e-5),
    "model": lambda people: people.dp.ols("age", ["sex"], epsilon=1),
    "several statistics": lambda people: people[["age", "sex"]].dp.describe(epsilon=1, numeric_only=True),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_rerun_in_another_session_gets_what_was_stored_and_pays_nothing(name: str, tmp_path: Path) -> None:
    found = []
    for _ in range(2):
        with opened(tmp_path / "a.ledger") as session:
            people = session.protect(rows())
            found += [session.publish(name, lambda people=people: QUESTIONS[name](people)) for _ in range(2)]
            assert len(session.ledger) == 1
    for again in found[1:]:
        pd.testing.assert_frame_equal(found[0], again)
        assert again.attrs == found[0].attrs
        assert again.dp.guarantee == found[0].dp.guarantee
        assert repr(again) == repr(found[0])


def test_questions_that_share_a_pass_are_paid_by_the_name(session: pdp.Session) -> None:
    people = session.protect(rows())

    def ask() -> pd.DataFrame:
        (mean,) = session.together(lambda: people["age"].dp.mean(epsilon=1))
        return mean

    first = session.publish("visits", ask)
    assert session.publish("visits", ask).equals(first)
    assert len(session.ledger) == 1


def test_what_is_published_is_found_when_nothing_is_left(session: pdp.Session) -> None:
    people = session.protect(rows())
    first = session.publish("all of it", lambda: people["age"].dp.mean(epsilon=99))
    with pytest.raises(BudgetExceeded):
        session.publish("more", lambda: people["age"].dp.sum(epsilon=99))
    assert session.publish("all of it", lambda: people["age"].dp.mean(epsilon=99)).equals(first)


OTHERS: dict[str, Callable[[pdp.Session, pd.DataFrame], pd.DataFrame]] = {
    "statistic": lambda _, people: people["age"].dp.sum(epsilon=1),
    "price": lambda _, people: people["age"].dp.mean(epsilon=2),
    "range": lambda _, people: people["age"].dp.mean(epsilon=1, bounds=(0, 50)),
    "confidence": lambda _, people: people["age"].dp.mean(epsilon=1, confidence=0.9),
    "rows": lambda _, people: people[people["age"] > 40]["age"].dp.mean(epsilon=1),
    "table of this process": lambda session, _: session.protect(rows())["age"].dp.mean(epsilon=1),
    "size": lambda session, _: session.protect(rows().head(100))["age"].dp.mean(epsilon=1),
}


@pytest.mark.parametrize("other", OTHERS)
def test_another_question_under_the_name_is_refused_before_it_is_paid(other: str, session: pdp.Session) -> None:
    people = session.protect(rows())
    session.publish("visits", lambda: people["age"].dp.mean(epsilon=1))
    with refused(BadArgument, "another question"):
        session.publish("visits", lambda: OTHERS[other](session, people))
    assert len(session.ledger) == 1


def test_constants_of_rows_that_were_cut_tell_questions_apart(session: pdp.Session) -> None:
    people = session.protect(rows())
    session.publish("visits", lambda: people[people["age"] > 40]["age"].dp.mean(epsilon=1))
    with refused(BadArgument, "another question"):
        session.publish("visits", lambda: people[people["age"] > 41]["age"].dp.mean(epsilon=1))


def test_another_period_is_another_question(tmp_path: Path) -> None:
    for period in ("2026-10", "2026-11"):
        with opened(tmp_path / "a.ledger", period=period) as session:
            people = session.protect(rows())

            def ask(people: pd.DataFrame = people) -> pd.DataFrame:
                return people["age"].dp.mean(epsilon=1)

            if period == "2026-10":
                session.publish("visits", ask)
            else:
                with refused(BadArgument, "another question"):
                    session.publish("visits", ask)


def test_a_synthesis_is_more_than_a_table(session: pdp.Session) -> None:
    with refused(UnsupportedArgument, "a synthesis"):
        session.publish("rows", lambda: session.protect(rows()).dp.synthesize(["sex"], rho=0.1))
    assert not len(session.ledger)


def test_what_cannot_be_told_apart_is_refused(session: pdp.Session) -> None:
    people = session.protect(rows())
    mapped = people.assign(old=people["age"].map(lambda value: float(value > 40)))
    with refused(UnsupportedArgument, "a function"):
        session.publish("a", lambda: mapped["old"].dp.mean(bounds=(0, 1), epsilon=1))
    with refused(UnsupportedArgument, "two questions"):
        session.publish("b", lambda: [people["age"].dp.mean(epsilon=1), people["age"].dp.sum(epsilon=1)])
    with refused(UnsupportedArgument, "no question"):
        session.publish("c", lambda: 3)
    with refused(UnsupportedArgument, "in a plan"):
        session.plan(lambda: session.publish("d", lambda: people["age"].dp.mean(epsilon=1)))
    for name in ("", "two\nlines", 7, "x" * 201):
        with pytest.raises(BadArgument):
            session.publish(name, lambda: people["age"].dp.mean(epsilon=1))  # type: ignore[arg-type]
    people["age"].tolist()
    with refused(UnsupportedArgument, "after rows were read"):
        session.publish("e", lambda: people[people["age"] > 31.0]["age"].dp.mean(epsilon=1))
    assert session.share_used == 0


def test_a_keyword_that_people_try_leads_to_the_method(session: pdp.Session) -> None:
    people = session.protect(rows())
    with refused(UnsupportedArgument, "once="):
        people["age"].dp.mean(epsilon=1, once="2026-11/visits")


def test_a_function_that_asks_for_more_the_second_time_is_refused_before_it_pays_for_more(
    session: pdp.Session,
) -> None:
    people, times = session.protect(rows()), iter(range(9))

    def ask() -> list[pd.DataFrame]:
        return [people["age"].dp.mean(epsilon=1) for _ in range(1 + next(times))]

    with refused(UnsupportedArgument, "more the second time"):
        session.publish("a", ask)
    assert len(session.ledger) == 1


def test_a_stored_release_that_was_changed_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "a.ledger") as session:
        people = session.protect(rows())
        session.publish("a", lambda: people["age"].dp.mean(epsilon=1))
    with sqlite3.connect(tmp_path / "a.ledger") as connection:
        (text,) = connection.execute("SELECT release FROM jobs").fetchone()
        said = json.loads(text)
        said["values"][0]["numbers"][0] += 1
        connection.execute("UPDATE jobs SET release = ?", (json.dumps(said),))
    connection.close()
    with opened(tmp_path / "a.ledger") as session:
        people = session.protect(rows())
        with refused(LedgerCorrupt):
            session.publish("a", lambda: people["age"].dp.mean(epsilon=1))


def test_what_cannot_be_stored_is_not_answered_and_stays_paid(
    session: pdp.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = session.protect(rows())

    def full(*_: object) -> None:
        raise LedgerError("the disk is full.")

    with monkeypatch.context() as context:
        context.setattr(type(session._core.ledger), "store", full)
        with pytest.raises(LedgerError):
            session.publish("a", lambda: people["age"].dp.mean(epsilon=1))
    assert len(session.ledger) == 1
    session.publish("a", lambda: people["age"].dp.mean(epsilon=1))
    assert len(session.ledger) == 2


def test_of_two_at_the_same_moment_both_get_what_was_stored_first(
    session: pdp.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, before = session.protect(rows()), jobs.answered
    found = []

    def slow(*given: object) -> object:
        release = before(*given)  # type: ignore[arg-type]
        if not found:
            found.append(None)
            with monkeypatch.context() as context:
                context.setattr(jobs, "NAME", type(jobs.NAME)("another", default=["a"]))
                found[0] = people["age"].dp.mean(epsilon=1)
        return release

    monkeypatch.setattr(jobs, "answered", slow)
    later = session.publish("a", lambda: people["age"].dp.mean(epsilon=1))
    assert later.equals(found[0])
    assert len(session.ledger) == 2


# Processes that are killed

CHILD = """
import os, signal, sys
import pandas as pd
import pandas_dp as pdp
from pandas_dp.core.budget.sqlite import SqliteBook, SqliteLedger
from pandas_dp.core.session import jobs

place, path = sys.argv[1:]

def dying(function, before):
    def called(*given, **named):
        if before:
            os.kill(os.getpid(), signal.SIGKILL)
        found = function(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    return called

if place in ("claim", "kept"):  # after what was written, and before it is committed
    put_down = SqliteBook.put_down
    def put(self, job):
        put_down(self, job)
        if (job.release is None) == (place == "claim"):
            os.kill(os.getpid(), signal.SIGKILL)
    SqliteBook.put_down = put
if place == "charged":
    SqliteLedger.charge_once = dying(SqliteLedger.charge_once, before=False)
if place == "drawn":
    SqliteLedger.store = dying(SqliteLedger.store, before=True)
if place == "stored":
    SqliteLedger.store = dying(SqliteLedger.store, before=False)
with pdp.Session(epsilon=10, ledger=path) as session:
    people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 200}))
    found = session.publish("a", lambda: people["age"].dp.mean(bounds=(0, 100), epsilon=1))
    print(found.attrs["dp"]["digest"], found.attrs["dp"]["entry"], len(session.ledger))
"""
PLACES = {"claim": 0, "charged": 1, "drawn": 1, "kept": 1, "stored": 1}
"""Where a process is killed, and how many charges stand then."""


def run(place: str, path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CHILD, place, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_killed_process_shows_nothing_and_the_next_pays_for_what_it_draws(place: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ledger"
    killed = run(place, path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert killed.stdout == ""
    later = [run("nowhere", path) for _ in range(2)]
    assert not any(each.returncode for each in later), later[0].stderr
    said = [each.stdout.split() for each in later]
    charges = PLACES[place] + (place != "stored")  # the charge of what was lost, and one for what is drawn anew
    assert said[0] == said[1]
    assert [int(number) for number in said[0][1:]] == [charges if place != "stored" else 1, charges]


# The log


def test_the_log_tells_charges_and_refusals_and_nothing_of_rows(
    session: pdp.Session, caplog: pytest.LogCaptureFixture
) -> None:
    people = session.protect(rows())
    with caplog.at_level(logging.INFO, logger="pandas_dp"):
        session.publish("2026-11/towns", lambda: QUESTIONS["found keys"](people))
        people[people["town"] == "b"]["age"].dp.mean(epsilon=1, note="a note")
        with pytest.raises(BudgetExceeded):
            people["age"].dp.mean(epsilon=1000)
    said = [record.getMessage() for record in caplog.records]
    assert [each.split(": ")[0] for each in said[:2]] == [
        "charged epsilon=1, delta=8.18120287627e-06 for value_counts of 'town'",
        "charged epsilon=1 for mean of 'age'",
    ]
    assert said[0].endswith("published as '2026-11/towns'")
    assert said[2:] == ["refused mean: BudgetExceeded"]
    assert not any("'b'" in each or "a note" in each for each in said)


def test_without_a_handler_the_log_says_nothing() -> None:
    code = (
        "import pandas as pd, pandas_dp as pdp\n"
        "if pd.__version__ < '3':\n"
        "    pd.options.mode.copy_on_write = True\n"
        "people = pdp.Session(epsilon=1).protect(pd.DataFrame({'age': [1.0] * 9}))\n"
        "people['age'].dp.mean(bounds=(0, 1), epsilon=0.5)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout + done.stderr == ""


def test_numbers_are_the_same_to_the_last_bit(session: pdp.Session) -> None:
    people = session.protect(rows())
    found = [session.publish("a", lambda: people["age"].dp.mean(epsilon=1 / 3)) for _ in range(2)]
    assert np.array_equal(found[0].to_numpy(), found[1].to_numpy())
