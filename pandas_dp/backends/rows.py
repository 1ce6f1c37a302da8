"""What the steps of a plan see of the rows: their tallies, answered by the folds of an engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..tally import (
    Additive,
    Between,
    ByPerson,
    Candidates,
    Cells,
    Contest,
    Counts,
    Cumulative,
    Distinct,
    Gram,
    Key,
    Margin,
    Moments,
    NewtonSums,
    Occurred,
    Occurring,
    OfPeople,
    PeopleCounts,
    PersonTotals,
    Placed,
    Products,
    Pulls,
    Ranks,
    RatioSums,
    Resamples,
    RowMeans,
    Scored,
    ScoreHistogram,
    ScoreMoments,
    SignedSums,
    Sums,
    TopOfPath,
    Termed,
    Totals,
    ValuesOfPeople,
    Variable,
    Weighed,
    WeighedCounts,
    WeighedMeans,
)
from ..tally.ranks import Ladder
from ..tally.sums import Table
from .added import SumsOf
from .binned import InBins
from .columns import Array
from .ends import Ends, Middle
from .fold import Engine, Fold
from .found import Occurs
from .gram import ProductsOfTerms
from .handed_out import ValuesHandedOut
from .ladders import ladders, stretches_of
from .newton import SumsForNewton
from .paths import PathOf
from .people import MeansOfRows, PeopleInCells, TotalsOfPeople, WeighedSums
from .resamples import EveryCode, replicates_of
from .scored import SumsOfScores
from .seen import Different
from .weighed import SumsOfWeighed

MANY = 2**62
_OF_PEOPLE = (PeopleCounts, PersonTotals, RowMeans, ValuesOfPeople)
_WEIGHED = (WeighedMeans, WeighedCounts, RatioSums, Pulls, Between)
_SCORED = (SignedSums, ScoreMoments, ScoreHistogram)
_SUMS = (Counts, Totals, Moments, Products)
_FINISHED = (Cumulative, Gram, NewtonSums, *_OF_PEOPLE, *_WEIGHED, *_SCORED, TopOfPath)
_ARRANGED = (*_SUMS, *_FINISHED)  # whose fold gives what they ask for


@dataclass
class Wanted:
    """A fold that will be asked for so many times, and what it found."""

    fold: Fold[Any, Any]
    times: int
    found: Any = None


class FoldedRows:
    """Rows of an engine. Folds of the tallies that will be asked for run together, and are kept until the last asks."""

    def __init__(self, engine: Engine, tallies: Iterable[Any] = ()) -> None:
        self._engine = engine
        counts = Counter(fold for tally in tallies for fold in _first_folds(tally))
        self._wanted = {fold: Wanted(fold, times) for fold, times in counts.items()}

    def fold(self, tally: Additive) -> Table:
        """The tally's exact integers, one row per cell, one column per coordinate."""
        if isinstance(tally, Resamples):
            return replicates_of(tally, self._run(EveryCode(tally.variables)))
        fold = _fold_of(tally)
        if isinstance(_inner(tally), Margin) and fold not in self._wanted:
            self._wanted[fold] = Wanted(fold, MANY)  # of whose table several margins are asked
        found: Table = self._run(fold)
        if isinstance(tally, Distinct) and isinstance(tally.item, Key):
            there = np.count_nonzero(found.reshape(tally.cells.size, tally.item.size - tally.item.other), axis=1)
            return tally.arrange(there.reshape(-1, 1))
        return found if isinstance(_inner(tally), _ARRANGED) else tally.arrange(found)

    def ladders(self, tally: Ranks, depth: int) -> list[Ladder]:
        """For each cell the rows near the wanted rank, in order."""
        return ladders(self._run, tally, depth)

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

    def occurring(self, tally: Occurring) -> Occurred:
        """The keys that occur, and how many rows there are in all."""
        found: Occurred = self._run(Occurs(tally))
        return found

    def _run(self, fold: Fold[Any, Any]) -> Any:
        wanted = self._wanted.get(fold)
        if wanted is None:
            return self._engine.run([fold])[0]
        if wanted.found is None:
            together = [each for each in self._wanted.values() if each.found is None]
            for each, found in zip(together, self._engine.run([each.fold for each in together]), strict=True):
                each.found = found
        wanted.times -= 1
        if not wanted.times:
            del self._wanted[fold]
        return wanted.found


def _inner(tally: Additive) -> Additive:
    """What is asked, whoever's rows it is asked of."""
    return tally.inner if isinstance(tally, OfPeople) else tally


def _fold_of(
    tally: Sums | Termed | Cumulative | Margin | Distinct | ByPerson | Weighed | Placed | Scored | TopOfPath,
) -> Fold[Any, Any]:
    if isinstance(tally, Cumulative):
        return InBins(tally)
    if isinstance(tally, NewtonSums):
        return SumsForNewton(tally)
    if isinstance(tally, Gram):
        return ProductsOfTerms(tally)
    if isinstance(tally, _SCORED):
        return SumsOfScores(tally)
    if isinstance(tally, TopOfPath):
        return PathOf(tally)
    if isinstance(tally, _WEIGHED):
        return SumsOfWeighed(tally)
    if isinstance(tally, OfPeople):
        inner = tally.inner.inner if isinstance(tally.inner, Margin) else tally.inner
        return WeighedSums(inner, tally.most)
    if isinstance(tally, PersonTotals):
        return TotalsOfPeople(tally)
    if isinstance(tally, ValuesOfPeople):
        return ValuesHandedOut(tally)
    if isinstance(tally, PeopleCounts):
        return PeopleInCells(tally)
    if isinstance(tally, RowMeans):
        return MeansOfRows(tally)
    if isinstance(tally, Margin):
        return SumsOf(tally.inner)
    if not isinstance(tally, Distinct):
        return SumsOf(tally)
    if isinstance(tally.item, Key):
        return SumsOf(Counts(Cells((*tally.cells.keys, replace(tally.item, other=False)))))
    return Different(tally.item, tally.cells)


def _first_folds(tally: object) -> Sequence[Fold[Any, Any]]:
    """What is certain to be asked for a tally, before anything is known."""
    if isinstance(tally, Ranks):
        return stretches_of(tally)
    if isinstance(tally, Candidates):
        return [_fold_of(tally.counts)]
    if isinstance(tally, Contest):
        return [_fold_of(total) for total in tally.totals]
    return [_fold_of(tally)] if isinstance(tally, (*_ARRANGED, Margin, Distinct, OfPeople)) else []
