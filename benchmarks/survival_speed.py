"""A life table beside tables of the same counts, CPU time in one run: `python -m benchmarks.survival_speed [ROWS]`.

All count rows by group, month and event. The crosstab takes months as categories, which need no bins to be found.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

import pandas_dp as pdp

RUNS, BINS = 7, 20


def least(run: Callable[[], object]) -> float:
    found = []
    for _ in range(RUNS):
        begun = time.process_time()
        run()
        found.append(time.process_time() - begun)
    return min(found)


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    r = np.random.default_rng(0)
    times = r.uniform(0, BINS, rows)
    columns = {
        "time": times,
        "months": times.astype(np.int64),
        "event": r.random(rows) < 0.5,
        "group": r.integers(0, 2, rows),
    }
    people = pdp.Session(rho=10**6).protect(pd.DataFrame(columns))
    groups, bounds = {"group": [0, 1]}, {"time": (0, BINS), "months": (0, BINS)}
    every = {**groups, "event": [False, True], "months": list(range(BINS + 1))}
    edges = list(range(BINS + 1))
    ask = lambda time: people.dp.survival(  # noqa: E731
        time, "event", by="group", bins=edges, bounds={time: bounds[time]}, categories=groups, rho=1
    )
    life, whole = least(lambda: ask("time")), least(lambda: ask("months"))
    table = least(lambda: people.dp.crosstab(["group", "months"], "event", categories=every, rho=1))
    print(f"{rows:,} rows: crosstab {table:.3f} s, life table {life:.3f} s, {life / table:.2f} of it")
    print(f"where each time is at an edge {whole:.3f} s, {whole / table:.2f} of it")


if __name__ == "__main__":
    main()
