"""What can go wrong with a ledger file, in sentences."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import LedgerCorrupt, LedgerError

ADVICE = "give the path of another file, or restore this one from a copy"
DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH}
SENTENCES = {
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full",
    sqlite3.SQLITE_READONLY: "cannot be written: it, or its folder, is read-only",
    sqlite3.SQLITE_PERM: "cannot be opened: the permission is missing",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: it must be a file, in a folder that exists and is writable",
    sqlite3.SQLITE_BUSY: "is locked by another process that does not let go of it",
    sqlite3.SQLITE_LOCKED: "is locked by another process that does not let go of it",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error; a charge may stand",
}


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turn what SQLite and the system say into LedgerError or LedgerCorrupt."""
    try:
        yield
    except LedgerError:
        raise
    except sqlite3.Error as error:
        raise _named(path, error) from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise LedgerError(f"the ledger {path} cannot be opened: {reason}. No answer was given.") from error


def code(error: sqlite3.Error) -> int:
    """SQLite's primary result code; 0 for errors of Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _named(path: str, error: sqlite3.Error) -> LedgerError:
    kind = code(error)
    unreadable = any(words in str(error) for words in ("no such table", "no such column", "decode"))
    if kind in DAMAGE or unreadable:
        return LedgerCorrupt(f"{path} is not a ledger of pandas-dp, or is damaged; {ADVICE}. No answer was given.")
    sentence = SENTENCES.get(kind, f"cannot be used: {error}")
    return LedgerError(f"the ledger {path} {sentence}. No answer was given.")
