"""Tables of a million declared cells: what planned margins cost beside the cells alone, in one run."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd

import pandas_dp as pdp
from pandas_dp.evidence import Effects, subsets

SHAPE = (10, 20, 50, 100)
ROWS = 1_000_000


def main() -> None:
    """About a minute."""
    rng = np.random.default_rng(1)
    names = "abcd"[: len(SHAPE)]
    declared = {name: list(range(size)) for name, size in zip(names, SHAPE, strict=True)}
    columns = {
        name: pd.Categorical.from_codes(rng.integers(0, size, ROWS), categories=range(size))
        for name, size in zip(names, SHAPE, strict=True)
    }
    session = pdp.Session(rho=10**6)
    frame = session.protect(pd.DataFrame(columns))
    tables = [list(kept) for size in (4, 3, 1, 0) for kept in combinations(names, size)]
    alone = seconds(lambda: frame.dp.value_counts(subset=list(names), rho=1, categories=declared))
    planned = lambda: frame.dp.marginals(tables, rho=1, categories=declared, weights=[1] * len(tables))  # noqa: E731
    print(f"{np.prod(SHAPE):,} cells and {len(tables) - 1} margins against the cells: {seconds(planned) / alone:.2f}")
    every = subsets(range(len(SHAPE)))
    noisy = {kept: rng.normal(size=[SHAPE[place] for place in kept]) for kept in every}
    effects = Effects(SHAPE, dict.fromkeys(every, 1.0))
    fit = seconds(lambda: effects.solve(noisy, every))
    print(f"least squares of all {len(every)} margins against the release of the cells: {fit / alone:.3f}")
    tracemalloc.start()
    planned()
    print(f"memory of planned margins: {tracemalloc.get_traced_memory()[1] / 2**20:.0f} MB")


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The quickest of some runs."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


if __name__ == "__main__":
    main()
