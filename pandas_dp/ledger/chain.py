"""How one entry follows another: the filter grants it, the hash before it seals it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ..cost import Cost
from ..dataclass import dataclass
from ..errors import LedgerCorrupt, LedgerMismatch
from .entry import Entry, Row, seal
from .filters import filter_of
from .terms import Terms

Head = tuple[int, str]  # the number and hash of the last entry


@dataclass(frozen=True)
class Standing:
    """Where a ledger stands: its last entry, and the last one of the period that a session is in.

    Without periods both are one and the same.
    """

    last: Entry | None = None
    own: Entry | None = None


class Chain:
    """The rules of one ledger: what may come next, and whether what is there came by the rules."""

    def __init__(self, terms: Terms, period: str | None = None) -> None:
        self.filter = filter_of(terms)
        self.first_hash = seal((terms.to_text(), self.filter.to_text()))
        self.terms, self.period = terms, period

    def state(self, standing: Standing) -> Any:
        """What was spent, as it counts for the next charge."""
        own, last = (None if each is None else self.filter.read(each.state) for each in (standing.own, standing.last))
        return self.filter.resume(own, last)

    def follow(self, standing: Standing, price: Cost, facts: Mapping[str, Any]) -> Entry:
        """The entry of a charge that fits under the cap.

        Raises
        ------
        CostNotOffered
            A kind of cost that this cap cannot count.
        BudgetExceeded
            A charge that does not fit.
        """
        before = self.state(standing)
        after = self.filter.after(before, price)
        if not self.filter.admits(after):
            raise self.filter.refusal(before, price)
        number, previous = self.head(standing.last)
        return Entry.sealed(
            number=number + 1,
            release_id=secrets.token_hex(8),
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            price=price,
            facts=facts if self.terms.period is None else {**facts, "period": self.period},
            state=self.filter.write(after),
            previous=previous,
        )

    def follow_all(self, standing: Standing, charges: Iterable[tuple[Cost, Mapping[str, Any]]]) -> list[Entry]:
        """The entries of charges that fit together, one after another."""
        entries = []
        for price, facts in charges:
            entries.append(self.follow(standing, price, facts))
            standing = self.after(standing, entries[-1])
        return entries

    def after(self, standing: Standing, entry: Entry) -> Standing:
        """Where the ledger stands once an entry follows."""
        return Standing(entry, entry if self._period_of(entry) == self._mine else standing.own)

    def walk(self, rows: Iterable[Row], head: Head) -> Iterator[Entry]:
        """Every entry from the first, each checked; LedgerCorrupt at the first that does not follow."""
        last: Entry | None = None
        own: dict[str | None, Entry] = {}
        for row in rows:
            entry = unsealed(row)
            period = self._period_of(entry)
            last = own[period] = self._checked(Standing(last, own.get(period)), entry)
            yield entry
        self._check_head(last, head)

    def last(self, row: Row | None, head: Head) -> Entry | None:
        """The last entry, if its seal is whole and the head record knows it."""
        last = None if row is None else unsealed(row)
        self._check_head(last, head)
        return last

    def head(self, last: Entry | None) -> Head:
        """What the head record says of a ledger that ends with this entry."""
        return (last.number, last.hash) if last else (0, self.first_hash)

    @property
    def _mine(self) -> str | None:
        return None if self.terms.period is None else self.period

    def _period_of(self, entry: Entry) -> str | None:
        return None if self.terms.period is None else entry.facts.get("period")

    def _check_head(self, last: Entry | None, head: Head) -> None:
        if head != self.head(last):
            raise LedgerCorrupt("the end of the ledger was cut off or added to; restore it from a copy.")

    def _checked(self, standing: Standing, entry: Entry) -> Entry:
        number, previous = self.head(standing.last)
        if entry.number != number + 1:
            raise LedgerCorrupt(f"entry {number + 1} of the ledger is missing.", entry=number + 1)
        if entry.previous != previous:
            raise LedgerCorrupt(f"entry {number + 1} of the ledger follows another one.", entry=number + 1)
        after = self.filter.after(self.state(standing), entry.price)
        if entry.state != self.filter.write(after) or not self.filter.admits(after):
            raise LedgerCorrupt(f"entry {number + 1} of the ledger does not add up.", entry=number + 1)
        return entry


def unsealed(row: Row) -> Entry:
    """The entry of a row; LedgerCorrupt if its hash is not that of its fields."""
    try:
        whole = row[-1] == seal(row[:-1])
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise LedgerCorrupt(f"entry {row[0]} of the ledger was changed.", entry=row[0])
    try:
        return Entry.from_row(row)
    except (TypeError, ValueError, KeyError):
        raise LedgerMismatch(
            f"entry {row[0]} of the ledger has a cost that this version of pandas-dp cannot count; use a newer "
            "version.",
            entry=row[0],
        ) from None
