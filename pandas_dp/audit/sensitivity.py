"""Contract 1: no person moves the exact answer farther than the sensitivity says, and somebody moves it that far.

It is tried on every table of a few rows over a tiny universe of possible rows, and all that are neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product
from typing import Any, cast

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.budget.cost import Concentrated, Cost
from ..core.engine.row_ids import KnownIds
from ..core.engine.rows import PandasRows
from ..core.measure.cells import Cells, Key, Norm, Variable
from ..core.measure.measurement import Added, Measurement
from ..core.measure.statistic import Estimator, ReweightsAlone
from ..core.neighbours import PublicFacts, Relation
from ..core.noise.choice import NearRank, UtilityRuns
from ..core.promise_registry import PUBLIC
from ..core.schema.declared import States
from ..core.schema.values import Categories, Interval
from ..numeric.measure import Moments
from ..numeric.measure_location import Candidates
from ..quantiles.measure import EVERY_RANK, Ranks
from ..tables.statistic import TableOfMargins
from ..tools.measure import Contest

Places = tuple[int, ...]
"""A table, as places in the universe, rising: the order of rows says nothing."""


@dataclass(frozen=True)
class World:
    """Who is hidden: the relation of the session, and whether the table is the protected frame itself.

    This says what neighbours are without asking `Relation.moves`, so that the two can disagree.

    Examples
    --------
    >>> World(Relation.REPLACE, whole=False).vanishes  # a filter may drop a row
    True
    """

    relation: Relation
    whole: bool

    @property
    def swaps(self) -> bool:
        """One row's values change."""
        return self.relation is Relation.REPLACE

    @property
    def vanishes(self) -> bool:
        """One row comes or goes; also under replace where a filter may drop it."""
        return self.relation is Relation.ADD_REMOVE or not self.whole

    @property
    def name(self) -> str:
        """The world in words.

        Examples
        --------
        >>> World(Relation.REPLACE, whole=True).name
        'replace, whole'
        """
        return f"{self.relation.value}, {'whole' if self.whole else 'derived'}"

    def __str__(self) -> str:
        return self.name


WORLDS = tuple(World(relation, whole) for relation in Relation for whole in (True, False))


@dataclass(frozen=True, eq=False)
class Universe:
    """Possible rows, one row of `rows` each, and all tables of at most `size` of them, next to the rows of `ground`.

    Examples
    --------
    >>> universe = Universe(pd.DataFrame({"x": [0.0, 1.0]}), size=2)
    >>> universe.tables
    [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]
    >>> universe.pairs(World(Relation.ADD_REMOVE, whole=True)).tolist()
    [[0, 1], [0, 2], [1, 3], [1, 4], [2, 4], [2, 5]]
    >>> universe.pairs(World(Relation.REPLACE, whole=True)).tolist()
    [[1, 2], [3, 4], [4, 5]]
    """

    rows: pd.DataFrame
    size: int = 3
    ground: Places = ()

    @cached_property
    def tables(self) -> list[Places]:
        return list(self._of_sizes(range(self.size + 1)))

    def pairs(self, world: World) -> Array:
        """All pairs of neighbours, as places in `tables`."""
        adjacency = (world.swaps, world.vanishes)
        if adjacency not in self._pairs:
            self._pairs[adjacency] = self._all_pairs(world)
        return self._pairs[adjacency]

    @cached_property
    def _pairs(self) -> dict[tuple[bool, bool], Array]:
        return {}

    def _all_pairs(self, world: World) -> Array:
        place = {table: at for at, table in enumerate(self.tables)}
        found: set[tuple[int, int]] = set()
        for others in self._of_sizes(range(self.size)):
            grown = [place[tuple(sorted((*others, row)))] for row in range(len(self.rows))]
            if world.swaps:
                found.update((min(a, b), max(a, b)) for a, b in combinations(grown, 2))
            if world.vanishes:
                found.update((place[others], each) for each in grown)
        return np.array(sorted(found), dtype=np.intp).reshape(-1, 2)

    def read(self, table: Places, whole: bool) -> PandasRows:
        """The table as a backend reads it. A derived one has lost a row, and brings a stranger and a copy of a row."""
        places = [*self.ground, *table]
        if whole:
            return PandasRows(self.rows.iloc[places].reset_index(drop=True), None)
        absent, stranger = len(places), len(places) + 1
        ids = [*range(len(places)), stranger, *([0] if places else [])]
        frame = self.rows.iloc[[*places, 0, *([-1] if places else [])]]
        return PandasRows(frame.set_axis(ids), KnownIds(absent + 1))

    def _of_sizes(self, sizes: range) -> Iterator[Places]:
        for size in sizes:
            yield from combinations_with_replacement(range(len(self.rows)), size)


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
    >>> from pandas_dp.numeric.statistic_sums import Count
    >>> from pandas_dp.audit.sensitivity import WORLDS
    >>> heads = Case("heads", Count(), universe({"x": [0.0, 1.0]}))
    >>> heads.measurements(public_of(WORLDS[3], 3))
    (Counts(cells=Cells(keys=()), variables=()),)
    """

    name: str
    estimator: Estimator
    universe: Universe

    def pays(self, cost: Cost) -> bool:
        """Whether it can be asked at such a cost: effects are measured with Gaussian noise alone.

        Examples
        --------
        >>> from pandas_dp.core.budget.cost import Pure
        >>> from pandas_dp.audit.sensitivity import CELLS, WORLDS, Case, universe
        >>> from pandas_dp.numeric.statistic_sums import Count
        >>> case = Case("rows in two cells", Count(CELLS["two cells"]), universe({"k": ["a", "b", "zzz"]}, size=2))
        >>> case.pays(Pure(Fraction(1)))
        True
        """
        return isinstance(cost, Concentrated) or not getattr(self.estimator, "is_gaussian", False)

    def measurements(self, public: PublicFacts) -> tuple[Any, ...]:
        """Its measurements alone, and beside the moments that another question may bring.

        Examples
        --------
        >>> from pandas_dp.audit.sensitivity import CELLS, WORLDS, Case, universe
        >>> from pandas_dp.numeric.statistic_sums import Count
        >>> case = Case("rows in two cells", Count(CELLS["two cells"]), universe({"k": ["a", "b", "zzz"]}, size=2))
        >>> [type(measurement).__name__ for measurement in case.measurements(public_of(WORLDS[0], 3))]
        ['Counts']
        """
        estimator = self.estimator
        if isinstance(estimator, TableOfMargins) and estimator.is_gaussian:  # measured in norm 2 alone
            estimator = estimator.decided(public, 2)
        alone = estimator.measurements(public, ())
        variable = getattr(self.estimator, "variable", None)
        beside: tuple[Any, ...] = ()
        if isinstance(variable, Variable):
            shared = [Moments(variable, self.estimator.cells, counted) for counted in (False, True)]
            beside = estimator.measurements(public, shared)
        own = [estimator.alone(each) for each in alone] if isinstance(estimator, ReweightsAlone) else []
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


def public_of(world: World, size: int) -> PublicFacts:
    """What everyone knows in this world of a table of that size.

    Examples
    --------
    >>> from pandas_dp.audit.sensitivity import WORLDS
    >>> [public_of(world, 3).size for world in WORLDS]
    [3, None, None, None]
    """
    public = world.relation.size_is_public(world.whole)
    return PublicFacts(world.relation.adjacency(world.whole), size if public else None)


TOLERANCE = 1e-9  # of the floats in which norms are computed; the answers themselves are exact


@dataclass(frozen=True)
class Reached:
    """How far neighbours are apart at most, in the norm that the sensitivity is in, and an example of two that are.

    Examples
    --------
    >>> half = Reached(Fraction(2), farthest=1.0, example="two tables")
    >>> half.tightness
    0.5
    >>> half.check(tight=0.5)
    """

    stated: Fraction
    farthest: float
    example: str

    @property
    def tightness(self) -> float:
        """1 where some pair of neighbours is exactly as far apart as the sensitivity says."""
        return self.farthest / float(self.stated) if self.stated else 1.0

    def check(self, tight: float = 1.0) -> None:
        """Fail where neighbours are farther apart than stated, or where none come within the factor `tight` of it."""
        assert self.farthest <= float(self.stated) * (1 + TOLERANCE), (
            f"the sensitivity is too small: stated {float(self.stated):.9g}, but {self.farthest:.9g} "
            f"between {self.example}"
        )
        assert self.tightness >= tight * (1 - TOLERANCE), (
            f"the sensitivity is too large: stated {float(self.stated):.9g}, but {self.farthest:.9g} at most, "
            f"between {self.example}"
        )


@dataclass(frozen=True, eq=False)
class Exact:
    """The exact answers to a measurement, for every table of a universe, each table read once.

    Examples
    --------
    >>> import pandas as pd
    >>> from pandas_dp.numeric.measure import Counts
    >>> Exact(Counts(), Universe(pd.DataFrame({"x": [1.0]}), size=2)).of_whole.ravel().tolist()
    [0, 1, 2]
    """

    measurement: Measurement
    universe: Universe

    @cached_property
    def of_whole(self) -> Array:
        return self._answers(whole=True)

    @cached_property
    def of_derived(self) -> Array:
        return self._answers(whole=False)

    def answers(self, whole: bool) -> Array:
        """table × cell × coordinate; for ranks the utility of each grid point."""
        return self.of_whole if whole else self.of_derived

    @cached_property
    def _near_ranks(self) -> dict[bool, list[list[NearRank]]]:
        return {}

    def near_ranks(self, whole: bool) -> list[list[NearRank]]:
        """table × cell: all rows in order, for a measurement of ranks."""
        assert isinstance(self.measurement, Ranks)
        if whole not in self._near_ranks:
            tables = [self.universe.read(table, whole) for table in self.universe.tables]
            self._near_ranks[whole] = [rows.near_ranks(self.measurement, EVERY_RANK) for rows in tables]
        return self._near_ranks[whole]

    def _answers(self, whole: bool) -> Array:
        return np.stack(
            [answer_of(self.measurement, self.universe.read(table, whole)) for table in self.universe.tables]
        )


def reached(exact: Exact, world: World, norm: Norm, model: str = "dp") -> Reached:
    """The sensitivity that a model states for a measurement, and the farthest that neighbours over a universe are
    apart.

    Examples
    --------
    >>> import pandas as pd
    >>> from pandas_dp.core.neighbours import Relation
    >>> from pandas_dp.core.measure.cells import Cells, Key
    >>> from pandas_dp.numeric.measure import Counts
    >>> from pandas_dp.core.schema.values import Categories
    >>> table = Counts(Cells((Key("k", Categories(("a", "b"))),)))
    >>> universe = Universe(pd.DataFrame({"k": ["a", "b", "c"]}))
    >>> found = reached(Exact(table, universe), World(Relation.REPLACE, whole=True), norm=1)
    >>> found.stated, found.tightness
    (Fraction(2, 1), 1.0)
    """
    measurement, universe = exact.measurement, exact.universe
    pairs = universe.pairs(world)
    apart = distances(measurement, exact.answers(world.whole), pairs, norm, weights(measurement, norm, world))
    at = int(apart.argmax())
    tables = [universe.rows.iloc[list(universe.tables[i])].to_dict("records") for i in pairs[at]]
    example = f"{tables[0]} and {tables[1]} ({world.name})"
    stated = PUBLIC[model].sensitivity(measurement, norm, world.relation.adjacency(world.whole))
    return Reached(stated, float(apart[at]), example)


def answer_of(measurement: Measurement, rows: Any) -> Array:
    """What a question would measure; utilities are in parts of the measurement's unit."""
    if isinstance(measurement, Candidates):
        return np.array([measurement.utilities(rows.fold(measurement.counts))])
    if isinstance(measurement, Contest):
        return np.array([[int(rows.fold(total)[0, 0]) for total in measurement.made_of]])
    if not isinstance(measurement, Ranks):
        return np.asarray(rows.fold(measurement))
    return np.stack([utilities(near_rank, measurement) for near_rank in rows.near_ranks(measurement, EVERY_RANK)])


def utilities(near_rank: NearRank, measurement: Ranks) -> Array:
    """The utility of every point of the grid, in parts of the measurement's unit."""
    utility_runs = utility_runs_of(near_rank, measurement)
    spread = np.empty(utility_runs.counts.sum(), dtype=np.int64)
    for start, count, utility in zip(utility_runs.starts, utility_runs.counts, utility_runs.utilities, strict=True):
        spread[start : start + count] = utility
    return spread


def utility_runs_of(near_rank: NearRank, measurement: Ranks) -> UtilityRuns:
    """All points of the grid, in runs of equal utility."""
    return UtilityRuns.of(near_rank, measurement, 0, measurement.variable.grid.points)


def weights(measurement: Measurement, norm: Norm, world: World) -> Sequence[Fraction]:
    """How each coordinate is weighed, as the plan does it.

    Examples
    --------
    >>> from pandas_dp.numeric.measure import Counts
    >>> from pandas_dp.audit.sensitivity import WORLDS
    >>> weights(Counts(), 1, WORLDS[0])
    (Fraction(1, 1),)
    """
    if isinstance(measurement, Ranks | Candidates | Contest):
        return (Fraction(measurement.unit),)
    return cast("Added", measurement).weights(norm, world.relation.adjacency(world.whole))


def distances(measurement: Measurement, found: Array, pairs: Array, norm: Norm, weighed: Sequence[Fraction]) -> Array:
    """The distance of each pair: Σ|Δ|/w, or Σ(Δ/w)²; a choice counts half the range of its utilities' changes.

    Examples
    --------
    >>> from pandas_dp.numeric.measure import Counts
    >>> answers = np.array([[[3], [5]], [[4], [4]]])  # table × cell × coordinate
    >>> distances(Counts(), answers, np.array([[0, 1]]), 1, (Fraction(1),)).tolist()
    [2.0]
    """
    moved = found[pairs[:, 0]] - found[pairs[:, 1]]
    if isinstance(measurement, Ranks | Candidates | Contest):
        moved = (moved.max(axis=2, keepdims=True) - moved.min(axis=2, keepdims=True)) / 2
    scaled = np.abs(moved).astype(float) / np.array([float(w) for w in weighed])
    return np.asarray((scaled**norm).sum(axis=(1, 2)))
