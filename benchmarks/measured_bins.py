"""Rows of nobody with numbers in 32 equal bins and in measured ones: how far they are from the data.

`python -m benchmarks.measured_bins [RUNS]` prints what docs/synthetic-rows.md shows. Three tables: incomes that are
skewed in a range declared wide, whose logarithm is normal by three sorts of work, a tenth of them 0; values that are
even over their range; and 1,000 people of the PUMS of California. "ranks": how far the share of rows up to a value is
from that of the data, on average over values. "tenths": half of what tables of tenths of the number by the sort differ
by. "means": how far the means of the sorts are off, in standard deviations of the number.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

import pandas_dp as pdp

TABLES = ("incomes", "even", "pums")
COSTS = (0.001, 0.01, 0.1)


def table(name: str) -> tuple[pd.DataFrame, dict[str, object], dict[str, object]]:
    """Columns "number" and "sort" and one more, bounds and categories."""
    r, rows = np.random.default_rng(1), 20_000
    if name == "pums":
        people = pdp.datasets.load_pums()
        frame = people.rename(columns={"income": "number", "educ": "sort"})[["number", "sort", "age", "married"]]
        bounds = {"number": (0, 500_000), "age": (0, 120)}
        return frame, bounds, {"sort": sorted(frame["sort"].unique()), "married": [0, 1]}
    sort = r.choice([0, 1, 2], rows, p=[0.5, 0.2, 0.3])
    skewed = np.where(r.random(rows) < 0.1, 0, np.exp(r.normal(np.array([10.6, 9.6, 8.8])[sort], 0.6)))
    even = 500_000 * r.beta(1 + sort / 4, 1, rows)
    number = np.minimum(skewed if name == "incomes" else even, 500_000).round()
    frame = pd.DataFrame({"number": number, "sort": sort, "old": (r.random(rows) < number / 500_000).astype(int)})
    return frame, {"number": (0, 500_000)}, {"sort": [0, 1, 2], "old": [0, 1]}


def apart(data: pd.DataFrame, rows: pd.DataFrame) -> tuple[float, float, float]:
    points = np.sort(data["number"].to_numpy())
    up_to = np.searchsorted(np.sort(rows["number"].to_numpy()), points, side="right") / len(rows)
    ranks = np.abs(up_to - np.searchsorted(points, points, side="right") / len(points)).mean()
    cuts = np.unique(np.quantile(points, np.arange(1, 10) / 10))
    counts = [
        pd.crosstab(np.searchsorted(cuts, each["number"]), each["sort"], normalize="all") for each in (data, rows)
    ]
    tenths = counts[0].sub(counts[1], fill_value=0).abs().to_numpy().sum() / 2
    means = [each.groupby("sort")["number"].mean() for each in (data, rows)]
    return float(ranks), float(tenths), float((means[0] - means[1]).abs().mean() / data["number"].std())


def main(runs: int) -> None:
    print("| table | rho | bins | ranks | tenths | means |")
    for name in TABLES:
        data, bounds, categories = table(name)
        for rho in COSTS:
            for bins in (None, "measured"):
                found = []
                for seed in range(runs):
                    people = pdp.Session(rho=rho).protect(data)
                    asked = people.dp.synthesize(rho=rho, bounds=bounds, categories=categories, bins=bins)
                    found.append(apart(data, asked.sample(seed=seed)))
                print(
                    f"| {name} | {rho} | {bins or '32 equal'} |", *(f"{each:.4f} |" for each in np.mean(found, axis=0))
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
