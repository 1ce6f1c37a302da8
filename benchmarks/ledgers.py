"""A ledger with many entries: what opening it, its views and one more charge take, by the clock and the processor.

python benchmarks/ledgers.py [entries]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import pandas as pd

import pandas_dp as pdp
from pandas_dp.core.budget.reading import read_ledger

CAPS = {
    "epsilon": ({"epsilon": 10**6}, "epsilon"),
    "rho": ({"rho": 10**6}, "rho"),
    "epsilon with delta": ({"epsilon": 10**6, "delta": 1e-6}, "rho"),
}
AIMS = {"open": 2.0, "session.ledger": 2.0, "repr": 2.0, "report": 2.0, "read_ledger": 2.0, "a charge": 0.005}


def main(entries: int = 100_000) -> None:
    print(f"{entries:,} entries; seconds by the clock, by the processor, and the aim at 100,000\n")
    print("| cap | what | clock | processor | aim |\n|:--|:--|--:|--:|--:|")
    for name, (cap, currency) in CAPS.items():
        with tempfile.TemporaryDirectory() as folder:
            for what, clock, processor in measured(Path(folder), cap, currency, entries):
                print(f"| {name} | {what} | {clock:.4f} | {processor:.4f} | {AIMS[what]} |", flush=True)


def measured(folder: Path, cap: dict[str, float], currency: str, entries: int) -> list[tuple[str, float, float]]:
    path = folder / "survey.ledger"
    with pdp.Session(ledger=path, **cap) as session:
        people = session.protect(pd.DataFrame({"age": [31.0, 54.0, 47.0, 28.0] * 250}))
        people["age"].dp.mean(bounds=(0, 100), **{currency: 0.01})
        first = session._core.ledger.entries()[0]
        many = [(first.price, {**first.facts, "frame": f"dp_row_{at:08x}"}) for at in range(entries)]
        session._core.ledger.charge_all(many)
    found = [("open", *timed(lambda: pdp.Session(ledger=path, **cap).close()))]
    with pdp.Session(ledger=path, **cap) as session:
        charge = session._core.ledger.charge
        found.append(("session.ledger", *timed(lambda: session.ledger)))
        found.append(("repr", *timed(lambda: repr(session))))
        found.append(("report", *timed(lambda: session.report(folder / "report.html"))))
        found.append(("a charge", *timed(lambda: [charge(*many[0]) for _ in range(200)], 200)))
    found.append(("read_ledger", *timed(lambda: read_ledger(path))))
    return found


def timed(work: Callable[[], object], times: int = 1) -> tuple[float, float]:
    clock, processor = perf_counter(), process_time()
    work()
    return (perf_counter() - clock) / times, (process_time() - processor) / times


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
