"""How good is a total whose bound was chosen, and a mean whose range was: error over the best bounds in hindsight.

All answers come from the library. The best bound in hindsight is the candidate, or pair of candidates, whose clamping
and noise have the least mean square over the same tables, with all of the cost. `python benchmarks/choose_bound.py 300`
tries so many tables.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import pandas_dp as pdp
from pandas_dp.numeric.statistic_location import ChosenBound

Array = np.ndarray[Any, Any]
Law = Callable[[np.random.Generator, int], Array]
AMONG = (100, 102_400)


def visits(r: np.random.Generator, people: int) -> Array:
    """Costs of one to ten visits or so, each lognormal about 150."""
    rows = 1 + r.poisson(3, people)
    return np.add.reduceat(r.lognormal(5, 1, rows.sum()), np.concatenate([[0], np.cumsum(rows)[:-1]]))


def some(share: float) -> Law:
    return lambda r, people: np.where(r.random(people) < share, r.lognormal(6, 1, people), 0.0)


TOTALS: dict[str, Law] = {
    "visits": visits,
    "Pareto(2)": lambda r, n: 200 * (1 + r.pareto(2, n)),
    "uniform": lambda r, n: r.uniform(0, 2000, n),
    "95 % zeros": some(0.05),
    "99.5 % zeros": some(0.005),
    "Pareto(1.2)": lambda r, n: 200 * (1 + r.pareto(1.2, n)),
}
ASKED = [
    *(("visits", n, rho) for n, rho in ((1000, 0.1), (1000, 0.5), (10_000, 0.1))),
    *(("Pareto(2)", n, rho) for n, rho in ((1000, 0.1), (1000, 0.5), (10_000, 0.1))),
    *(("uniform", n, rho) for n, rho in ((1000, 0.1), (10_000, 0.1), (10_000, 0.01))),
    *(("95 % zeros", 1000, 0.1), ("99.5 % zeros", 10_000, 0.1)),
    *(("Pareto(1.2)", n, 0.1) for n in (1000, 10_000)),
]
RANGES: dict[str, Law] = {
    "normal, about 0": lambda r, n: r.normal(0, 100, n),
    "normal, 300 sd 100": lambda r, n: r.normal(300, 100, n),
    "lognormal": lambda r, n: r.lognormal(6, 1, n),
    "below zero": lambda r, n: -r.lognormal(6, 1, n),
    "Student, 3": lambda r, n: 100 * r.standard_t(3, n),
}


def relative_error(law: Law, people: int, rho: float, tables: int, seed: int = 1) -> tuple[float, float]:
    """Root mean squared error of totals over that of the best bound in hindsight, and the median bound over it."""
    r = np.random.default_rng(seed)
    candidates = np.array(list(map(float, ChosenBound("x", *AMONG).candidates)))  # type: ignore[arg-type]
    noise = candidates / np.sqrt(2 * rho)
    squares, hindsight, bounds = [], np.zeros(len(candidates)), []
    session = pdp.Session(rho=1e6)
    for _ in range(tables):
        x = law(r, people)
        frame = session.protect(pd.DataFrame({"x": x}))
        bound = frame["x"].dp.choose_bound(among=AMONG, rho=rho / 5)
        total = frame["x"].dp.sum(bounds=bound, rho=4 * rho / 5)["sum"].item()
        squares.append((total - x.sum()) ** 2)
        bounds.append(bound["bound"].item())
        order = np.sort(x)
        above = np.searchsorted(order, candidates, side="right")
        tails = np.concatenate([np.cumsum(order[::-1])[::-1], [0.0]])
        hindsight += (tails[above] - (people - above) * candidates) ** 2 + noise**2
    best = int(hindsight.argmin())
    return float(np.sqrt(np.mean(squares) / (hindsight[best] / tables))), float(np.median(bounds) / candidates[best])


def relative_error_of_means(law: Law, people: int, rho: float, tables: int, seed: int = 1) -> float:
    """The same for means in a range that was chosen at both ends."""
    r = np.random.default_rng(seed)
    part = ChosenBound("x", 1, 100_000, "upper", ("lower", "upper"))  # type: ignore[arg-type]
    candidates = np.array(list(map(float, part.candidates)))
    candidates = candidates[np.abs(candidates) <= 10_000]
    pairs = np.array(list(combinations(range(len(candidates)), 2)))
    widths = candidates[pairs[:, 1]] - candidates[pairs[:, 0]]
    squares, hindsight = [], np.zeros(len(pairs))
    session = pdp.Session(rho=1e6)
    for _ in range(tables):
        x = law(r, people)
        frame = session.protect(pd.DataFrame({"x": x}))
        ends = frame["x"].dp.choose_bounds(among=(1, 100_000), rho=rho / 5)
        mean = frame[frame["x"] > -np.inf]["x"].dp.mean(bounds=ends, rho=4 * rho / 5)["mean"].item()
        squares.append((mean - x.mean()) ** 2)
        over = np.maximum(x[:, None] - candidates, 0).mean(axis=0)
        under = np.maximum(candidates - x[:, None], 0).mean(axis=0)
        hindsight += (under[pairs[:, 0]] - over[pairs[:, 1]]) ** 2 + (widths / people) ** 2 / (2 * rho)
    return float(np.sqrt(np.mean(squares) / (hindsight.min() / tables)))


def main(tables: int) -> None:
    print("| people's totals | people | rho | error over the best in hindsight | median bound over the best |")
    print("|---|---|---|---|---|")
    for name, people, rho in ASKED:
        error, bound = relative_error(TOTALS[name], people, rho, tables)
        print(f"| {name} | {people:,} | {rho:g} | {error:.2f} | {bound:.2f} |", flush=True)
    print("\n| values | people | rho | error over the best in hindsight |")
    print("|---|---|---|---|")
    for name, law in RANGES.items():
        for people, rho in ((1000, 0.1), (10_000, 0.1)):
            error = relative_error_of_means(law, people, rho, tables)
            print(f"| {name} | {people:,} | {rho:g} | {error:.2f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
