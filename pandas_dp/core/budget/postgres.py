"""A ledger in PostgreSQL, shared by any number of machines."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TypeVar

from ...errors import LedgerCorrupt, LedgerError, LedgerMismatch
from ..arguments import read_by_signature
from .address import Address
from .chain import Book, Entry, Head, Job, Records, Row
from .periods import Terms
from .sqlite import StoredLedger

VERSION = 1
OLDEST = 120_000  # of the servers, as they number themselves

TABLES = """
CREATE TABLE IF NOT EXISTS dp_ledgers (
    name text PRIMARY KEY, version integer NOT NULL, terms text NOT NULL, filter text NOT NULL,
    entries bigint NOT NULL, hash text NOT NULL
);
CREATE TABLE IF NOT EXISTS dp_entries (
    ledger text NOT NULL REFERENCES dp_ledgers, number bigint NOT NULL, release_id text NOT NULL, time text NOT NULL,
    price text NOT NULL, facts text NOT NULL, state text NOT NULL, previous text NOT NULL, hash text NOT NULL,
    PRIMARY KEY (ledger, number), UNIQUE (ledger, previous)
);
CREATE TABLE IF NOT EXISTS dp_jobs (
    ledger text NOT NULL REFERENCES dp_ledgers, name text NOT NULL, question text NOT NULL, source text,
    entry bigint NOT NULL, release text, PRIMARY KEY (ledger, name)
);
CREATE OR REPLACE FUNCTION dp_ledgers_grow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'dp_ledgers' THEN
        IF NEW.name = OLD.name AND NEW.version = OLD.version AND (
            (NEW.entries = OLD.entries + 1 AND NEW.terms = OLD.terms AND NEW.filter = OLD.filter)
            OR (NEW.entries = 0 AND OLD.entries = 0)
        ) THEN
            RETURN NEW;
        END IF;
    END IF;
    IF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'dp_jobs' THEN
        IF OLD.release IS NULL AND NEW.ledger = OLD.ledger AND NEW.name = OLD.name THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'a ledger only grows: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;
"""
GUARDS = {
    "dp_entries_stay": "BEFORE UPDATE OR DELETE ON dp_entries FOR EACH ROW",
    "dp_entries_are_kept": "BEFORE TRUNCATE ON dp_entries FOR EACH STATEMENT",
    "dp_heads_grow": "BEFORE UPDATE OR DELETE ON dp_ledgers FOR EACH ROW",
    "dp_heads_are_kept": "BEFORE TRUNCATE ON dp_ledgers FOR EACH STATEMENT",
}
GUARDS_OF_JOBS = {
    "dp_jobs_stay": "BEFORE UPDATE OR DELETE ON dp_jobs FOR EACH ROW",
    "dp_jobs_are_kept": "BEFORE TRUNCATE ON dp_jobs FOR EACH STATEMENT",
}

WRITES = "BEGIN ISOLATION LEVEL READ COMMITTED"
READS = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
PATIENCE = (
    "SELECT set_config('lock_timeout', '60s', true), set_config('idle_in_transaction_session_timeout', '15s', true), "
    "set_config('synchronous_commit', "
    "CASE WHEN current_setting('synchronous_commit') = 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)"
)
SERVER = (
    "SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on', pg_is_in_recovery(), "
    "current_setting('server_version_num')::integer"
)
MADE = (
    "SELECT (SELECT count(*) FROM pg_trigger WHERE tgenabled = 'O' AND tgname = ANY (%s) "
    "AND tgrelid IN (to_regclass('dp_ledgers'), to_regclass('dp_entries'))), "
    "(SELECT count(*) FROM pg_class WHERE oid IN (to_regclass('dp_ledgers'), to_regclass('dp_entries')) "
    "AND relpersistence = 'p')"
)
FOUND = "INSERT INTO dp_ledgers VALUES (%s, %s, %s, %s, 0, %s) ON CONFLICT (name) DO NOTHING"
LEDGER = "SELECT version, terms, filter, entries, hash FROM dp_ledgers WHERE name = %s"
COLUMNS = "number, release_id, time, price, facts, state, previous, hash"
LATER = f"SELECT {COLUMNS} FROM dp_entries WHERE ledger = %s AND number > %s ORDER BY number"
LAST = f"SELECT {COLUMNS} FROM dp_entries WHERE ledger = %s ORDER BY number DESC LIMIT 1"
APPEND = f"INSERT INTO dp_entries (ledger, {COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
MOVE_HEAD = "UPDATE dp_ledgers SET entries = %s, hash = %s WHERE name = %s AND entries = %s AND hash = %s"
JOBS = "SELECT to_regclass('dp_jobs') IS NOT NULL"
JOB = "SELECT name, question, source, entry, release FROM dp_jobs WHERE ledger = %s AND name = %s"
PUT_DOWN = (
    "INSERT INTO dp_jobs VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (ledger, name) "
    "DO UPDATE SET question = EXCLUDED.question, source = EXCLUDED.source, entry = EXCLUDED.entry, "
    "release = EXCLUDED.release"
)
RENAME = "UPDATE dp_ledgers SET terms = %s, hash = %s WHERE name = %s AND entries = 0"


class PostgresBook:
    """The records of one ledger in the database, inside of a transaction of its connection."""

    def __init__(self, connection: Any, address: Address, *, writes: bool) -> None:
        self.connection, self.address = connection, address
        row = connection.execute(LEDGER + " FOR UPDATE" * writes, (address.name,)).fetchone()
        if row is None:
            raise LedgerCorrupt(f"there is no ledger {address.name!r} in {address}; restore the newest copy.")
        version, self._terms, self._rule, entries, sealed = row
        if version != VERSION:
            raise LedgerError(f"{address} was written by another version of pandas-dp; open it with that version.")
        self._head: Head = (entries, sealed)

    def terms(self) -> tuple[str, str]:
        return self._terms, self._rule

    def head(self) -> Head:
        return self._head

    def last(self) -> Row | None:
        return self.connection.execute(LAST, (self.address.name,)).fetchone()

    def rows(self, after: int = 0) -> Iterable[Row]:
        return self.connection.execute(LATER, (self.address.name, after)).fetchall()

    def append(self, entry: Entry, before: Head) -> None:
        self.connection.execute(APPEND, (self.address.name, *entry.row))
        moved = self.connection.execute(MOVE_HEAD, (entry.number, entry.hash, self.address.name, *before))
        if moved.rowcount != 1:
            raise LedgerCorrupt(f"the head record of {self.address} is not where its last entry is.")

    def rename(self, terms: str, head: Head) -> None:
        self.connection.execute(RENAME, (terms, head[1], self.address.name))

    def job(self, name: str) -> Job | None:
        if not self.connection.execute(JOBS).fetchone()[0]:
            raise LedgerError(
                f"the tables of {self.address} were made before questions were published once; whoever owns the "
                "database makes them anew, by pdp.create_ledger(address), and nothing in them is lost."
            )
        found = self.connection.execute(JOB, (self.address.name, name)).fetchone()
        return None if found is None else Job(*found)

    def put_down(self, job: Job) -> None:
        row = (self.address.name, job.name, job.question, job.table, job.entry, job.release)
        self.connection.execute(PUT_DOWN, row)

    def check(self) -> None:
        """Whether the tables are those that `create_ledger` made, guards and all."""
        check_made(self.connection, self.address)


def driver() -> Any:
    """psycopg, which speaks to the server."""
    try:
        return import_module("psycopg")
    except ImportError:
        raise LedgerError(
            'a ledger in PostgreSQL needs psycopg, which is not installed; pip install "pandas-dp[postgres]".'
        ) from None


def connect(address: Address) -> Any:
    """A connection that begins its transactions itself, and leaves nothing prepared behind: poolers are fine."""
    return driver().connect(
        **address.parts,
        autocommit=True,
        prepare_threshold=None,
        connect_timeout=30,
        client_encoding="UTF8",
        application_name="pandas-dp",
    )


def check_server(connection: Any, address: Address) -> None:
    """Within the transaction: a setting may be changed while a connection lasts, and a standby take over."""
    durable, standby, version = connection.execute(SERVER).fetchone()
    if version < OLDEST:
        raise LedgerError(f"the server of {address} is older than PostgreSQL {OLDEST // 10_000}; use a newer one.")
    if standby:
        raise LedgerError(f"{address} is a standby, which cannot be charged; give the address of the primary server.")
    if not durable:
        raise LedgerError(
            f"the server of {address} has fsync or full_page_writes switched off and would forget charges in a crash; "
            "switch them on."
        )


def check_made(connection: Any, address: Address) -> None:
    """Whether the tables are there, are written to the disk, and are guarded."""
    guards, tables = connection.execute(MADE, (list(GUARDS),)).fetchone()
    if tables < 2:
        raise LedgerError(
            f"{address} has no tables for ledgers that the disk keeps; whoever owns the database makes them once, by "
            "pdp.create_ledger(address)."
        )
    if guards < len(GUARDS):
        raise LedgerError(
            f"the tables of {address} have lost the triggers that keep entries from being changed; whoever owns the "
            "database makes them anew, by pdp.create_ledger(address)."
        )


T = TypeVar("T")

_ledgers: weakref.WeakSet[PostgresLedger] = weakref.WeakSet()
_forking: list[PostgresLedger] = []
_made = itertools.count()

BUSY = "55P03"  # lock_timeout
GUARDED = {"23505", "23514", "23503", "P0001"}  # a constraint or a trigger of the tables refused
MISSING = {"42P01", "42703"}
FORBIDDEN = "42501"


class PostgresLedger(StoredLedger):
    """A ledger in a PostgreSQL database: a charge is one transaction, on the server's disk before it returns.

    Charges of one ledger wait for each other at its row in `dp_ledgers`; those of different ledgers do not. Where the
    line breaks while a charge is written, it may stand or not: there is no answer, and it is not tried again.
    """

    def __init__(self, address: Address, terms: Terms, period: str | None = None) -> None:
        self._set_up(address, terms, period)
        self._within(self._found, writes=True)
        self.ledger_state()

    @property
    def kept(self) -> str:
        return f"in the database {self.place}"

    def _set_up(self, address: Address, terms: Terms, period: str | None, seen: Head | None = None) -> None:
        super().__init__(terms, period, seen)
        self.address, self.place = address, str(address)
        self._turn, self._number = threading.RLock(), next(_made)
        self._connection: Any = None
        _ledgers.add(self)

    def close(self) -> None:
        with self._turn:
            self._drop()

    def _found(self, connection: Any) -> None:
        """The row of a new ledger, unless somebody was faster."""
        check_made(connection, self.address)
        head = self.chain.head(None)[1]
        row = (self.address.name, VERSION, self.terms.to_text(), self.chain.filter.to_text(), head)
        connection.execute(FOUND, row)

    def _in_transaction(self, work: Callable[[Book], T], *, writes: bool = False) -> T:
        """After trouble with the database the next question connects anew and verifies all."""

        def within(connection: Any) -> T:
            book = PostgresBook(connection, self.address, writes=writes)
            self._check(book)
            return work(book)

        return self._within(within, writes)

    def _within(self, work: Callable[[Any], T], writes: bool) -> T:
        """A transaction under settings of its own, whatever others wish of the connection."""
        with self._turn, explained(self.address):
            try:
                connection = self._started(WRITES if writes else READS)
                connection.execute(PATIENCE)
                check_server(connection, self.address)
                found = work(connection)
                ended = connection.execute("COMMIT").statusmessage
                if ended != "COMMIT":
                    raise LedgerError(f"the database {self.address} took the charge back. No answer was given.")
                return found
            except BaseException as error:
                self._undo(error)
                raise

    def _undo(self, error: BaseException) -> None:
        """Nobody waits for a transaction that was broken off, by trouble or by a Ctrl-C: its connection goes, too."""
        trouble = isinstance(error, LedgerError | LedgerMismatch | driver().Error)
        self._verified = self._verified and not trouble
        if trouble or not isinstance(error, Exception):
            self._drop()
        elif self._connection is not None:
            with suppress(Exception):
                self._connection.execute("ROLLBACK")

    def _started(self, begin: str) -> Any:
        """Begun on the connection of this process; where that was lost meanwhile, on a new one."""
        if self._connection is not None:
            with suppress(driver().OperationalError, driver().InterfaceError):
                self._connection.execute(begin)
                return self._connection
            self._drop()
        self._connection = connect(self.address)
        self._connection.execute(begin)
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def __del__(self) -> None:
        if suppress is not None and hasattr(self, "_connection"):  # at the end of the program names may be gone
            self._drop()

    def __getstate__(self) -> tuple[Address, Terms, str | None, Head]:
        """Its address travels without the password; where it arrives, libpq reads PGPASSWORD or a password file."""
        return self.address, self.terms, self.period, self._seen

    def __setstate__(self, state: tuple[Address, Terms, str | None, Head]) -> None:
        self._set_up(*state)


@read_by_signature
def create_ledger(address: str) -> None:
    """Make the tables for ledgers in a PostgreSQL database, once, as its owner; made again they stay as they are.

    Sessions then need no right to make anything: SELECT and INSERT on `dp_entries`, and SELECT, INSERT and UPDATE on
    `dp_ledgers` and `dp_jobs`. Triggers refuse that an entry or a stored release is changed or taken away, and that a
    head record goes back.

    Parameters
    ----------
    address : str
        E.g. `"postgresql+psycopg://owner@host/database"`; one set of tables holds any number of ledgers.

    Raises
    ------
    LedgerError
        The server cannot be reached, is a standby, or does not write its commits to the disk.

    Examples
    --------
    >>> create_ledger("mysql://db.example/stats")
    Traceback (most recent call last):
    pandas_dp.errors.UnsupportedArgument: a ledger is kept in a file or in PostgreSQL, not in 'mysql', ...
    """
    found = Address.read(address)
    with explained(found):
        connection = connect(found)
        try:
            with connection.transaction():
                check_server(connection, found)
                connection.execute(TABLES)
                for name, when in (GUARDS | GUARDS_OF_JOBS).items():
                    table = when.split()[when.split().index("ON") + 1]
                    connection.execute(f"DROP TRIGGER IF EXISTS {name} ON {table}")
                    connection.execute(f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION dp_ledgers_grow()")
                check_made(connection, found)
        finally:
            connection.close()


def records(address: Address) -> Records:
    """What a ledger in a database holds at one moment; nothing is made there."""
    with explained(address):
        connection = connect(address)
        try:
            connection.execute(READS)
            if connection.execute(MADE, (list(GUARDS),)).fetchone()[1] < 2:
                raise LedgerError(f"{address} has no tables for ledgers.")
            if connection.execute(LEDGER, (address.name,)).fetchone() is None:
                raise LedgerError(f"there is no ledger {address.name!r} in {address}.")
            book = PostgresBook(connection, address, writes=False)
            return Records(*book.terms(), book.head(), list(book.rows()))
        finally:
            connection.close()


@contextmanager
def explained(address: Address) -> Iterator[None]:
    """Turn what the database says into LedgerError or LedgerCorrupt, with nothing in it that may be secret."""
    try:
        yield
    except driver().Error as error:
        raise _named(address, error) from None


def _named(address: Address, error: Any) -> LedgerError:
    state = error.sqlstate or ""
    if state in GUARDED:
        return LedgerCorrupt(f"{address} refused a charge that does not follow its last entry. No answer was given.")
    if state == BUSY:
        return LedgerError(f"{address} is locked by another session that does not let go of it. No answer was given.")
    if state in MISSING:
        return LedgerError(
            f"{address} has no tables for ledgers; whoever owns the database makes them once, by "
            "pdp.create_ledger(address). No answer was given."
        )
    if state == FORBIDDEN:
        return LedgerError(
            f"this user may not charge {address}; grant SELECT and INSERT on dp_entries, and SELECT, INSERT and UPDATE "
            "on dp_ledgers and dp_jobs. No answer was given."
        )
    return LedgerError(
        f"the database {address} cannot be reached or broke off; a charge may stand. No answer was given. It says: "
        f"{_reason(address, error)}"
    )


def _reason(address: Address, error: Any) -> str:
    """The last line of what was said."""
    said = error.diag.message_primary or str(error)
    last = (said.strip().splitlines() or ["nothing"])[-1].strip()
    return "nothing" if address.password and address.password in last else last.removesuffix(".") + "."


def _before_fork() -> None:
    """A connection that two processes write to is none; each makes its own."""
    _forking[:] = sorted(_ledgers, key=lambda each: each._number)
    for ledger in _forking:
        ledger._turn.acquire()
        ledger._drop()


def _after_fork() -> None:
    for ledger in _forking:
        ledger._turn.release()
    _forking.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
