"""Contract 1: no person moves the exact answer farther than the sensitivity says, and somebody moves it that far."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..core.arrays import Array
from ..core.measure.cells import Norm
from ..core.measure.measurement import Measurement
from ..core.noise.choice import Rungs
from ..core.promises import PUBLIC
from ..dataclass import dataclass
from ..numeric.location.measure import Candidates
from ..quantiles.measure_ranks import EVERY_RANK, Ladder, Ranks
from ..tools.measure import Contest
from .case import Universe, World

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
    >>> from pandas_dp.numeric.measure_distinct import Counts
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
    def _ladders(self) -> dict[bool, list[list[Ladder]]]:
        return {}

    def ladders(self, whole: bool) -> list[list[Ladder]]:
        """table × cell: all rows in order, for a measurement of ranks."""
        assert isinstance(self.measurement, Ranks)
        if whole not in self._ladders:
            tables = [self.universe.read(table, whole) for table in self.universe.tables]
            self._ladders[whole] = [rows.ladders(self.measurement, EVERY_RANK) for rows in tables]
        return self._ladders[whole]

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
    >>> from pandas_dp.numeric.measure_distinct import Counts
    >>> from pandas_dp.core.schema.categories import Categories
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
    """What the corridor would see; utilities are in parts of the measurement's unit."""
    if isinstance(measurement, Candidates):
        return np.array([measurement.utilities(rows.fold(measurement.counts))])
    if isinstance(measurement, Contest):
        return np.array([[int(rows.fold(total)[0, 0]) for total in measurement.totals]])
    if not isinstance(measurement, Ranks):
        return np.asarray(rows.fold(measurement))
    return np.stack([utilities(ladder, measurement) for ladder in rows.ladders(measurement, EVERY_RANK)])


def utilities(ladder: Ladder, measurement: Ranks) -> Array:
    """The utility of every point of the grid, in parts of the measurement's unit."""
    rungs = rungs_of(ladder, measurement)
    spread = np.empty(rungs.counts.sum(), dtype=np.int64)
    for start, count, utility in zip(rungs.starts, rungs.counts, rungs.utilities, strict=True):
        spread[start : start + count] = utility
    return spread


def rungs_of(ladder: Ladder, measurement: Ranks) -> Rungs:
    """All points of the grid, in runs of equal utility."""
    return Rungs.of(ladder, measurement, 0, measurement.variable.grid.points)


def weights(measurement: Measurement, norm: Norm, world: World) -> Sequence[Fraction]:
    """How each coordinate is weighed, as the plan does it.

    Examples
    --------
    >>> from pandas_dp.numeric.measure_distinct import Counts
    >>> from pandas_dp.audit.case import WORLDS
    >>> weights(Counts(), 1, WORLDS[0])
    (Fraction(1, 1),)
    """
    if isinstance(measurement, Ranks | Candidates | Contest):
        return (Fraction(measurement.unit),)
    return measurement.weights(norm, world.relation.adjacency(world.whole))


def distances(measurement: Measurement, found: Array, pairs: Array, norm: Norm, weighed: Sequence[Fraction]) -> Array:
    """The distance of each pair: Σ|Δ|/w, or Σ(Δ/w)²; a choice counts half the range of its utilities' changes.

    Examples
    --------
    >>> from pandas_dp.numeric.measure_distinct import Counts
    >>> answers = np.array([[[3], [5]], [[4], [4]]])  # table × cell × coordinate
    >>> distances(Counts(), answers, np.array([[0, 1]]), 1, (Fraction(1),)).tolist()
    [2.0]
    """
    moved = found[pairs[:, 0]] - found[pairs[:, 1]]
    if isinstance(measurement, Ranks | Candidates | Contest):
        moved = (moved.max(axis=2, keepdims=True) - moved.min(axis=2, keepdims=True)) / 2
    scaled = np.abs(moved).astype(float) / np.array([float(w) for w in weighed])
    return np.asarray((scaled**norm).sum(axis=(1, 2)))
