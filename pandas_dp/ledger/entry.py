"""One line of the ledger. Each entry holds the hash of the one before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from ..cost import Cost
from ..dataclass import dataclass

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
