"""A ledger in PostgreSQL, shared by any number of machines."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from ..errors import LedgerCorrupt, LedgerError, LedgerMismatch
from ..signatures import read_by_signature
from . import database
from .address import Address
from .book import Book, Records
from .chain import Head
from .stored import StoredLedger
from .terms import Terms

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
        self.standing()

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
        database.check_made(connection, self.address)
        head = self.chain.head(None)[1]
        row = (self.address.name, database.VERSION, self.terms.to_text(), self.chain.filter.to_text(), head)
        connection.execute(database.FOUND, row)

    def _in_transaction(self, work: Callable[[Book], T], *, writes: bool = False) -> T:
        """After trouble with the database the next question connects anew and verifies all."""

        def within(connection: Any) -> T:
            book = database.PostgresBook(connection, self.address, writes=writes)
            self._check(book)
            return work(book)

        return self._within(within, writes)

    def _within(self, work: Callable[[Any], T], writes: bool) -> T:
        """A transaction under settings of its own, whatever others wish of the connection."""
        with self._turn, told(self.address):
            try:
                connection = self._started(database.WRITES if writes else database.READS)
                connection.execute(database.PATIENCE)
                database.check_server(connection, self.address)
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
        trouble = isinstance(error, LedgerError | LedgerMismatch | database.driver().Error)
        self._verified = self._verified and not trouble
        if trouble or not isinstance(error, Exception):
            self._drop()
        elif self._connection is not None:
            with suppress(Exception):
                self._connection.execute("ROLLBACK")

    def _started(self, begin: str) -> Any:
        """Begun on the connection of this process; where that was lost meanwhile, on a new one."""
        if self._connection is not None:
            with suppress(database.driver().OperationalError, database.driver().InterfaceError):
                self._connection.execute(begin)
                return self._connection
            self._drop()
        self._connection = database.connect(self.address)
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
    `dp_ledgers`. Triggers refuse that an entry is changed or taken away, and that a head record goes back.

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
    with told(found):
        connection = database.connect(found)
        try:
            with connection.transaction():
                database.check_server(connection, found)
                connection.execute(database.TABLES)
                for name, when in database.GUARDS.items():
                    table = when.split()[when.split().index("ON") + 1]
                    connection.execute(f"DROP TRIGGER IF EXISTS {name} ON {table}")
                    connection.execute(f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION dp_ledgers_grow()")
                database.check_made(connection, found)
        finally:
            connection.close()


def records(address: Address) -> Records:
    """What a ledger in a database holds at one moment; nothing is made there."""
    with told(address):
        connection = database.connect(address)
        try:
            connection.execute(database.READS)
            if connection.execute(database.MADE, (list(database.GUARDS),)).fetchone()[1] < 2:
                raise LedgerError(f"{address} has no tables for ledgers.")
            if connection.execute(database.LEDGER, (address.name,)).fetchone() is None:
                raise LedgerError(f"there is no ledger {address.name!r} in {address}.")
            book = database.PostgresBook(connection, address, writes=False)
            return Records(*book.terms(), book.head(), list(book.rows()))
        finally:
            connection.close()


@contextmanager
def told(address: Address) -> Iterator[None]:
    """Turn what the database says into LedgerError or LedgerCorrupt, with nothing in it that may be secret."""
    try:
        yield
    except database.driver().Error as error:
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
            "on dp_ledgers. No answer was given."
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
