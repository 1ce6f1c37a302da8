"""A ledger that outlives its process: the same rules over any store that has transactions."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ..cost import Cost
from ..errors import LedgerCorrupt, LedgerMismatch
from .book import Book
from .chain import Chain, Head, Standing, unsealed
from .entry import Entry, Row
from .ledger import Ledger
from .terms import Terms

T = TypeVar("T")


class StoredLedger(Ledger):
    """What a file and a database have in common. It remembers the newest entry that it saw, and accepts no older."""

    place: str  # as messages name it

    def __init__(self, terms: Terms, period: str | None, seen: Head | None = None) -> None:
        super().__init__(terms, period)
        self._seen = seen or self.chain.head(None)  # the last entry this process knows of
        self._standing = Standing()  # after all entries that this process checked
        self._verified = False

    @abstractmethod
    def _in_transaction(self, work: Callable[[Book], T], *, writes: bool = False) -> T:
        """What work makes of the book, all or nothing; where it writes, one after another. It calls `_check` first.

        A function and no `with` block: a Ctrl-C between the two halves of a block would leave it open.
        """

    def charge_all(self, charges: Sequence[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        def charge(book: Book) -> tuple[list[Entry], Standing]:
            before = self._read(book)
            entries, after = self.chain.follow_all(before, charges)
            last = before.last
            for entry in entries:
                book.append(entry, self.chain.head(last))
                last = entry
            return entries, after

        entries, standing = self._in_transaction(charge, writes=True)
        self._move_to(standing)
        return entries

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

    def standing(self) -> Standing:
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
        entries, standing = self.chain.walk(book.rows(), book.head())
        number, sealed = self._seen
        if len(entries) < number:
            raise self._older()
        if number and entries[number - 1].hash != sealed:
            raise LedgerCorrupt(f"another history was put into {self.place}; restore the newest copy.")
        self._move_to(standing)

    def _read(self, book: Book) -> Standing:
        """Where it stands now. What others wrote since this process looked has to follow from what it saw then."""
        known, found = self._standing.last, book.head()
        number = 0 if known is None else known.number
        rows = iter(book.rows(number - 1 if number else 0))
        if known is None and found != self.chain.head(None):
            self._check_terms(book, adopt=False)
        if known is not None:
            self._check_known(known, next(rows, None), book)
        standing = self._standing.copy()
        for row in rows:
            self.chain.check(standing, unsealed(row))
        self.chain.check_head(standing.last, found)
        self._move_to(standing)
        return standing

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

    def _move_to(self, standing: Standing) -> None:
        self._standing, self._seen = standing, self.chain.head(standing.last)
