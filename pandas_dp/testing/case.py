"""A question and a universe of rows over which it is tried, and the grids and cells that such questions are about."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..cost import Concentrated, Cost
from ..dataclass import dataclass
from ..domain import Categories, Interval, States
from ..neighbours import Setting
from ..statistics import Estimator, Particular, TableOfEffects
from ..tally import Cells, Key, Moments, Variable
from .universe import Universe, World

GRIDS = {
    "even": Interval(Fraction(0), Fraction(10), "integer"),
    "odd": Interval(Fraction(-2), Fraction(3), "integer"),
    "negative": Interval(Fraction(-9), Fraction(-1), "integer"),
    "two points": Interval(Fraction(0), Fraction(1), "integer"),
    "wide": Interval(Fraction(-(2**48)), Fraction(2**49), "integer"),
    "quarters": Interval(Fraction(-1), Fraction(3, 2), "float", resolution=Fraction(1, 4)),
    "float": Interval(Fraction(0), Fraction(10, 3), "float"),
}
LETTERS = Key("k", Categories(("a", "b")))
CELLS = {
    "all": Cells(),
    "one cell": Cells((Key("k", Categories(("a",))),)),
    "two cells": Cells((LETTERS,)),
    "with other": Cells((replace(LETTERS, other=True),)),
}
STATES = {
    "numbers": States("integer", GRIDS["even"]),
    "labels": States(None, None, Categories(("a", "b"))),
    "numbers, listed": States("integer", None, Categories((1, 3))),
    "times": States("datetime", Interval(Fraction(0), Fraction(10**18), "datetime")),
}
CROSS = Cells((LETTERS, Key("j", Categories((1, 2)))))


@dataclass(frozen=True)
class Case:
    """A question, and the universe of rows over which it is tried.

    Examples
    --------
    >>> from pandas_dp.statistics import Count
    >>> from pandas_dp.testing import WORLDS
    >>> heads = Case("heads", Count(), universe({"x": [0.0, 1.0]}))
    >>> heads.tallies(setting_of(WORLDS[3], 3))
    (Counts(cells=Cells(keys=()), variables=()),)
    """

    name: str
    estimator: Estimator
    universe: Universe

    def pays(self, cost: Cost) -> bool:
        """Whether it can be asked at such a cost: effects are measured with Gaussian noise alone.

        Examples
        --------
        >>> from pandas_dp.cost import Pure
        >>> from pandas_dp.testing import cases
        >>> sorted({case.estimator.statistic for case in cases() if not case.pays(Pure(Fraction(1)))})
        ['count', 'mean', 'sum']
        """
        return isinstance(cost, Concentrated) or not isinstance(self.estimator, TableOfEffects)

    def tallies(self, setting: Setting) -> tuple[Any, ...]:
        """Its tallies alone, and beside the moments that another question may bring.

        Examples
        --------
        >>> from pandas_dp.testing import WORLDS, cases
        >>> case = next(case for case in cases() if case.name == "Count size, two cells")
        >>> [type(tally).__name__ for tally in case.tallies(setting_of(WORLDS[0], 3))]
        ['Counts']
        """
        estimator = self.estimator
        if isinstance(estimator, TableOfEffects):  # which are measured in norm 2 alone
            estimator = estimator.decided(setting, 2)
        alone = estimator.tallies(setting, ())
        variable = getattr(self.estimator, "variable", None)
        beside: tuple[Any, ...] = ()
        if isinstance(variable, Variable):
            shared = [Moments(variable, self.estimator.cells, counted) for counted in (False, True)]
            beside = estimator.tallies(setting, shared)
        own = [estimator.alone(each) for each in alone] if isinstance(estimator, Particular) else []  # type: ignore[arg-type]
        return tuple(dict.fromkeys([*alone, *beside, *own]))

    def __str__(self) -> str:
        return self.name


def values_of(interval: Interval) -> list[float]:
    """Both ends, the middle, one value inside, a missing one, and two out of bounds.

    Examples
    --------
    >>> values_of(GRIDS["even"])
    [0.0, 10.0, 5.0, 3.8200000000000003, nan, -10.0, inf]
    """
    low, high = float(interval.grid.lower), float(interval.grid.upper)
    inside = low + 0.382 * (high - low)  # where a sum and a sum of squares together move farthest
    return [low, high, (low + high) / 2, inside, np.nan, low - (high - low), np.inf]


def universe(columns: dict[str, list[Any]], size: int = 3) -> Universe:
    """All combinations of the columns' values.

    Examples
    --------
    >>> len(universe({"x": [0.0, 1.0], "k": ["a", "b", None]}).rows)
    6
    """
    rows = list(product(*columns.values()))
    made = {name: [row[at] for row in rows] for at, name in enumerate(columns)}
    dtypes = {name: object for name in columns if name in ("k", "j")}
    return Universe(pd.DataFrame(made).astype(dtypes), size)


def rows_for(variable: Variable, cells: Cells) -> Universe:
    """Rows that try one variable, and the cells where there are any."""
    values = values_of(variable.interval)
    if not cells.keys:
        return universe({"x": values})
    few = [values[0], values[1], values[3], np.nan]
    sorted_into = [(x, k) for x in few for k in "ab"]
    return Universe(pd.DataFrame([*sorted_into, (values[1], "zzz")], columns=["x", "k"]).astype({"k": object}))


def measured() -> Iterator[tuple[str, Variable, Cells]]:
    """Every grid, nullable or not, in all rows and in cells."""
    for (grid, interval), nullable, (place, cells) in product(GRIDS.items(), (False, True), CELLS.items()):
        if place == "with other" and grid not in ("even", "odd"):
            continue
        name = f"{grid}{', nullable' if nullable else ''}, {place}"
        yield name, Variable("x", replace(interval, nullable=nullable)), cells


def over_measured(make: Callable[[Variable, Cells], list[Estimator]], grids: Container[str] = GRIDS) -> list[Case]:
    """A case for each grid and each kind of cells."""
    return [
        Case(f"{_called(each)}: {name}", each, rows_for(variable, cells))
        for name, variable, cells in measured()
        if name.split(",")[0] in grids
        for each in make(variable, cells)
    ]


def _called(estimator: Estimator) -> str:
    details = [getattr(estimator, name, None) for name in ("statistic", "quantile")]
    return " ".join([type(estimator).__name__, *(str(detail) for detail in details if detail is not None)])


def setting_of(world: World, size: int) -> Setting:
    """What everyone knows in this world of a table of that size.

    Examples
    --------
    >>> from pandas_dp.testing import WORLDS
    >>> [setting_of(world, 3).size for world in WORLDS]
    [3, None, None, None]
    """
    public = world.relation.size_is_public(world.whole)
    return Setting(world.relation.moves(world.whole), size if public else None)
