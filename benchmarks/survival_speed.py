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
    columns = {"months": r.integers(0, BINS, rows), "event": r.random(rows) < 0.5, "group": r.integers(0, 2, rows)}
    people = pdp.Session(rho=10**6).protect(pd.DataFrame(columns))
    groups, bounds = {"group": [0, 1]}, {"months": (0, BINS)}
    every = {**groups, "event": [False, True], "months": list(range(BINS + 1))}
    edges = list(range(BINS + 1))
    life = least(
        lambda: people.dp.survival("months", "event", by="group", bins=edges, bounds=bounds, categories=groups, rho=1)
    )
    table = least(lambda: people.dp.crosstab(["group", "months"], "event", categories=every, rho=1))
    binned = least(lambda: people["months"].dp.histogram(edges, bounds=(0, BINS), rho=1))
    print(f"{rows:,} rows: life table {life:.3f} s")
    print(
        f"crosstab {table:.3f} s, life table {life / table:.2f} of it; a histogram of the months alone {binned:.3f} s"
    )


if __name__ == "__main__":
    main()
