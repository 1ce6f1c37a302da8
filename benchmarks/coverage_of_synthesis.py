"""How often intervals of `Synthesis.estimate` hold the population's value, with the library's own noise.

`python -m benchmarks.coverage_of_synthesis [TABLES]` prints what docs/proofs/synthetic/synthesis.md shows. Five keys,
all pairs of which depend on each other and no more; all pairs are measured. "rows" takes rows of the model for data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

import pandas_dp as pdp
from pandas_dp.synthetic.conclude_described import again, read_tables, value_of

SIZES, NAMES = (2, 2, 3, 2, 4), list("abcde")
SETTINGS = [(0.02, 2_000, "tables"), (0.2, 2_000, "tables"), (0.2, 500, "tables"), (0.2, 2_000, "effects")]
REPLICATES = 50
Table = Any


def population() -> np.ndarray[Any, Any]:
    """The share of each cell."""
    r, logs = np.random.default_rng(7), np.zeros(SIZES)
    for kept in [*combinations(range(5), 2), *((place,) for place in range(5))]:
        drawn = r.normal(0, 0.5 if len(kept) == 2 else 0.6, [SIZES[place] for place in kept])
        logs = logs + drawn.reshape([size if place in kept else 1 for place, size in enumerate(SIZES)])
    return np.exp(logs) / np.exp(logs).sum()


def share(t: Table) -> float:
    return float(t[1, 2] / t.sum())


def odds(t: Table) -> float:
    cells = t.clip(lower=0.5)
    return float(np.log(cells[0, 0] * cells[1, 1] / cells[0, 1] / cells[1, 0]))


def difference(t: Table) -> float:
    first, second = (t.loc[group].to_numpy() for group in (0, 1))
    return float(first @ np.arange(4) / first.sum() - second @ np.arange(4) / second.sum())


STATISTICS: dict[str, tuple[Callable[[Table], float], list[str]]] = {
    "share": (share, ["a", "c"]),
    "log odds ratio": (odds, ["a", "b"]),
    "difference of means": (difference, ["a", "e"]),
}


def as_series(shares: np.ndarray[Any, Any], keys: list[str]) -> Table:
    places = [NAMES.index(key) for key in keys]
    table = shares.sum(axis=tuple(place for place in range(5) if place not in places))
    return pd.Series(table.ravel(), pd.MultiIndex.from_product([range(SIZES[place]) for place in places]))


def held(shares: np.ndarray[Any, Any], rho: float, rows: int, measure: str, seed: int) -> list[bool]:
    """Whether each statistic's interval of one table holds."""
    drawn = np.unravel_index(np.random.default_rng(seed).choice(shares.size, rows, p=shares.ravel()), SIZES)
    declared = {name: list(range(size)) for name, size in zip(NAMES, SIZES, strict=True)}
    frame = pdp.Session(rho=rho).protect(pd.DataFrame(dict(zip(NAMES, drawn, strict=True))))
    pairs = [list(keys) for keys in combinations(NAMES, 2)]
    synthesis = frame.dp.marginals(pairs, categories=declared, measure=measure, rho=rho).dp.synthesize()
    described = synthesis._described
    models = list(again(described, REPLICATES, np.random.default_rng(seed)))  # one run of the process for all three
    quantile, found = float(stdtrit(REPLICATES - 1, 0.975)), []
    for function, keys in STATISTICS.values():
        of = read_tables(described, [keys])
        value, *others = (value_of(function, described, model, of) for model in (described.model, *models))
        found.append(abs(value - function(as_series(shares * rows, keys))) <= quantile * float(np.std(others, ddof=1)))
    return found


def taken_for_data(shares: np.ndarray[Any, Any], rho: float, rows: int, seed: int) -> bool:
    """Whether the interval of a share that rows of the model would give as data holds."""
    declared = {name: list(range(size)) for name, size in zip(NAMES, SIZES, strict=True)}
    drawn = np.unravel_index(np.random.default_rng(seed).choice(shares.size, rows, p=shares.ravel()), SIZES)
    frame = pdp.Session(rho=rho).protect(pd.DataFrame(dict(zip(NAMES, drawn, strict=True))))
    pairs = [list(keys) for keys in combinations(NAMES, 2)]
    fake = frame.dp.marginals(pairs, categories=declared, rho=rho).dp.synthesize().sample(seed=seed, drawn="random")
    p = float(((fake["a"] == 1) & (fake["c"] == 2)).mean())
    half = float(stdtrit(len(fake) - 1, 0.975)) * np.sqrt(p * (1 - p) / len(fake))
    return bool(abs(p - share(as_series(shares, ["a", "c"]))) <= half)


def main(tables: int) -> None:
    shares = population()
    print("| rho | rows | measured by |", " | ".join(STATISTICS), "| rows as data, share |")
    for rho, rows, measure in SETTINGS:
        each = np.mean([held(shares, rho, rows, measure, seed) for seed in range(tables)], axis=0)
        naive = np.mean([taken_for_data(shares, rho, rows, seed) for seed in range(tables)])
        print(
            f"| {rho} | {rows} | {measure} |",
            " | ".join(f"{value:.3f}" for value in each),
            f"| {naive:.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
