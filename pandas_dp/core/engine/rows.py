"""A pandas frame, as rows to be tallied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ...dataclass import dataclass
from ...keys.fold import Occurs
from ...keys.measure import Occurred, Occurring
from ...numeric.bootstrap.fold import EveryCode, Halves, SumsOfHalves, replicates_of
from ...numeric.bootstrap.measure import Resamples
from ...numeric.measure_distinct import Distinct, Table
from ...numeric.measure_moments import ExactMoments
from ...people.measure import OfPeople
from ...quantiles.fold_ends import Ends, Middle
from ...quantiles.fold_ranks import InBins, Stretches, can_be_fine, ladders
from ...quantiles.measure_ranks import Ladder, Ranks
from ...synthetic.measure import Distances, SomeTables, TableRace
from ...tables.measure import EffectTable, MarginOf, RunTable
from ..arrays import Array
from ..measure.cells import Cells, Key, Variable
from ..measure.measurement import Added
from .fold import Engine, Fold
from .folds import first_folds, fold_of, is_finished
from .known import KnownIds
from .part import Part

MANY = 2**62
OF_ONE_TABLE = (Distances, EffectTable, MarginOf, RunTable, SomeTables, TableRace)  # of whose counts more may be asked


@dataclass
class Wanted:
    """A fold that will be asked for so many times, and what it found."""

    fold: Fold[Any, Any]
    times: int
    found: Any = None


class FoldedRows:
    """Rows of an engine. Folds of the measurements that will be asked for run together, and are kept until the last
    asks."""

    def __init__(self, engine: Engine, measurements: Iterable[Any] = ()) -> None:
        self._engine, measurements = engine, [*measurements]
        lines = Counter(
            _line(measurement)
            for measurement in measurements
            if isinstance(measurement, Ranks) and can_be_fine(measurement)
        )
        one_stage = engine.reads_anew or engine.has_many_rows
        self._fine = {line for line, ranks in lines.items() if ranks > 1 or one_stage}
        counts = Counter(
            fold for measurement in measurements for fold in first_folds(measurement, self._is_fine(measurement))
        )
        self._wanted = {fold: Wanted(fold, times) for fold, times in counts.items()}
        self._points: dict[tuple[Variable, Cells], Array] = {}

    def fold(self, measurement: Added | ExactMoments | TableRace) -> Table:
        """The measurement's exact integers, one row per cell, one column per coordinate."""
        if isinstance(measurement, Resamples) and measurement.design == "half-sample" and self._engine.reads_anew:
            return np.asarray(self._run(SumsOfHalves(measurement, Halves(measurement.size, measurement.replicates))))
        if isinstance(measurement, Resamples):
            return replicates_of(measurement, self._run(EveryCode(measurement.variables)))
        fold = fold_of(measurement)
        if (
            isinstance(fold, InBins)
            and (points := self._points.get((fold.measurement.variable, fold.measurement.cells))) is not None
        ):
            return fold.of_points(points)
        if isinstance(_inner(measurement), OF_ONE_TABLE) and fold not in self._wanted:
            self._wanted[fold] = Wanted(fold, MANY)  # of whose counts more may be asked
        found: Table = self._run(fold)
        if isinstance(measurement, Distinct) and isinstance(measurement.item, Key):
            there = np.count_nonzero(
                found.reshape(measurement.cells.size, measurement.item.size - measurement.item.other), axis=1
            )
            return measurement.arrange(there.reshape(-1, 1))
        return found if is_finished(measurement) else measurement.arrange(found)

    def ladders(self, measurement: Ranks, depth: int) -> list[Ladder]:
        """For each cell the rows near the wanted rank, in order."""
        return ladders(self._run, measurement, depth, self._is_fine(measurement))

    def ends(self, variable: Variable, cells: Cells, many: int) -> tuple[Array, Array]:
        """cell × many: the least codes of each cell, rising, and the greatest, falling; 0 where there are no more."""
        found: tuple[Array, Array] = self._run(Ends(variable, cells, many))
        return found

    def middle(self, variable: Variable, cells: Cells, many: int, low: Array, high: Array) -> tuple[Array, Array]:
        """The codes of each cell from `low` to `high`, and so many next to them on either side; where each starts."""
        found: tuple[Array, Array] = self._run(
            Middle(variable, cells, many, tuple(map(float, low)), tuple(map(float, high)))
        )
        return found

    def occurring(self, measurement: Occurring) -> Occurred:
        """The keys that occur, and how many rows there are in all."""
        found: Occurred = self._run(Occurs(measurement))
        return found

    def waiting(self) -> list[Wanted]:
        """What will be asked for, and is not known yet."""
        return [each for each in self._wanted.values() if each.found is None]

    def _is_fine(self, measurement: Any) -> bool:
        """Whether every point of its grid is counted, as several ranks are asked for, or rows are far."""
        return isinstance(measurement, Ranks) and _line(measurement) in self._fine

    def _run(self, fold: Fold[Any, Any]) -> Any:
        found = self._found(fold)
        if isinstance(fold, Stretches) and not fold.shift and fold.most is None:  # bins of these need no further stage
            self._points[fold.variable, fold.cells] = found
        return found

    def _found(self, fold: Fold[Any, Any]) -> Any:
        wanted = self._wanted.get(fold)
        if wanted is None:
            return self._engine.run([fold])[0]
        if wanted.found is None:
            together = self.waiting()
            for each, found in zip(together, self._engine.run([each.fold for each in together]), strict=True):
                each.found = found
        wanted.times -= 1
        if not wanted.times:
            del self._wanted[fold]
        return wanted.found


def _line(measurement: Ranks) -> tuple[Variable, Cells, int | None]:
    """What is put in order, whatever rank is wanted."""
    return measurement.variable, measurement.cells, measurement.most


def _inner(measurement: Added | ExactMoments | TableRace) -> Added | ExactMoments | TableRace:
    """What is asked, whoever's rows it is asked of."""
    return measurement.inner if isinstance(measurement, OfPeople) else measurement


MANY_ROWS = 2**18  # rows: with fewer, a table of the points of a grid is larger than they are


class InMemory:
    """Runs one fold after the other, as a block of one column fits the cache, and those of several may not."""

    reads_anew = False

    def __init__(self, rows: Part) -> None:
        self.rows, self.has_many_rows = rows, rows.rows >= MANY_ROWS

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        return [self._found(fold) for fold in folds]

    def _found(self, fold: Fold[Any, Any]) -> Any:
        if self.rows.rows < fold.worth_two:
            return fold.finish(fold.read(self.rows))
        with ThreadPoolExecutor(2) as pool:
            return fold.finish(reduce(fold.merge, pool.map(fold.read, self.rows.cut(self.rows.rows // 2))))


class PandasRows(FoldedRows):
    """Rows of a frame, or of a series taken as a frame of one column; a derived one where `known` is given."""

    engine: ClassVar[Callable[[Part], Engine]] = InMemory

    def __init__(
        self, data: pd.DataFrame | pd.Series[Any], known: KnownIds | None, measurements: Iterable[Any] = ()
    ) -> None:
        kept = None if known is None else known.kept(data.index)
        super().__init__(type(self).engine(Part.whole(data, kept)), measurements)


class RowsOfPeople(FoldedRows):
    """Rows of which each person may have many: `person` has the number of hers for each row, below `people`, and -1
    for nobody's."""

    def __init__(
        self, data: pd.DataFrame | pd.Series[Any], person: Array, people: int, measurements: Iterable[Any] = ()
    ) -> None:
        super().__init__(PandasRows.engine(Part.of_people(data, person, people)), measurements)
