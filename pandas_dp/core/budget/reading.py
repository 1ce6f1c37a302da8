"""A ledger read by somebody who has no session of it: nothing is charged, and nothing is written beside it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import LedgerCorrupt, LedgerError, LedgerMismatch
from . import file
from .address import Address, is_address
from .chain import Chain, Entry, LedgerState, Records
from .cost import Cost
from .file import explained
from .ledger import Charges, ModelTotal
from .periods import PeriodFilter, Terms

TRIES = 5  # where a session wrote while the file was read
PATIENCE = 60.0  # seconds, while one writes


@dataclass(frozen=True)
class LedgerCopy:
    """A ledger as it stood when it was read, each entry checked."""

    place: str
    terms: Terms
    chain: Chain
    entries: list[Entry]
    ledger_state: LedgerState

    @property
    def last(self) -> Entry | None:
        return self.entries[-1] if self.entries else None

    @property
    def periods(self) -> list[str | None]:
        """Those in which something was charged, in their order; one without a name where there are none."""
        if self.terms.period is None:
            return [None]
        return sorted({entry.facts["period"] for entry in self.entries})

    def left(self, period: str | None = None) -> Cost:
        """The largest charge that still fits, in this period."""
        return Chain(self.terms, period).left(self.ledger_state)

    def used(self, period: str | None = None) -> float:
        """The share of the cap that was spent, in this period."""
        return self.chain.filter.used(self._state(period))

    @property
    def over_all(self) -> tuple[Cost, float] | None:
        """What is left over all periods, and the share that is spent; nothing without such a cap."""
        rule = self.chain.filter
        return rule.over_all(self._state(None)) if isinstance(rule, PeriodFilter) else None

    def _state(self, period: str | None) -> Any:
        return Chain(self.terms, period).state(self.ledger_state)

    @property
    def totals(self) -> dict[str, ModelTotal]:
        """What was spent under each model."""
        return Charges(self.entries).totals(self.terms.cap)


def read_ledger(place: str | os.PathLike[str]) -> LedgerCopy:
    """What is in a ledger, checked from the first entry to the last, whatever its terms are.

    Raises
    ------
    LedgerCorrupt
        It does not verify: an entry was changed, removed or cut.
    LedgerMismatch
        A later version wrote it.
    LedgerError
        It is not there, is no ledger, or cannot be read.

    Examples
    --------
    >>> import tempfile, pandas as pd, pandas_dp as pdp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     session = pdp.Session(epsilon=3, ledger=f"{folder}/survey.ledger")
    ...     count = session.protect(pd.DataFrame({"age": [31, 54]})).dp.count(epsilon=0.5)
    ...     session.close()
    ...     copy = read_ledger(f"{folder}/survey.ledger")
    >>> print(len(copy.entries), copy.left())
    1 epsilon=2.5
    """
    if is_address(place):
        from .postgres import records as stored  # late: so is the driver, which few have

        address = Address.read(str(place))
        return checked(str(address), stored(address))
    path = os.path.realpath(os.fsdecode(place))
    if not os.path.isfile(path):
        raise LedgerError(f"there is no ledger file {path}.")
    with explained(path):
        return checked(path, records(path))


def checked(place: str, found: Records) -> LedgerCopy:
    """The entries of these records, if each follows from the one before it."""
    try:
        terms = Terms.from_json(json.loads(found.terms))
    except LedgerMismatch as error:
        raise LedgerMismatch(f"{place} cannot be read: {error}") from None
    except (TypeError, ValueError, KeyError) as error:
        raise LedgerCorrupt(f"the terms of the ledger {place} were changed.") from error
    chain = Chain(terms)
    if found.rule != chain.filter.to_text():
        raise LedgerMismatch(f"{place} was counted by another version of pandas-dp; use that version.")
    return LedgerCopy(place, terms, chain, *chain.walk(found.rows, found.head))


def records(path: str) -> Records:
    """What the file holds at one moment."""
    file.check_no_log(path)
    for _ in range(TRIES):
        try:
            with _opened(path, "mode=ro") as connection:
                return _read(connection, path)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
        found = _undone(path)
        if found is not None:
            return found
    raise LedgerError(f"{path} was written to again and again while it was read; try again.")


def _undone(path: str) -> Records | None:
    """The same without a charge that was cut short, of copies: the file stays as it is. None if it did not stay."""
    ends, before = ("", "-journal"), _marks(path)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        try:
            for end in ends:
                shutil.copyfile(path + end, copy + end)
        except FileNotFoundError:  # a session has undone it meanwhile
            return None
        if _marks(path) != before:
            return None
        with _opened(copy, "mode=rw") as connection:
            return _read(connection, path)


@contextmanager
def _opened(path: str, how: str) -> Iterator[sqlite3.Connection]:
    if os.stat(path).st_size == 0:
        raise LedgerCorrupt(f"{path} is empty, and a ledger never is.")
    address = f"{Path(path).as_uri()}?{how}"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None, timeout=PATIENCE)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection


def _read(connection: sqlite3.Connection, path: str) -> Records:
    file.check_kind(connection, path)
    connection.execute("BEGIN")
    if file.one(connection, "PRAGMA quick_check(1)") != ("ok",):
        raise LedgerCorrupt(f"{path} is damaged; restore it from a copy.")
    terms, rule = file.one(connection, file.TERMS)
    return Records(terms, rule, file.one(connection, file.HEAD), connection.execute(file.ENTRIES).fetchall())


def _marks(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns
