"""How often each test rejects what is true at the level 5 %, and what is false, with the library's own noise.

Rows are drawn from distributions, exact sums are blurred by the mechanisms that a question would use, and p values are
those of the evidence that a release would hold. `python benchmarks/level_of_tests.py [times]`: 1000 unless given, which
takes some four minutes; three standard errors of a level are then 0.021.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.comparisons.evidence_groups import between
from pandas_dp.comparisons.measure import TOP, LinearScore
from pandas_dp.comparisons.statistic import ManyRanks, TwoDistributions, TwoMeans, TwoRanks, sums_of
from pandas_dp.core.budget.cost import Concentrated, Pure
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.measure.cells import Cells, Key, Variable
from pandas_dp.core.measure.measurement import Noisy
from pandas_dp.core.neighbours import Adjacency, PublicFacts
from pandas_dp.core.noise.mechanisms import CHOICE, additive_for
from pandas_dp.core.schema.values import Categories, Interval
from pandas_dp.quantiles.run import Choice

TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
VARIABLE = Variable("x", Interval(Fraction(0), Fraction(1), "float"))
TWO = Key("g", Categories(("a", "b")))
ADJACENCY = Adjacency(swap=True, vanish=False)
RNG = np.random.default_rng(20_260_901)
Array = np.ndarray[Any, Any]
Draw = Callable[[int], Array]


def ranged(draw: Draw, low: float, high: float) -> Draw:
    """Values within bounds, which become 0 and 1."""
    return lambda n: np.clip((draw(n) - low) / (high - low), 0, 1)


DRAWS: dict[str, Draw] = {
    "normal": ranged(lambda n: RNG.normal(0, 1, n), -4, 4.5),
    "lognormal": ranged(lambda n: RNG.lognormal(0, 1, n), 0, 20),
    "income": ranged(lambda n: np.where(RNG.random(n) < 0.1, 0, RNG.lognormal(10.3, 0.7, n)), 0, 200_000),
}
SHIFTED: dict[str, Callable[[int, Array], Array]] = {
    "normal": lambda n, d: np.clip((RNG.normal(0, 1, n) + d + 4) / 8.5, 0, 1),
    "t3": lambda n, d: np.clip((RNG.standard_t(3, n) + d + 8) / 16.5, 0, 1),
    "lognormal": lambda n, d: np.clip((RNG.lognormal(0, 1, n) + d) / 10, 0, 1),
}


def noisy(form: Any, exact: Any, cost: Any) -> Noisy:
    noise = additive_for("auto", cost)
    sensitivity, weights = form.sensitivity(noise.norm, ADJACENCY), form.weights(noise.norm, ADJACENCY)
    laws = tuple(noise.law(weight, sensitivity, cost) for weight in weights)
    table = np.array([[int(each) for each in row] for row in exact], dtype=object)
    return Noisy(noise.add_noise(table, laws), laws)


def codes_of(x: Array) -> Array:
    grid = VARIABLE.grid
    return np.asarray(np.rint((x - float(grid.centre)) / float(grid.code_step)))


def plain(x: Array) -> Array:
    return LinearScore(VARIABLE).of([codes_of(x)])


def description(
    part: Any, x: Array, public: PublicFacts, exact: Callable[[Array], Any], cost: Any
) -> tuple[Noisy, ...]:
    """The looks of a rank test, or the one of a t test."""
    first, *later = part.measurements(public, ())
    if not later:
        return (noisy(first, exact(plain(x)), cost),)
    shares, rows = part.shares(public), PandasRows(pd.DataFrame({"x": x}), None)
    chosen_for = cost.part(shares[0])
    step = Choice(first, CHOICE.rate(first.sensitivity(CHOICE.norm(chosen_for), ADJACENCY), chosen_for))
    told = [step.add_noise(step.measure(rows), rows)]
    counts = later[0].at(later[0].parameter(tuple(told)))
    told.append(noisy(later[0], rows.fold(counts), cost.part(shares[1])))
    heights = later[1].at(later[1].parameter(tuple(told))).score.of([codes_of(x)])
    return *told, noisy(later[1], exact(heights), cost.part(shares[2]))


def two_groups(part: Any, x: Array, second: Array, cost: Any) -> float:
    """The p value of a release of two groups."""
    public, s = PublicFacts(ADJACENCY, len(x)), np.where(second, 1, -1)

    def exact(a: Array) -> list[list[int]]:
        rest = TOP**2 - a * a
        return [[len(a), s.sum(), a.sum(), (s * a).sum(), rest.sum(), (s * rest).sum()]]

    evidence = part.conclude(description(part, x, public, exact, cost), public)
    return float(evidence.measures(0.95, "population")["p_value"][0])


def several(x: Array, groups: Array, cost: Any) -> float:
    """That of Kruskal and Wallis."""
    many = int(groups.max()) + 1
    part = ManyRanks(VARIABLE, Cells((Key("g", Categories(tuple(range(many)))),)))
    public = PublicFacts(ADJACENCY, len(x))

    def exact(a: Array) -> list[list[int]]:
        return [[(groups == g).sum(), a[groups == g].sum(), (TOP**2 - a * a)[groups == g].sum()] for g in range(many)]

    return between(sums_of(description(part, x, public, exact, cost)[-1], public, 1.0)).p_value


def path(complete: bool, x: Array, second: Array, cost: Any) -> float:
    """That of Kolmogorov and Smirnov."""
    part, public, n = TwoDistributions(VARIABLE, TWO, complete), PublicFacts(ADJACENCY, len(x)), len(x)
    order = np.argsort(x)
    top = np.abs(n * np.cumsum(second[order]) - second.sum() * np.arange(1, n + 1)).max()
    measurement, *counts = part.measurements(public, ())
    exact = [measurement.derived(int(top), n, int(second.sum())), *([second.sum()] for _ in counts)]
    asked = zip((measurement, *counts), exact, part.shares(public), strict=True)
    evidence = part.conclude(tuple(noisy(each, [table], cost.part(share)) for each, table, share in asked), public)
    return float(evidence.measures(0.95, "sample")["p_value"][0])


TESTS: dict[str, Callable[..., float]] = {
    "t": lambda *of: two_groups(TwoMeans(VARIABLE, TWO), *of),
    "welch": lambda *of: two_groups(TwoMeans(VARIABLE, TWO, "own"), *of),
    "rank": lambda *of: two_groups(TwoRanks(VARIABLE, TWO), *of),
    "ks": lambda *of: path(True, *of),
    "ks of private sizes": lambda *of: path(False, *of),
}


def rejected(found: Iterator[float]) -> float:
    return float(np.mean([p < 0.05 for p in found]))


def levels() -> None:
    print("level at 5 %: distribution, n, share of the second group, cost")
    costs = {
        "rho .05": Concentrated(Fraction(1, 20)),
        "rho .5": Concentrated(Fraction(1, 2)),
        "eps 1": Pure(Fraction(1)),
    }
    ends: dict[str, list[float]] = {name: [] for name in TESTS}
    for name, draw in DRAWS.items():
        for n, shares in ((100, (0.5,)), (400, (0.05, 0.3, 0.5)), (4000, (0.05,))):
            for share in shares:
                for said, cost in costs.items():
                    if n == 4000 and said == "eps 1":
                        continue
                    row = []
                    for test, ask in TESTS.items():
                        often = TIMES if test in ("t", "rank") else TIMES // 4
                        found = rejected(ask(draw(n), RNG.random(n) < share, cost) for _ in range(often))
                        row.append(f"{test} {found:.3f}")
                        ends[test] += [found] if n > 100 else []
                    print(f"{name:10} {n:5} {share:4} {said:8}", *row, flush=True)
    for test, found in ends.items():
        print(f"{test}: n from 400 on, {min(found):.3f} to {max(found):.3f}")


def powers() -> None:
    print("power: as a published comparison of private rank tests has its cases, groups half and half")
    cases = [
        ("normal", 0.5, 100, 1.0, 0.556),
        ("normal", 0.5, 200, 1.0, 0.887),
        ("normal", 0.5, 400, 0.3, 0.975),
        ("t3", 0.5, 200, 1.0, 0.751),
        ("lognormal", 0.5, 200, 1.0, 0.960),
    ]
    for name, shift, n, epsilon, requested in cases:
        rho, pure = Concentrated(Fraction(epsilon) ** 2 / 2), Pure(Fraction(epsilon))
        second = np.arange(n) < n // 2
        row = [
            f"{test} {rejected(TESTS[test](SHIFTED[name](n, shift * second), second, rho) for _ in range(TIMES)):.3f}"
            for test in ("rank", "t", "ks", "ks of private sizes")
        ]
        eps = rejected(TESTS["rank"](SHIFTED[name](n, shift * second), second, pure) for _ in range(TIMES))
        print(
            f"{name:10} +{shift} n {n:5} rho {epsilon**2 / 2:.3f}",
            *row,
            f"rank at epsilon {eps:.3f}; expected {requested}",
        )
    for shifts, n, epsilon, requested in (((0, 0.25, 0.5), 300, 1.0, 0.799), ((0, 0.15, 0.3), 2000, 0.3, 0.996)):
        groups, rho = np.arange(n) % 3, Concentrated(Fraction(epsilon) ** 2 / 2)
        power = rejected(several(SHIFTED["normal"](n, np.array(shifts)[groups]), groups, rho) for _ in range(TIMES))
        level = rejected(several(SHIFTED["normal"](n, np.zeros(n)), groups, rho) for _ in range(TIMES))
        print(f"several groups {shifts} n {n}: {power:.3f}, level {level:.3f}; expected {requested}")


if __name__ == "__main__":
    levels()
    powers()
