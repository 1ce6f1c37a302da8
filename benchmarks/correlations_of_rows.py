"""Correlations of numbers in rows of nobody: 32 equal bins, 16, and measured ones.

`python -m benchmarks.correlations_of_rows [RUNS]` prints what docs/synthetic-rows.md shows: 8,000 stones whose weight,
size and price are lognormal and hang together, in ranges declared for all stones, with their depth, which is by
itself, and three sorts. Means of RUNS of the correlations of the three, of values and of ranks.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

import pandas_dp as pdp

ROWS = 8_000
BOUNDS = {"weight": (0, 5), "price": (0, 20_000), "size": (2, 12), "depth": (50, 75)}
SORTS = {"cut": list("abcde"), "colour": list("abcdefg"), "purity": list("abcdefgh")}
NUMBERS = ["weight", "price", "size"]


def stones() -> pd.DataFrame:
    r = np.random.default_rng(1)
    weight = np.exp(r.normal(-0.4, 0.58, ROWS)).clip(0.2, 5).round(2)
    price = np.exp(8.45 + 1.68 * np.log(weight) + r.normal(0, 0.24, ROWS)).clip(300, 19_000).round()
    size = (6.47 * weight ** (1 / 3) + r.normal(0, 0.05, ROWS)).clip(3, 11).round(2)
    depth = r.normal(61.7, 1.4, ROWS).clip(50, 75).round(1)
    sorts = {name: r.choice(labels, ROWS) for name, labels in SORTS.items()}
    return pd.DataFrame({"weight": weight, "price": price, "size": size, "depth": depth, **sorts})


def correlations(rows: pd.DataFrame) -> np.ndarray:
    """Of the three pairs of numbers, by values and by ranks."""
    found = [rows[NUMBERS].astype(float).corr(method).to_numpy() for method in ("pearson", "spearman")]
    return np.array([each[np.triu_indices(3, 1)] for each in found])


def main(runs: int) -> None:
    people = pdp.Session(rho=1e6).protect(stones())
    print("data", correlations(stones()).round(2).tolist())
    for rho in (0.05, 0.5, 5.0):
        for bins in (None, 16, "measured"):
            drawn = [
                people.dp.synthesize(rho=rho, bins=bins, bounds=BOUNDS, categories=SORTS).sample(ROWS, seed=seed)
                for seed in range(runs)
            ]
            print(rho, bins, np.mean([correlations(rows) for rows in drawn], axis=0).round(2).tolist(), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
