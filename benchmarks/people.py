"""What questions over rows of people take beside pandas' own sum over people, in one run: CPU time and memory.

`python -m benchmarks.people [ROWS]` asks a table of so many rows, ten a person; 10**7 unless told otherwise.
"""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import pandas_dp as pdp

ROUNDS = 5
CODES = 8  # bytes of a column of codes, a row
WARDS = list("abcdefghij")


def table(rows: int) -> pd.DataFrame:
    r = np.random.default_rng(0)
    owner = r.integers(0, rows // 10, rows)
    return pd.DataFrame(
        {
            "person_id": owner * 7919 + 13,
            "cost": r.integers(0, 1000, rows).astype(float),
            "ward": pd.Categorical.from_codes(r.integers(0, len(WARDS), rows), WARDS),
        }
    )


def asked(visits: Any) -> dict[str, Callable[[], Any]]:
    cost, bounds = visits["cost"], {"bounds": (0, 1000), "rho": 1}
    wards: Any = {"categories": WARDS, "rho": 1}
    return {
        "mean of rows, clustered": lambda: cost.dp.mean(max_rows=20, **bounds),
        "total, people clamped": lambda: cost.dp.sum(per_person=(0, 5000), **bounds),
        "total, rows weighed": lambda: cost.dp.sum(max_rows=20, **bounds),
        "number of rows": lambda: cost.dp.count(max_rows=20, **bounds),
        "people": lambda: visits["person_id"].dp.nunique(rho=1),
        "rows in ten wards": lambda: visits["ward"].dp.value_counts(max_rows=20, **wards),
        "people in ten wards": lambda: visits["ward"].dp.value_counts(count="people", max_cells=3, **wards),
        "totals of people in ten wards": lambda: visits.dp.groupby("ward")["cost"].sum(
            per_person=(0, 5000), max_cells=3, categories=WARDS, bounds={"cost": (0, 1000)}, rho=1
        ),
        "means in ten wards": lambda: visits.dp.groupby("ward")["cost"].mean(
            max_rows=20, categories=WARDS, bounds={"cost": (0, 1000)}, rho=1
        ),
        "median of rows": lambda: cost.dp.median(max_rows=20, **bounds),
    }


def cpu(ask: Callable[[], Any]) -> float:
    gc.collect()
    start = time.process_time()
    ask()
    return time.process_time() - start


def peak(ask: Callable[[], Any]) -> int:
    gc.collect()
    tracemalloc.start()
    ask()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7
    data = table(rows)
    with pdp.Session(rho=10**6, unit="person_id") as session:
        visits = session.protect(data)
        questions = {"groupby(id).sum()": lambda: data.groupby("person_id")["cost"].sum(), **asked(visits)}
        least = dict.fromkeys(questions, np.inf)
        for _ in range(ROUNDS):
            for name, ask in questions.items():
                least[name] = min(least[name], cpu(ask))
        print(f"{rows:,} rows of {rows // 10:,} people; room for two columns of codes and 64 MB: ", end="")
        print(f"{(2 * CODES * rows + 64 * 2**20) / 2**20:.0f} MB")
        for name, ask in questions.items():
            times = least[name] / least["groupby(id).sum()"]
            print(f"{name:30} {least[name]:6.2f} s  {times:5.2f} times  {peak(ask) / 2**20:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
