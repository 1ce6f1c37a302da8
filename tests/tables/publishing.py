"""Publishes tables in a process of its own, and is killed where it is told: python publishing.py FOLDER LEDGER WHEN.

WHEN is "never", or one of the places of `PLACES`, where the process kills itself as `kill -9` would.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

import pandas_dp as pdp
from pandas_dp.core.budget.sqlite import SqliteBook, SqliteLedger
from pandas_dp.tables.published import archive

CATEGORIES = {"k": ["a", "b", "c"], "j": [1, 2]}


def people() -> pd.DataFrame:
    return pd.DataFrame({"k": ["a", "b", "c", "a"] * 50, "j": [1, 2, 1, 1] * 50})


def publish(folder: Path, session: pdp.Session, epsilon: float = 1.0) -> pdp.PublishedTables:
    frame = session.protect(people())
    asked = {"categories": CATEGORIES, "epsilon": epsilon}
    return pdp.publish_tables(
        folder,
        {
            "both": lambda: frame.dp.marginals([["k", "j"], []], **asked),
            "one": lambda: frame.dp.marginals([["k"]], epsilon=epsilon, categories=CATEGORIES["k"]),
        },
    )


def killed(place: Any, name: str, after: bool, times: int = 1) -> None:
    """Have a function kill the process before or after it has done its work."""
    work: Callable[..., Any] = getattr(place, name)
    calls = []

    def wrapped(*given: Any, **named: Any) -> Any:
        calls.append(name)
        if len(calls) == times and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        found = work(*given, **named)
        if len(calls) == times:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    setattr(place, name, wrapped)


PLACES: dict[str, Callable[[], None]] = {
    "before paying": lambda: killed(SqliteLedger, "charge_all", after=False),
    "while paying": lambda: killed(SqliteBook, "append", after=True),
    "before the charges are durable": lambda: killed(SqliteBook, "append", after=True, times=2),
    "after paying": lambda: killed(SqliteLedger, "charge_all", after=True),
    "before the first is written": lambda: killed(archive.Draft, "keep", after=False),
    "before the second is written": lambda: killed(archive.Draft, "keep", after=False, times=2),
    "before the list is written": lambda: killed(archive.Draft, "finish", after=False),
    "before the folder is in place": lambda: killed(os, "rename", after=False),
    "when the folder is in place": lambda: killed(os, "rename", after=True),
    "never": lambda: None,
}


if __name__ == "__main__":
    folder, ledger, when = sys.argv[1:]
    PLACES[when]()
    with pdp.Session(epsilon=10, ledger=ledger) as session:
        publish(Path(folder), session)
