"""Which fold answers a measurement: each kind of measurement has one, and a few are told from a fold of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...comparisons.fold import PathOf
from ...comparisons.measure_contrasts import ScoreHistogram, ScoreMoments, SignedSums
from ...comparisons.measure_paths import TopOfPath
from ...models.fold import ProductsOfTerms, RowsBySize, SumsForNewton
from ...models.glm.measure_newton import NewtonSums, ResidualSizes
from ...models.measure import Gram
from ...numeric.bootstrap.fold import Different
from ...numeric.location.measure import Candidates, Pulls, Winsorised
from ...numeric.measure_distinct import Counts, Distinct, Totals
from ...numeric.measure_moments import ExactMoments, Moments, MomentsTogether
from ...numeric.measure_sums import RatioSums, RatioTotals
from ...people.fold import MeansOfRows, PeopleInCells, TotalsInCells, TotalsOfPeople, WeighedSums
from ...people.fold_models import SumsForNewtonOfPeople, ValuesHandedOut, WeighedProductsOfTerms
from ...people.measure import OfPeople, PeopleCounts, PeopleTotals, PersonTotals, RowMeans, ValuesOfPeople
from ...people.measure_newton_of_people import NewtonSumsOfPeople
from ...quantiles.fold_ranks import InBins, WeighedInBins, stretches_of
from ...quantiles.measure_cumulative import Cumulative, CumulativeInCells
from ...quantiles.measure_ranks import Ranks
from ...surveys.measure import WeighedCounts, WeighedMeans, WeighedTotals, WeightTotals
from ...synthetic.fold import CountsOfTables
from ...synthetic.measure import Distances, SomeTables, TableRace
from ...tables.measure import EffectTable, MarginOf, RunTable
from ...tools.measure import Contest
from ..measure.cells import Cells, Key
from .added import SumsOf, SumsOfNumbers
from .fold import Fold

FINISHED: Mapping[type, Callable[[Any], Fold[Any, Any]]] = {
    Counts: SumsOf,
    Cumulative: InBins,
    CumulativeInCells: InBins,
    ExactMoments: SumsOf,
    Gram: ProductsOfTerms,
    Moments: SumsOf,
    MomentsTogether: SumsOf,
    NewtonSums: SumsForNewton,
    NewtonSumsOfPeople: SumsForNewtonOfPeople,
    ResidualSizes: RowsBySize,
    PeopleCounts: PeopleInCells,
    PeopleTotals: TotalsInCells,
    PersonTotals: TotalsOfPeople,
    Pulls: SumsOfNumbers.weighed,
    RatioSums: SumsOfNumbers.weighed,
    RatioTotals: SumsOfNumbers.weighed,
    RowMeans: MeansOfRows,
    ScoreHistogram: SumsOfNumbers.scored,
    ScoreMoments: SumsOfNumbers.scored,
    SignedSums: SumsOfNumbers.scored,
    TopOfPath: PathOf,
    Totals: SumsOf,
    ValuesOfPeople: ValuesHandedOut,
    WeighedCounts: SumsOfNumbers.weighed,
    WeighedMeans: SumsOfNumbers.weighed,
    WeighedTotals: SumsOfNumbers.weighed,
    WeightTotals: SumsOfNumbers.weighed,
    Winsorised: SumsOfNumbers.weighed,
}
"""Kinds whose fold gives what they ask for."""


def of_margin(measurement: MarginOf | EffectTable | RunTable) -> Fold[Any, Any]:
    """Of the whole table, of which several margins may be asked."""
    return SumsOf(measurement.inner)


def of_people(measurement: OfPeople) -> Fold[Any, Any]:
    inner = measurement.inner.inner if isinstance(measurement.inner, MarginOf) else measurement.inner
    if isinstance(inner, Gram):
        return WeighedProductsOfTerms(inner, measurement.most)
    if isinstance(inner, Cumulative | CumulativeInCells):
        return WeighedInBins(inner, measurement.most)
    return WeighedSums(inner, measurement.most)


def of_distinct(measurement: Distinct) -> Fold[Any, Any]:
    """Declared categories are counted; of numbers it is marked which occur."""
    if isinstance(measurement.item, Key):
        return SumsOf(Counts(Cells((*measurement.cells.keys, replace(measurement.item, other=False)))))
    return Different(measurement.item, measurement.cells)


FOLDS: Mapping[type, Callable[[Any], Fold[Any, Any]]] = {
    **FINISHED,
    Distances: lambda measurement: CountsOfTables(measurement.counted),
    SomeTables: lambda measurement: CountsOfTables(measurement.counted),
    TableRace: lambda measurement: CountsOfTables(measurement.distances.counted),
    Distinct: of_distinct,
    EffectTable: of_margin,
    MarginOf: of_margin,
    OfPeople: of_people,
    RunTable: of_margin,
}


def fold_of(measurement: object) -> Fold[Any, Any]:
    return FOLDS[type(measurement)](measurement)


def first_folds(measurement: object, fine: bool = False) -> Sequence[Fold[Any, Any]]:
    """What is certain to be asked for a measurement, before anything is known."""
    if isinstance(measurement, Ranks):
        return stretches_of(measurement, fine)
    if isinstance(measurement, Candidates):
        return [fold_of(measurement.counts)]
    if isinstance(measurement, Contest):
        return [fold_of(total) for total in measurement.totals]
    return [fold_of(measurement)] if type(measurement) in FOLDS else []


def is_finished(measurement: object) -> bool:
    """Whether its fold gives what it asks for, whoever's rows it is asked of."""
    return type(measurement.inner if isinstance(measurement, OfPeople) else measurement) in FINISHED
