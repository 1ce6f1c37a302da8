"""A ledger in a file: it continues, travels, outlives kill -9, and shows what was done to it."""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pandas_dp.core.budget import chain
from pandas_dp.core.budget.chain import seal
from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.ledger import Ledger
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.budget.reading import read_ledger
from pandas_dp.core.budget.sqlite import SqliteLedger
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import LedgerCorrupt, LedgerError, LedgerMismatch, PrivacyError

HERE = Path(__file__).parent
SMALL = parse(epsilon=0.1)
FACTS = {"statistic": "mean", "model": "dp"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "survey.ledger"


@pytest.fixture
def spent(path: Path, terms: Terms) -> Path:
    """A ledger of five entries, closed."""
    with closing(open_ledger(path, terms)) as ledger:
        for _ in range(5):
            ledger.charge(SMALL, FACTS)
    return path


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where nobody in particular may look, unlike pytest's own."""
    made = Path(tempfile.mkdtemp())
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


def run(script: str, *arguments: str, timeout: float = 1800) -> str:
    root = str(HERE.parents[1])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, str(HERE / script), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tamper(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def contents(path: Path, terms: Terms) -> list[object]:
    with closing(open_ledger(path, terms)) as ledger:
        return [ledger.left(), *ledger.entries()]


# It continues


def test_opening_again_continues_the_same_budget(spent: Path, terms: Terms) -> None:
    before = contents(spent, terms)
    with closing(open_ledger(str(spent), terms)) as ledger:
        assert [ledger.left(), *ledger.entries()] == before
        assert ledger.charge(SMALL, FACTS).number == 6


def test_closing_lets_go_of_the_file_and_asking_opens_it_again(path: Path, terms: Terms) -> None:
    ledger = open_ledger(path, terms)
    ledger.charge(SMALL, FACTS)
    ledger.close()
    assert list(path.parent.iterdir()) == [path]
    ledger.close()
    assert len(ledger.entries()) == 1
    ledger.close()


def test_two_ledgers_on_one_file_are_one_budget(path: Path, terms_for: Callable[..., Terms]) -> None:
    terms = terms_for(epsilon=1)
    with closing(open_ledger(path, terms)) as one, closing(open_ledger(path, terms)) as other:
        one.charge(parse(epsilon=0.6), FACTS)
        with pytest.raises(PrivacyError, match=r"only epsilon=0\.4 of epsilon=1 is left"):
            other.charge(parse(epsilon=0.6), FACTS)
        other.charge(parse(epsilon=0.4), FACTS)
        assert one.used() == other.used() == 1


@pytest.mark.parametrize("opened", [False, True])
def test_a_ledger_with_two_names_is_refused_under_both(path: Path, terms: Terms, opened: bool) -> None:
    """SQLite's log goes by the name: what one process has charged another would not see, and spend again."""
    one, other = SqliteLedger(path, terms), path.with_name("other.ledger")
    one.charge(SMALL, FACTS)
    if not opened:
        one.close()
    os.link(path, other)
    with pytest.raises(LedgerError, match="a second name, a hard link"):
        SqliteLedger(other, terms)
    if not opened:
        with pytest.raises(LedgerError, match="a second name, a hard link"):
            SqliteLedger(path, terms)
    os.unlink(other)
    with closing(SqliteLedger(path, terms)) as again:
        assert again.charge(SMALL, FACTS).number == 2
    one.close()


def test_a_symbolic_link_is_the_same_name(spent: Path, terms: Terms) -> None:
    other = spent.with_name("other.ledger")
    other.symlink_to(spent)
    with closing(SqliteLedger(spent, terms)) as one, closing(SqliteLedger(other, terms)) as two:
        assert one.charge(SMALL, FACTS).number == 6
        assert two.charge(SMALL, FACTS).number == 7


def test_a_ledger_whose_maker_was_killed_before_it_lost_its_first_name_is_opened(spent: Path, terms: Terms) -> None:
    first = spent.with_name(f"{spent.name}.0123abcd.new")
    os.link(spent, first)
    assert len(contents(spent, terms)) == 6
    assert not first.exists()


def test_the_models_may_be_named_in_any_order(spent: Path, terms: Terms) -> None:
    contents(spent, Terms(terms.cap, terms.neighbours, terms.models[::-1]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cap": parse(epsilon=4)}, r"with a cap of .*, not epsilon=4;"),
        ({"neighbours": "add_remove"}, "with neighbours 'replace', not 'add_remove';"),
        ({"models": ("dp",)}, "with models dp, idp, not dp;"),
        ({"roster": "patients"}, "with roster None, not 'patients';"),
        ({"aside": Fraction(1, 2)}, "with aside 1/10, not 1/2;"),
        ({"period": "month"}, "with a cap for all time, not each month;"),
        ({"overall": parse(epsilon=9)}, "with a cap over all periods of none, not epsilon=9;"),
        ({"unit": "person_id"}, "with unit None, not 'person_id';"),
        ({"unit": "person_id", "models": ("dp",)}, "models dp, idp, not dp and unit None, not 'person_id';"),
    ],
)
def test_other_terms_are_refused_and_named(spent: Path, terms: Terms, change: dict[str, object], words: str) -> None:
    before = contents(spent, terms)
    with pytest.raises(LedgerMismatch, match=words):
        open_ledger(spent, Terms(**{**vars(terms), **change}))  # type: ignore[arg-type]
    assert contents(spent, terms) == before


UNIT = {"unit": "person_id", "roster": "patients", "aside": Fraction(1, 3), "period": "month", "overall": parse(rho=5)}


@pytest.mark.parametrize("said", [{}, UNIT], ids=["plain", "of persons and periods"])
def test_terms_read_back_exactly(terms: Terms, said: dict[str, Any]) -> None:
    explained = replace(terms, **said)
    assert Terms.from_json(json.loads(explained.to_text())) == replace(
        explained, models=tuple(sorted(explained.models))
    )


def test_terms_hold_every_word_of_their_format(terms_for: Callable[..., Terms]) -> None:
    """Never change this text: ledgers in files begin with it."""
    assert terms_for(epsilon=0.1, delta=1e-6).to_text() == (
        '{"aside":"1/10","cap":"approximate 1/10 1/1000000","format":1,"models":["dp","idp"],"neighbours":"replace",'
        '"overall":null,"period":null,"roster":null,"unit":null}'
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"weather": "fine"},
            "its terms say 'weather', which this version of pandas-dp does not know and cannot keep to",
        ),
        ({"format": 2}, "its terms have format 2, and this version of pandas-dp reads format 1; use a newer version"),
    ],
)
def test_terms_that_a_later_version_made_are_refused(
    spent: Path, terms: Terms, change: dict[str, Any], words: str
) -> None:
    with closing(sqlite3.connect(spent)) as file:
        file.execute("UPDATE terms SET terms = ?", (json.dumps({**terms.to_json(), **change}),))
        file.commit()
    with pytest.raises(LedgerMismatch, match=words):
        open_ledger(spent, terms)


def test_an_entry_with_a_cost_of_a_later_version_is_refused_as_such(path: Path, terms: Terms) -> None:
    """A kind of cost that nobody here knows."""
    with closing(open_ledger(path, terms)) as ledger:
        entry = ledger.charge(SMALL, FACTS)
    fields = list(entry.row[:-1])
    fields[3] = "profile 1/20 1/1000000"
    sealed = seal(tuple(fields))
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE entries SET price = ?, hash = ?", (fields[3], sealed))
        file.execute("UPDATE head SET hash = ?", (sealed,))
        file.commit()
    with pytest.raises(LedgerMismatch, match="entry 1 of the ledger has a cost that this version"):
        open_ledger(path, terms)


def test_a_share_of_delta_set_aside_is_a_term_that_counts(terms_for: Callable[..., Terms]) -> None:
    terms = replace(terms_for(epsilon=1, delta=1e-6), aside=Fraction(1, 2))
    leaks = parse(epsilon=0.1, delta=4e-7)
    assert open_ledger(None, terms).charge(leaks, FACTS).number == 1
    with pytest.raises(PrivacyError, match="set aside"):
        open_ledger(None, replace(terms, aside=Fraction(1, 10))).charge(leaks, FACTS)


# It travels


def test_a_pickled_ledger_shares_the_budget_of_its_file(path: Path, terms: Terms) -> None:
    with closing(open_ledger(path, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        with closing(pickle.loads(pickle.dumps(ledger))) as other:
            assert other.charge(SMALL, FACTS).number == 2
            assert ledger.charge(SMALL, FACTS).number == 3
            assert ledger.entries() == other.entries()


def test_a_pickled_ledger_does_not_start_a_new_file(spent: Path, terms: Terms) -> None:
    with closing(open_ledger(spent, terms)) as ledger:
        parcel = pickle.dumps(ledger)
    spent.unlink()
    with pytest.raises(LedgerError, match="No such file"):
        pickle.loads(parcel).charge(SMALL, FACTS)
    assert not spent.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "scene",
    [
        "forks",
        "forks_while_threads_charge",
        "a_full_disk",
        "a_full_disk_at_the_start",
        "a_file_that_cannot_be_written",
        "a_folder_that_cannot_be_written",
    ],
)
def test_scenes_in_a_process_of_their_own(scene: str, folder: Path) -> None:
    run("scenes.py", scene, str(folder))


@pytest.mark.slow
def test_processes_killed_at_random_lose_no_charge(tmp_path: Path) -> None:
    """200 rounds. SIGKILL does not test the disk's own cache, which synchronous=FULL is for."""
    assert run("crash.py", str(tmp_path), "200").startswith("200 rounds")


@pytest.mark.slow
def test_a_few_rounds_of_killing_lose_no_charge(tmp_path: Path) -> None:
    assert run("crash.py", str(tmp_path), "6").startswith("6 rounds")  # a child that stumbles says so first


# It cannot be written or read


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path, terms: Terms) -> None:
    with pytest.raises(LedgerError, match="it must be a file"):
        open_ledger(tmp_path, terms)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, terms: Terms) -> None:
    with pytest.raises(LedgerError, match="folder that exists"):
        open_ledger(tmp_path / "nowhere" / "survey.ledger", terms)
    assert list(tmp_path.iterdir()) == []


def test_a_write_protected_ledger_gives_no_answer(spent: Path, terms: Terms) -> None:
    with closing(SqliteLedger(spent, terms)) as ledger:
        ledger._open().execute("PRAGMA query_only = ON")
        with pytest.raises(LedgerError, match="read-only"):
            ledger.charge(SMALL, FACTS)
        assert len(ledger.entries()) == 5


def test_a_lock_that_is_never_let_go_is_an_error(spent: Path, terms: Terms) -> None:
    with (
        closing(sqlite3.connect(spent, isolation_level=None)) as other,
        closing(SqliteLedger(spent, terms, timeout=0.05)) as ledger,
    ):
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="locked by another process"):
            ledger.charge(SMALL, FACTS)
        other.execute("ROLLBACK")
        assert ledger.charge(SMALL, FACTS).number == 6


@pytest.mark.parametrize("trouble", [sqlite3.OperationalError("disk I/O error"), OSError(5, "Input/output error")])
@pytest.mark.parametrize("step", ["BEGIN", "INSERT", "UPDATE", "COMMIT"])
def test_a_charge_that_fails_gives_no_answer(
    step: str, spent: Path, terms: Terms, trouble: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing:
        def __init__(self, real: sqlite3.Connection) -> None:
            self.real = real

        def execute(self, statement: str, *values: object) -> object:
            if statement.startswith(step):
                raise trouble
            return self.real.execute(statement, *values)

        def close(self) -> None:
            self.real.close()

    with closing(SqliteLedger(spent, terms)) as ledger:
        monkeypatch.setattr(ledger, "_connection", Failing(ledger._open()))
        with pytest.raises(LedgerError, match="No answer was given"):
            ledger.charge(SMALL, FACTS)
        assert len(ledger.entries()) == 5
        assert ledger.charge(SMALL, FACTS).number == 6


# It shows what was done to it

EDITS = {
    "price": "UPDATE entries SET price = 'pure 1/100' WHERE number = 2",
    "state": "UPDATE entries SET state = (SELECT state FROM entries WHERE number = 1) WHERE number = 3",
    "facts": "UPDATE entries SET facts = '{}' WHERE number = 4",
    "time": "UPDATE entries SET time = '2020-01-01' WHERE number = 5",
    "name": "UPDATE entries SET release_id = 'other' WHERE number = 1",
    "hash": "UPDATE entries SET hash = previous WHERE number = 3",
    "type": "UPDATE entries SET price = x'00ff' WHERE number = 3",
    "encoding": "UPDATE entries SET facts = CAST(x'ff' AS TEXT) WHERE number = 3",
    "first": "DELETE FROM entries WHERE number = 1",
    "middle": "DELETE FROM entries WHERE number = 3",
    "last": "DELETE FROM entries WHERE number = 5",
    "all": "DELETE FROM entries",
    "added": "INSERT INTO entries SELECT 6, release_id, time, price, facts, state, hash, 'x' FROM entries "
    "WHERE number = 5",
    "renumbered": "UPDATE entries SET number = CASE number WHEN 3 THEN 40 ELSE number END",
    "head": "UPDATE head SET entries = 4, hash = (SELECT hash FROM entries WHERE number = 4)",
    "no head": "DELETE FROM head",
    "two heads": "INSERT INTO head SELECT * FROM head",
    "no terms": "DELETE FROM terms",
    "bad terms": "UPDATE terms SET terms = '{'",
    "no table": "DROP TABLE entries",
    "no column": "ALTER TABLE head RENAME COLUMN hash TO cash",
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_by_hand_is_found(edit: str, spent: Path, terms: Terms) -> None:
    tamper(spent, EDITS[edit])
    with pytest.raises(LedgerCorrupt):
        open_ledger(spent, terms)
    with pytest.raises(LedgerCorrupt):
        read_ledger(spent)


@pytest.mark.parametrize("edit", ["time", "last", "all", "added", "head", "no head", "no table"])
def test_an_edit_of_the_end_is_found_by_the_next_charge(edit: str, spent: Path, terms: Terms) -> None:
    with closing(open_ledger(spent, terms)) as ledger:
        tamper(spent, EDITS[edit])
        with pytest.raises(LedgerCorrupt):
            ledger.charge(SMALL, FACTS)


@pytest.mark.parametrize("edit", ["price", "facts", "middle"])
def test_an_edit_in_the_middle_is_found_by_verify(edit: str, spent: Path, terms: Terms) -> None:
    with closing(open_ledger(spent, terms)) as ledger:
        tamper(spent, EDITS[edit])
        with pytest.raises(LedgerCorrupt):
            ledger.verify()
        with pytest.raises(LedgerCorrupt):
            ledger.entries()


@pytest.mark.parametrize(
    ("number", "words"),
    [(6, "entry 6 of the ledger does not add up"), (7, "entry 6 of the ledger is missing")],
)
def test_a_row_with_a_good_seal_that_does_not_follow_is_found(
    number: int, words: str, spent: Path, terms: Terms
) -> None:
    with closing(sqlite3.connect(spent)) as connection:
        *_, last = connection.execute("SELECT * FROM entries ORDER BY number")
        fields = (number, *last[1:6], last[7])
        connection.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?)", (*fields, seal(fields)))
        connection.execute("UPDATE head SET entries = ?, hash = ?", (number, seal(fields)))
        connection.commit()
    with pytest.raises(LedgerCorrupt, match=words):
        open_ledger(spent, terms)


def test_a_raised_cap_in_the_file_is_found(path: Path, terms_for: Callable[..., Terms]) -> None:
    with closing(open_ledger(path, terms_for(epsilon=1))) as ledger:
        ledger.charge(SMALL, FACTS)
    tamper(path, "UPDATE terms SET terms = replace(terms, 'pure 1', 'pure 9')")
    with pytest.raises(LedgerCorrupt):
        open_ledger(path, terms_for(epsilon=9))


def test_another_filter_is_a_mismatch(spent: Path, terms: Terms) -> None:
    tamper(spent, "UPDATE terms SET filter = 'something new'")
    with pytest.raises(LedgerMismatch, match="another version"):
        open_ledger(spent, terms)


def test_a_flipped_byte_is_found_or_changes_nothing(spent: Path, terms: Terms) -> None:
    before, whole, chance = contents(spent, terms), spent.read_bytes(), random.Random(8)
    found = 0
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        spent.write_bytes(damaged)
        try:
            assert contents(spent, terms) == before
        except (LedgerError, LedgerMismatch):
            found += 1
        spent.with_name(spent.name + "-journal").unlink(missing_ok=True)
    assert found > 20


@pytest.mark.parametrize("length", [0, 50, 100, 4096, 9000])
def test_a_file_cut_short_is_found(length: int, spent: Path, terms: Terms) -> None:
    os.truncate(spent, length)
    with pytest.raises(LedgerError):
        open_ledger(spent, terms)


def test_a_file_of_another_kind_is_left_as_it_is(tmp_path: Path, terms: Terms) -> None:
    text, database = tmp_path / "notes.txt", tmp_path / "other.db"
    text.write_text("not a ledger, but my diary" * 100)
    tamper(database, "CREATE TABLE t (x)")
    for path in (text, database):
        before = path.read_bytes()
        with pytest.raises(LedgerError, match=r"(is not a|no) ledger of pandas-dp"):
            open_ledger(path, terms)
        assert path.read_bytes() == before


def test_an_empty_file_is_no_new_ledger(path: Path, terms: Terms) -> None:
    path.touch()
    with pytest.raises(LedgerCorrupt, match="is empty, and a ledger never is"):
        open_ledger(path, terms)
    assert path.stat().st_size == 0


def test_a_ledger_of_another_format_is_refused(spent: Path, terms: Terms) -> None:
    tamper(spent, "PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match="another version"):
        open_ledger(spent, terms)


def test_a_file_replaced_while_open_is_refused(spent: Path, terms: Terms) -> None:
    copy = spent.with_name("older")
    shutil.copy(spent, copy)
    with closing(open_ledger(spent, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        os.replace(copy, spent)
        with pytest.raises(LedgerError, match="was replaced while it was open"):
            ledger.charge(SMALL, FACTS)
        with pytest.raises(LedgerCorrupt, match="an older copy was put back"):
            ledger.charge(SMALL, FACTS)


def test_a_deleted_file_is_not_started_anew_by_who_had_it_open(spent: Path, terms: Terms) -> None:
    with closing(open_ledger(spent, terms)) as ledger:
        spent.unlink()
        for _ in range(2):
            with pytest.raises(LedgerError, match="No such file"):
                ledger.charge(SMALL, FACTS)
    assert not spent.exists()


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_a_log_without_its_file_is_refused(end: str, path: Path, terms: Terms) -> None:
    path.with_name(path.name + end).write_bytes(b"what is left of a ledger")
    with pytest.raises(LedgerError, match="is gone but"):
        open_ledger(path, terms)


# What others did meanwhile


def rewritten(path: Path, *entries: tuple[str, str]) -> None:
    """Put entries with good seals behind the last: price and state."""
    with closing(sqlite3.connect(path)) as connection:
        *_, last = connection.execute("SELECT * FROM entries ORDER BY number")
        for price, state in entries:
            fields = (last[0] + 1, *last[1:3], price, last[4], state, last[7])
            last = (*fields, seal(fields))
            connection.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?)", last)
            connection.execute("UPDATE head SET entries = ?, hash = ?", (last[0], last[7]))
        connection.commit()


@pytest.mark.parametrize("act", ["charge", "ledger_state", "entries"])
@pytest.mark.parametrize("more", [1, 2, 3])
def test_an_older_copy_that_others_charged_since_is_found_by_who_saw_newer_entries(
    act: str, more: int, spent: Path, terms: Terms
) -> None:
    """The file is written over where it is, so nothing but its entries shows it; with one more it is as long."""
    older = spent.read_bytes()
    with closing(open_ledger(spent, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        spent.write_bytes(older)
        with closing(open_ledger(spent, terms)) as other:
            for _ in range(more):
                other.charge(SMALL, FACTS)
        for _ in range(2):
            with pytest.raises(LedgerCorrupt):
                ledger.charge(SMALL, FACTS) if act == "charge" else getattr(ledger, act)()
    assert len(contents(spent, terms)) == 1 + 5 + more


def test_answers_stay_within_the_cap_while_an_older_copy_comes_back(
    path: Path, terms_for: Callable[..., Terms]
) -> None:
    terms, granted = terms_for(epsilon=1), 0
    with closing(open_ledger(path, terms)) as ledger:
        for _ in range(4):
            ledger.charge(SMALL, FACTS)
            granted += 1
        older = path.read_bytes()
        ledger.charge(SMALL, FACTS)
        granted += 1
        path.write_bytes(older)
        with closing(open_ledger(path, terms)) as unaware:
            for _ in range(2):
                unaware.charge(SMALL, FACTS)
                granted += 1
        for _ in range(20):
            with pytest.raises(LedgerCorrupt):
                ledger.charge(SMALL, FACTS)
    assert granted <= 7


@pytest.mark.parametrize("entries", [[("pure 1/10", "0")], [("pure 1/10", "1/10"), ("pure 1/10", "1/5")]])
def test_entries_that_others_forged_do_not_add_up(
    entries: list[tuple[str, str]], path: Path, terms_for: Callable[..., Terms]
) -> None:
    terms = terms_for(epsilon=3)
    with closing(open_ledger(path, terms)) as ledger:
        for _ in range(3):
            ledger.charge(SMALL, FACTS)
        rewritten(path, *entries)
        with pytest.raises(LedgerCorrupt, match="entry 4 of the ledger does not add up"):
            ledger.charge(SMALL, FACTS)


def test_an_entry_forged_in_another_period_does_not_free_the_budget_over_all(
    path: Path, terms_for: Callable[..., Terms]
) -> None:
    terms = replace(terms_for(epsilon=1), period="month", overall=parse(epsilon=2))
    with closing(open_ledger(path, terms, "2026-10")) as ledger:
        ledger.charge(parse(epsilon=1), FACTS)
        with closing(open_ledger(path, terms, "2026-11")) as other:
            other.charge(parse(epsilon=1), FACTS)
        rewritten(path, ("pure 1/10", '["1/10","1/10"]'))
        with pytest.raises(LedgerCorrupt, match="entry 3 of the ledger does not add up"):
            ledger.left()


# What was answered is in the file


def test_a_plain_copy_of_an_open_ledger_has_every_charge(path: Path, terms: Terms) -> None:
    with closing(open_ledger(path, terms)) as ledger:
        for number in range(1, 6):
            ledger.charge(SMALL, FACTS)
            assert list(path.parent.iterdir()) == [path]  # there is nothing beside it to forget
            copy = path.with_name("copy")
            shutil.copy(path, copy)
            assert len(contents(copy, terms)) == 1 + number
            copy.unlink()


def cut_short(path: Path, terms: Terms) -> tuple[bytes, bytes]:
    """The file and its journal in the middle of a charge that reached the file in part."""
    seen = []

    class Telling:
        def __init__(self, real: sqlite3.Connection) -> None:
            self.real = real

        def execute(self, statement: str, *values: object) -> object:
            done = self.real.execute(statement, *values)
            if statement.startswith("UPDATE head"):
                journal = path.with_name(path.name + "-journal")
                seen.append((path.read_bytes(), journal.read_bytes()))
            return done

        def close(self) -> None:
            self.real.close()

    with closing(SqliteLedger(path, terms)) as ledger:
        connection = ledger._open()
        connection.execute("PRAGMA cache_size = 1")  # so that pages go to the file early
        ledger._connection = Telling(connection)  # type: ignore[assignment]
        ledger.charge_all([(SMALL, {"model": "dp", "padding": "x" * 20_000})] * 3)
    return seen[-1]


def test_a_charge_that_was_cut_short_is_undone(spent: Path, terms: Terms) -> None:
    before, whole = contents(spent, terms), spent.read_bytes()
    file, journal = cut_short(spent, terms)
    assert file != whole
    spent.write_bytes(file)
    beside = spent.with_name(spent.name + "-journal")
    beside.write_bytes(journal)
    assert len(read_ledger(spent).entries) == 5  # which undoes it in a copy
    assert (spent.read_bytes(), beside.read_bytes()) == (file, journal)
    assert contents(spent, terms) == before
    assert not beside.exists()


def test_without_its_journal_a_charge_that_was_cut_short_is_found(spent: Path, terms: Terms) -> None:
    spent.write_bytes(cut_short(spent, terms)[0])
    with pytest.raises(LedgerError):
        open_ledger(spent, terms)


def test_an_old_journal_put_beside_an_open_ledger_frees_nothing(spent: Path, terms: Terms) -> None:
    whole = spent.read_bytes()
    _, journal = cut_short(spent, terms)
    spent.write_bytes(whole)
    with closing(open_ledger(spent, terms)) as ledger:
        for _ in range(3):
            ledger.charge(SMALL, FACTS)
        spent.with_name(spent.name + "-journal").write_bytes(journal)
        for _ in range(2):
            with pytest.raises(LedgerError):
                ledger.charge(SMALL, FACTS)


@pytest.mark.parametrize("opened", [True, False])
def test_a_log_of_another_program_is_not_read_into_the_ledger(opened: bool, spent: Path, terms: Terms) -> None:
    """SQLite would take the pages of any -wal that fits."""
    ledger = SqliteLedger(spent, terms)
    if not opened:
        ledger.close()
    log = spent.with_name(spent.name + "-wal")
    log.write_bytes(b"what another program left")
    for stage in (lambda: ledger.charge(SMALL, FACTS), lambda: open_ledger(spent, terms), lambda: read_ledger(spent)):
        with pytest.raises(LedgerError, match="which keeps no such log"):
            stage()
    log.unlink()
    assert ledger.charge(SMALL, FACTS).number == 6
    ledger.close()


@pytest.mark.parametrize("opened", [True, False])
def test_a_ledger_that_another_program_gave_a_log_goes_on_without(opened: bool, spent: Path, terms: Terms) -> None:
    ledger = SqliteLedger(spent, terms)
    if not opened:
        ledger.close()
    with closing(sqlite3.connect(spent)) as other:
        assert other.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    with closing(ledger):
        assert ledger.charge(SMALL, FACTS).number == 6
        assert list(spent.parent.iterdir()) == [spent]
        assert ledger._open().execute("PRAGMA journal_mode").fetchone() == ("delete",)


# A Ctrl-C


@pytest.mark.parametrize("step", ["BEGIN", "PRAGMA schema_version", "INSERT", "UPDATE", "COMMIT"])
def test_nobody_waits_for_a_charge_that_was_interrupted(
    step: str, spent: Path, terms: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step is done, and then comes the signal, as Python delivers it."""

    class Interrupted:
        def __init__(self, real: sqlite3.Connection) -> None:
            self.real = real

        def execute(self, statement: str, *values: object) -> object:
            done = self.real.execute(statement, *values)
            if statement.startswith(step):
                done.close()
                raise KeyboardInterrupt
            return done

        def close(self) -> None:
            self.real.close()

    with closing(SqliteLedger(spent, terms)) as ledger, closing(SqliteLedger(spent, terms, timeout=0.05)) as other:
        monkeypatch.setattr(ledger, "_connection", Interrupted(ledger._open()))
        with pytest.raises(KeyboardInterrupt) as caught:
            ledger.charge(SMALL, FACTS)
        made = 6 if step == "COMMIT" else 5
        assert other.charge(SMALL, FACTS).number == made + 1
        assert ledger.charge(SMALL, FACTS).number == made + 2
        assert caught.value is not None  # its traceback keeps alive what was at work


def test_nobody_waits_for_a_view_that_was_interrupted(
    spent: Path, terms: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(row: object) -> None:
        raise KeyboardInterrupt

    with closing(SqliteLedger(spent, terms)) as ledger, closing(SqliteLedger(spent, terms, timeout=0.05)) as other:
        monkeypatch.setattr(chain, "unsealed", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            ledger.entries()
        monkeypatch.undo()
        assert other.charge(SMALL, FACTS).number == 6
        assert ledger.charge(SMALL, FACTS).number == 7
        assert caught.value is not None


# Who may read it


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of a folder there")
@pytest.mark.parametrize(("umask", "mode"), [(0, 0o600), (0o022, 0o600), (0o277, 0o400)])
def test_a_ledger_is_its_makers_alone(umask: int, mode: int, path: Path, terms: Terms) -> None:
    before = os.umask(umask)
    try:
        ledger = SqliteLedger(path, terms)
    finally:
        os.umask(before)
    modes = []

    def stage(book: object) -> None:
        ledger._open().execute("UPDATE head SET entries = entries + 1")
        ledger._open().execute("UPDATE head SET entries = entries - 1")
        modes.extend(each.stat().st_mode & 0o777 for each in path.parent.iterdir())

    with closing(ledger):
        assert path.stat().st_mode & 0o777 == mode
        if mode == 0o600:
            ledger._in_transaction(stage, writes=True)
            assert modes == [0o600, 0o600]  # the journal, too


def test_commits_are_synced(spent: Path, terms: Terms) -> None:
    with closing(SqliteLedger(spent, terms)) as ledger:
        settings = {name: ledger._open().execute(f"PRAGMA {name}").fetchone()[0] for name in REQUESTED}
    assert settings == REQUESTED


REQUESTED = {"journal_mode": "delete", "synchronous": 3, "fullfsync": 1}


def test_a_ledger_is_a_ledger(spent: Path, terms: Terms) -> None:
    with closing(open_ledger(spent, terms)) as ledger:
        assert isinstance(ledger, Ledger)
        assert ledger.last() == ledger.entries()[-1]
