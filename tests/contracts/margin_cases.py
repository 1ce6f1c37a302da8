"""Cases of tests that look at rows: two groups, pairs, several groups, one mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.audit import GRIDS, Case, Universe, universe, values_of
from pandas_dp.audit.sensitivity import CROSS, LETTERS
from pandas_dp.comparisons.measure import Gap
from pandas_dp.comparisons.statistic import (
    ManyRanks,
    MeanAgainst,
    PairedMeans,
    SignedRanks,
    TwoDistributions,
    TwoMeans,
    TwoRanks,
)
from pandas_dp.core.measure.cells import Cells, Key, Level, Variable
from pandas_dp.core.measure.statistic import Estimator
from pandas_dp.core.schema.values import Categories
from pandas_dp.models.measure import Levels, LinearBasis, Number, Product, Slopes
from pandas_dp.models.moments.measure_powers import Power
from pandas_dp.models.ols.solve_design import Block, RegressionDesign
from pandas_dp.models.statistic import GramTable, LeastSquaresFit
from pandas_dp.numeric.statistic_means import Mean
from pandas_dp.numeric.statistic_sums import Count, Sum
from pandas_dp.tables.planning.nested import KeyDigits, Nested
from pandas_dp.tables.planning.planning import Importance, MeasuredShares
from pandas_dp.tables.planning.runs import MetricName
from pandas_dp.tables.statistic import MeansOfMargins, TableOfMargins

TWO_LETTERS = Key("k", Categories(("a", "b")))
THREE = Key("k", Categories(("a", "b", "c")))


def _two_groups() -> list[Case]:
    found = []
    for grid, nullable in (("quarters", False), ("float", True)):
        variable = Variable("x", replace(GRIDS[grid], nullable=nullable))
        low, high = (float(end) for end in (variable.grid.lower, variable.grid.upper))
        inside = [low + part * (high - low) for part in (0.0, 1.0, 0.5, 0.75)]
        sorted_into = [(x, k) for x in inside for k in "ab"]
        rows = Universe(pd.DataFrame([*sorted_into, (np.nan, "a"), (low, "zzz")], columns=["x", "k"]), size=2)
        for part in (
            TwoMeans(variable, TWO_LETTERS),
            TwoRanks(variable, TWO_LETTERS),
            TwoDistributions(variable, TWO_LETTERS),
        ):
            found.append(Case(f"{type(part).__name__}: {grid}, wide, nullable={nullable}", part, rows))
    return found


def _of_type(kind: type) -> Callable[[], list[Case]]:
    return lambda: [case for case in _two_groups() if isinstance(case.estimator, kind)]


def _gaps_between(make: Callable[[Gap], Estimator]) -> list[Case]:
    found = []
    for grid, nullable in (("even", False), ("float", True)):
        first, second = (Variable(column, replace(GRIDS[grid], nullable=nullable)) for column in "xy")
        part = make(Gap(first, second))
        rows = universe({column: [*values_of(first.interval)[:3], np.nan] for column in "xy"}, size=2)
        found.append(Case(f"{type(part).__name__}: {grid}, wide, nullable={nullable}", part, rows))
    return found


def _means_against() -> list[Case]:
    """Its sums are those of a mean, and tried there."""
    variable = Variable("x", GRIDS["float"])
    return [Case("MeanAgainst: float", MeanAgainst(variable, 1.0), universe({"x": values_of(variable.interval)}))]


def _many_ranks() -> list[Case]:
    variable = Variable("x", GRIDS["even"])
    rows = universe({"x": [0.0, 10.0, 5.0, np.nan], "k": ["a", "b", "c", "zzz"]}, size=2)
    return [Case("ManyRanks: even, wide", ManyRanks(variable, Cells((THREE,))), rows)]


OF_SCORES: dict[type, Callable[[], list[Case]]] = {
    TwoMeans: _of_type(TwoMeans),
    TwoRanks: _of_type(TwoRanks),
    TwoDistributions: _of_type(TwoDistributions),
    MeanAgainst: _means_against,
    PairedMeans: lambda: _gaps_between(PairedMeans),
    SignedRanks: lambda: _gaps_between(SignedRanks),
    ManyRanks: _many_ranks,
}


X, Y, Z = (Variable(name, GRIDS["even"]) for name in "xyz")
ODD, WIDE = Variable("y", GRIDS["odd"]), Variable("z", GRIDS["wide"])
K, J = Key("k", Categories(("a", "b"))), Key("j", Categories((1, 2, 3)))
IN_X, IN_Y, IN_Z = [0.0, 10.0, 5.0, 3.0, np.nan], [-2.0, 3.0, 0.0], [-(2.0**48), 2.0**49, 0.0]
IN_K, IN_J = ["a", "b", "zzz"], [1, 2, 9]
GROUPS = Cells((Key("j", Categories((1, 2))),))

TERMS: dict[str, tuple[tuple[Any, ...], dict[str, list[Any]]]] = {
    "one number": ((Number(X),), {"x": IN_X}),
    "two numbers": ((Number(X), Number(ODD)), {"x": IN_X, "y": IN_Y}),
    "three numbers": ((Number(X), Number(ODD), Number(WIDE)), {"x": IN_X[:4], "y": IN_Y, "z": IN_Z}),
    "nullable": ((Number(replace(X, interval=replace(X.interval, nullable=True))),), {"x": IN_X}),
    "a categorical": ((Levels(K),), {"k": IN_K}),
    "two categoricals": ((Levels(K), Levels(J)), {"k": IN_K, "j": [1, 2, 3, 9]}),
    "two numbers, a categorical": ((Number(X), Number(ODD), Levels(K)), {"x": IN_X, "y": IN_Y, "k": IN_K}),
    "a number, two categoricals": ((Number(X), Levels(K), Levels(J)), {"x": IN_X, "k": IN_K, "j": IN_J}),
    "other": ((Number(X), Levels(replace(K, other=True))), {"x": IN_X, "k": [*IN_K, None]}),
    "a product": ((Number(X), Number(ODD), Product(X, ODD)), {"x": IN_X, "y": [*IN_Y, 1.0]}),
    "a square": ((Number(X), Product(X, X)), {"x": IN_X}),
    "powers": ((Number(X), Power(X, 2), Power(X, 3)), {"x": IN_X}),
    "linear_basis": ((Number(X), LinearBasis(ODD, (-2.0, 0.0, 3.0))), {"x": IN_X, "y": [*IN_Y, 1.0, 2.0]}),
    "two of hats": ((LinearBasis(X, (0.0, 5.0)), LinearBasis(ODD, (-1.0, 0.0, 1.5))), {"x": IN_X, "y": [*IN_Y, 1.0]}),
    "slopes": ((Number(X), Levels(K), Slopes(K, X)), {"x": IN_X, "k": IN_K}),
    "slopes beside": ((Number(X), Levels(K), Number(ODD), Slopes(K, ODD)), {"x": IN_X[:3], "k": IN_K, "y": IN_Y}),
}
IMPORTANCE = {
    "one number": (2,),
    "two numbers": (2, 1),
    "a categorical": (3,),
    "slopes": (2, 1, 1),
    "linear_basis": (1, 2),
}


def gram_cases() -> list[Case]:
    """Each of them in all rows and in groups, and some with terms of unequal importance.

    Examples
    --------
    >>> "GramTable: linear_basis, wide, in groups" in {case.name for case in gram_cases()}
    True
    """
    found = []
    for name, (terms, columns) in TERMS.items():
        plain = GramTable(terms)
        found.append(Case(f"GramTable: {name}, wide", plain, universe(columns, size=1)))
        if "j" not in columns and len(columns) < 3:
            rows = universe({**columns, "j": [1, 2, 9]}, size=1)
            found.append(Case(f"GramTable: {name}, wide, in groups", replace(plain, cells=GROUPS), rows))
        if name in IMPORTANCE:
            tilted = replace(plain, importance=tuple(map(Fraction, IMPORTANCE[name])))
            found.append(Case(f"GramTable: {name}, wide, importance", tilted, universe(columns, size=1)))
    return found


def fit_cases() -> list[Case]:
    """The same sums, asked for a regression.

    Examples
    --------
    >>> len(fit_cases())
    2
    """
    line = RegressionDesign(2, (Block("Intercept", (0,), ("Intercept",)), Block("x", (1,), ("x",))), formula="y ~ x")
    terms, columns = TERMS["two numbers"]
    table = GramTable(terms)
    rows = universe({**columns, "j": [1, 2, 9]}, size=1)
    return [
        Case("LeastSquaresFit: a line, wide", LeastSquaresFit(table, line), universe(columns, size=1)),
        Case("LeastSquaresFit: lines, wide", LeastSquaresFit(replace(table, cells=GROUPS), line), rows),
    ]


def _tables_of_margins() -> list[Case]:
    found = []
    rows = universe({"x": [0.0, 10.0, np.nan], "k": ["a", "b", "zzz"], "j": [1, 2, 9]}, size=2)
    variable = Variable("x", GRIDS["even"])
    ways = {
        "unequal": (((0, 1), (0,), (1,), ()), (3, 1, 2, 1)),
        "without cells": (((0,), (1,)), (1, 1)),
        "one and total": (((1,), ()), (4, 1)),
    }
    for way, (measured, weights) in ways.items():
        portions = tuple(Fraction(weight, sum(weights)) for weight in weights)
        for inner in (Count(CROSS), Count(Cells((replace(LETTERS, other=True), CROSS.keys[1]))), Sum(variable, CROSS)):
            others = ", other" * any(key.other for key in inner.cells.keys)
            name = f"TableOfMargins {inner.statistic}{others}: size, {way}"
            found.append(Case(name, TableOfMargins(inner, measured, MeasuredShares(measured, portions)), rows))
    halves = universe({"x": [-2.0, 3.0, np.nan], "k": ["a", "b", "zzz"], "j": [1, 2]}, size=2)
    measured, portions = ((0,), (1,), ()), (Fraction(1, 3),) * 3  # a missing value counts half a step in its cell
    odd = Sum(Variable("x", GRIDS["odd"]), CROSS)
    found.append(
        Case("TableOfMargins sum: odd, size", TableOfMargins(odd, measured, MeasuredShares(measured, portions)), halves)
    )
    single = Cells((Key("k", Categories(("a",))), CROSS.keys[1]))
    for measured in (((0,), ()), ((0, 1), (0,), ())):
        portions = (Fraction(1, len(measured)),) * len(measured)
        name = f"TableOfMargins count: size, one category, {len(measured)} tables"
        found.append(Case(name, TableOfMargins(Count(single), measured, MeasuredShares(measured, portions)), rows))
    return found


def _effects() -> list[Case]:
    """Tables and means by effects, of keys of two and three categories, and of one, over grids of both signs."""
    found = []
    keys = (LETTERS, Key("j", Categories((1, 2))), Key("i", Categories(("only",))))
    rows: dict[str, list[Any]] = {"k": ["a", "b", "zzz"], "j": [1, 2]}
    three = Cells((Key("k", Categories(("a", "b", "c"))), keys[1]))
    people = universe({"k": ["a", "b", "c", "zzz"], "j": [1, 2]}, size=2)
    matters = Importance((1.0, 3.0))
    for shown in (((0, 1), (1,)), ((0,), (1,)), ((), (0, 1))):
        part = TableOfMargins(Count(three), shown, matters, by="effects")
        found.append(Case(f"TableOfEffects count: size, {shown}", part, people))
    one = universe({"k": ["a", "b"], "j": [1, 2], "i": ["only", "zzz"]}, size=2)
    alone = TableOfMargins(Count(Cells(keys)), ((0, 2), (1, 2)), matters, by="effects")
    found.append(Case("TableOfEffects count: size, one category", alone, one))
    for grid in ("even", "odd", "negative"):
        variable = Variable("x", GRIDS[grid])
        values = {"x": [*values_of(variable.interval)[:3], np.nan], **rows}
        part = TableOfMargins(Sum(variable, CROSS), ((0, 1), (0,)), matters, by="effects")
        found.append(Case(f"TableOfEffects sum: {grid}, size", part, universe(values, size=2)))
        if grid != "odd":
            means = MeansOfMargins(Mean(variable, CROSS), ((0, 1), (0,)), matters, by="effects")
            found.append(Case(f"MeansOfEffects mean: {grid}, size", means, universe(values, size=2)))
    return found


def _runs() -> list[Case]:
    """Runs of one key, and of one or both of two."""
    rows = universe({"k": ["a", "b", "c", "d", "zzz"], "j": [1, 2, 9]}, size=2)
    four = Key("k", Categories(("a", "b", "c", "d")))
    both = Cells((four, Key("j", Categories((1, 2)))))
    ways: list[tuple[Cells, tuple[tuple[int, ...], ...], tuple[MetricName, ...]]] = [
        (Cells((four,)), ((0,),), ("all",)),
        (both, ((0, 1), (1,)), ("prefix", "cells")),
        (both, ((0, 1), (0,)), ("all", "prefix")),
    ]
    found = []
    for cells, shown, requested in ways:
        part = TableOfMargins(Count(cells), shown, Importance((1.0,) * len(shown)), by="runs", requested=requested)
        found.append(Case(f"TableOfRuns count: {', '.join(requested)}", part, rows))
    for grid in ("odd", "negative"):
        variable = Variable("x", GRIDS[grid])
        values: dict[str, list[Any]] = {
            "x": [*values_of(variable.interval)[:3], np.nan],
            "k": ["a", "b", "d", "zzz"],
            "j": [1, 2],
        }
        part = TableOfMargins(
            Sum(variable, both), ((0, 1), (0,)), Importance((1.0, 1.0)), by="runs", requested=("all", "cells")
        )
        found.append(Case(f"TableOfRuns sum: {grid}", part, universe(values, size=2)))
    return found


def _blocks() -> list[Case]:
    """Tables of blocks of one key, and of one of two, with a total that may be free."""
    rows = universe({"k": ["a", "b", "c", "zzz"], "j": [1, 2, 9]}, size=2)
    three, two = Key("k", Categories(("a", "b", "c"))), Key("j", Categories((1, 2)))
    ways: list[tuple[tuple[Key, ...], tuple[tuple[int, ...], ...], tuple[MetricName, ...]]] = [
        ((three,), ((0,), (0, 1), ()), ("all",)),
        ((three, two), ((0, 2), (0, 1, 2), (2,), ()), ("prefix", "cells")),
    ]
    found = []
    for keys, measured, requested in ways:
        digits = KeyDigits((Nested(3, (1, 2)), Nested(2))[: len(keys)])
        shown = (tuple(range(len(keys))),)
        part = TableOfMargins(
            Count(Cells(keys)), shown, MeasuredShares.evenly(measured), by="blocks", digits=digits, requested=requested
        )
        found.append(Case(f"TableOfLevels count: {', '.join(requested)}", part, rows))
        variable = Variable("x", GRIDS["negative"])
        values: dict[str, list[Any]] = {"k": ["a", "c", "zzz"], "j": [1, 2]}
        values["x"] = [*values_of(variable.interval)[:2], np.nan]
        sums = replace(part, inner=Sum(variable, Cells(keys)))
        found.append(Case(f"TableOfLevels sum: {', '.join(requested)}", sums, universe(values, size=2)))
    return found


def _levels() -> list[Case]:
    found = []
    variable = Variable("x", GRIDS["even"])
    numbers = Key("j", Categories((1, 2, 3)))
    halves = replace(numbers, level=Level("half", ("low", "high"), (0, 0, 1)))
    for other in (False, True):
        levels = Cells((replace(halves, other=other), replace(numbers, other=other), LETTERS))
        people = universe({"x": [0.0, 10.0], "k": ["a", "b", "zzz"], "j": [1, 2, 3, 9]}, size=2)
        for inner in (Count(levels), Sum(variable, levels)):
            measured, portions = ((1, 2), (0,), ()), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
            part = TableOfMargins(inner, measured, MeasuredShares(measured, portions))
            found.append(Case(f"TableOfMargins {inner.statistic}: size, levels, other={other}", part, people))
    return found


def _means_of_margins() -> list[Case]:
    found = []
    ways = {"unequal": (((0, 1), (0,), ()), (3, 2, 1)), "without cells": (((0,), (1,)), (1, 1))}
    asked = [("even", nullable, way, "mean") for nullable in (False, True) for way in ways]
    asked += [("even", True, "unequal", says) for says in ("sum", "count")]
    for grid, nullable, way, says in [*asked, ("wide", False, "unequal", "mean")]:
        measured, weights = ways[way]
        variable = Variable("x", replace(GRIDS[grid], nullable=nullable))
        rows = universe({"x": [*values_of(variable.interval)[:2], np.nan], "k": ["a", "b", "zzz"], "j": [1, 2]}, size=2)
        portions = tuple(Fraction(weight, sum(weights)) for weight in weights)
        part = MeansOfMargins(Mean(variable, CROSS), measured, MeasuredShares(measured, portions), says=says)
        found.append(Case(f"MeansOfMargins {says}: {grid}, nullable={nullable}, {way}", part, rows))
    return found


OF_MARGINS: dict[type, Callable[[], list[Case]]] = {
    TableOfMargins: lambda: [
        *_tables_of_margins(),
        *_levels(),
        *(case for case in _effects() if "Mean" not in case.name),
        *_blocks(),
        *_runs(),
    ],
    MeansOfMargins: lambda: [*_means_of_margins(), *(case for case in _effects() if "Mean" in case.name)],
}
