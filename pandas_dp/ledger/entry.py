"""One line of the ledger. Each entry holds the hash of the one before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ..cost import Cost
from ..dataclass import dataclass

Row = tuple[int, str, str, str, str, str, str, str]  # an entry as a table holds it, its hash last


@dataclass(frozen=True)
class Entry:
    """A charge: its price, what it was for, and what was spent once it was made.

    Attributes
    ----------
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

    number: int
    release_id: str
    time: str
    price: Cost
    facts: dict[str, Any]
    state: str
    previous: str
    hash: str

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
        return cls.from_row((*fields, seal(fields)))

    def to_row(self) -> Row:
        facts_text = json.dumps(self.facts, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return (
            self.number,
            self.release_id,
            self.time,
            self.price.to_text(),
            facts_text,
            self.state,
            self.previous,
            self.hash,
        )

    @classmethod
    def from_row(cls, row: Row) -> Entry:
        number, release_id, time, price, facts, state, previous, sealed = row
        return cls(number, release_id, time, Cost.from_text(price), json.loads(facts), state, previous, sealed)


def seal(fields: tuple[Any, ...]) -> str:
    """SHA-256 of the fields of a row, in an encoding that no two rows share."""
    text = json.dumps(fields, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
