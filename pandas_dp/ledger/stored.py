"""A ledger that outlives its process: the same rules over any store that has transactions."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from ..cost import Cost
from ..errors import LedgerCorrupt, LedgerMismatch
from .book import Book
from .chain import Chain, Head, Standing, unsealed
from .entry import Entry
from .ledger import Ledger
from .terms import Terms


class StoredLedger(Ledger):
    """What a file and a database have in common. It remembers the newest entry that it saw, and accepts no older."""

    place: str  # as messages name it

    def __init__(self, terms: Terms, period: str | None, seen: Head | None = None) -> None:
        super().__init__(terms, period)
        self._seen = seen or self.chain.head(None)  # the last entry this process knows of
        self._standing = Standing()
        self._verified = False

    @abstractmethod
    def _transaction(self, *, writes: bool = False) -> AbstractContextManager[Book]:
        """All or nothing; where it writes, one after another. It calls `_check` first."""

    def charge_all(self, charges: Sequence[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        with self._transaction(writes=True) as book:
            standing = self._read(book)
            entries = self.chain.follow_all(standing, charges)
            for entry in entries:
                book.append(entry, self.chain.head(standing.last))
                standing = self.chain.after(standing, entry)
        self._standing, self._seen = standing, self.chain.head(standing.last)
        return entries

    def name_roster(self, roster: str) -> None:
        with self._transaction(writes=True) as book:
            terms = self._with_roster(roster, self._read(book).last)
            if terms != self.terms:
                book.rename(terms.to_text(), Chain(terms).head(None))
                self._agree(terms)

    def entries(self) -> list[Entry]:
        with self._transaction() as book:
            return list(self._walk(book))

    def standing(self) -> Standing:
        with self._transaction() as book:
            return self._read(book)

    def verify(self) -> None:
        with self._transaction() as book:
            self._verify(book)

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
        standing = Standing()
        for entry in self._walk(book):
            if entry.number == self._seen[0] and entry.hash != self._seen[1]:
                raise LedgerCorrupt(f"another history was put into {self.place}; restore the newest copy.")
            standing = self.chain.after(standing, entry)
        self._standing = standing

    def _walk(self, book: Book) -> Iterator[Entry]:
        return self.chain.walk(book.rows(), book.head())

    def _read(self, book: Book) -> Standing:
        """Where it stands now: its last entry, and what others wrote since this process looked."""
        row, found = book.last(), book.head()
        if row is None and found != self.chain.head(None):
            self._check_terms(book, adopt=False)
        last = self.chain.last(row, found)
        head = self.chain.head(last)
        if head[0] < self._seen[0] or (head[0] == self._seen[0] and head != self._seen):
            raise LedgerCorrupt(f"an older copy was put back as {self.place}; restore the newest.")
        self._seen, self._standing = head, self._caught_up(book, last)
        return self._standing

    def _caught_up(self, book: Book, last: Entry | None) -> Standing:
        """With what other processes charged meanwhile, some of it perhaps in this period."""
        standing = self._standing
        if self.terms.period is None or last is None:
            return Standing(last, last)
        for row in book.rows(0 if standing.last is None else standing.last.number):
            entry = unsealed(row)
            if entry.previous != self.chain.head(standing.last)[1]:
                raise LedgerCorrupt(f"entry {entry.number} of the ledger follows another one.", entry=entry.number)
            standing = self.chain.after(standing, entry)
        return replace(standing, last=last)
