"""Keys that nobody declared, beside `Series.value_counts()` on the same rows, as ratios of CPU time in one run; and how
many keys are found, in people with one key each."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

ROWS, KEYS = 10_000_000, 100_000
PEOPLE, FOUND = 20_000, 20  # of the tables of found keys: people, and how often


def main(rows: int = ROWS) -> None:
    """About two minutes at full size."""
    rng = np.random.default_rng(1)
    names = np.array([f"key {i:06d}" for i in range(KEYS)], dtype=object)
    texts = names[rng.integers(0, KEYS, rows)]
    stored = {
        "str": pd.Series(texts, dtype="str"),
        "objects": pd.Series(texts, dtype=object),
        "objects, one in ten missing": pd.Series(np.where(rng.random(rows) < 0.1, None, texts), dtype=object),
        "categories": pd.Series(texts, dtype="category"),
        "whole numbers": pd.Series(rng.integers(0, KEYS, rows)),
    }
    print(f"{rows:,} rows, {KEYS:,} keys: least CPU time against value_counts()\n")
    for name, series in stored.items():
        print(f"{name}: {ratio(series):.2f}")
    accuracy()


def ratio(series: pd.Series, rounds: int = 5) -> float:
    """Of a derived frame too many rows must be told apart first; this is the whole frame, and paid by epsilon."""
    kind = int if series.dtype.kind == "i" else str
    session = pdp.Session(epsilon=1e6, delta=0.5, schema=pa.DataFrameSchema({"k": pa.Column(kind)}))
    column = session.protect(pd.DataFrame({"k": series}))["k"]
    ask = lambda: column.dp.value_counts(categories="unknown", epsilon=1, delta=1e-7)  # noqa: E731
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(seconds(ask))
        theirs.append(seconds(series.value_counts))
    return min(ours) / min(theirs)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def accuracy() -> None:
    """Zipf(1.1) over 20,000 keys, one key a person, the whole cost (1, 1e-5)."""
    rng = np.random.default_rng(2)
    weights = 1 / np.arange(1, PEOPLE + 1) ** 1.1
    schema = pa.DataFrameSchema({"k": pa.Column(int)})
    print(f"\nkeys found of {PEOPLE:,} people with one key each, at (1, 1e-5), mean of {FOUND} tables")
    for neighbours in ("add_remove", "replace"):
        for mechanism in ("auto", "gaussian"):
            found: list[Any] = []
            for _ in range(FOUND):
                keys = rng.choice(PEOPLE, PEOPLE, p=weights / weights.sum())
                session = pdp.Session(epsilon=10, delta=0.01, schema=schema, neighbours=neighbours)
                people = session.protect(pd.DataFrame({"k": keys}))
                release = people["k"].dp.value_counts(categories="unknown", epsilon=1, delta=1e-5, mechanism=mechanism)
                found.append(len(release))
            print(f"{neighbours}, {mechanism}: {mean(found):.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
