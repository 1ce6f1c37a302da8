"""Cases of tests that look at rows: two groups, pairs, several groups, one mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from ..domain import Categories
from ..statistics import (
    Estimator,
    ManyRanks,
    MeanAgainst,
    PairedMeans,
    SignedRanks,
    TwoDistributions,
    TwoMeans,
    TwoRanks,
)
from ..tally import Cells, Gap, Key, Variable
from .case import GRIDS, Case, universe, values_of
from .universe import Universe

GROUPS = Key("k", Categories(("a", "b")))
THREE = Key("k", Categories(("a", "b", "c")))


def _two_groups() -> list[Case]:
    found = []
    for grid, nullable in (("quarters", False), ("float", True)):
        variable = Variable("x", replace(GRIDS[grid], nullable=nullable))
        low, high = (float(end) for end in (variable.grid.lower, variable.grid.upper))
        inside = [low + part * (high - low) for part in (0.0, 1.0, 0.5, 0.75)]
        sorted_into = [(x, k) for x in inside for k in "ab"]
        rows = Universe(pd.DataFrame([*sorted_into, (np.nan, "a"), (low, "zzz")], columns=["x", "k"]), size=2)
        for part in (TwoMeans(variable, GROUPS), TwoRanks(variable, GROUPS), TwoDistributions(variable, GROUPS)):
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
