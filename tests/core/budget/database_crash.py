"""Processes spend from one ledger in a database while they, or the server, are killed: python database_crash.py.

Arguments: the server's folder, the folder of its programs, a folder for notes, how many rounds. A process of its own,
without threads, so that it may fork. At the end every answer seen must have its entry, the sum must not exceed the cap,
and the chain must be whole.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import BudgetExceeded, LedgerCorrupt, LedgerError
from tests.core.budget.crash import CAPS, PERIODS, check, child
from tests.core.budget.server import Server

PROCESSES = 6


def spend(place: str, terms: Terms, price: dict[str, float], seen: Path, period: str) -> None:
    """Charge until killed; where the server is gone, wait for it. Write down each charge once it was granted."""
    parent = os.getppid()
    answers = os.open(seen, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    ledger = None
    while os.getppid() == parent:
        try:
            ledger = ledger or open_ledger(place, terms, period)
            entry = ledger.charge(parse(**price), {"model": "dp"})  # type: ignore[arg-type]
            os.write(answers, f"{entry.number} {entry.hash}\n".encode())
        except BudgetExceeded:
            time.sleep(0.01)
        except LedgerError as error:
            if isinstance(error, LedgerCorrupt):
                raise  # whoever is killed damages nothing
            time.sleep(0.05)


def main(folder: str, programs: str, notes: str, rounds: int) -> None:
    server, chance, charges, answers = Server(Path(folder), Path(programs)), random.Random(), 0, 0
    for number in range(rounds):
        cap, price, overall = CAPS[number % len(CAPS)]
        terms = Terms(parse(**cap), "replace", ("dp",))  # type: ignore[arg-type]
        if overall is not None:
            terms = replace(terms, period="month", overall=parse(**overall))
        place, seen = server.address(f"crash {os.getpid()} {number}"), Path(notes) / f"{number}.seen"
        seen.touch()
        works = [partial(spend, place, terms, price, seen, PERIODS[each % 2]) for each in range(PROCESSES)]
        processes = [child(work) for work in works]
        for turn in range(6):
            time.sleep(chance.uniform(0.05, 0.3))
            if turn == 3:
                server.stop("immediate")
                server.start()
                continue
            victim = chance.randrange(len(processes))
            os.kill(processes[victim], signal.SIGKILL)
            _, status = os.waitpid(processes[victim], 0)
            assert os.WIFSIGNALED(status), "a child ended by itself"
            processes[victim] = child(works[victim])
        time.sleep(0.5)
        for process in processes:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        ledger = open_ledger(place, terms, PERIODS[0])
        charges += check(ledger, seen)
        answers += len(seen.read_text().splitlines())
        ledger.close()
    print(f"{rounds} rounds, {charges} charges, {answers} answers")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
