"""A ledger in PostgreSQL, with a real server: its own rules guard entries, and no charge is lost or made up."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.core.budget import postgres
from pandas_dp.core.budget.address import Address
from pandas_dp.core.budget.chain import seal
from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.budget.postgres import PostgresLedger, create_ledger
from pandas_dp.core.budget.reading import read_ledger
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import BudgetExceeded, LedgerCorrupt, LedgerError, LedgerMismatch, UnsupportedArgument
from tests.command.scene import run
from tests.refusals import refused

from .proxy import Line
from .server import Server

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")

SMALL = parse(epsilon=0.1)
FACTS = {"statistic": "mean", "model": "dp"}
SECRET = "s3cret/word"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def terms() -> Terms:
    return Terms(parse(epsilon=3), "replace", ("dp",))  # type: ignore[arg-type]


@pytest.fixture
def ledger(address: str, terms: Terms) -> Iterator[PostgresLedger]:
    with closing(open_ledger(address, terms)) as opened:
        assert isinstance(opened, PostgresLedger)
        yield opened


@pytest.fixture
def base(server: Server, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of its own, without tables."""
    name = f"base_{abs(hash(request.node.nodeid))}"
    server.tool("createdb", name)
    yield name
    server.tool("dropdb", "--force", name)


def ask(server: Server, *commands: str, base: str = "postgres", user: str = "owner") -> list[Any]:
    """What the server says to these, beside the library."""
    with psycopg.connect(host=str(server.folder), dbname=base, user=user, autocommit=True) as connection:
        for command in commands[:-1]:
            connection.execute(command)
        cursor = connection.execute(commands[-1])
        return cursor.fetchall() if cursor.description else []


# Continuing, and what is shown


def test_what_is_published_once_is_found_again_and_stays_as_it_is(server: Server, base: str) -> None:
    address, found = server.address(base=base), []
    create_ledger(address)
    for _ in range(2):
        with pdp.Session(epsilon=1, ledger=address) as session:
            people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
            found.append(session.publish("a", lambda p=people: p["age"].dp.mean(bounds=(0, 100), epsilon=0.5)))
            assert len(session.ledger) == 1
    pd.testing.assert_frame_equal(*found)
    for command in ("DELETE FROM dp_jobs", "TRUNCATE dp_jobs", "UPDATE dp_jobs SET release = '{}'"):
        with pytest.raises(psycopg.Error, match="a ledger only grows"):
            ask(server, command, base=base)


def test_tables_of_before_say_how_they_are_made_anew(server: Server, base: str) -> None:
    address = server.address(base=base)
    create_ledger(address)
    ask(server, "DROP TABLE dp_jobs", base=base)
    with pdp.Session(epsilon=1, ledger=address) as session:
        people = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))
        with pytest.raises(LedgerError, match=r"create_ledger\(address\), and nothing in them is lost"):
            session.publish("a", lambda: people["age"].dp.mean(bounds=(0, 100), epsilon=0.5))
        create_ledger(address)
        session.publish("a", lambda: people["age"].dp.mean(bounds=(0, 100), epsilon=0.5))
        assert len(session.ledger) == 1


def test_a_session_keeps_its_budget_in_a_database(address: str) -> None:
    people = pd.DataFrame({"age": [31.0, 54.0] * 50})
    for number in (1, 2):
        with pdp.Session(epsilon=1, ledger=address) as session:
            session.protect(people)["age"].dp.mean(epsilon=0.25, bounds=(0, 100))
            assert session.share_used == number * 0.25
            assert "ledger in the database postgresql+psycopg://owner@" in repr(session)
    with pytest.raises(LedgerMismatch, match="with a cap of epsilon=1, not epsilon=2"):
        pdp.Session(epsilon=2, ledger=address)


def test_the_command_line_reads_a_database(address: str, ledger: PostgresLedger) -> None:
    ledger.charge(SMALL, FACTS)
    assert "left   epsilon=2.9" in run("ledger", "show", address).stdout
    assert json.loads(run("ledger", "verify", address, "--json").stdout)["entries"] == 1
    nowhere = run("ledger", "show", address + "-nowhere")
    assert (nowhere.returncode, nowhere.stderr.count("there is no ledger")) == (3, 1)
    with pytest.raises(LedgerError, match="there is no ledger"):
        read_ledger(address + "-nowhere")


def test_ledgers_of_one_database_do_not_meet(server: Server, terms: Terms) -> None:
    for name in ("north", "south"):
        with closing(open_ledger(server.address(name), terms)) as ledger:
            ledger.charge(parse(epsilon=3), FACTS)
            assert len(ledger.entries()) == 1


def test_budgets_by_period_are_kept_in_a_database(address: str, terms: Terms) -> None:
    monthly = replace(terms, period="month", overall=parse(epsilon=4))
    with (
        closing(open_ledger(address, monthly, "2026-10")) as old,
        closing(open_ledger(address, monthly, "2026-11")) as new,
    ):
        old.charge(parse(epsilon=2), FACTS)
        new.charge(parse(epsilon=1.5), FACTS)
        assert (str(old.left()), str(new.left())) == ("epsilon=0.5", "epsilon=0.5")
        with pytest.raises(BudgetExceeded, match="over all periods"):
            new.charge(parse(epsilon=1), FACTS)


# How it is made, and who may do what


def test_tables_are_made_once_by_their_owner(server: Server, base: str, terms: Terms) -> None:
    address = server.address(base=base)
    with pytest.raises(LedgerError, match="has no tables for ledgers"):
        open_ledger(address, terms)
    create_ledger(address)
    with closing(open_ledger(address, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        create_ledger(address)
        assert len(ledger.entries()) == 1


RIGHTS = "GRANT SELECT, INSERT ON dp_entries TO {0}; GRANT SELECT, INSERT, UPDATE ON dp_ledgers TO {0}"


def test_whoever_charges_needs_no_other_rights(server: Server, base: str, terms: Terms) -> None:
    create_ledger(server.address(base=base))
    ask(server, "DROP ROLE IF EXISTS clerk", "CREATE ROLE clerk LOGIN", "SELECT 1")
    address = server.address(base=base, user="clerk")
    with pytest.raises(LedgerError, match="grant SELECT and INSERT on dp_entries"):
        open_ledger(address, terms)
    ask(server, *RIGHTS.format("clerk").split("; "), base=base)
    with closing(open_ledger(address, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        assert len(ledger.entries()) == 1
    for command in ("DELETE FROM dp_entries", "DROP TABLE dp_entries", "DROP TRIGGER dp_heads_grow ON dp_ledgers"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(server, command, base=base, user="clerk")
    ask(server, "DROP OWNED BY clerk", base=base)


@pytest.mark.parametrize(
    "command",
    [
        "UPDATE dp_entries SET price = 'pure 1/100'",
        "DELETE FROM dp_entries",
        "TRUNCATE dp_entries",
        "TRUNCATE dp_ledgers CASCADE",
        "DELETE FROM dp_ledgers",
        "UPDATE dp_ledgers SET entries = entries - 1",
        "UPDATE dp_ledgers SET terms = 'others'",
    ],
)
def test_the_database_refuses_to_forget(command: str, server: Server, ledger: PostgresLedger) -> None:
    ledger.charge(SMALL, FACTS)
    with pytest.raises(psycopg.errors.RaiseException, match="a ledger only grows"):
        ask(server, command)
    ledger.verify()


def test_two_entries_cannot_follow_one_even_without_a_lock(server: Server, ledger: PostgresLedger) -> None:
    first, second = ledger.charge(SMALL, FACTS), ledger.charge(SMALL, FACTS)
    name = ledger.address.name
    for number, previous in ((2, second.hash), (3, first.hash)):
        row = "', '".join(map(str, (name, number, "id", "time", "pure 1", "{}", "1", previous, "hash")))
        with pytest.raises(psycopg.errors.UniqueViolation):
            ask(server, f"INSERT INTO dp_entries VALUES ('{row}')")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE dp_entries SET price = 'pure 1/100' WHERE number = 1",
        "UPDATE dp_entries SET facts = '{}' WHERE number = 2",
        "DELETE FROM dp_entries WHERE number = 1",
        "DELETE FROM dp_entries WHERE number = 2",
        "UPDATE dp_ledgers SET terms = replace(terms, 'pure 3', 'pure 9') WHERE entries = 2",
        "UPDATE dp_ledgers SET entries = 1 WHERE entries = 2",
    ],
)
def test_what_the_owner_changed_behind_the_guards_is_found(
    change: str, server: Server, base: str, terms: Terms
) -> None:
    address = server.address(base=base)
    create_ledger(address)
    with closing(open_ledger(address, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        ledger.charge(SMALL, FACTS)
    ask(server, "SET session_replication_role = replica", change, base=base)
    for requested in (terms, replace(terms, cap=parse(epsilon=9))):  # type: ignore[arg-type]
        with pytest.raises((LedgerCorrupt, LedgerMismatch)):
            open_ledger(address, requested)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DROP TRIGGER dp_entries_stay ON dp_entries", "have lost the triggers"),
        ("ALTER TABLE dp_ledgers DISABLE TRIGGER dp_heads_grow", "have lost the triggers"),
        ("ALTER TABLE dp_entries SET UNLOGGED", "no tables for ledgers that the disk keeps"),
    ],
)
def test_tables_without_their_guards_are_refused(
    change: str, words: str, server: Server, base: str, terms: Terms
) -> None:
    address = server.address(base=base)
    create_ledger(address)
    ask(server, change, base=base)
    with pytest.raises(LedgerError, match=words):
        open_ledger(address, terms)


# The server's promises


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_would_forget_is_refused_at_once(setting: str, server: Server, ledger: PostgresLedger) -> None:
    try:
        ask(server, f"ALTER SYSTEM SET {setting} = off", "SELECT pg_reload_conf()")
        with pytest.raises(LedgerError, match="fsync or full_page_writes switched off"):
            charge_until_refused(ledger)
    finally:
        ask(server, f"ALTER SYSTEM RESET {setting}", "SELECT pg_reload_conf()")
    assert soon(lambda: granted(ledger))


def charge_until_refused(ledger: PostgresLedger) -> None:
    """A reloaded setting reaches a connection a moment later."""
    for _ in range(1200):
        ledger.charge(parse(epsilon=1e-6), FACTS)
        time.sleep(0.05)


def soon(happens: Callable[[], bool]) -> bool:
    """Whether it does within a minute, or as long as a busy machine takes."""
    deadline = time.monotonic() + 300
    while not happens() and time.monotonic() < deadline:
        time.sleep(0.05)
    return happens()


def granted(ledger: PostgresLedger) -> bool:
    try:
        return ledger.charge(parse(epsilon=1e-6), FACTS).number > 0
    except LedgerError:
        return False


def test_a_charge_waits_for_the_disk_whatever_the_role_prefers(server: Server, address: str, terms: Terms) -> None:
    ask(server, "DROP ROLE IF EXISTS hasty", "CREATE ROLE hasty LOGIN SUPERUSER", "SELECT 1")
    ask(server, "ALTER ROLE hasty SET synchronous_commit = off")
    ask(server, "ALTER ROLE hasty SET default_transaction_isolation = serializable")
    hasty = address.replace("owner@", "hasty@")
    with closing(open_ledger(hasty, terms)) as ledger:
        settings = ledger._in_transaction(  # type: ignore[attr-defined]
            lambda book: [book.connection.execute(f"SHOW {name}").fetchone()[0] for name in REQUESTED], writes=True
        )
    assert settings == list(REQUESTED.values())


REQUESTED = {"synchronous_commit": "on", "transaction_isolation": "read committed", "lock_timeout": "1min"}


@pytest.mark.slow
def test_a_standby_is_refused(server: Server, terms: Terms, address: str) -> None:
    standby = Server(server.folder / "standby", server.programs)
    server.tool("pg_basebackup", "-D", str(standby.folder / "data"), "-R", "-c", "fast")
    standby.start()
    try:
        with pytest.raises(LedgerError, match="is a standby, which cannot be charged"):
            open_ledger(address.replace(quoted(server.folder), quoted(standby.folder)), terms)
    finally:
        standby.stop("fast")


# Trouble on the way


@pytest.fixture
def line(server: Server) -> Iterator[Line]:
    made = Line(server.folder)
    yield made
    made.close()


@pytest.mark.parametrize(("breaks", "stands"), [("before", 1), ("after", 2)])
def test_a_line_that_breaks_in_the_commit_gives_no_answer_and_is_not_tried_again(
    breaks: Any, stands: int, line: Line, server: Server, terms: Terms, address: str
) -> None:
    through = address.replace(quoted(server.folder), quoted(line.folder))
    with closing(open_ledger(through, terms)) as ledger, closing(open_ledger(address, terms)) as beside:
        ledger.charge(SMALL, FACTS)
        line.breaks = breaks
        with pytest.raises(LedgerError, match=r"a charge may stand\. No answer was given"):
            ledger.charge(SMALL, FACTS)
        line.breaks = ""
        assert line.broken == 1
        assert soon(lambda: len(beside.entries()) == stands)
        assert ledger.charge(SMALL, FACTS).number == stands + 1


def quoted(folder: Path) -> str:
    return str(folder).replace("/", "%2F")


@pytest.mark.slow
def test_a_server_that_starts_anew_is_found_again(server: Server, ledger: PostgresLedger) -> None:
    ledger.charge(SMALL, FACTS)
    server.stop("immediate")
    with pytest.raises(LedgerError, match="cannot be reached or broke off"):
        ledger.charge(SMALL, FACTS)
    server.start()
    assert ledger.charge(SMALL, FACTS).number == 2
    server.stop("fast")
    server.start()
    assert ledger.charge(SMALL, FACTS).number == 3


def test_a_restored_older_dump_is_found_by_who_saw_newer_entries(server: Server, base: str, terms: Terms) -> None:
    address, dump = server.address(base=base), server.folder / "older.sql"
    create_ledger(address)
    with closing(open_ledger(address, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        server.tool("pg_dump", "-f", str(dump), base)
        travelled = pickle.dumps((ledger.charge(SMALL, FACTS), ledger)[1])
        ledger.close()
        ask(server, "DROP TABLE dp_jobs, dp_entries, dp_ledgers", "DROP FUNCTION dp_ledgers_grow", base=base)
        server.tool("psql", "-q", "-d", base, "-f", str(dump))
        with pytest.raises(LedgerCorrupt, match="an older copy was put back"):
            ledger.charge(SMALL, FACTS)
    with closing(pickle.loads(travelled)) as there, pytest.raises(LedgerCorrupt, match="an older copy was put back"):
        there.charge(SMALL, FACTS)
    with closing(open_ledger(address, terms)) as unaware:
        assert len(unaware.entries()) == 1


def test_another_history_of_the_same_length_is_found(server: Server, base: str, terms: Terms) -> None:
    address = server.address(base=base)
    create_ledger(address)
    with closing(open_ledger(address, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        ask(server, "DROP TABLE dp_jobs, dp_entries, dp_ledgers", base=base)
        create_ledger(address)
        with closing(open_ledger(address, terms)) as other:
            other.charge(SMALL, FACTS)
        ledger.close()
        with pytest.raises(LedgerCorrupt):
            ledger.charge(SMALL, FACTS)


@pytest.mark.parametrize("more", [1, 2, 3])
def test_an_older_dump_that_others_charged_since_is_found(more: int, server: Server, base: str, terms: Terms) -> None:
    address, dump = server.address(base=base), server.folder / "older.sql"
    create_ledger(address)
    with closing(open_ledger(address, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        server.tool("pg_dump", "-f", str(dump), base)
        ledger.charge(SMALL, FACTS)
        ask(server, "DROP TABLE dp_jobs, dp_entries, dp_ledgers", "DROP FUNCTION dp_ledgers_grow", base=base)
        server.tool("psql", "-q", "-d", base, "-f", str(dump))
        with closing(open_ledger(address, terms)) as other:
            for _ in range(more):
                other.charge(SMALL, FACTS)
        for _ in range(2):
            with pytest.raises(LedgerCorrupt):
                ledger.charge(SMALL, FACTS)


def test_an_entry_that_an_analyst_put_in_by_hand_frees_nothing(server: Server, ledger: PostgresLedger) -> None:
    """Whoever may charge may insert, and seal what they like."""
    first = ledger.charge(parse(epsilon=2), FACTS)
    fields = (2, *first.row[1:3], "pure 0", first.row[4], "0", first.hash)
    values = "', '".join(map(str, (ledger.address.name, *fields, seal(fields))))
    ask(
        server,
        f"INSERT INTO dp_entries VALUES ('{values}')",
        f"UPDATE dp_ledgers SET entries = 2, hash = '{seal(fields)}' WHERE name = '{ledger.address.name}'",
    )
    for _ in range(2):
        with pytest.raises(LedgerCorrupt, match="entry 2 of the ledger does not add up"):
            ledger.charge(parse(epsilon=2), FACTS)


@pytest.mark.parametrize("step", ["BEGIN", "SELECT set_config", "INSERT", "UPDATE", "COMMIT"])
def test_nobody_waits_for_a_charge_that_was_interrupted(
    step: str, address: str, terms: Terms, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def __init__(self, real: Any) -> None:
            self.real, self.close = real, real.close

        def execute(self, statement: str, *values: Any) -> Any:
            done = self.real.execute(statement, *values)
            if statement.startswith(step):
                raise KeyboardInterrupt
            return done

    with closing(open_ledger(address, terms)) as ledger, closing(open_ledger(address, terms)) as other:
        ledger.charge(SMALL, FACTS)
        monkeypatch.setattr(ledger, "_connection", Interrupted(ledger._connection))  # type: ignore[attr-defined]
        with pytest.raises(KeyboardInterrupt) as caught:
            ledger.charge(SMALL, FACTS)
        monkeypatch.setattr(postgres, "PATIENCE", postgres.PATIENCE.replace("60s", "1s"))
        made = 2 if step == "COMMIT" else 1
        assert other.charge(SMALL, FACTS).number == made + 1
        assert ledger.charge(SMALL, FACTS).number == made + 2
        assert caught.value is not None


def test_a_session_that_is_stuck_lets_go(address: str, terms: Terms, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_ledger(address, terms)) as stuck, closing(open_ledger(address, terms)) as other:
        monkeypatch.setattr(postgres, "PATIENCE", postgres.PATIENCE.replace("15s", "2s"))

        def get_stuck(book: object) -> None:
            monkeypatch.undo()  # the other is as patient as ever
            assert other.charge(SMALL, FACTS).number == 1  # once the server has let the stuck one go

        with pytest.raises(LedgerError, match="broke off"):
            stuck._in_transaction(get_stuck, writes=True)  # type: ignore[attr-defined]
        assert stuck.charge(SMALL, FACTS).number == 2


def test_a_session_does_not_wait_for_ever(address: str, terms: Terms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "PATIENCE", postgres.PATIENCE.replace("60s", "200ms"))
    with closing(open_ledger(address, terms)) as busy, closing(open_ledger(address, terms)) as other:

        def meanwhile(book: object) -> None:
            with pytest.raises(LedgerError, match="is locked by another session"):
                other.charge(SMALL, FACTS)

        busy._in_transaction(meanwhile, writes=True)  # type: ignore[attr-defined]
        assert other.charge(SMALL, FACTS).number == 1


FORKS = """
import os, sys
from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.session.opening import open_ledger
terms, price = Terms(parse(epsilon=1000), "replace", ("dp",)), parse(epsilon=0.1)
ledger = open_ledger(sys.argv[1], terms)
def charge(times):
    for _ in range(times):
        ledger.charge(price, {"model": "dp"})
charge(3)
child = os.fork()
charge(10)
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
charge(3)
assert len(ledger.entries()) == 26
ledger.verify()
"""


def script(*arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=1800, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_parent_and_child_of_a_fork_both_go_on(address: str) -> None:
    script("-c", FORKS, address)


@pytest.mark.slow
def test_clients_and_servers_that_are_killed_lose_no_charge(server: Server, tmp_path: Path) -> None:
    """Every answer has its charge, no number is given twice, the cap is kept."""
    arguments = (str(server.folder), str(server.programs), str(tmp_path), "8")
    assert script(str(Path(__file__).with_name("database_crash.py")), *arguments).startswith("8 rounds")


# What must not be seen


@pytest.fixture
def guest(server: Server, address: str) -> str:
    """The address of a user who needs a password."""
    quoted = SECRET.replace("'", "''")
    ask(server, "DROP ROLE IF EXISTS guest", f"CREATE ROLE guest LOGIN SUPERUSER PASSWORD '{quoted}'")
    return server.address(Address.read(address).name, user="guest", password=SECRET)


def test_a_password_is_shown_nowhere(guest: str, tmp_path: Path) -> None:
    with pdp.Session(epsilon=1, ledger=guest) as session:
        release = session.protect(pd.DataFrame({"age": [31.0, 54.0] * 50}))["age"].dp.mean(bounds=(0, 100))
        kept = session._core.ledger
        shown = [repr(session), session._repr_html_(), json.dumps(release.attrs["dp"]), session.promise]
        shown += [repr(kept.__getstate__()), repr(kept), repr(kept.address), str(kept.address)]  # type: ignore[attr-defined]
        shown += [str(pickle.dumps(kept)), str(pickle.dumps(kept.address)), kept.kept]  # type: ignore[attr-defined]
        shown += [session.ledger.to_string(), run("ledger", "show", guest).stdout]
    assert all(SECRET not in each and "s3cret" not in each for each in shown)


@pytest.mark.parametrize(
    "change",
    [
        lambda guest: guest.replace("s3cret", "s3crets"),
        lambda guest: guest.replace("/postgres?", "/nowhere?"),
        lambda guest: guest.replace("%2F", "/", 1),
        lambda guest: guest + "&sslmode=perhaps",
        lambda guest: guest + "&nonsense=1",
        lambda guest: guest.replace("dp-pg", "dp-gone"),
        lambda guest: guest.replace("postgresql+psycopg", "mysql"),
        lambda guest: guest.replace("@/", "@:port/"),
    ],
)
def test_no_refusal_shows_a_password(change: Callable[[str], str], guest: str, terms: Terms) -> None:
    with pytest.raises((LedgerError, UnsupportedArgument)) as caught:
        open_ledger(change(guest), terms)
    error: BaseException | None = caught.value
    while error is not None:
        assert "s3cret" not in f"{error}{error!r}{vars(error)}"
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    assert b"s3cret" not in pickle.dumps(str(caught.value))


def test_a_ledger_travels_without_its_password(guest: str, terms: Terms, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_ledger(guest, terms)) as ledger:
        ledger.charge(SMALL, FACTS)
        there = pickle.loads(pickle.dumps(ledger))
    with pytest.raises(LedgerError, match="no password supplied"):
        there.charge(SMALL, FACTS)
    monkeypatch.setenv("PGPASSWORD", SECRET)
    assert there.charge(SMALL, FACTS).number == 2
    there.close()


def test_other_databases_are_refused() -> None:
    with refused(UnsupportedArgument):
        pdp.Session(epsilon=1, ledger="mysql://ann:s3cret@db.example/stats")


def test_an_address_is_shown_as_it_is_typed_but_for_its_password() -> None:
    typed = "postgresql+psycopg://ann:s3cret@db.example:6543/stats?ledger=survey&sslmode=require"
    assert str(Address.read(typed)) == typed.replace(":s3cret", "")
    assert Address.read(typed).parts["password"] == "s3cret"
    assert Address.read("postgresql://db.example/stats").name == "default"
