"""A ledger in a file, shared by the threads and processes that open it."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from ..errors import LedgerCorrupt, LedgerError, LedgerMismatch
from . import file
from .book import Book
from .chain import Head
from .entry import Entry, Row
from .stored import StoredLedger
from .terms import Terms
from .trouble import code, told

T = TypeVar("T")

# The threads of a process take turns. A fork waits for its turn and closes what is open, because SQLite
# forgets its locks in a child that inherits a connection.
_turn = threading.RLock()
_ledgers: weakref.WeakSet[SqliteLedger] = weakref.WeakSet()


class SqliteBook:
    """The records in the file, inside of a transaction of its connection."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self.connection, self.path = connection, path

    def terms(self) -> tuple[str, str]:
        terms, rule = file.one(self.connection, file.TERMS)
        return terms, rule

    def head(self) -> Head:
        return file.one(self.connection, file.HEAD)

    def last(self) -> Row | None:
        return self.connection.execute(file.LAST).fetchone()

    def rows(self, after: int = 0) -> Iterable[Row]:
        """All at once: a question half read, which an error may keep alive, would keep others from charging."""
        return self.connection.execute(file.ENTRIES if not after else file.LATER, (after,) if after else ()).fetchall()

    def append(self, entry: Entry, before: Head) -> None:
        self.connection.execute(file.APPEND, entry.row)
        self.connection.execute(file.MOVE_HEAD, (entry.number, entry.hash))

    def rename(self, terms: str, head: Head) -> None:
        self.connection.execute(file.CHANGE_TERMS, (terms,))
        self.connection.execute(file.MOVE_HEAD, head)

    def check(self) -> None:
        if file.one(self.connection, "PRAGMA quick_check(1)") != ("ok",):
            raise LedgerCorrupt(f"{self.path} is damaged; restore it from a copy.")


class SqliteLedger(StoredLedger):
    """A ledger in a SQLite file: a charge is one immediate transaction, on the disk before it returns.

    What was answered is in the file itself, and nothing beside it: a journal is there while a charge is written, and
    undoes one that a ``kill -9`` cut short. The chain of hashes shows an entry that was changed or removed, and the
    head record one that was cut off the end. Neither shows that someone rewrote the whole file by the rules, or put
    back an older copy of it: keep it where only its custodian can write.
    """

    def __init__(
        self, path: str | os.PathLike[str], terms: Terms, period: str | None = None, timeout: float = 60.0
    ) -> None:
        self._set_up(os.path.realpath(os.fsdecode(path)), terms, period, timeout)
        with _turn, told(self.path):
            if not os.path.exists(self.path):
                rule = self.chain.filter.to_text()
                file.create(self.path, terms.to_text(), rule, self.chain.first_hash)
        self.standing()

    @property
    def kept(self) -> str:
        return f"in the file {os.path.basename(self.path)}"

    def _set_up(self, path: str, terms: Terms, period: str | None, timeout: float, seen: Head | None = None) -> None:
        super().__init__(terms, period, seen)
        self.path = self.place = path
        self._timeout = timeout
        self._connection: sqlite3.Connection | None = None
        self._identity = (0, 0)
        _ledgers.add(self)

    def close(self) -> None:
        with _turn, told(self.path):
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _in_transaction(self, work: Callable[[Book], T], *, writes: bool = False) -> T:
        """After trouble with the file the next question opens it anew and verifies it."""
        with _turn, told(self.path):
            try:
                connection = self._begun("IMMEDIATE" if writes else "DEFERRED")
                book = SqliteBook(connection, self.path)
                self._check(book)
                found = work(book)
                connection.execute("COMMIT")
                return found
            except BaseException as error:
                self._undo(error)
                raise

    def _undo(self, error: BaseException) -> None:
        """Nobody waits for a transaction that was broken off, by trouble or by a Ctrl-C."""
        trouble = isinstance(error, sqlite3.Error | OSError | LedgerMismatch)
        self._verified = self._verified and not trouble
        try:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
        finally:
            if trouble or not isinstance(error, Exception):
                self._drop()

    def _begun(self, kind: str) -> sqlite3.Connection:
        """In a transaction on the file that is at the path now, which goes to the disk in the way that lasts."""
        connection = self._open()
        self._begin(connection, kind)
        if not file.is_durable(connection):  # another program changed it meanwhile
            connection.execute("ROLLBACK")
            self._drop()
            connection = self._open()
            self._begin(connection, kind)
        return connection

    def _open(self) -> sqlite3.Connection:
        """The connection of this process, to the file that is at the path now."""
        file.check_no_log(self.path)
        if self._connection is None:
            self._identity = file.identity(self.path)
            self._connection = file.connect(self.path, self._timeout)
        if file.identity(self.path) != self._identity:
            raise LedgerError(f"the ledger {self.path} was replaced while it was open. No answer was given.")
        return self._connection

    def _begin(self, connection: sqlite3.Connection, kind: str) -> None:
        """With the lock that the first read takes, and no page remembered from before.

        SQLite takes its pages for the file's while a counter in the file is what it was. In an older copy that was put
        in place, and was charged as often since, it is.
        """
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                connection.execute("PRAGMA shrink_memory")
                connection.execute(f"BEGIN {kind}")
                connection.execute("PRAGMA schema_version").fetchone()
                return
            except sqlite3.OperationalError as error:  # some waits SQLite gives up at once
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                if code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # at the end of the program sqlite3 may be gone already
                connection.close()

    def __del__(self) -> None:
        if suppress is not None and hasattr(self, "_connection"):  # at the end of the program names may be gone
            self._drop()

    def __getstate__(self) -> tuple[str, Terms, str | None, float, Head]:
        """A ledger travels as its path and terms; where it arrives, the file must be there."""
        return self.path, self.terms, self.period, self._timeout, self._seen

    def __setstate__(self, state: tuple[str, Terms, str | None, float, Head]) -> None:
        self._set_up(*state)


def _before_fork() -> None:
    _turn.acquire()
    for ledger in list(_ledgers):
        ledger._drop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_turn.release, after_in_child=_turn.release)
