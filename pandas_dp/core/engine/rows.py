"""A pandas frame, as rows that are measured, and the silence in which rows are read."""

from __future__ import annotations

import os
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar

import pandas as pd

from ..arrays import Array, Table
from ..forks import brief
from ..lazy_import import named
from ..noise.choice import NearRank
from .fold import Engine, Fold, Part, fold_of
from .row_ids import KnownIds

MANY = 2**62


@dataclass
class Requested:
    """A fold that will be asked for so many times, and what it found."""

    fold: Fold[Any, Any]
    times: int = 0
    found: Any = None


class FoldedRows:
    """Rows of an engine. Folds of the measurements that will be asked for run together, and are kept until the last
    asks."""

    def __init__(self, engine: Engine, measurements: Iterable[Any] = ()) -> None:
        self._engine, measurements = engine, [*measurements]
        ranks = [measurement for measurement in measurements if hasattr(measurement, "line")]
        self._fine = self._counted_finely(ranks) if ranks else set()
        self._requested: dict[Fold[Any, Any], Requested] = {}
        for measurement in measurements:
            for fold in self._first(measurement):
                self._requested.setdefault(fold, Requested(fold)).times += 1
        self._kept: dict[Hashable, Any] = {}

    def fold(self, measurement: Any) -> Table:
        """The measurement's exact integers, one row per cell, one column per coordinate."""
        found: Table
        if hasattr(measurement, "answered"):  # by several folds
            found = named(measurement.answered)(measurement, self._run, self._engine.reads_anew)
            return found
        fold: Any = fold_of(measurement)
        if self._kept and hasattr(fold, "takes") and fold.takes in self._kept:
            found = fold.of_kept(self._kept[fold.takes])
            return found
        is_shared = getattr(measurement, "is_shared", False)
        if is_shared and fold not in self._requested:
            self._requested[fold] = Requested(fold, MANY)  # of whose counts more may be asked
        found = self._run(fold)
        return measurement.arrange(found) if is_shared else found

    def _counted_finely(self, ranks: Sequence[Any]) -> set[Hashable]:
        """What is put in order by counting every point of its grid: for several ranks, or in one stage."""
        lines = Counter(measurement.line for measurement in ranks if measurement.can_be_fine)
        one_stage = self._engine.reads_anew or self._engine.has_many_rows
        return {line for line, times in lines.items() if times > 1 or one_stage}

    def _first(self, measurement: Any) -> Sequence[Fold[Any, Any]]:
        """What is certain to be asked for a measurement, before anything is known."""
        if hasattr(measurement, "line"):
            found: Sequence[Fold[Any, Any]] = named(measurement.blocks)(measurement, self._is_fine(measurement))
            return found
        if hasattr(measurement, "fold"):
            return (fold_of(measurement),)
        return [fold_of(each) for each in getattr(measurement, "made_of", ())]

    def near_ranks(self, measurement: Any, depth: int) -> list[NearRank]:
        """For each cell the rows near the wanted rank, in order."""
        found: list[NearRank] = named(measurement.ordered)(self._run, measurement, depth, self._is_fine(measurement))
        return found

    def found(self, fold: str, *of: Any) -> Any:
        """What a fold finds that is made of these; it is named by a word."""
        return self._run(named(fold)(*of))

    def waiting(self) -> list[Requested]:
        """What will be asked for, and is not known yet."""
        return [each for each in self._requested.values() if each.found is None]

    def _is_fine(self, measurement: Any) -> bool:
        """Whether every point of its grid is counted, as several ranks are asked for, or rows are far."""
        return bool(self._fine) and measurement.line in self._fine

    def _run(self, fold: Fold[Any, Any]) -> Any:
        found = self._found(fold)
        if getattr(fold, "keeps", None) is not None:
            self._kept[fold.keeps] = found  # type: ignore[attr-defined]
        return found

    def _found(self, fold: Fold[Any, Any]) -> Any:
        requested = self._requested.get(fold)
        if requested is None:
            return self._engine.run([fold])[0]
        if requested.found is None:
            together = self.waiting()
            for each, found in zip(together, self._engine.run([each.fold for each in together]), strict=True):
                each.found = found
        requested.times -= 1
        if not requested.times:
            del self._requested[fold]
        return requested.found


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


_lock, _inside = brief(threading.Lock()), list[int]()  # the threads that are in here
_kept: list[warnings.catch_warnings[Any]] = []  # Python's filters, which belong to the process, while there are some


@contextmanager
def silence() -> Iterator[None]:
    """No warning is shown while rows are read, in whichever of the process's threads: one could tell of a value."""
    me = threading.get_ident()
    with _lock:
        _stay([*_inside, me])
    try:
        yield
    finally:
        with _lock:
            _inside.remove(me)
            _stay([*_inside])


def _stay(threads: Sequence[int]) -> None:
    """The first to come keeps the filters, the last to go puts them back."""
    _inside[:] = threads
    if threads and not _kept:
        _kept.append(warnings.catch_warnings())
        _kept[0].__enter__()
        warnings.simplefilter("ignore")
    elif _kept and not threads:
        _kept.pop().__exit__(None, None, None)


if hasattr(os, "register_at_fork"):  # a child has the thread that forked alone
    os.register_at_fork(after_in_child=lambda: _stay([each for each in _inside if each == threading.get_ident()]))
