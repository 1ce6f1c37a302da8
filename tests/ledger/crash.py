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
from functools import partial
from pathlib import Path

from pandas_dp.cost import parse
from pandas_dp.errors import BudgetExceeded
from pandas_dp.ledger import Ledger, Terms, open_ledger

PROCESSES = 8
CAPS = [
    ({"epsilon": 5}, {"epsilon": 0.1}),
    ({"rho": 0.15}, {"rho": 0.003}),
    ({"epsilon": 3, "delta": 1e-6}, {"rho": 0.003}),
]


def spend(path: Path, terms: Terms, price: dict[str, float], seen: Path) -> None:
    """Charge until killed, or left alone by a parent that was; write down each charge only once it was granted."""
    parent = os.getppid()
    answers = os.open(seen, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    ledger = open_ledger(path, terms)
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
    rule, state = ledger.chain.filter, ledger.chain.filter.start()
    for entry in ledger.entries():
        state = rule.after(state, entry.price)
    assert rule.admits(state), "more was spent than the cap"
    for line in seen.read_text().splitlines():
        number, found = line.split()
        assert entries.get(number) == found, f"answer {number} was seen without its charge"
    return len(entries)


def main(folder: str, rounds: int) -> None:
    chance, charges, full = random.Random(), 0, 0
    for number in range(rounds):
        cap, price = CAPS[number // 5 % len(CAPS)]
        terms = Terms(parse(**cap), "replace", ("dp",))  # type: ignore[arg-type]
        path, seen = Path(folder) / f"{number // 5}.ledger", Path(folder) / f"{number // 5}.seen"
        seen.touch()
        work = partial(spend, path, terms, price, seen)
        kill_at_random([child(work) for _ in range(PROCESSES)], chance)
        ledger = open_ledger(path, terms)
        made = check(ledger, seen)
        ledger.close()
        charges += made if number % 5 == 4 else 0
        full += ledger.used() > 0.99
    print(f"{rounds} rounds, {charges} charges, {full} rounds ended with the cap spent")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
