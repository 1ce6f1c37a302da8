"""Smooth noise where rows are tied, and the weaker promises in large tables and for groups of rows, in one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

ROWS, CELLS = 10_000_000, 316
IN_RANGE = pa.Column(float, pa.Check.in_range(0, 100))
KEYS = {name: pa.Column(int, pa.Check.isin(list(range(CELLS)))) for name in "kj"}

Work = Callable[[], object]


def main() -> None:
    """About two minutes."""
    ties()
    tables()
    groups()


def ties() -> None:
    """The median with smooth noise of ten million rows against np.partition, and against a sort."""
    r = np.random.default_rng(1)
    columns = {
        "normal": r.normal(50, 15, ROWS),
        "constant": np.full(ROWS, 50.0),
        "two values": r.integers(0, 2, ROWS) * 100.0,
        "eleven values": r.integers(0, 11, ROWS) * 10.0,
        "half zero": np.where(r.random(ROWS) < 0.5, 0, r.gamma(2, 10, ROWS)).clip(0, 100),
    }
    print("| column | against np.partition | against np.sort |\n|:--|--:|--:|")
    for name, x in columns.items():
        with pdp.Session(epsilon=10**6, schema=pa.DataFrameSchema({"x": IN_RANGE})) as session:
            known = session.protect(pd.DataFrame({"x": x}))["x"]
            ours = seconds(lambda known=known: known.dp.median(epsilon=1, mechanism="smooth"))
        half, whole = seconds(lambda x=x: np.partition(x, len(x) // 2)), seconds(lambda x=x: np.sort(x))
        print(f"| {name} | {ours / half:.2f} | {ours / whole:.2f} |", flush=True)


def tables() -> None:
    """A hundred thousand cells of ten rows each, against dp."""
    r = np.random.default_rng(2)
    rows = 10 * CELLS**2
    data = pd.DataFrame({name: r.integers(0, CELLS, rows) for name in KEYS} | {"x": r.uniform(0, 100, rows)})
    print(f"\n| {CELLS**2:,} cells | idp against dp | bdp against dp |\n|:--|--:|--:|")
    schema = pa.DataFrameSchema({**KEYS, "x": IN_RANGE})
    with pdp.Session(epsilon=10**6, schema=schema, models=["idp", "bdp"]) as session:
        frame = session.protect(data)
        asks: dict[str, Callable[[str], object]] = {
            "count": lambda model: frame.dp.crosstab("k", "j", epsilon=1, model=model),
            **{
                name: lambda model, name=name: getattr(frame.dp.groupby(["k", "j"])["x"], name)(epsilon=1, model=model)
                for name in ("sum", "mean", "std", "median")
            },
        }
        for name, ask in asks.items():
            dp, idp, bdp = (seconds(lambda m=m, ask=ask: ask(m), 3) for m in ("dp", "idp", "bdp"))
            print(f"| {name} | {idp / dp:.2f} | {bdp / dp:.2f} |", flush=True)


def groups() -> None:
    """The standard deviation of a selection, when so many rows are hidden together, against one row."""
    r = np.random.default_rng(3)
    schema = pa.DataFrameSchema({"x": IN_RANGE})
    with pdp.Session(epsilon=10**6, schema=schema, models=["idp"]) as session:
        some = session.protect(pd.DataFrame({"x": r.uniform(0, 100, 10**6)})).iloc[1:]["x"]
        alone, *several = (
            seconds(lambda group=group: some.dp.std(model="idp", epsilon=1, group=group), 3) for group in (1, 5, 20)
        )
    print("\nstd for 5 and 20 rows together against one:", *(f"{each / alone:.1f}" for each in several))


def seconds(work: Work, times: int = 5) -> float:
    """The median of some runs, after one to warm up."""
    work()
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


if __name__ == "__main__":
    main()
