"""Eight processes spend from one ledger file and are killed at random, round after round.

A process of its own, without threads, so that it may fork: python crash.py FOLDER ROUNDS. After every round
the file must open and verify, the sum must not exceed the cap, and every answer seen must have its entry.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.ledger import Ledger
from pandas_dp.core.budget.periods import Terms, filter_for
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import BudgetExceeded

PROCESSES = 8
CAPS = [
    ({"epsilon": 5}, {"epsilon": 0.1}, None),
    ({"rho": 0.15}, {"rho": 0.003}, None),
    ({"epsilon": 3, "delta": 1e-6}, {"rho": 0.003}, None),
    ({"epsilon": 3}, {"epsilon": 0.1}, {"epsilon": 5}),  # by period, and over all of them
]
PERIODS = ("2026-10", "2026-11")


def spend(path: Path | str, terms: Terms, price: dict[str, float], seen: Path, period: str) -> None:
    """Charge until killed, or left alone by a parent that was; write down each charge only once it was granted."""
    parent = os.getppid()
    answers = os.open(seen, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    ledger = open_ledger(path, terms, period)
    while os.getppid() == parent:
        try:
            entry = ledger.charge(parse(**price), {"model": "dp"})
            os.write(answers, f"{entry.number} {entry.hash}\n".encode())
        except BudgetExceeded:
            time.sleep(0.001)


def child(work: Callable[[], None]) -> int:
    process = os.fork()
    if process == 0:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told to the parent, then the child ends
            print(f"child: {error!r}", flush=True)
        finally:
            os._exit(1)
    return process


def kill_at_random(processes: list[int], chance: random.Random) -> None:
    for process in chance.sample(processes, len(processes)):
        time.sleep(chance.expovariate(1 / 0.01))
        os.kill(process, signal.SIGKILL)
    for process in processes:
        _, status = os.waitpid(process, 0)
        assert os.WIFSIGNALED(status), "a child ended by itself"


def check(ledger: Ledger, seen: Path) -> int:
    entries = {str(entry.number): entry.hash for entry in ledger.entries()}
    ledger.verify()
    for period in (None, *PERIODS):
        mine = [e for e in ledger.entries() if period is None or e.facts.get("period") == period]
        cap = ledger.terms.overall if ledger.terms.period and period is None else ledger.terms.cap
        assert cap is not None
        rule = filter_for(cap)
        state = rule.start()
        for entry in mine:
            state = rule.after(state, entry.price)
        assert rule.admits(state), "more was spent than the cap"
    for line in seen.read_text().splitlines():
        number, found = line.split()
        assert entries.get(number) == found, f"answer {number} was seen without its charge"
    return len(entries)


def main(folder: str, rounds: int) -> None:
    chance, charges, full = random.Random(), 0, 0
    for number in range(rounds):
        cap, price, overall = CAPS[number // 5 % len(CAPS)]
        terms = Terms(parse(**cap), "replace", ("dp",))  # type: ignore[arg-type]
        if overall is not None:
            terms = replace(terms, period="month", overall=parse(**overall))  # type: ignore[arg-type]
        path, seen = Path(folder) / f"{number // 5}.ledger", Path(folder) / f"{number // 5}.seen"
        seen.touch()
        works = [partial(spend, path, terms, price, seen, PERIODS[each % 2]) for each in range(PROCESSES)]
        kill_at_random([child(work) for work in works], chance)
        ledger = open_ledger(path, terms, PERIODS[0])
        made = check(ledger, seen)
        ledger.close()
        charges += made if number % 5 == 4 else 0
        full += ledger.used() > 0.99
    print(f"{rounds} rounds, {charges} charges, {full} rounds ended with the cap spent")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
