"""Means of columns that are declared far too wide: `bounds="private"` against the declared bounds, and its intervals.

    python -m benchmarks.private_bounds [--runs 200] [--small]

Of whole numbers. Each line: the root mean square error of the mean of the
rows with declared bounds over that with private ones, both asked of the library; that error over the standard error of
a sample without any noise; how often intervals of 95 % hold the mean of the clamped values of the rows, the mean of the
clamped values of the population, and the mean of all values of the rows, and of the population.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pandera.pandas as pa

import pandas_dp as pdp

Array = np.ndarray[Any, Any]
COLUMNS: dict[str, tuple[Callable[[np.random.Generator, int], Array], tuple[float, float]]] = {
    "lognormal": (lambda r, n: np.exp(r.normal(4, 1, n)), (0, 10**6)),
    "normal": (lambda r, n: r.normal(2000, 15, n), (0, 10**5)),
    "Pareto(2)": (lambda r, n: 50 * r.pareto(2, n), (0, 10**6)),
    "constant": (lambda r, n: np.full(n, 1234.0), (0, 10**6)),
    "two points": (lambda r, n: np.where(r.random(n) < 0.1, 1000.0, 10.0), (0, 10**6)),
    "uniform, as declared": (lambda r, n: r.uniform(0, 100, n), (0, 100)),
}
COSTS = ({"epsilon": 0.1}, {"epsilon": 1.0}, {"epsilon": 5.0}, {"rho": 0.1}, {"rho": 1.0})


def asked(values: Array, bounds: tuple[float, float], cost: dict[str, float]) -> tuple[pd.Series, Any]:
    schema = pa.DataFrameSchema({"x": pa.Column(int, pa.Check.in_range(*bounds))})
    terms: dict[str, Any] = {next(iter(cost)): 10**6}
    x = pdp.Session(**terms, schema=schema).protect(pd.DataFrame({"x": values.astype(int)}))["x"]
    return x, x.dp.mean(bounds="private", **cost)


def line(name: str, rows: int, cost: dict[str, float], runs: int) -> list[float]:
    make, bounds = COLUMNS[name]
    r = np.random.default_rng(7)
    population = np.rint(make(r, 10**6).clip(*bounds))
    held, own, wide = np.zeros(4), [], []
    for _ in range(runs):
        values = np.rint(make(r, rows).clip(*bounds))
        x, release = asked(values, bounds, cost)
        ends = (each := release.dp.metadata["stages"][-1]["parameter"])["from"], each["to"]
        of_rows, of_all = (release.dp.confint(target=target).iloc[0] for target in ("sample", "population"))
        requested = values.clip(*ends).mean(), population.clip(*ends).mean(), values.mean(), population.mean()
        for place, (interval, mean) in enumerate(zip((of_rows, of_all) * 2, requested, strict=True)):
            held[place] += interval.iloc[0] - 1e-9 <= mean <= interval.iloc[1] + 1e-9
        own.append(float(release["mean"].iloc[0]) - values.mean())
        wide.append(float(x.dp.mean(**cost)["mean"].iloc[0]) - values.mean())
    error = float(np.sqrt(np.mean(np.square(own))))
    gain = float(np.sqrt(np.mean(np.square(wide)))) / max(error, 1e-12)
    return [gain, error / max(population.std() / np.sqrt(rows), 1e-9), *(held / runs)]


def main(runs: int, small: bool) -> None:
    for name in COLUMNS:
        for rows in (50, 1000, 10_000, 10**5):
            for cost in COSTS[1::2] if small else COSTS:
                few = max(20, runs // 4) if rows == 10**5 else runs
                print(name, rows, cost, *(f"{each:.4g}" for each in line(name, rows, cost, few)), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    main(given.runs, given.small)
