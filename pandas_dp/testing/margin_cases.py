"""Tables with their margins, by tables and by effects, for the contracts to run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..domain import Categories
from ..margins import ByEffects, Digits, Measured, Nested, Wanted
from ..statistics import (
    Count,
    Mean,
    MeansOfEffects,
    MeansOfMargins,
    Sum,
    TableOfEffects,
    TableOfLevels,
    TableOfMargins,
    TableOfRuns,
)
from ..tally import Cells, Key, Level, Variable
from .case import CROSS, GRIDS, LETTERS, Case, universe, values_of


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
            found.append(Case(name, TableOfMargins(inner, measured, Measured(measured, portions)), rows))
    halves = universe({"x": [-2.0, 3.0, np.nan], "k": ["a", "b", "zzz"], "j": [1, 2]}, size=2)
    measured, portions = ((0,), (1,), ()), (Fraction(1, 3),) * 3  # a missing value counts half a step in its cell
    odd = Sum(Variable("x", GRIDS["odd"]), CROSS)
    found.append(
        Case("TableOfMargins sum: odd, size", TableOfMargins(odd, measured, Measured(measured, portions)), halves)
    )
    single = Cells((Key("k", Categories(("a",))), CROSS.keys[1]))
    for measured in (((0,), ()), ((0, 1), (0,), ())):
        portions = (Fraction(1, len(measured)),) * len(measured)
        name = f"TableOfMargins count: size, one category, {len(measured)} tables"
        found.append(Case(name, TableOfMargins(Count(single), measured, Measured(measured, portions)), rows))
    return found


def _effects() -> list[Case]:
    """Tables and means by effects, of keys of two and three categories, and of one, over grids of both signs."""
    found = []
    keys = (LETTERS, Key("j", Categories((1, 2))), Key("i", Categories(("only",))))
    rows: dict[str, list[Any]] = {"k": ["a", "b", "zzz"], "j": [1, 2]}
    three = Cells((Key("k", Categories(("a", "b", "c"))), keys[1]))
    people = universe({"k": ["a", "b", "c", "zzz"], "j": [1, 2]}, size=2)
    matters = ByEffects((1.0, 3.0))
    for shown in (((0, 1), (1,)), ((0,), (1,)), ((), (0, 1))):
        found.append(Case(f"TableOfEffects count: size, {shown}", TableOfEffects(Count(three), shown, matters), people))
    one = universe({"k": ["a", "b"], "j": [1, 2], "i": ["only", "zzz"]}, size=2)
    alone = TableOfEffects(Count(Cells(keys)), ((0, 2), (1, 2)), matters)
    found.append(Case("TableOfEffects count: size, one category", alone, one))
    for grid in ("even", "odd", "negative"):
        variable = Variable("x", GRIDS[grid])
        values = {"x": [*values_of(variable.interval)[:3], np.nan], **rows}
        part = TableOfEffects(Sum(variable, CROSS), ((0, 1), (0,)), matters)
        found.append(Case(f"TableOfEffects sum: {grid}, size", part, universe(values, size=2)))
        if grid != "odd":
            means = MeansOfEffects(Mean(variable, CROSS), ((0, 1), (0,)), matters)
            found.append(Case(f"MeansOfEffects mean: {grid}, size", means, universe(values, size=2)))
    return found


def _runs() -> list[Case]:
    """Runs of one key, and of one or both of two."""
    rows = universe({"k": ["a", "b", "c", "d", "zzz"], "j": [1, 2, 9]}, size=2)
    four = Key("k", Categories(("a", "b", "c", "d")))
    both = Cells((four, Key("j", Categories((1, 2)))))
    ways: list[tuple[Cells, tuple[tuple[int, ...], ...], tuple[Wanted, ...]]] = [
        (Cells((four,)), ((0,),), ("all",)),
        (both, ((0, 1), (1,)), ("prefix", "cells")),
        (both, ((0, 1), (0,)), ("all", "prefix")),
    ]
    found = []
    for cells, shown, wanted in ways:
        part = TableOfRuns(Count(cells), shown, ByEffects((1.0,) * len(shown)), wanted=wanted)
        found.append(Case(f"TableOfRuns count: {', '.join(wanted)}", part, rows))
    for grid in ("odd", "negative"):
        variable = Variable("x", GRIDS[grid])
        values: dict[str, list[Any]] = {
            "x": [*values_of(variable.interval)[:3], np.nan],
            "k": ["a", "b", "d", "zzz"],
            "j": [1, 2],
        }
        part = TableOfRuns(Sum(variable, both), ((0, 1), (0,)), ByEffects((1.0, 1.0)), wanted=("all", "cells"))
        found.append(Case(f"TableOfRuns sum: {grid}", part, universe(values, size=2)))
    return found


def _blocks() -> list[Case]:
    """Tables of blocks of one key, and of one of two, with a total that may be free."""
    rows = universe({"k": ["a", "b", "c", "zzz"], "j": [1, 2, 9]}, size=2)
    three, two = Key("k", Categories(("a", "b", "c"))), Key("j", Categories((1, 2)))
    ways: list[tuple[tuple[Key, ...], tuple[tuple[int, ...], ...], tuple[Wanted, ...]]] = [
        ((three,), ((0,), (0, 1), ()), ("all",)),
        ((three, two), ((0, 2), (0, 1, 2), (2,), ()), ("prefix", "cells")),
    ]
    found = []
    for keys, measured, wanted in ways:
        digits = Digits((Nested(3, (1, 2)), Nested(2))[: len(keys)])
        part = TableOfLevels(
            Count(Cells(keys)), (tuple(range(len(keys))),), Measured.evenly(measured), digits=digits, wanted=wanted
        )
        found.append(Case(f"TableOfLevels count: {', '.join(wanted)}", part, rows))
        variable = Variable("x", GRIDS["negative"])
        values: dict[str, list[Any]] = {"k": ["a", "c", "zzz"], "j": [1, 2]}
        values["x"] = [*values_of(variable.interval)[:2], np.nan]
        sums = replace(part, inner=Sum(variable, Cells(keys)))
        found.append(Case(f"TableOfLevels sum: {', '.join(wanted)}", sums, universe(values, size=2)))
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
            part = TableOfMargins(inner, measured, Measured(measured, portions))
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
        part = MeansOfMargins(Mean(variable, CROSS), measured, Measured(measured, portions), says=says)
        found.append(Case(f"MeansOfMargins {says}: {grid}, nullable={nullable}, {way}", part, rows))
    return found


OF_MARGINS: dict[type, Callable[[], list[Case]]] = {
    TableOfMargins: lambda: _tables_of_margins() + _levels(),
    MeansOfMargins: _means_of_margins,
    TableOfEffects: lambda: [case for case in _effects() if "Mean" not in case.name],
    TableOfLevels: _blocks,
    TableOfRuns: _runs,
    MeansOfEffects: lambda: [case for case in _effects() if "Mean" in case.name],
}
