"""What a page says beside the releases: what is promised, what was declared, what is spent, and every entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import pandas as pd

from ..dataclass import dataclass


@dataclass(frozen=True)
class Declaration:
    """What anyone may know of a column before the data are seen, in words."""

    column: str
    values: str
    missing: str


@dataclass(frozen=True)
class Account:
    """A budget, and what it promises.

    Attributes
    ----------
    title
        Of the page.
    promise
        What covers everything released, in a sentence.
    terms
        What it is called and what it says: neighbours, the cap, where the ledger is, and so on.
    used
        Of each budget its name, the share of the cap that is spent, and what is left in words.
    declared
        Columns in the order of the schema.
    entries
        The ledger, an entry a row, as a session shows it: its latest entries where it has more than a page takes.
    earlier
        How many are not on the page.
    prices
        Of each entry, by its number, the cost as it was charged, in words.
    seal
        Number and hash of the last entry.
    has_numbers
        Whether whoever writes the page has released numbers at all; a ledger alone has none.
    """

    title: str
    promise: str
    terms: Mapping[str, str]
    used: Sequence[tuple[str, float, str]]
    entries: pd.DataFrame
    prices: Mapping[int, str]
    seal: str
    declared: Sequence[Declaration] = field(default_factory=tuple)
    has_numbers: bool = True
    earlier: int = 0
