"""How often intervals and bands of life tables hold the true curve, and log-rank tests their level, with the library's
own noise.

`python -m benchmarks.coverage_of_survival [TABLES]` prints what docs/proofs/survival/survival.md shows. Times are
exponential, censoring at the starts of 20 bins of one month and at their end. "any day" is censored on any day; "entry"
enters evenly over the study, "early entry" over its first half, and all are looked at once. "naive" takes the noisy
counts for exact.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import chi2, norm

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.measure.cells import Cells, Key
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.noise.mechanisms import ADDITIVE
from pandas_dp.core.schema.values import Breaks, Categories, Interval
from pandas_dp.survival.conclude import largest
from pandas_dp.survival.evidence import Exits, Life, log_rank
from pandas_dp.survival.statistic import life_table

Array = np.ndarray[Any, Any]
BINS = 20


@dataclass(frozen=True)
class Line:
    """How many people, at which cost, with which chance to leave a month in each group, and to be lost."""

    people: int
    cost: Cost
    leave: tuple[float, ...]
    lost: float = 0.02
    when: str = "month"
    bins: int = BINS

    def __str__(self) -> str:
        rates = "/".join(f"{rate:g}" for rate in self.leave)
        return f"{self.people:6} {self.cost!s:12} leave {rates:19} lost {self.lost:<4g} {self.when}, {self.bins} bins"

    @cached_property
    def estimator(self) -> Any:
        months = Interval(Fraction(0), Fraction(BINS), "float")
        groups = Cells((Key("g", Categories(tuple(range(len(self.leave))))),)) if len(self.leave) > 1 else Cells()
        time = ("t", months, Breaks(tuple(map(float, range(0, BINS + 1, BINS // self.bins)))))
        return life_table(
            groups,
            time,
            ("e", Categories((False, True)), len(self.leave) > 1),
            "start" if self.when == "month" else "even",
        )

    def counted(self, r: np.random.Generator) -> Array:
        """People sorted into cells, as the question sorts them."""
        rates = np.array(self.leave)
        group = r.integers(0, len(rates), self.people)
        leaves = r.exponential(1 / rates[group])
        seen = np.minimum(r.exponential(1 / self.lost, self.people) if self.lost else np.inf, BINS)
        entered = {"entry": BINS, "early entry": BINS / 2}.get(self.when, 0) * r.random(self.people)
        seen = np.floor(seen) if self.when == "month" else np.minimum(seen, BINS - entered)
        happened, bins = leaves <= seen, (np.minimum(leaves, seen) * self.bins / BINS).astype(int)
        shape = (len(rates), self.bins + 1, 2)
        flat = np.ravel_multi_index((group, bins, happened.astype(int)), shape)
        counts = np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)
        return counts[:, :, ::-1] if self.estimator.cells.keys[-1].other else counts

    def lives(self, tables: int) -> list[Life]:
        """So many releases."""
        adjacency = Relation.REPLACE.adjacency(whole=True)
        public = PublicFacts(adjacency, self.people)
        (measurement,) = self.estimator.measurements(public, ())
        noise = ADDITIVE["laplace" if isinstance(self.cost, Pure) else "gaussian"]
        norm_of = 1 if isinstance(self.cost, Pure) else 2
        (weight,) = measurement.weights(norm_of, adjacency)
        laws = (noise.law(weight, measurement.sensitivity(norm_of, adjacency), self.cost),)
        r, found = np.random.default_rng(5), []
        for _ in range(tables):
            exact = self.counted(r).reshape(-1, 1).astype(np.int64)
            noisy = Noisy(noise.add_noise(exact, laws), laws)
            found.append(self.estimator.conclude((noisy,), public))
        return found

    @property
    def truth(self) -> Array:
        return np.exp(-np.outer(self.leave, np.arange(1, self.bins + 1) * BINS / self.bins))


CURVES = [
    Line(2000, Concentrated(Fraction("0.1")), (0.06,)),
    Line(2000, Concentrated(Fraction("0.1")), (0.06, 0.06)),
    Line(300, Concentrated(Fraction("0.5")), (0.06, 0.09)),
    Line(500, Concentrated(Fraction("0.05")), (0.06,)),
    Line(1000, Concentrated(Fraction("0.02")), (0.06,)),
    Line(2000, Pure(Fraction(1)), (0.06, 0.06)),
    Line(500, Pure(Fraction("0.5")), (0.06,)),
    Line(500, Concentrated(Fraction("0.1")), (0.2,), 0.05),
    Line(500, Concentrated(Fraction("0.5")), (0.003,)),
    Line(5000, Concentrated(Fraction("0.5")), (0.06,), when="any day"),
    *(
        Line(people, Concentrated(Fraction("0.5")), (0.06,), lost, when, bins)
        for people in (300, 20_000)
        for when, lost in (("entry", 0.0), ("early entry", 0.0), ("any day", 0.06))
        for bins in (4, 10, 20)
    ),
]
TESTS = [
    Line(2000, Concentrated(Fraction("0.1")), (0.06, 0.06)),
    Line(300, Concentrated(Fraction("0.5")), (0.06, 0.06)),
    Line(500, Concentrated(Fraction("0.05")), (0.06, 0.06)),
    Line(200, Concentrated(Fraction("0.1")), (0.06, 0.06)),
    Line(5000, Concentrated(Fraction("0.5")), (0.06, 0.06)),
    Line(500, Pure(Fraction("0.5")), (0.06, 0.06)),
    Line(1000, Concentrated(Fraction("0.1")), (0.06,) * 4),
    Line(500, Concentrated(Fraction("0.1")), (0.2, 0.2), 0.05),
    Line(300, Pure(Fraction(1)), (0.06, 0.06), when="entry"),
    Line(300, Pure(Fraction(1)), (0.06,) * 4, when="entry"),
    Line(300, Concentrated(Fraction("0.5")), (0.06, 0.09)),
    Line(1000, Concentrated(Fraction("0.1")), (0.06, 0.084)),
]


class Named:
    """What a band needs of a label."""

    digest = "0123456789abcdef"


def coverage(line: Line, tables: int) -> str:
    """Of intervals, the lowest and highest bin; of bands; of intervals that take the counts for exact."""
    truth, hits, naive, joint = (
        line.truth,
        np.zeros((len(line.leave), line.bins)),
        np.zeros((len(line.leave), line.bins)),
        0,
    )
    z, banded = norm.ppf(0.975), min(tables, 300 if line.when == "month" else 0)
    for number, life in enumerate(line.lives(tables)):
        low, high = (each.reshape(truth.shape) for each in life.interval(0.95, "population"))
        hits += (low <= truth) & (truth <= high)
        exits = life.exits
        error = np.sqrt(exits.chance)
        low, high = (np.exp(exits.log_survival + side * z * error) for side in (-1, 1))
        naive += (low <= truth) & (truth <= high)
        if number < banded:
            low, high = exits.ends(largest(life, Named, 0.95, "population"))  # type: ignore[arg-type]
            joint += bool(np.all((low <= truth) & (truth <= high)))
    held, bare = hits / tables, naive / tables
    band = f"  band {joint / banded:.3f}" if banded else ""
    ends = f"{held.min():.3f} to {held.max():.3f}, mean {held.mean():.3f}"
    return f"{line}  {ends}{band}  naive {bare.min():.3f} to {bare.max():.3f}"


def level(line: Line, tables: int) -> str:
    """How often the test rejects at .05, and one that takes the counts for exact."""
    ours = theirs = unsaid = 0
    limit = chi2.ppf(0.95, len(line.leave) - 1)
    for life in line.lives(tables):
        found = log_rank(life.exits)
        unsaid += not found.bins
        ours += found.statistic > limit
        exits = life.exits
        theirs += log_rank(Exits(exits.cells, exits.bins, 1e-9)).statistic > limit
    rejected = ours / max(tables - unsaid, 1)
    return f"{line}  rejected {rejected:.3f}  naive {theirs / tables:.3f}  not concluded {unsaid / tables:.3f}"


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for line in CURVES:
        print(coverage(line, tables), flush=True)
    for line in TESTS:
        print(level(line, tables), flush=True)


if __name__ == "__main__":
    main()
