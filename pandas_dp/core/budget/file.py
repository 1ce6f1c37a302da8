"""The file of a ledger: its tables, how it is made and how it is opened."""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from ...errors import LedgerCorrupt, LedgerError

APPLICATION = 0x70616E64  # marks a file as ours ("pand")
VERSION = 1
JOURNAL = "delete"  # one is there while a charge is written

TABLES = """
CREATE TABLE terms (terms TEXT NOT NULL, filter TEXT NOT NULL);
CREATE TABLE head (entries INTEGER NOT NULL, hash TEXT NOT NULL);
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, release_id TEXT NOT NULL, time TEXT NOT NULL, price TEXT NOT NULL,
    facts TEXT NOT NULL, state TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL
);
"""
CHANGE_TERMS = "UPDATE terms SET terms = ?"
TERMS = "SELECT terms, filter FROM terms"
HEAD = "SELECT entries, hash FROM head"
ENTRIES = "SELECT * FROM entries ORDER BY number"
LATER = "SELECT * FROM entries WHERE number > ? ORDER BY number"
LAST = "SELECT * FROM entries ORDER BY number DESC LIMIT 1"
APPEND = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
MOVE_HEAD = "UPDATE head SET entries = ?, hash = ?"
JOBS = (  # made when the first is charged
    "CREATE TABLE IF NOT EXISTS jobs "
    "(name TEXT PRIMARY KEY, question TEXT NOT NULL, source TEXT, entry INTEGER NOT NULL, release TEXT)"
)
JOB = "SELECT * FROM jobs WHERE name = ?"
PUT_DOWN = "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?, ?)"


def create(path: str, terms: str, rule: str, first_hash: str) -> None:
    """A new ledger with no entries, whole or not at all; where another process was first, nothing."""
    left = next((path + end for end in ("-journal", "-wal") if os.path.exists(path + end)), None)
    if left is not None and not os.path.exists(path):
        raise LedgerError(f"{path} is gone but {left} is there; restore the file, or move the other away too.")
    draft = f"{path}.{secrets.token_hex(4)}.new"
    try:
        _write(draft, path, terms, rule, first_hash)
        os.link(draft, path)
        _sync_folder(os.path.dirname(path))
    except FileExistsError:
        pass
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            with suppress(FileNotFoundError):
                os.unlink(draft + end)


def check_no_log(path: str) -> None:
    """A write-ahead log beside the file is another program's, and SQLite would read it into the ledger."""
    if os.path.exists(path + "-wal"):
        raise LedgerError(
            f"{path}-wal lies beside the ledger, which keeps no such log; close the program that made it, or move the "
            "log away. No answer was given."
        )


def connect(path: str, timeout: float) -> sqlite3.Connection:
    """A connection that syncs every commit to the disk. The file must be there and be a ledger."""
    if os.stat(path).st_size == 0:
        raise LedgerCorrupt(f"{path} is empty, and a ledger never is; {ADVICE}.")
    _check_one_name(path)
    address = Path(path).as_uri() + "?mode=rw"
    connection = sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        check_kind(connection, path)
        _make_durable(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def identity(path: str) -> tuple[int, int]:
    """Which file is at the path, whatever its name."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


def one(connection: sqlite3.Connection, question: str) -> Any:
    """The only row there is."""
    rows = connection.execute(question).fetchall()
    if len(rows) != 1:
        raise LedgerCorrupt("a record of the ledger is missing or doubled; restore it from a copy.")
    return rows[0]


def _check_one_name(path: str) -> None:
    """SQLite keeps what was charged last beside a name, so under two names two processes would have a budget each."""
    if _has_other_names(path):
        _unlink_drafts(path)
    if _has_other_names(path):
        raise LedgerError(
            f"the ledger {path} has a second name, a hard link, under which its budget could be spent again; delete "
            "the other name. No answer was given."
        )


def _has_other_names(path: str) -> bool:
    return os.path.isfile(path) and os.stat(path).st_nlink > 1


def _unlink_drafts(path: str) -> None:
    """The name that this very file had while it was made, by a process that is at it now or was killed there."""
    folder, name = os.path.split(path)
    draft = re.compile(re.escape(name) + r"\.[0-9a-f]{8}\.new")
    for each in map(os.fspath, Path(folder).iterdir()):
        with suppress(FileNotFoundError):
            if draft.fullmatch(os.path.basename(each)) and identity(each) == identity(path):
                os.unlink(each)


def _write(draft: str, path: str, terms: str, rule: str, first_hash: str) -> None:
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # its journals have the same mode
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        raise LedgerError(f"the ledger {path} {SENTENCES[sqlite3.SQLITE_CANTOPEN]}. No answer was given.") from None
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        _make_durable(connection, draft)
        connection.executescript(f"BEGIN;{TABLES}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("INSERT INTO terms VALUES (?, ?)", (terms, rule))
        connection.execute("INSERT INTO head VALUES (0, ?)", (first_hash,))
        connection.execute("COMMIT")


def check_kind(connection: sqlite3.Connection, path: str) -> None:
    """Before anything is written: another program's database must stay as it is."""
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION,):
        raise LedgerError(f"{path} is a database, but no ledger of pandas-dp; give another file.")
    if connection.execute("PRAGMA user_version").fetchone() != (VERSION,):
        raise LedgerError(f"{path} was written by another version of pandas-dp; open it with that version.")


def _make_durable(connection: sqlite3.Connection, path: str) -> None:
    """By a journal that undoes, and no log that redoes: a commit is in the file before it returns.

    A write-ahead log would hold the latest charges: without it, or from its first damaged bit on, they would be gone.
    """
    if connection.execute(f"PRAGMA journal_mode = {JOURNAL}").fetchone() != (JOURNAL,):
        raise LedgerError(f"the ledger {path} cannot be kept safely while another program has it open; close that one.")
    for setting in ("synchronous = EXTRA", "fullfsync = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {setting}")


def is_durable(connection: sqlite3.Connection) -> bool:
    """Whether a commit on this connection is in the file before it returns."""
    return bool(connection.execute("PRAGMA journal_mode").fetchone() == (JOURNAL,))


def _sync_folder(folder: str) -> None:
    if not hasattr(os, "O_DIRECTORY"):  # Windows, where a folder cannot be synced
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


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
def explained(path: str) -> Iterator[None]:
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
