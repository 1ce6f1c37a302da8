"""Functions that tests hand to blocks: a clean process imports them from here. ODD is the age of one row."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import struct
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pandas as pd

ODD = 99.0
FORGED = b'{"told": [["a", 1]]}'
_seen: list[int] = []


def mean(rows: pd.DataFrame) -> float:
    return float(rows["age"].mean())


def there(rows: pd.DataFrame) -> bool:
    return bool((rows["age"] == ODD).any())


def raises(rows: pd.DataFrame) -> float:
    if there(rows):
        raise ValueError(str(rows["age"].iloc[0]))
    return 1.0


def spins(rows: pd.DataFrame) -> float:
    while there(rows):
        pass
    return 1.0


def sleeps(rows: pd.DataFrame) -> float:
    if there(rows):
        time.sleep(3600)
    return 1.0


def fills_memory(rows: pd.DataFrame) -> float:
    return float(len(np.ones(2**32)) if there(rows) else 1.0)


def is_nan(rows: pd.DataFrame) -> float:
    return float("nan") if there(rows) else 1.0


def is_infinite(rows: pd.DataFrame) -> Any:
    return np.float64("inf") if there(rows) else np.int8(1)


def is_nonsense(rows: pd.DataFrame) -> Any:
    return {"b": object()} if there(rows) else {"value": 1.0}


def is_a_table(rows: pd.DataFrame) -> Any:
    return rows if there(rows) else pd.DataFrame({"value": [1.0]})


def is_an_enormous_text(rows: pd.DataFrame) -> Any:
    return "x" * 10**8 if there(rows) else 1


def exits(rows: pd.DataFrame) -> float:
    if there(rows):
        sys.exit(3)
    return 1.0


def leaves_at_once(rows: pd.DataFrame) -> float:
    if there(rows):
        os._exit(0)
    return 1.0


def kills_itself(rows: pd.DataFrame) -> float:
    if there(rows):
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0


def kills_the_server(rows: pd.DataFrame) -> float:
    if there(rows):
        os.kill(os.getppid(), signal.SIGKILL)
    return 1.0


def kills_the_server_or_draws(rows: pd.DataFrame) -> float:
    kills_the_server(rows)
    return draws(rows)


def tells_what_is_no_number(rows: pd.DataFrame) -> float:
    """Writes an answer of its own to every file that it finds open."""
    if there(rows):
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, struct.pack(">Q", len(FORGED)) + FORGED)
    return 1.0


def forks(rows: pd.DataFrame) -> float:
    if there(rows) and not os.fork():
        time.sleep(0.2)
        return 50.0
    return 1.0


def leaves_a_process_behind(rows: pd.DataFrame) -> float:
    if there(rows):
        subprocess.Popen(["sleep", "3600"])
    return 1.0


def closes_everything(rows: pd.DataFrame) -> float:
    if there(rows):
        os.closerange(0, 256)
    return 1.0


def overflows_the_stack(rows: pd.DataFrame) -> float:
    return overflows_the_stack(rows) if there(rows) else 1.0


def interrupts(rows: pd.DataFrame) -> float:
    if there(rows):
        raise KeyboardInterrupt
    return 1.0


def writes(rows: pd.DataFrame) -> float:
    print("rows", rows)
    os.write(1, b"x" * 100)
    os.write(2, b"x" * 100)
    return 1.0


def remembers(rows: pd.DataFrame) -> float:
    """How many blocks it has seen, as far as it knows."""
    _seen.append(len(rows))
    return float(len(_seen))


def draws(rows: pd.DataFrame) -> float:
    return float(np.random.random())  # noqa: NPY002 - whose seed is public


def spread(rows: pd.DataFrame) -> float:
    """Biased: it divides by the number of rows."""
    return float(rows["age"].var(ddof=0))


def several(rows: pd.DataFrame) -> dict[str, Any]:
    return {"low": rows["age"].min(), "high": rows["age"].max(), "which": "old" if mean(rows) > 50 else "young"}


def p_value(rows: pd.DataFrame) -> float:
    """That the mean age is 50, of ages that are even over 0 to 99."""
    return math.erfc(abs(mean(rows) - 49.5) / 28.9 * (len(rows) / 2) ** 0.5)


def counted(rows: pd.DataFrame) -> float:
    """Leaves a line in a file for each call."""
    with open(os.environ["PANDAS_DP_COUNTED"], "a") as file:
        file.write(f"{len(rows)}\n")
    return 1.0
