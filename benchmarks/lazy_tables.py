"""Questions about a table in memory that is scanned, beside the same about a protected frame, whose pandas operation
is counted, too: processor time of either in one run, and how many times the one takes the other."""

from __future__ import annotations

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


ENDS = {"bounds": (-5, 5), "epsilon": 1}
QUESTIONS: dict[str, Callable[[Any], object]] = {
    "mean of a column": lambda d: d["x"].dp.mean(**ENDS),
    "median of a column": lambda d: d["x"].dp.median(**ENDS),
    "sums by a key": lambda d: d.dp.groupby("k", categories=LABELS)["x"].sum(**ENDS),
    "x * 2 + 1": lambda d: (d["x"] * 2 + 1).dp.mean(bounds=(-9, 11), epsilon=1),
    "log(abs(x) + 1)": lambda d: np.log(abs(d["x"]) + 1).dp.mean(bounds=(0, 3), epsilon=1),
    "where(x > y, x, y)": lambda d: d["x"].where(d["x"] > d["y"], d["y"]).dp.mean(**ENDS),
    "x - y": lambda d: (d["x"] - d["y"]).dp.mean(bounds=(-10, 10), epsilon=1),
    "half of the rows": lambda d: d[d["x"] > 0]["y"].dp.mean(**ENDS),
    "a sixteenth, and a product": lambda d: _product(d[(d["x"] > 0) & (d["k"] == "a")]),
}


def _product(kept: Any) -> object:
    return (kept["y"] * kept["n"]).dp.mean(bounds=(-250, 250), epsilon=1)


def main(rows: int = 1_000_000) -> None:
    r = np.random.default_rng(0)
    table = pd.DataFrame({"x": r.normal(size=rows), "y": r.normal(size=rows), "n": r.integers(0, 50, rows)})
    table["k"] = pd.Categorical(r.choice(LABELS, rows))
    print(f"{rows:,} rows\n\n| question | declared | not declared |\n|:--|--:|--:|")
    for name, ask in QUESTIONS.items():
        ratios = []
        for schema in (Rows, None):
            session = pdp.Session(epsilon=10**9, schema=schema)
            protected, scanned = session.protect(table), session.scan(table)
            ratios.append(processor(lambda: ask(scanned)) / processor(lambda: ask(protected)))  # noqa: B023
        print(f"| {name} | {ratios[0]:.2f} | {ratios[1]:.2f} |")


def processor(work: Callable[[], object]) -> float:
    """The least of seven runs, after one."""
    work()
    found = []
    for _ in range(7):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
