"""Tables of a million declared cells: what planned margins, and making them nonnegative, cost beside the cells alone.
Tests of a thousand tables beside scipy's, which knows no noise. All in one run."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import pandas_dp as pdp
from pandas_dp.core.noise.gaussian import DiscreteGaussian
from pandas_dp.core.noise.laplace import DiscreteLaplace
from pandas_dp.tables.planning.lattice import Effects
from pandas_dp.tables.planning.margins import subsets
from pandas_dp.tables.tests.conclude_likelihood import independence_tests
from pandas_dp.tables.tests.conclude_posterior import Masses

SHAPE = (10, 20, 50, 100)
ROWS = 1_000_000


def main() -> None:
    """About two minutes."""
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
    planned = lambda: frame.dp.marginals(tables, rho=1, categories=declared, cost_shares=[1] * len(tables))  # noqa: E731
    print(f"{np.prod(SHAPE):,} cells and {len(tables) - 1} margins against the cells: {seconds(planned) / alone:.2f}")
    every = subsets(range(len(SHAPE)))
    noisy = {kept: rng.normal(size=[SHAPE[place] for place in kept]) for kept in every}
    effects = Effects(SHAPE, dict.fromkeys(every, 1.0))
    fit = seconds(lambda: effects.solve(noisy, every))
    print(f"least squares of all {len(every)} margins against the release of the cells: {fit / alone:.3f}")
    tracemalloc.start()
    planned()
    print(f"memory of planned margins: {tracemalloc.get_traced_memory()[1] / 2**20:.0f} MB")
    tracemalloc.stop()
    adjusting(frame, declared, alone)
    testing(rng)


def adjusting(frame: pd.DataFrame, declared: dict[str, Any], alone: float) -> None:
    """No number negative, margins kept; whole numbers that add up."""
    names = list(declared)
    lists = {
        "margins of one key kept": [names, *([name] for name in names), []],
        "margins of three keys fitted anew": [list(kept) for size in (4, 3) for kept in combinations(names, size)],
    }
    for what, tables in lists.items():
        release = frame.dp.marginals(tables, rho=0.1, categories=declared, cost_shares=[1] * len(tables))
        took = seconds(release.dp.nonnegative, 1)
        print(f"a million cells nonnegative, {what}, against their release: {took / alone:.1f} ({took:.1f} s)")
    three = {name: declared[name] for name in names[1:]}
    table = frame.dp.crosstab(names[2], [names[1], names[3]], rho=0.1, margins="planned", categories=three)
    took = seconds(lambda: table.dp.nonnegative(integer=True), 1)
    print(f"{table.size:,} numbers nonnegative and whole, against the same: {took / alone:.1f} ({took:.1f} s)")


def testing(rng: np.random.Generator) -> None:
    """1,000 tables of 10 × 10 with mean counts of about 59."""
    rows, columns = rng.uniform(-0.5, 0.5, (1000, 10, 1)), rng.uniform(-0.5, 0.5, (1000, 1, 10))
    counts = rng.poisson(np.exp(4 + rows + columns)).astype(float)
    plain = seconds(lambda: [stats.chi2_contingency(each, lambda_="log-likelihood") for each in counts])
    for law in (DiscreteLaplace(Fraction(2)), DiscreteLaplace(Fraction(20)), DiscreteGaussian(Fraction(800))):
        tables = counts + Masses(law).draw(rng, counts.shape)
        took = seconds(lambda tables=tables, law=law: independence_tests(tables, law, bootstrap=False))  # type: ignore[misc]
        name = f"{law.distribution} of sd {law.sd:.0f}"
        print(f"1,000 tests of independence behind {name} against scipy's: {took / plain:.1f} ({took:.2f} s)")


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
