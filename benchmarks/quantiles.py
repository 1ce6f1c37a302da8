"""Mean rank error of 1, 9 and 99 quantiles, and how wide their intervals are, through the library.

    python -m benchmarks.quantiles [--runs 12] [--best]

Incomes are lognormal on a grid of 2**18 whole numbers, ages of a gamma distribution, hours of a working week with
almost half of them at 40. Beside what is released stand single choices, as `mechanism="exponential"` makes them.

With `--best` 10,000 incomes are asked, and beside the error stands the least of four ways that were simulated without
intervals: single choices, recursive ones with and without ties broken, a distribution of 1,024 bins. How often
intervals hold is in `benchmarks/coverage_of_quantiles.py`.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

Array = np.ndarray[Any, Any]
TOPS = {"income": 2**18 - 1, "age": 127, "hours": 127}


def incomes(r: np.random.Generator, rows: int) -> Array:
    return np.clip(np.floor(np.exp(r.normal(10.3, 0.8, rows))), 0, TOPS["income"])


def ages(r: np.random.Generator, rows: int) -> Array:
    return np.clip(np.rint(r.gamma(4.0, 10.0, rows)), 0, 100)


def hours(r: np.random.Generator, rows: int) -> Array:
    return np.where(r.random(rows) < 0.47, 40, np.clip(np.rint(r.normal(38, 13, rows)), 0, 99))


MAKERS = {"income": incomes, "age": ages, "hours": hours}
COSTS = ({"rho": 0.005}, {"rho": 0.5}, {"epsilon": 0.1}, {"epsilon": 1.0})


def off(values: Array, found: Array, ranks: Array) -> float:
    """By how many ranks, on average, values miss theirs."""
    ordered, requested = np.sort(values), ranks * len(values)
    low, high = np.searchsorted(ordered, found, "left"), np.searchsorted(ordered, found, "right")
    return float(np.maximum(0, np.maximum(requested - high, low - requested)).mean())


def errors(runs: int) -> None:
    r = np.random.default_rng(1)
    print("column, rows, cost, quantiles: mean rank error, width of intervals in ranks, of single choices, seconds")
    for name, make in MAKERS.items():
        schema = pa.DataFrameSchema({"x": pa.Column(int, pa.Check.in_range(0, TOPS[name]))})
        for rows in (1000, 10_000):
            for cost in COSTS:
                for many in (1, 9, 99):
                    ranks, told = np.arange(1, many + 1) / (many + 1), []
                    for _ in range(runs):
                        values = make(r, rows).astype(int)
                        frame = _open(cost, schema).protect(pd.DataFrame({"x": values}))
                        begin = time.process_time()
                        found = frame["x"].dp.quantile(ranks.tolist(), **cost)
                        spent = time.process_time() - begin
                        chosen = frame["x"].dp.quantile(ranks.tolist(), mechanism="exponential", **cost)
                        ends = np.sort(values).searchsorted(found.dp.confint(target="sample").to_numpy())
                        width = float((ends[:, 1] - ends[:, 0]).mean())
                        own = off(values, found["quantile"].to_numpy(), ranks)
                        told.append((own, width, off(values, chosen["quantile"].to_numpy(), ranks), spent))
                    print(name, rows, cost, many, *np.round(np.mean(told, axis=0), 2), flush=True)


BEST: dict[tuple[str, str], dict[int, float]] = {
    ("income", "rho=0.5"): {1: 0.7, 9: 2.5, 99: 3.4},
    ("income", "epsilon=1"): {1: 1.7, 9: 7.9, 99: 19},
    ("income", "rho=0.005"): {9: 25, 99: 28},
}


def beside_best(runs: int) -> None:
    r = np.random.default_rng(4)
    print("column, cost, quantiles: mean rank error of 10,000 rows, its standard error, the least of four other ways")
    for (name, said), best in BEST.items():
        word, amount = said.split("=")
        cost = {word: float(amount)}
        schema = pa.DataFrameSchema({"x": pa.Column(int, pa.Check.in_range(0, TOPS[name]))})
        for many, least in best.items():
            ranks, told = np.arange(1, many + 1) / (many + 1), []
            for _ in range(runs):
                values = MAKERS[name](r, 10_000).astype(int)
                frame = _open(cost, schema).protect(pd.DataFrame({"x": values}))
                told.append(off(values, frame["x"].dp.quantile(ranks.tolist(), **cost)["quantile"].to_numpy(), ranks))
            print(name, said, many, *np.round((np.mean(told), np.std(told) / runs**0.5, least), 2), flush=True)


def _open(cost: dict[str, float], schema: Any = None) -> pdp.Session:
    terms: dict[str, Any] = {next(iter(cost)): 1e9}
    return pdp.Session(**terms, schema=schema)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--best", action="store_true")
    given = parser.parse_args()
    (beside_best if given.best else errors)(given.runs)
