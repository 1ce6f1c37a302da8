"""What needs a process of its own: forks, a full disk, missing permissions. python scenes.py NAME FOLDER."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pandas_dp.core.budget.cost import parse
from pandas_dp.core.budget.ledger import Ledger
from pandas_dp.core.budget.periods import Terms
from pandas_dp.core.session.opening import open_ledger
from pandas_dp.errors import LedgerError

TERMS = Terms(parse(epsilon=1000), "replace", ("dp",))  # type: ignore[arg-type]
PRICE = parse(epsilon=0.1)
NOBODY = 65534


def charge(ledger: Ledger, times: int = 1) -> None:
    for _ in range(times):
        ledger.charge(PRICE, {"model": "dp", "padding": "x" * 200})  # type: ignore[arg-type]


def count(path: Path) -> int:
    ledger = open_ledger(path, TERMS)
    ledger.verify()
    number = len(ledger.entries())
    ledger.close()
    return number


def forks(folder: Path) -> None:
    """Parent and child charge the same object; the parent lets go of the file while the child goes on."""
    ledger = open_ledger(folder / "a.ledger", TERMS)
    charge(ledger, 5)
    explained, conclude = os.pipe()
    child = os.fork()
    if child == 0:
        charge(ledger, 5)
        os.read(explained, 1)
        charge(ledger, 5)
        os._exit(0)  # without letting go of the file: what was charged must be in it
    charge(ledger, 5)
    ledger.close()
    os.write(conclude, b"x")
    assert os.waitpid(child, 0)[1] == 0
    assert count(folder / "a.ledger") == 20


def forks_while_threads_charge(folder: Path) -> None:
    ledger = open_ledger(folder / "a.ledger", TERMS)
    threads = [threading.Thread(target=charge, args=(ledger, 50)) for _ in range(4)]
    for thread in threads:
        thread.start()
    children = []
    for _ in range(10):
        child = os.fork()
        if child == 0:
            charge(ledger, 5)
            os._exit(0)
        children.append(child)
    for thread in threads:
        thread.join()
    assert all(os.waitpid(child, 0)[1] == 0 for child in children)
    assert count(folder / "a.ledger") == 4 * 50 + 10 * 5


def a_full_disk(folder: Path) -> None:
    """A limit on the size of files stands for the full disk; once there is room again the ledger goes on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    ledger, seen = open_ledger(folder / "a.ledger", TERMS), 0
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))

    def until_full() -> None:
        nonlocal seen
        for _ in range(1000):
            charge(ledger)
            seen += 1

    refused(until_full, "No answer was given")
    assert 5 < seen < 1000, seen
    for _ in range(3):
        try:
            charge(ledger)
            seen += 1
        except LedgerError:
            pass
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    made = len(ledger.entries())
    assert made >= seen, (made, seen)
    charge(ledger)
    ledger.close()
    assert count(folder / "a.ledger") == made + 1


def a_full_disk_at_the_start(folder: Path) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    refused(lambda: open_ledger(folder / "a.ledger", TERMS), "cannot be")
    assert list(folder.iterdir()) == []


def a_file_that_cannot_be_written(folder: Path) -> None:
    path = folder / "a.ledger"
    charge(open_ledger(path, TERMS))
    os.chmod(path, 0o444)
    os.chmod(folder, 0o777)
    become_nobody()
    refused(lambda: charge(open_ledger(path, TERMS)), "read-only")


def a_folder_that_cannot_be_written(folder: Path) -> None:
    ledger = open_ledger(folder / "a.ledger", TERMS)
    charge(ledger)
    ledger.close()
    os.chmod(folder, 0o555)
    become_nobody()
    refused(lambda: charge(open_ledger(folder / "a.ledger", TERMS)), "folder")
    refused(lambda: open_ledger(folder / "b.ledger", TERMS), "folder")


def become_nobody() -> None:
    """Permissions do not bind root."""
    if os.geteuid() == 0:
        os.seteuid(NOBODY)


def refused(act: Callable[[], object], words: str) -> None:
    with pytest.raises(LedgerError, match=words):
        act()


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
