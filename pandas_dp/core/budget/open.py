"""What was spent: append-only, durable, one writer at a time. It knows costs and nothing of data."""

from __future__ import annotations

import os

from .address import Address, is_address
from .ledger import Ledger, MemoryLedger
from .periods import Terms


def open_ledger(path: str | os.PathLike[str] | None, terms: Terms, period: str | None = None) -> Ledger:
    """The ledger in this file or database, new or continued; without one, it lives and dies with the process.

    Under terms of periods it is charged in the one of this name.

    Raises
    ------
    LedgerMismatch
        The file was opened under other terms.
    LedgerCorrupt
        The file does not verify: an entry was changed, removed or cut.
    LedgerError
        The file cannot be read or written.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import Pure, parse
    >>> ledger = open_ledger(None, Terms(cap=parse(epsilon=3), neighbours="replace", models=("dp",)))
    >>> ledger.charge(parse(epsilon=0.5), {"statistic": "mean", "model": "dp"}).number
    1
    >>> print(ledger.left())
    epsilon=2.5
    """
    if path is None:
        return MemoryLedger(terms, period)
    if is_address(path):
        from .postgres import PostgresLedger  # late: so is the driver, which few have

        return PostgresLedger(Address.read(str(path)), terms, period)
    from .sqlite import SqliteLedger  # late: not everyone needs SQLite

    return SqliteLedger(path, terms, period)
