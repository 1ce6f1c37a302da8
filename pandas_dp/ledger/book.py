"""What a stored ledger reads and writes inside of one transaction, wherever it is stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ..dataclass import dataclass
from .chain import Head
from .entry import Entry, Row


class Book(Protocol):
    """The records of one ledger. All that is done between its opening and its end is done, or nothing."""

    def terms(self) -> tuple[str, str]:
        """The terms, and the rule by which they are counted."""

    def head(self) -> Head:
        """What the head record says."""

    def last(self) -> Row | None:
        """The entry with the largest number."""

    def rows(self, after: int = 0) -> Iterable[Row]:
        """Entries with larger numbers than this one, in their order."""

    def append(self, entry: Entry, before: Head) -> None:
        """Put an entry behind the one that the head record names, and move the head record."""

    def rename(self, terms: str, head: Head) -> None:
        """Other terms, for a ledger without entries."""

    def check(self) -> None:
        """Whether the store itself is whole; LedgerCorrupt if not."""


@dataclass(frozen=True)
class Records:
    """What a ledger holds, as it is stored."""

    terms: str
    rule: str
    head: Head
    rows: list[Row]
