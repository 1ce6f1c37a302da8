"""Plans of many tables: CPU time, and the variance by tables against that by effects. Nothing is asked or spent."""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import pandas as pd

import pandas_dp as pdp
from pandas_dp.tables.planning import runs as metrics
from pandas_dp.tables.planning.optimum import SWAPPED_COUNTS, Workload, optimum
from pandas_dp.tables.planning.runs import Metric, RequestedRuns

DOMAINS = {
    "five keys of 8 to 2": ((8, 5, 4, 3, 2), 2),
    "ten keys of 2 to 10": ((2, 2, 2, 3, 3, 4, 5, 6, 8, 10), 2),
    "ten keys of 2": ((2,) * 10, 2),
    "ten keys of 2, up to three at once": ((2,) * 10, 3),
}


def main() -> None:
    """Half a minute."""
    for name, (sizes, most) in DOMAINS.items():
        shown = [kept for many in range(1, most + 1) for kept in combinations(range(len(sizes)), many)]
        work = Workload(sizes, tuple((kept, 1.0) for kept in shown))
        alone = seconds(lambda work=work: optimum(work, SWAPPED_COUNTS))
        frame, tables, declared = asked(sizes, shown)
        first = seconds(lambda f=frame, t=tables, d=declared: f.dp.plan_marginals(t, rho=1, categories=d), 1)
        plan = frame.dp.plan_marginals(tables, rho=1, categories=declared)
        lost = (plan["planned"] ** 2).sum() / (plan["effects"] ** 2).sum()
        print(f"{name}: {len(shown)} tables, effects {alone:.3f} s, plan_marginals {first:.3f} s; variance {lost:.2f}")
    for bins in (100, 1024):
        for kept in (metrics._steps, metrics._decoded, metrics._products, metrics._diagonal):
            kept.cache_clear()
        requested = RequestedRuns((Metric(bins, "all"),), (((0,), 1.0),))
        print(f"all runs of {bins:,} bins, the first time: {seconds(lambda w=requested: w.measured(True), 1):.2f} s")


def asked(sizes: tuple[int, ...], shown: Any) -> tuple[Any, list[list[str]], dict[str, list[int]]]:
    names = [f"k{place}" for place in range(len(sizes))]
    frame = pdp.Session(rho=10).protect(pd.DataFrame(0, index=range(5), columns=names))
    declared = {name: list(range(size)) for name, size in zip(names, sizes, strict=True)}
    return frame, [[names[place] for place in kept] for kept in shown], declared


def seconds(work: Any, times: int = 9) -> float:
    """The least CPU time."""
    each = []
    for _ in range(times):
        start = time.process_time()
        work()
        each.append(time.process_time() - start)
    return min(each)


if __name__ == "__main__":
    main()
