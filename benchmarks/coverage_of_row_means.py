"""How often intervals of means over rows hold the mean of the population, with the library's own noise.

`python -m benchmarks.coverage_of_row_means [TABLES]` simulates so many tables for each line and compares with what
docs/proofs/people/rows-of-people.md says: .95 at usual numbers of rows, conservative where noise dominates.
Without `noisy` Σe² is taken as it was released, never below zero: what the line of the page without it would do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.core.budget.cost import Concentrated
from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.noise.mechanisms import ADDITIVE
from pandas_dp.core.schema.values import Interval
from pandas_dp.numeric.statistic_means import Mean
from pandas_dp.people.evidence import RowMean
from pandas_dp.people.measure import RowMeans
from pandas_dp.people.statistic import PerPerson, of_people

Array = np.ndarray[Any, Any]
HIGH = 100
ADJACENCY = Relation.REPLACE.adjacency(whole=False)
ASKED = Variable("x", Interval(Fraction(0), Fraction(HIGH), "float"))


@dataclass(frozen=True)
class Line:
    """A population, and how its rows are asked about."""

    people: int
    most: int
    rho: float
    rows: Callable[[np.random.Generator, int], Array]  # of each person
    values: Callable[[np.random.Generator, Array, Array], Array]  # of each row, by the person's level and the row's
    said: float


def level(r: np.random.Generator, people: int) -> Array:
    return r.normal(0, 1, people)


def usual(r: np.random.Generator, people: int) -> Array:
    return 1 + r.poisson(2.5, people)


def pareto(r: np.random.Generator, people: int) -> Array:
    return np.minimum(np.floor(r.pareto(1.1, people) + 1), 2000).astype(int)


def normal(r: np.random.Generator, person: Array, rows: Array) -> Array:
    return 40 + 12 * person + 15 * rows


def lognormal(r: np.random.Generator, person: Array, rows: Array) -> Array:
    return np.exp(2 + 0.6 * person + 0.8 * rows)


def rare(r: np.random.Generator, person: Array, rows: Array) -> Array:
    return HIGH * (0.5 * person + rows > 2.2)


LINES = [
    Line(300, 50, 5, usual, normal, 0.961),
    Line(50, 10, 2, usual, normal, 0.957),
    Line(300, 20, 2, pareto, normal, 0.938),
    Line(1000, 10, 1, usual, lognormal, 0.954),
    Line(300, 10, 10, usual, rare, 0.932),
    Line(1000, 10, 0.1, usual, normal, 0.947),
]


def table(line: Line, r: np.random.Generator, people: int) -> tuple[Array, Array]:
    person = level(r, people)
    many = line.rows(r, people)
    owner = np.repeat(np.arange(people), many)
    values = line.values(r, person[owner], r.normal(0, 1, len(owner)))
    return owner.astype(np.int32), np.clip(values, 0, HIGH)


def truth(line: Line, people: int = 2_000_000) -> float:
    owner, values = table(line, np.random.default_rng(1), people)
    many = np.bincount(owner, minlength=people)
    weights = np.minimum(1, line.most / many)[owner]
    return float((weights * values).sum() / weights.sum())


def coverage(line: Line, tables: int, noisy: bool = True) -> tuple[float, float]:
    """Hits and the mean half width."""
    r, mean = np.random.default_rng(7), truth(line)
    estimator: Any = of_people(Mean(ASKED), PerPerson(rows=line.most), "mean")
    measurement: RowMeans = estimator.measurement
    noise, cost = ADDITIVE["gaussian"], Concentrated(Fraction(line.rho))
    laws = tuple(
        noise.law(weight, measurement.sensitivity(2, ADJACENCY), cost) for weight in measurement.weights(2, ADJACENCY)
    )
    hits, widths = 0, []
    for _ in range(tables):
        owner, values = table(line, r, line.people)
        exact = RowsOfPeople(pd.DataFrame({"x": values}), owner, line.people).fold(measurement)
        found = _found(estimator, noise.add_noise(exact, laws), laws)
        if not noisy:
            vars(found.sums)["residuals_noise_sd"] = np.zeros(1)
        low, high = found.interval(0.95, "population")
        hits += bool(low[0] <= mean <= high[0])
        widths.append((high[0] - low[0]) / 2)
    return hits / tables, float(np.mean(widths))


def _found(estimator: Any, noisy: Array, laws: Any) -> RowMean:
    from pandas_dp.core.measure.measurement import Noisy
    from pandas_dp.core.neighbours import PublicFacts

    found: RowMean = estimator.conclude((Noisy(noisy, laws),), PublicFacts(ADJACENCY, None, unit="person"))
    return found


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{'people':>6} {'rows':>4} {'rho':>4}  covered  (said)  width   with Σe² as released")
    for line in LINES:
        (held, width), (bare, narrow) = coverage(line, tables), coverage(line, tables, noisy=False)
        where = f"{line.people:6} {line.most:4} {line.rho:4}"
        print(f"{where}  {held:.3f}    {line.said:.3f}  {width:6.2f}  {bare:.3f} {narrow:6.2f}", flush=True)


if __name__ == "__main__":
    main()
