"""The tables of ledgers in PostgreSQL: how they are made, opened and read. The database's own rules guard them too."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from ..errors import LedgerCorrupt, LedgerError
from .address import Address
from .chain import Head
from .entry import Entry, Row

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
    RAISE EXCEPTION 'a ledger only grows: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;
"""
GUARDS = {
    "dp_entries_stay": "BEFORE UPDATE OR DELETE ON dp_entries FOR EACH ROW",
    "dp_entries_are_kept": "BEFORE TRUNCATE ON dp_entries FOR EACH STATEMENT",
    "dp_heads_grow": "BEFORE UPDATE OR DELETE ON dp_ledgers FOR EACH ROW",
    "dp_heads_are_kept": "BEFORE TRUNCATE ON dp_ledgers FOR EACH STATEMENT",
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
