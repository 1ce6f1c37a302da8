"""How often intervals of quantiles hold, for the rows and for the population they come from, with the library's own
noise.

    python -m benchmarks.coverage_of_quantiles [--columns tied gapped] [--rows 50 1000000] [--costs rho=0.05]
                                               [--tables 20] [--noises 15]

A line for each column, size, cost and number of quantiles. Rows of a table are counted once, and noise is drawn so many
times for them: what is private is looked at by the same folds as ever, whose findings are kept between draws. So draws
for one table share what chance did to its rows: for the population fewer draws stand behind a share than for the rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.label.layout import Layout
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.plan.plan import Asked, Plan, Question, Request
from pandas_dp.core.plan.run import asked_in_turn, plan_under
from pandas_dp.core.promise_registry import promise_named
from pandas_dp.core.schema.values import Interval
from pandas_dp.quantiles.statistic_ranked_values import RankedValue

Array = np.ndarray[Any, Any]
SIZES = (50, 300, 2_000, 50_000, 10**6)
COSTS = ("epsilon=0.1", "epsilon=1", "epsilon=5", "rho=0.005", "rho=0.5")
RANKS = ((0.5,), (0.1, 0.25, 0.5, 0.9))
LEVEL = 0.95
POPULATION = 4 * 10**6
COLUMNS: dict[str, tuple[Callable[[np.random.Generator, int], Array], tuple[float, float], bool]] = {
    "normal": (lambda r, n: r.normal(50, 10, n), (0, 100), False),
    "tied": (lambda r, n: np.where(r.random(n) < 0.47, 40.0, np.rint(r.uniform(0, 99, n))), (0, 99), True),
    "tied on a fine grid": (lambda r, n: np.where(r.random(n) < 0.47, 40.0, r.uniform(0, 99, n)), (0, 100), False),
    "constant": (lambda r, n: np.full(n, 12.3456), (0, 1000), False),
    "constant, whole": (lambda r, n: np.full(n, 12.0), (0, 600), True),
    "gapped": (lambda r, n: r.choice([0.0, 1.0, 60.0, 99.0], n), (0, 100), False),
    "heavy": (lambda r, n: 10 * np.abs(r.standard_cauchy(n)), (0, 10**6), False),
}


class CountedOnce(PandasRows):
    """Rows whose folds are kept: each place of the grid is counted, and bins are added up from these."""

    def __init__(self, data: pd.DataFrame) -> None:
        super().__init__(data, None)
        self._kept: dict[Any, Any] = {}

    def _is_fine(self, measurement: Any) -> bool:
        return True

    def _found(self, fold: Any) -> Any:
        if fold not in self._kept:
            self._kept[fold] = super()._found(fold)
        return self._kept[fold]


def planned(variable: Variable, ranks: tuple[float, ...], rows: int, cost: Cost) -> Plan:
    """What a session would plan for these quantiles of a whole column."""
    exact = tuple(Fraction(str(q)) for q in ranks)
    parts = tuple(Asked("x", RankedValue(variable, q, exact)) for q in exact)
    question = Question("quantile", parts, Layout(pd.RangeIndex(len(parts)), None, "measures"), Request(cost))
    public = PublicFacts(Relation.REPLACE.adjacency(whole=True), rows)
    return plan_under(promise_named("dp"), question, public, True, cost)


def at_ranks(ordered: Array, ranks: tuple[float, ...]) -> Array:
    """The least values up to which so large a share lies."""
    return np.asarray(ordered[[max(0, int(np.ceil(q * len(ordered) - 1e-9)) - 1) for q in ranks]])


def cost_of(said: str) -> Cost:
    word, amount = said.split("=")
    return (Pure if word == "epsilon" else Concentrated)(Fraction(amount))


def holds(plan: Plan, rows: CountedOnce, truths: list[Array], noises: int) -> Array:
    """rows, population × quantile: the share of draws that hold."""
    held = np.zeros((len(truths), len(truths[0])))
    for _ in range(noises):
        told = asked_in_turn(plan, rows)
        for place in range(len(truths[0])):
            evidence = plan.conclude(place, told)
            for at, (target, truth) in enumerate(zip(("sample", "population"), truths, strict=True)):
                low, high = (float(end[0]) for end in evidence.interval(LEVEL, target))
                held[at, place] += low <= truth[place] <= high
    return held / noises


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", nargs="+", choices=COLUMNS, default=[*COLUMNS])
    parser.add_argument("--rows", nargs="+", type=int, default=SIZES)
    parser.add_argument("--costs", nargs="+", default=COSTS)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--noises", type=int, default=15)
    parser.add_argument("--seed", type=int, default=2)
    given = parser.parse_args()
    r = np.random.default_rng(given.seed)
    print("column, rows, cost, quantiles: least share that holds among them, for the rows, for the population; draws")
    for name in given.columns:
        make, bounds, whole = COLUMNS[name]
        variable = Variable("x", Interval(Fraction(bounds[0]), Fraction(bounds[1]), "integer" if whole else "float"))
        population = np.sort(make(r, POPULATION).clip(*bounds))
        for rows in given.rows:
            plans = {(c, ranks): planned(variable, ranks, rows, cost_of(c)) for c in given.costs for ranks in RANKS}
            held = {each: np.zeros((2, len(each[1]))) for each in plans}
            for _ in range(given.tables):
                values = make(r, rows)
                counted, ordered = CountedOnce(pd.DataFrame({"x": values})), np.sort(values.clip(*bounds))
                for each, plan in plans.items():
                    truths = [at_ranks(ordered, each[1]), at_ranks(population, each[1])]
                    held[each] += holds(plan, counted, truths, given.noises)
            for (cost, ranks), found in held.items():
                shares = (found / given.tables).min(axis=1).round(3).tolist()
                print(name, rows, cost, len(ranks), *shares, given.tables * given.noises, sep=", ", flush=True)


if __name__ == "__main__":
    main()
