"""How often sets of logit, multinomial and Poisson regressions of released tables hold the true coefficients, with the
library's own noise.

`python -m benchmarks.coverage_of_table_regressions [TABLES]` prints what docs/proofs/models/table-regressions.md
shows.
Three by four cells of keys, main effects of both. A set holds a coefficient if its p value at the truth is .05 or more;
"joint" is the set of all coefficients, "naive" takes the noisy counts for exact, with errors of the first order.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import chi2

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.measure.cells import Cells, Key
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.noise.mechanisms import ADDITIVE
from pandas_dp.core.schema.values import Categories
from pandas_dp.models.solve_sets import value_at
from pandas_dp.models.solve_solution import Solution
from pandas_dp.models.statistic import TableRegression, model_of
from pandas_dp.models.tables.evidence import TableFit
from pandas_dp.models.tables.solve import TableScores, means

Array = np.ndarray[Any, Any]
SHARES = np.outer([0.5, 0.35, 0.15], [0.4, 0.3, 0.2, 0.1]).ravel()
RARE = np.outer([0.6, 0.37, 0.03], [0.5, 0.35, 0.12, 0.03]).ravel()
SLOPES = {
    "logit": [[-0.3, 0.5, -0.4, 0.2, 0.6, -0.2]],
    "multinomial": [[-0.3, 0.5, -0.4, 0.2, 0.6, -0.2], [0.2, -0.3, 0.4, 0.1, -0.5, 0.3]],
    "poisson": [[0.1, 0.3, -0.4, 0.2, 0.3, -0.2]],
}
ANSWERS: dict[str, tuple[Any, ...]] = {"logit": (0, 1), "multinomial": (0, 1, 2), "poisson": tuple(range(9))}


@dataclass(frozen=True)
class Line:
    """A model, how many people, at which cost; `rare` with cells that hold one person in a thousand."""

    statistic: str
    people: int
    cost: Cost
    rare: bool = False

    def __str__(self) -> str:
        return f"{self.statistic:12} {self.people:6} {self.cost!s:12}{' rare cells' * self.rare:11}"

    @property
    def estimator(self) -> TableRegression:
        answers = ANSWERS[self.statistic]
        axes = [("a", (0, 1, 2)), ("b", (0, 1, 2, 3)), ("y", answers)]
        model = model_of(self.statistic, axes[:2], axes[2], [["a"], ["b"]])
        return TableRegression(self.statistic, Cells(tuple(Key(k, Categories(v)) for k, v in axes)), model)

    @property
    def truth(self) -> Array:
        return np.array(SLOPES[self.statistic])

    def chances(self, design: Array) -> Array:
        """Of each answer at each x."""
        mean = means("log" if self.statistic == "poisson" else "logit", design @ self.truth.T)
        if self.statistic != "poisson":
            return np.concatenate([1 - mean.sum(axis=1, keepdims=True), mean], axis=1)
        from scipy.stats import poisson

        found = poisson.pmf(np.arange(9)[None], mean)
        return np.asarray(found / found.sum(axis=1, keepdims=True))  # beyond 8 hardly anybody has

    def fits(self, tables: int) -> list[TableFit]:
        adjacency = Relation.REPLACE.adjacency(whole=True)
        estimator, public = self.estimator, PublicFacts(adjacency, self.people)
        (measurement,) = estimator.measurements(public, ())
        pure = isinstance(self.cost, Pure)
        noise, norm = ADDITIVE["laplace" if pure else "gaussian"], 1 if pure else 2
        (weight,) = measurement.weights(norm, adjacency)  # type: ignore[arg-type]
        laws = (noise.law(weight, measurement.sensitivity(norm, adjacency), self.cost),)  # type: ignore[arg-type]
        r, shares = np.random.default_rng(3), RARE if self.rare else SHARES
        cells = (shares[:, None] * self.chances(estimator.model.design)).ravel()
        found = []
        for _ in range(tables):
            exact = r.multinomial(self.people, cells / cells.sum()).reshape(-1, 1).astype(np.int64)
            found.append(estimator.conclude((Noisy(noise.add_noise(exact, laws), laws),), public))
        return found


LINES = [
    *(Line("logit", n, Concentrated(Fraction(rho))) for n, rho in ((2000, "0.1"), (500, "0.5"), (1000, "0.05"))),
    *(Line("logit", n, Pure(Fraction(epsilon))) for n, epsilon in ((2000, "1"), (2000, "0.3"))),
    *(
        Line("logit", n, Concentrated(Fraction(rho)), True)
        for n, rho in ((150, "0.5"), (500, "0.1"), (1000, "0.02"), (5000, "0.1"))
    ),
    Line("multinomial", 2000, Concentrated(Fraction("0.1"))),
    Line("multinomial", 1000, Concentrated(Fraction("0.05")), True),
    Line("poisson", 2000, Concentrated(Fraction("0.1"))),
    Line("poisson", 1000, Concentrated(Fraction("0.05")), True),
]


def line_of(line: Line, tables: int) -> str:
    truth = line.truth.ravel()
    units, joint = np.eye(len(truth)), chi2.ppf(0.95, len(truth))
    hits = naive = np.zeros(len(truth))
    together = rootless = 0
    for fit in line.fits(tables):
        solution = fit.solution("population")
        hits = hits + (solution.statistics(units, truth)[1] >= 0.05)
        scores = solution.problem
        assert isinstance(scores, TableScores)
        together += bool(value_at(scores, truth[None])[0] <= joint)
        rootless += bool(solution.best.value[0] > 1e-3)
        counts = np.maximum(scores.counts, 0.0)
        bare = Solution(TableScores(counts, scores.outcomes, scores.design, 1e-9, scores.link))
        naive = naive + (np.abs(bare.estimate - truth) <= 1.96 * bare.std_error(units))
    held, without = hits / tables, naive / tables
    return (
        f"{line}  {held.min():.3f} to {held.max():.3f}, mean {held.mean():.3f}  joint {together / tables:.3f}  "
        f"no root {rootless / tables:.2f}  naive {without.min():.3f} to {without.max():.3f}"
    )


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for line in LINES:
        print(line_of(line, tables), flush=True)


if __name__ == "__main__":
    main()
