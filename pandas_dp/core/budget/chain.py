"""What a stored ledger reads and writes inside of one transaction, wherever it is stored."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, Protocol

from ...errors import BadCost, LedgerCorrupt, LedgerMismatch
from .cost import Cost
from .filters import round_down
from .periods import Terms, filter_of

Row = tuple[int, str, str, str, str, str, str, str]  # an entry as a table holds it, its hash last


@dataclass(frozen=True)
class Entry:
    """A charge: its price, what it was for, and what was spent once it was made.

    Attributes
    ----------
    row
        All of it, as a table holds it; everything else is read off it when it is asked for.
    number
        1 for the first, then one more each.
    time
        When it was charged, UTC, ISO 8601.
    facts
        Plain JSON: statistic, columns, model, mechanism and whatever else the label says.
    state
        All that was spent so far, as the filter of the ledger writes it.
    previous, hash
        SHA-256 of the entry before (of the terms, for the first) and of this one with all its fields.
    """

    row: Row

    @classmethod
    def sealed(
        cls,
        number: int,
        release_id: str,
        time: str,
        price: Cost,
        facts: Mapping[str, Any],
        state: str,
        previous: str,
    ) -> Entry:
        """An entry with its hash."""
        facts_text = json.dumps(facts, sort_keys=True, separators=(",", ":"), allow_nan=False)
        fields = (number, release_id, time, price.to_text(), facts_text, state, previous)
        return cls((*fields, seal(fields)))

    @property
    def number(self) -> int:
        return self.row[0]

    @property
    def release_id(self) -> str:
        return self.row[1]

    @property
    def time(self) -> str:
        return self.row[2]

    @property
    def price(self) -> Cost:
        return _price(self.row[3])

    @property
    def facts(self) -> dict[str, Any]:
        """Read anew each time: kept, those of many entries would take more memory than the file."""
        found: dict[str, Any] = json.loads(self.row[4])
        return found

    @property
    def state(self) -> str:
        return self.row[5]

    @property
    def previous(self) -> str:
        return self.row[6]

    @property
    def hash(self) -> str:
        return self.row[7]


@lru_cache(maxsize=4096)
def _price(text: str) -> Cost:
    """Most entries cost what others cost."""
    return Cost.from_text(text)


def seal(fields: tuple[Any, ...]) -> str:
    """SHA-256 of the fields of a row, a number and texts, as JSON: an encoding that no two rows share."""
    first, *texts = fields
    numbered = [] if isinstance(first, str) else [f"{first:d}"]
    text = f"[{','.join([*numbered, *map(quoted, texts if numbered else fields)])}]"
    return hashlib.sha256(text.encode()).hexdigest()


LONGEST, DIGITS = 10**100, 100  # of the numbers of one charge
STATE_DIGITS = 1000  # of those of all charges together
TOO_LONG = re.compile(rf"\d{{{STATE_DIGITS + 1}}}")
Head = tuple[int, str]  # the number and hash of the last entry


class LedgerState:
    """Where a ledger stands: its last entry, and what was spent, in each period by itself.

    Without periods what was spent is under None.
    """

    def __init__(self) -> None:
        self.last: Entry | None = None
        self.spent: dict[str | None, Any] = {}

    def copy(self) -> LedgerState:
        made = LedgerState()
        made.last, made.spent = self.last, self.spent.copy()
        return made


class Chain:
    """The rules of one ledger: what may come next, and whether what is there came by the rules."""

    def __init__(self, terms: Terms, period: str | None = None) -> None:
        self.filter = filter_of(terms)
        self.first_hash = seal((terms.to_text(), self.filter.to_text()))
        self.terms, self.period = terms, period

    def state(self, ledger_state: LedgerState) -> Any:
        """What was spent, as it counts for the next charge."""
        return self._state(ledger_state, self._mine)

    def counted(self, state: Any, price: Cost) -> tuple[Any, str]:
        """The state after one more charge, granted or not, and its text; BadCost where either would be too long.

        Costs are fractions and add exactly: without an end to their digits one reader of the ledger could make it
        unreadable for all.
        """
        if any(map(is_long, price.numbers)):
            raise BadCost(
                f"this charge has numbers of more than {DIGITS} digits, which a ledger does not hold; ask with a cost "
                "of fewer digits, e.g. epsilon=0.1.",
                digits=DIGITS,
            )
        after = self.filter.after(state, price)
        text = self.filter.write(after)
        if TOO_LONG.search(text):
            raise BadCost(
                f"with this charge the exact sum of what was spent would need numbers of more than {STATE_DIGITS:,} "
                "digits; ask with a cost of fewer digits, e.g. epsilon=0.1.",
                digits=STATE_DIGITS,
            )
        return after, text

    def left(self, ledger_state: LedgerState) -> Cost:
        """The largest charge that still fits, to fifty digits where the exact one is longer than a charge may be."""
        left = self.filter.left(self.state(ledger_state))
        if any(map(is_long, left.numbers)):
            return type(left)(*(round_down(number, 50) if is_long(number) else number for number in left.numbers))
        return left

    def follow(self, ledger_state: LedgerState, price: Cost, facts: Mapping[str, Any]) -> Entry:
        """The entry of a charge that fits under the cap.

        Raises
        ------
        CostNotOffered
            A kind of cost that this cap cannot count.
        BudgetExceeded
            A charge that does not fit.
        """
        before = self.state(ledger_state)
        after, text = self.counted(before, price)
        if not self.filter.admits(after):
            raise self.filter.refusal(before, price)
        number, previous = self.head(ledger_state.last)
        entry = Entry.sealed(
            number=number + 1,
            release_id=secrets.token_hex(8),
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            price=price,
            facts=facts if self.terms.period is None else {**facts, "period": self.period},
            state=text,
            previous=previous,
        )
        ledger_state.last, ledger_state.spent[self._mine] = entry, after
        return entry

    def follow_all(
        self, ledger_state: LedgerState, charges: Iterable[tuple[Cost, Mapping[str, Any]]]
    ) -> tuple[list[Entry], LedgerState]:
        """The entries of charges that fit together, one after another, and where the ledger stands with them."""
        after = ledger_state.copy()
        return [self.follow(after, *charge) for charge in charges], after

    def check(self, ledger_state: LedgerState, entry: Entry) -> None:
        """Move on to an entry that follows by the rules; LedgerCorrupt if it does not."""
        number = self._linked(ledger_state.last, entry)
        period = self._period_of(entry)
        after = self.filter.after(self._state(ledger_state, period), entry.price)
        if entry.state != self.filter.write(after) or not self.filter.admits(after):
            raise LedgerCorrupt(f"entry {number} of the ledger does not add up.", entry=number)
        ledger_state.last, ledger_state.spent[period] = entry, after

    def walk(self, rows: Iterable[Row], head: Head) -> tuple[list[Entry], LedgerState]:
        """Every entry from the first, each checked; LedgerCorrupt at the first that does not follow."""
        ledger_state, entries = LedgerState(), []
        for row in rows:
            self.check(ledger_state, unsealed(row))
            entries.append(ledger_state.last)
        self.check_head(ledger_state.last, head)
        return entries, ledger_state  # type: ignore[return-value]

    def linked(self, rows: Iterable[Row], last: Entry | None) -> list[Entry]:
        """The entries that lead to one that was checked: by their hashes they are those that were checked then."""
        entries: list[Entry] = []
        for row in rows:
            entry = unsealed(row)
            self._linked(entries[-1] if entries else None, entry)
            entries.append(entry)
        self.check_head(entries[-1] if entries else None, self.head(last))
        return entries

    def head(self, last: Entry | None) -> Head:
        """What the head record says of a ledger that ends with this entry."""
        return (last.number, last.hash) if last else (0, self.first_hash)

    @property
    def _mine(self) -> str | None:
        return None if self.terms.period is None else self.period

    def _period_of(self, entry: Entry) -> str | None:
        return None if self.terms.period is None else entry.facts.get("period")

    def _state(self, ledger_state: LedgerState, period: str | None) -> Any:
        last = ledger_state.last
        return self.filter.resume(
            ledger_state.spent.get(period), None if last is None else ledger_state.spent[self._period_of(last)]
        )

    def check_head(self, last: Entry | None, head: Head) -> None:
        """Whether the head record knows the last entry."""
        if head != self.head(last):
            raise LedgerCorrupt("the end of the ledger was cut off or added to; restore it from a copy.")

    def _linked(self, last: Entry | None, entry: Entry) -> int:
        """The number of an entry that names the one before it."""
        number, previous = self.head(last)
        if entry.number != number + 1:
            raise LedgerCorrupt(f"entry {number + 1} of the ledger is missing.", entry=number + 1)
        if entry.previous != previous:
            raise LedgerCorrupt(f"entry {number + 1} of the ledger follows another one.", entry=number + 1)
        return number + 1


def is_long(number: Fraction) -> bool:
    """Whether it has more digits than the number of one charge may have."""
    return max(number.numerator, number.denominator) > LONGEST


def unsealed(row: Row) -> Entry:
    """The entry of a row; LedgerCorrupt if its hash is not that of its fields."""
    try:
        whole = row[-1] == seal(row[:-1])
    except (TypeError, ValueError):
        whole = False
    if not whole:
        raise LedgerCorrupt(f"entry {row[0]} of the ledger was changed.", entry=row[0])
    entry = Entry(row)
    try:
        entry.price  # noqa: B018 - whether it is one
    except (TypeError, ValueError, KeyError):
        raise LedgerMismatch(
            f"entry {row[0]} of the ledger has a cost that this version of pandas-dp cannot count; use a newer "
            "version.",
            entry=row[0],
        ) from None
    return entry


@dataclass(frozen=True)
class Job:
    """What is published once under a name: a fingerprint of its question, the table that was asked in the process that
    did, the last charge for it, and the release as text, None until it is stored."""

    name: str
    question: str
    table: str | None
    entry: int = 0
    release: str | None = None


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

    def job(self, name: str) -> Job | None:
        """What was put down under this name."""

    def put_down(self, job: Job) -> None:
        """In place of what was put down under its name."""

    def check(self) -> None:
        """Whether the store itself is whole; LedgerCorrupt if not."""


@dataclass(frozen=True)
class Records:
    """What a ledger holds, as it is stored."""

    terms: str
    rule: str
    head: Head
    rows: list[Row]
