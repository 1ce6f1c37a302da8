"""A ledger that outlives its process: the same rules over any store that has transactions."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from ...errors import LedgerCorrupt, LedgerError, LedgerMismatch
from . import file
from .chain import Book, Chain, Entry, Head, Job, LedgerState, Row, unsealed
from .cost import Cost
from .file import code, explained
from .ledger import Ledger, tell
from .periods import Terms

T = TypeVar("T")


class StoredLedger(Ledger):
    """What a file and a database have in common. It remembers the newest entry that it saw, and accepts no older."""

    place: str  # as messages name it

    def __init__(self, terms: Terms, period: str | None, seen: Head | None = None) -> None:
        super().__init__(terms, period)
        self._seen = seen or self.chain.head(None)  # the last entry this process knows of
        self._ledger_state = LedgerState()  # after all entries that this process checked
        self._verified = False

    @abstractmethod
    def _in_transaction(self, work: Callable[[Book], T], *, writes: bool = False) -> T:
        """What work makes of the book, all or nothing; where it writes, one after another. It calls `_check` first.

        A function and no `with` block: a Ctrl-C between the two halves of a block would leave it open.
        """

    def charge_all(self, charges: Sequence[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        entries, ledger_state = self._in_transaction(lambda book: self._charged(book, charges), writes=True)
        self._move_to(ledger_state)
        tell(entries)
        return entries

    def charge_once(self, price: Cost, facts: Mapping[str, Any], job: Job, check: Callable[[Job], None]) -> Entry | Job:
        def charge(book: Book) -> tuple[list[Entry], LedgerState] | Job:
            self._read(book)
            found = book.job(job.name)
            if found is not None:
                check(found)
                if found.release is not None:
                    return found
            entries, after = self._charged(book, [(price, facts)])
            book.put_down(replace(job, entry=entries[0].number))
            return entries, after

        found = self._in_transaction(charge, writes=True)
        if isinstance(found, Job):
            return found
        entries, ledger_state = found
        self._move_to(ledger_state)
        tell(entries)
        return entries[0]

    def store(self, job: Job) -> Job:
        def keep(book: Book) -> Job:
            self._read(book)
            found = book.job(job.name)
            if found is not None and found.release is not None:
                return found
            book.put_down(job)
            return job

        return self._in_transaction(keep, writes=True)

    def _charged(
        self, book: Book, charges: Sequence[tuple[Cost, Mapping[str, Any]]]
    ) -> tuple[list[Entry], LedgerState]:
        before = self._read(book)
        entries, after = self.chain.follow_all(before, charges)
        last = before.last
        for entry in entries:
            book.append(entry, self.chain.head(last))
            last = entry
        return entries, after

    def name_roster(self, roster: str) -> None:
        def name(book: Book) -> Terms:
            terms = self._with_roster(roster, self._read(book).last)
            if terms != self.terms:
                book.rename(terms.to_text(), Chain(terms).head(None))
            return terms

        terms = self._in_transaction(name, writes=True)
        if terms != self.terms:
            self._agree(terms)

    def entries(self) -> list[Entry]:
        return self._in_transaction(lambda book: self.chain.linked(book.rows(), self._read(book).last))

    def ledger_state(self) -> LedgerState:
        return self._in_transaction(self._read)

    def verify(self) -> None:
        self._in_transaction(self._verify)

    def _check(self, book: Book) -> None:
        """Before anything else in a transaction; all of it where this process has not, or there was trouble."""
        if not self._verified:
            self._check_terms(book)
            self._verify(book)
            self._verified = True

    def _check_terms(self, book: Book, adopt: bool = True) -> None:
        terms, rule = book.terms()
        try:
            found = Terms.from_json(json.loads(terms))
        except LedgerMismatch as error:
            raise LedgerMismatch(f"{self.place} cannot be continued: {error}") from None
        except (TypeError, ValueError, KeyError) as error:
            raise LedgerCorrupt(f"the terms of the ledger {self.place} were changed.") from error
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
                f"{self.place} was opened with {differences}; {first}, or give another file.",
                differences=differences,
            )
        if rule != self.chain.filter.to_text():
            raise LedgerMismatch(f"{self.place} was counted by another version of pandas-dp; use that version.")

    def _agree(self, terms: Terms) -> None:
        """Go on under these terms, from which the chain of entries starts."""
        started = self._seen != self.chain.head(None)
        self.terms, self.chain = terms, Chain(terms, self.period)
        self._seen = self._seen if started else self.chain.head(None)

    def _verify(self, book: Book) -> None:
        book.check()
        entries, ledger_state = self.chain.walk(book.rows(), book.head())
        number, sealed = self._seen
        if len(entries) < number:
            raise self._older()
        if number and entries[number - 1].hash != sealed:
            raise LedgerCorrupt(f"another history was put into {self.place}; restore the newest copy.")
        self._move_to(ledger_state)

    def _read(self, book: Book) -> LedgerState:
        """Where it stands now. What others wrote since this process looked has to follow from what it saw then."""
        known, found = self._ledger_state.last, book.head()
        number = 0 if known is None else known.number
        rows = iter(book.rows(number - 1 if number else 0))
        if known is None and found != self.chain.head(None):
            self._check_terms(book, adopt=False)
        if known is not None:
            self._check_known(known, next(rows, None), book)
        ledger_state = self._ledger_state.copy()
        for row in rows:
            self.chain.check(ledger_state, unsealed(row))
        self.chain.check_head(ledger_state.last, found)
        self._move_to(ledger_state)
        return ledger_state

    def _check_known(self, known: Entry, row: Row | None, book: Book) -> None:
        """Whether the last entry that this process saw is where it was."""
        if row == known.row:
            return
        if row is not None and row[0] == known.number:
            unsealed(row)  # says that it was changed, unless it is of another history
        last = book.last()
        self.chain.check_head(None if last is None else unsealed(last), book.head())
        raise self._older()

    def _older(self) -> LedgerCorrupt:
        return LedgerCorrupt(f"an older copy was put back as {self.place}; restore the newest.")

    def _move_to(self, ledger_state: LedgerState) -> None:
        self._ledger_state, self._seen = ledger_state, self.chain.head(ledger_state.last)


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

    def job(self, name: str) -> Job | None:
        self.connection.execute(file.JOBS)
        found = self.connection.execute(file.JOB, (name,)).fetchone()
        return None if found is None else Job(*found)

    def put_down(self, job: Job) -> None:
        self.connection.execute(file.PUT_DOWN, (job.name, job.question, job.table, job.entry, job.release))

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
        with _turn, explained(self.path):
            if not os.path.exists(self.path):
                rule = self.chain.filter.to_text()
                file.create(self.path, terms.to_text(), rule, self.chain.first_hash)
        self.ledger_state()

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
        with _turn, explained(self.path):
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _in_transaction(self, work: Callable[[Book], T], *, writes: bool = False) -> T:
        """After trouble with the file the next question opens it anew and verifies it."""
        with _turn, explained(self.path):
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
