"""A ledger in a file, shared by the threads and processes that open it."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from ..cost import Cost
from ..errors import LedgerCorrupt, LedgerError, LedgerMismatch
from . import file
from .chain import Chain, Head
from .entry import Entry
from .ledger import Ledger
from .terms import Terms
from .trouble import code, told

# The threads of a process take turns. A fork waits for its turn and closes what is open, because SQLite
# forgets its locks in a child that inherits a connection.
_turn = threading.RLock()
_ledgers: weakref.WeakSet[SqliteLedger] = weakref.WeakSet()


class SqliteLedger(Ledger):
    """A ledger in a SQLite file: a charge is one immediate transaction, on the disk before it returns.

    ``kill -9`` at any moment may lose an answer and never a charge. The chain of hashes shows an entry that
    was changed or removed, and the head record one that was cut off the end. Neither shows that someone
    rewrote the whole file by the rules, or put back an older copy of it: keep it where only its custodian can
    write. Copy it with SQLite's own tools or while nobody has it open.
    """

    def __init__(self, path: str | os.PathLike[str], terms: Terms, timeout: float = 60.0) -> None:
        self._set_up(os.path.realpath(os.fsdecode(path)), terms, timeout)
        with _turn, told(self.path):
            if not os.path.exists(self.path):
                rule = self.chain.filter.to_text()
                file.create(self.path, terms.to_text(), rule, self.chain.first_hash)
        self.last()

    @property
    def kept(self) -> str:
        return f"in the file {os.path.basename(self.path)}"

    def _set_up(self, path: str, terms: Terms, timeout: float, seen: Head | None = None) -> None:
        super().__init__(terms)
        self._seen = seen or self.chain.head(None)  # the last entry this process knows of
        self.path = path
        self._timeout = timeout
        self._connection: sqlite3.Connection | None = None
        self._identity = (0, 0)
        self._verified = False
        _ledgers.add(self)

    def charge(self, price: Cost, facts: Mapping[str, Any]) -> Entry:
        with self._transaction("IMMEDIATE") as connection:
            entry = self.chain.follow(self._last(connection), price, facts)
            connection.execute(file.APPEND, entry.to_row())
            connection.execute(file.MOVE_HEAD, self.chain.head(entry))
        self._seen = self.chain.head(entry)
        return entry

    def name_roster(self, roster: str) -> None:
        with self._transaction("IMMEDIATE") as connection:
            terms = self._with_roster(roster, self._last(connection))
            if terms != self.terms:
                chain = Chain(terms)
                connection.execute(file.CHANGE_TERMS, (terms.to_text(),))
                connection.execute(file.MOVE_HEAD, chain.head(None))
                self._agree(terms)

    def entries(self) -> list[Entry]:
        with self._transaction("DEFERRED") as connection:
            return list(self._walk(connection))

    def last(self) -> Entry | None:
        with self._transaction("DEFERRED") as connection:
            return self._last(connection)

    def verify(self) -> None:
        with self._transaction("DEFERRED") as connection:
            self._verify(connection)

    def close(self) -> None:
        with _turn, told(self.path):
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        """All or nothing. After trouble with the file the next question opens it anew and verifies it."""
        with _turn, told(self.path):
            try:
                connection = self._open()
                self._begin(connection, kind)
                with _undone_if_it_fails(connection):
                    self._check(connection)
                    yield connection
                    connection.execute("COMMIT")
            except (sqlite3.Error, OSError, LedgerMismatch):
                self._verified = False
                self._drop()
                raise

    def _open(self) -> sqlite3.Connection:
        """The connection of this process, to the file that is at the path now."""
        if self._connection is None:
            self._identity = file.identity(self.path)
            self._connection = file.connect(self.path, self._timeout)
        if file.identity(self.path) != self._identity:
            raise LedgerError(f"the ledger {self.path} was replaced while it was open. No answer was given.")
        return self._connection

    def _begin(self, connection: sqlite3.Connection, kind: str) -> None:
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                connection.execute(f"BEGIN {kind}")
                return
            except sqlite3.OperationalError as error:  # some waits SQLite gives up at once
                if code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _check(self, connection: sqlite3.Connection) -> None:
        if not self._verified:
            self._check_terms(connection)
            self._verify(connection)
            self._verified = True

    def _check_terms(self, connection: sqlite3.Connection, adopt: bool = True) -> None:
        terms, rule = file.one(connection, file.TERMS)
        try:
            found = Terms.from_json(json.loads(terms))
        except LedgerMismatch as error:
            raise LedgerMismatch(f"{self.path} cannot be continued: {error}") from None
        except (TypeError, ValueError, KeyError) as error:
            raise LedgerCorrupt(f"the terms of the ledger {self.path} were changed.") from error
        if (
            adopt and self.terms.roster is None and found.roster is not None
        ):  # which is named when its table is protected
            self._agree(replace(self.terms, roster=found.roster))
        differences = found.differences(self.terms)
        if differences:
            only_roster = replace(self.terms, roster=found.roster) == found
            named = f"protect the table of everybody first, roster={found.roster!r}"
            first = named if only_roster else "open it as it was"
            raise LedgerMismatch(
                f"{self.path} was opened with {differences}; {first}, or give another file.",
                differences=differences,
            )
        if rule != self.chain.filter.to_text():
            raise LedgerMismatch(f"{self.path} was counted by another version of pandas-dp; use that version.")

    def _agree(self, terms: Terms) -> None:
        """Go on under these terms, from which the chain of entries starts."""
        started = self._seen != self.chain.head(None)
        self.terms, self.chain = terms, Chain(terms)
        self._seen = self._seen if started else self.chain.head(None)

    def _verify(self, connection: sqlite3.Connection) -> None:
        if file.one(connection, "PRAGMA quick_check(1)") != ("ok",):
            raise LedgerCorrupt(f"{self.path} is damaged; restore it from a copy.")
        for entry in self._walk(connection):
            if entry.number == self._seen[0] and entry.hash != self._seen[1]:
                raise LedgerCorrupt(f"another history was put into {self.path}; restore the newest copy.")

    def _walk(self, connection: sqlite3.Connection) -> Iterator[Entry]:
        return self.chain.walk(connection.execute(file.ENTRIES), file.one(connection, file.HEAD))

    def _last(self, connection: sqlite3.Connection) -> Entry | None:
        row, found = connection.execute(file.LAST).fetchone(), file.one(connection, file.HEAD)
        if row is None and found != self.chain.head(None):
            self._check_terms(connection, adopt=False)
        last = self.chain.last(row, found)
        head = self.chain.head(last)
        if head[0] < self._seen[0] or (head[0] == self._seen[0] and head != self._seen):
            raise LedgerCorrupt(f"an older copy was put back as {self.path}; restore the newest.")
        self._seen = head
        return last

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # at the end of the program sqlite3 may be gone already
                connection.close()

    def __del__(self) -> None:
        if suppress is not None and hasattr(self, "_connection"):  # at the end of the program names may be gone
            self._drop()

    def __getstate__(self) -> tuple[str, Terms, float, Head]:
        """A ledger travels as its path and terms; where it arrives, the file must be there."""
        return self.path, self.terms, self._timeout, self._seen

    def __setstate__(self, state: tuple[str, Terms, float, Head]) -> None:
        self._set_up(*state)


@contextmanager
def _undone_if_it_fails(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _before_fork() -> None:
    _turn.acquire()
    for ledger in list(_ledgers):
        ledger._drop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_turn.release, after_in_child=_turn.release)
