"""How long the backend takes beside pandas, as ratios within one run: python benchmarks/folds.py [rows]

Both sides are timed in turn and the best of several rounds is taken, because machines are noisy.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

import numpy as np
import pandas as pd

from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.numeric.measure import Counts, Distinct, Moments, Totals
from pandas_dp.quantiles.measure import Ranks

ROUNDS = 9
Work = Callable[[], object]


def frame(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)

    def category(size: int) -> pd.Categorical:
        codes = rng.integers(0, size, n)
        return pd.Categorical.from_codes(codes, categories=[f"name {i}" for i in range(size)])

    data = pd.DataFrame({"x": rng.normal(50, 20, n), "i": rng.integers(0, 1000, n)})
    return data.assign(a=category(20), b=category(50), k=category(1000))


def key(data: pd.DataFrame, column: str, size: int) -> Key:
    return Key(column, Categories(tuple(f"name {i}" for i in range(size))))


def comparisons(data: pd.DataFrame) -> dict[str, tuple[float, Work, Work]]:
    """Name: the ratio that is wanted, ours, pandas'."""
    x = Variable("x", Interval(Fraction(0), Fraction(100)))
    i = Variable("i", Interval(Fraction(0), Fraction(900), "integer"))
    rows, texts = PandasRows(data, None), data[["a", "b"]].astype({"a": "str", "b": "str"})
    a, b, k = key(data, "a", 20), key(data, "b", 50), key(data, "k", 1000)
    bins = Key("x", Breaks(tuple(np.linspace(0, 100, 101).tolist())), clamp=x.interval)
    grouped = data.groupby("k", observed=False)
    values = data["x"].to_numpy()
    return {
        "mean and error / mean": (2, lambda: rows.fold(Moments(x)), data["x"].mean),
        "mean and error / mean, std": (
            0.5,
            lambda: rows.fold(Moments(x)),
            lambda: (data["x"].mean(), data["x"].std()),
        ),
        "sum of integers": (3.5, lambda: rows.fold(Totals(i)), data["i"].sum),
        "median": (0.6, lambda: rows.near_ranks(Ranks(x, Fraction(1, 2)), 1000), data["x"].median),
        "crosstab of categories": (
            1 / 80,
            lambda: rows.fold(Counts(Cells((a, b)))),
            lambda: pd.crosstab(data["a"], data["b"]),
        ),
        "crosstab of strings": (
            1 / 8,
            lambda: PandasRows(texts, None).fold(Counts(Cells((a, b)))),
            lambda: pd.crosstab(texts["a"], texts["b"]),
        ),
        "totals by 1,000 cells": (1, lambda: rows.fold(Totals(x, Cells((k,)))), grouped["x"].sum),
        "moments by 1,000 cells": (1, lambda: rows.fold(Moments(x, Cells((k,)))), grouped["x"].sum),
        "histogram": (
            0.6,
            lambda: rows.fold(Counts(Cells((bins,)))),
            lambda: np.histogram(values, bins=100, range=(0, 100)),
        ),
        "distinct": (1, lambda: rows.fold(Distinct(i)), data["i"].nunique),
        "medians by 1,000 cells": (
            1,
            lambda: rows.near_ranks(Ranks(x, Fraction(1, 2), Cells((k,))), 1000),
            grouped["x"].median,
        ),
        "derived, in order": (
            3,
            lambda: PandasRows(data, KnownIds(len(data))).fold(Moments(x)),
            data["x"].mean,
        ),
    }


def seconds(work: Work, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return best


def report(data: pd.DataFrame, only: str) -> None:
    print(f"{len(data):,} rows".ljust(30), "ours ms", "theirs ms", "ratio", "requested", "extra MB", sep="\t")
    for name, (requested, ours, theirs) in comparisons(data).items():
        if only not in name:
            continue
        mine = their = float("inf")
        for _ in range(ROUNDS):
            mine, their = min(mine, seconds(ours, 3)), min(their, seconds(theirs, 1))
            if their > 1:
                break
        tracemalloc.start()
        ours()
        extra = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        ratio, flag = mine / their, "" if mine / their <= requested else "  <-- too slow"
        print(f"{name:30}\t{mine * 1e3:.1f}\t{their * 1e3:.1f}\t\t{ratio:.4f}\t{requested:.4f}\t{extra:.0f}{flag}")


def small() -> None:
    data = frame(1000)
    cells = Cells((key(data, "a", 20), key(data, "b", 50)))
    x = Variable("x", Interval(Fraction(0), Fraction(100)))
    for name, measurement in (("moments", Moments(x)), ("crosstab", Counts(cells)), ("count", Counts())):
        best = seconds(lambda measurement=measurement: PandasRows(data, None).fold(measurement), 300)
        print(f"{name} of 1,000 rows".ljust(30), f"{best * 1e6:.0f} µs")


if __name__ == "__main__":
    small()
    report(frame(int(sys.argv[1]) if len(sys.argv) > 1 else 10**7), sys.argv[2] if len(sys.argv) > 2 else "")
