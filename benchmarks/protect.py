"""What protecting people costs beside pandas, as ratios within one run: python benchmarks/protect.py [rows [people]]

Both sides are timed in turn by the processor's clock, and the least of several rounds is taken.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time

import numpy as np
import pandas as pd

import pandas_dp as pdp

ROUNDS = 9
Work = Callable[[], object]
ENOUGH = {"epsilon": 1e6, "unit": "person_id"}


def visits(rows: int, people: int) -> pd.DataFrame:
    """Rows of people in mixed order, each person one at least where there are as many."""
    rng = np.random.default_rng(0)
    ids = np.concatenate([np.arange(min(rows, people)), rng.integers(0, people, max(0, rows - people))])
    return pd.DataFrame({"person_id": 7 * rng.permutation(ids) + 3, "cost": rng.exponential(100, rows)})


def comparisons(rows: int, people: int) -> dict[str, tuple[float, Work, Work]]:
    """What it may take of pandas' time, what pandas does, and what is done here."""
    table = visits(rows, people)
    text = table.astype({"person_id": str}) if rows <= 10**6 else None
    session = pdp.Session(**ENOUGH)
    protected = session.protect(table)
    some = protected[protected["cost"] > 50]

    def codes() -> object:
        return pd.factorize(table["person_id"])

    def sums() -> object:
        return table.groupby("person_id")["cost"].sum()

    def protect(**how: bool) -> Work:
        return lambda: pdp.Session(**ENOUGH).protect(table, **how)

    found: dict[str, tuple[float, Work, Work]] = {
        "protect, factorize": (4, codes, protect()),
        "protect one row a person, factorize": (4, codes, protect(one_row=True)),
        "protect a roster of one row, factorize": (4, codes, protect(one_row=True, roster=True)),
        "protect rows that come and go, factorize": (
            4,
            codes,
            lambda: pdp.Session(epsilon=1, neighbours="add_remove").protect(table),
        ),
        "a total of clamped people, groupby sum": (
            2,
            sums,
            lambda: protected["cost"].dp.sum(per_person=(0, 5_000), epsilon=1e-3),
        ),
        "the same of sums by pandas": (
            2,
            sums,
            lambda: protected.groupby("person_id")["cost"].sum().dp.sum(bounds=(0, 5_000), epsilon=1e-3),
        ),
        "the same of some rows": (
            4,
            lambda: table[table["cost"] > 50].groupby("person_id")["cost"].sum(),
            lambda: some["cost"].dp.sum(per_person=(0, 5_000), epsilon=1e-3),
        ),
        "per_person, groupby sum": (2, sums, lambda: protected.dp.per_person(cost="sum")),
    }
    if text is not None:
        found["protect text, factorize"] = (
            4,
            lambda: pd.factorize(text["person_id"]),
            lambda: pdp.Session(**ENOUGH).protect(text),
        )
    return found


def least(work: tuple[Work, Work], rounds: int) -> list[float]:
    """The least processor time of each, in turn."""
    times: list[list[float]] = [[], []]
    for _ in range(rounds):
        for one, each in zip(times, work, strict=True):
            start = process_time()
            each()
            one.append(process_time() - start)
    return [min(each) for each in times]


def main(rows: int, people: int) -> None:
    print(f"{rows:,} rows of {people:,} people")
    for name, (most, pandas, ours) in comparisons(rows, people).items():
        theirs, mine = least((pandas, ours), ROUNDS if rows <= 10**6 else 3)
        print(f"{name:<45} {theirs:8.3f} s {mine:8.3f} s  {mine / theirs:5.2f} of at most {most:g}", flush=True)


if __name__ == "__main__":
    sizes = list(map(int, sys.argv[1:]))
    main(sizes[0] if sizes else 10**7, sizes[1] if len(sizes) > 1 else 10**6)
