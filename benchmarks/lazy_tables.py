"""Questions about expressions of a table in memory that is scanned, beside the same about pandas' own values, which a
session protects as a column: processor time of either in one run, and how many times the one takes the other. What a
condition found is kept, so the first question after it pays for it; in the last column pandas' operation is counted
beside it."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pandera

import pandas_dp as pdp

LABELS = list("abcdefgh")


class Rows(pandera.DataFrameModel):
    """What is declared in the one half of the runs, and not in the other."""

    x: float = pandera.Field(ge=-5, le=5)
    y: float = pandera.Field(ge=-5, le=5)
    n: int = pandera.Field(ge=0, le=49)
    k: str = pandera.Field(isin=LABELS)


EXPRESSIONS: dict[str, tuple[Callable[[Any], Any], tuple[float, float]]] = {
    "x": (lambda d: d["x"], (-5, 5)),
    "x * 2 + 1": (lambda d: d["x"] * 2 + 1, (-9, 11)),
    "log(abs(x) + 1)": (lambda d: np.log(abs(d["x"]) + 1), (0, 3)),
    "where(x > y, x, y)": (lambda d: d["x"].where(d["x"] > d["y"], d["y"]), (-5, 5)),
    "y where x > 0": (lambda d: d[d["x"] > 0]["y"], (-5, 5)),
    "y * n of a tenth": (lambda d: _product(d[(d["x"] > 0) & (d["k"] == "a")]), (-250, 250)),
}
BARS = {"x": 1.1, "x * 2 + 1": 1.5, "where(x > y, x, y)": 3.5, "y where x > 0": 2, "y * n of a tenth": 5}
STATISTICS = ("mean", "median", "describe")


def _product(kept: Any) -> Any:
    return kept["y"] * kept["n"]


def main(rows: int = 10_000_000) -> None:
    r = np.random.default_rng(0)
    table = pd.DataFrame({"x": r.normal(size=rows), "y": r.normal(size=rows), "n": r.integers(0, 50, rows)})
    table["k"] = pd.Categorical(r.choice(LABELS, rows, p=[0.2] + 7 * [0.8 / 7]))
    print(f"{rows:,} rows; declared / not declared\n\n| expression | {' | '.join(STATISTICS)} | bar | first mean |")
    print("|:--|--:|--:|--:|--:|--:|")
    for name, (made, bounds) in EXPRESSIONS.items():
        ratios = [_ratios(table, made, bounds, schema) for schema in (Rows, None)]
        each = [" / ".join(f"{ratio:.2f}" for ratio in both) for both in zip(*ratios, strict=True)]
        print(f"| {name} | {' | '.join(each[:-1])} | {BARS.get(name, '')} | {each[-1]} |", flush=True)


def _ratios(table: pd.DataFrame, made: Callable[[Any], Any], bounds: tuple[float, float], schema: Any) -> list[float]:
    session = pdp.Session(epsilon=10**9, schema=schema)
    scanned, frame = session.scan(table), session.protect(table)
    column, values = made(scanned), session.protect(pd.DataFrame({"z": made(table)}))["z"]

    def asked(statistic: str, of: Callable[[], Any]) -> Callable[[], object]:
        return lambda: getattr(of().dp, statistic)(bounds=bounds, epsilon=1)

    again = [ratio(asked(each, lambda: column), asked(each, lambda: values)) for each in STATISTICS]
    return [*again, ratio(asked("mean", lambda: made(scanned)), asked("mean", lambda: made(frame)))]


def ratio(one: Callable[[], object], other: Callable[[], object]) -> float:
    """The median of seven pairs, after one."""
    processor(one), processor(other)
    return statistics.median(processor(one) / processor(other) for _ in range(7))


def processor(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
