"""Sums, counts and ratios of sums in each cell."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, sqrt
from typing import Any, ClassVar

import numpy as np

from ..core.evidence.noise import Noise, added
from ..core.measure.cells import ONE_CELL, Cells, Key, Presence, SharesAddUp, Variable
from ..core.measure.measurement import Measurement, Noisy
from ..core.measure.statistic import Columns, Estimator, Statistic
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import whole_numbers
from ..core.schema.values import ByFields, Kind, said
from ..errors import UnsupportedArgument, UnsupportedType
from ..surveys.evidence_strata import RatioStrata
from ..surveys.statistic import Survey
from .evidence_means import Bootstrap, Means
from .evidence_moments import MomentSums
from .evidence_ratios import Ratios
from .evidence_sums import Amounts
from .measure import Counts, Design, Distinct, Moments, Resamples, Totals
from .measure_ratios import RatioSums, RatioTotals
from .statistic_bootstrap import Worth, code_of
from .statistic_means import OfMoments


@dataclass(frozen=True)
class PopulationSum(OfMoments, ByFields):
    """The sum in each cell, of so many rows of the population as the whole table has.

    Where rows are left out, or lack a value, they count as 0 (docs/proofs/numeric/bootstrap.md).
    """

    variable: Variable
    bootstrap: Bootstrap
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "sum"

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Means:
        sums = self.sums(answers, public)
        rows = public.most if public.size is None else public.size
        if sums.count is not None:
            grid = self.variable.grid
            sums = _of_all_rows(sums, (float(grid.lower), float(grid.upper)), rows or 0)
        return Means(sums, self.bootstrap, rows or 0)


def _of_all_rows(sums: MomentSums, ends: tuple[float, float], rows: int) -> MomentSums:
    """The sums over that many rows, those that are not counted here having the value 0.

    The noise of the count is in both sums. That of the squares is taken as wide as the spread would have it if both
    sums erred to the same side.
    """
    assert sums.count is not None
    assert sums.count_noise is not None
    low, high = min(ends[0], 0.0), max(ends[1], 0.0)
    middle, half = (low + high) / 2, (high - low) / 2
    away = sums.centre - middle  # from a code of zero to the middle of what a row can add
    of_count = sums.half**2 + away**2 - middle**2
    weights = _as_wide(of_count, half * sums.centre), _as_wide(2 * away, half)
    return MomentSums(
        centre=middle,
        half=half,
        total=sums.total + sums.centre * sums.count - middle * rows,
        squares=of_count * sums.count + 2 * away * sums.total - sums.squares + middle**2 * rows,
        total_noise=added([(sums.total_noise, 1.0, 1), (sums.count_noise, sums.centre, 1)]),
        squares_noise=added(
            [(sums.squares_noise, 1.0, 1), (sums.total_noise, weights[1], 1), (sums.count_noise, weights[0], 1)]
        ),
        size=rows,
    )


def _as_wide(weight: float, mean: float) -> float:
    """For a noise that weighs so much in the squares: as much as makes up for twice the mean times it in the sum."""
    return sqrt(weight**2 + 4 * abs(weight * mean))


@dataclass(frozen=True)
class Sum(ByFields):
    """The sum of the values, clamped to their bounds."""

    variable: Variable
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "sum"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement, ...]:
        if public.size is not None:  # around the middle, a sum of public size is the sum that the moments hold
            moments = Moments(self.variable, self.cells)
            if moments in beside:
                return (moments,)
        return (Totals(self.variable, self.cells),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Amounts:
        (answer,) = answers
        grid, steps = self.variable.grid, answer.table[:, 0]
        noise = Noise(answer.laws[0], float(grid.step))
        if len(answer.laws) > 1:
            steps = (steps.astype(object) + grid.offset * (public.size or 0)) / grid.factor
            noise = Noise(answer.laws[0], float(grid.code_step))
        if self.kind == "float" or (grid.factor == 2 and len(answer.laws) > 1):
            return Amounts("sum", steps.astype(float) * float(grid.step), noise, *self.possible, bounds=self._bounds)
        whole = whole_numbers(steps.astype(object) * int(grid.step))
        return Amounts("sum", np.asarray(whole), noise, *self.possible, bounds=self._bounds)

    @property
    def _bounds(self) -> tuple[float, float]:
        return float(self.variable.grid.lower), float(self.variable.grid.upper)

    @property
    def possible(self) -> tuple[float, float]:
        """Below and above which no sum of values within the bounds lies, of however many rows."""
        grid = self.variable.grid
        return (0.0 if grid.lower >= 0 else -inf), (0.0 if grid.upper <= 0 else inf)

    def sampled(self, how: Bootstrap, public: PublicFacts) -> PopulationSum:
        if public.size is None and public.most is None:
            raise UnsupportedArgument(
                "sum takes bootstrap= where it is public how many rows the whole table has, which are what was "
                "sampled; ask for the mean instead.",
                argument="bootstrap",
            )
        return PopulationSum(self.variable, how, self.cells)

    def resamples(self, design: Design, replicates: int, size: int) -> Resamples:
        return Resamples(self.variable, "sum", design, replicates, size)

    def worth(self, measurement: Resamples) -> Worth:
        grid, size = self.variable.grid, measurement.size
        ends = float(grid.centre) * size, float(grid.lower) * size, float(grid.upper) * size
        return Worth(code_of(measurement, self.variable) * size / measurement.drawn, *ends)


def _sum(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    variable = columns.variable(column).for_sums
    if variable.interval.kind == "datetime":
        raise UnsupportedType(f"column {column!r} holds points in time, which have no sum.", column=column)
    return Sum(variable, cells)


SUM = Statistic("sum", Sum, _sum)


@dataclass(frozen=True)
class NumberOfValues(ByFields):
    """The declared categories, or the grid points of a range, that occur in each cell."""

    item: Key | Variable
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "nunique"
    kind: ClassVar[Kind] = "integer"
    words: ClassVar = {"item": "of"}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Distinct, ...]:
        return (Distinct(self.item, self.cells),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Amounts:
        (answer,) = answers
        grid = None if isinstance(self.item, Key) else self.item.grid
        most = self.item.size if grid is None else grid.points  # type: ignore[union-attr]
        return Amounts("nunique", whole_numbers(answer.table[:, 0]), Noise(answer.laws[0]), lower=0.0, upper=most)


def _nunique(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    item = columns.key(column) if columns.domain.is_listed(column) else columns.variable(column)
    return NumberOfValues(item, cells)


NUNIQUE = Statistic("nunique", NumberOfValues, _nunique, sorts_by=("categories",))


@dataclass(frozen=True)
class Count(ByFields):
    """The rows in each cell; where `variable` is given and may be missing, those that have it."""

    cells: Cells = ONE_CELL
    variable: Variable | Presence | None = None
    truncated: bool = False  # to within one of the truth, under individual DP only
    statistic: ClassVar[str] = "count"
    kind: ClassVar[Kind] = "integer"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Counts | Moments, ...]:
        if public.counts_public(self.cells, self.present):
            return ()
        shared = next((moments for moments in beside if self._counts_the_same(moments)), None)
        return (shared or Counts(self.cells, self.present),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Amounts:
        if not answers:
            return Amounts("count", np.array([public.size], dtype=np.int64), None, lower=0.0)
        (answer,) = answers
        return Amounts("count", whole_numbers(answer.table[:, 0]), Noise(answer.laws[0]), lower=0.0)

    @property
    def present(self) -> tuple[Variable | Presence, ...]:
        """What a row must have a value in to be counted."""
        return (self.variable,) if self.variable and self.variable.nullable else ()

    def _counts_the_same(self, moments: Moments) -> bool:
        present = (moments.variable,) if moments.variable.nullable else ()
        return moments.counted and moments.cells == self.cells and present == self.present


def _count(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Count(cells, columns.presence(column))


def _size(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Count(cells)


COUNT = Statistic("count", Count, _count)
SIZE = Statistic("size", Count, _size, counts_keys=True)
ESTIMATE = Fraction(9, 10)  # of the cost, where strata are measured beside: they may say no more than without them


@dataclass(frozen=True)
class Ratio(SharesAddUp):
    """Σwy/Σwx in each cell, over rows that have both values and a weight."""

    above: Variable
    below: Variable
    survey: Survey
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "ratio"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        return said(statistic="ratio", of=(self.above, self.below), cells=self.cells, survey=self.survey)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[RatioSums, ...]:
        whole, clusters = self._of(RatioSums, self.cells), self.survey.clusters
        if clusters is not None:
            return whole, self._of(RatioTotals, Cells((*self.cells.keys, clusters)))
        strata = self.survey.strata
        return (whole,) if strata is None else (whole, self._of(RatioSums, Cells((*self.cells.keys, strata))))

    def _of(self, measurement: type[RatioSums], cells: Cells) -> RatioSums:
        return measurement.of(self.above, self.below, self.survey.weight, cells)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        """Clusters tell the error at half of the cost, strata at a tenth."""
        if self.survey.clusters is not None:
            return self.survey.shares
        return (Fraction(1),) if self.survey.strata is None else (ESTIMATE, 1 - ESTIMATE)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Ratios:
        answer, measurement = answers[0], self.measurements(public, ())[0]
        survey = self.survey
        population = survey.population if isinstance(survey.population, float) else None
        positive = all(variable.grid.low >= 0 for variable in (self.above, self.below))
        above, below = measurement.scaled
        return Ratios(
            *self._in_units(measurement, answer),
            (above.worth, below.worth),
            (float(above.middle), float(below.middle)),
            (float(above.half), float(below.half)),
            public.most,
            population,
            0.0 if positive else -inf,
            clusters=None if survey.clusters is None else survey.clustered(answers[1]),
            strata=None if survey.strata is None else self._strata(measurement, answers[1], public),
        )

    def _in_units(self, measurement: RatioSums, answer: Noisy) -> tuple[Any, tuple[Noise, ...]]:
        """The six sums of codes and of their products."""
        worth = [2.0**shift for shift in measurement.shifts]
        return (answer.table.astype(float) * worth).T, tuple(map(Noise, answer.laws, worth))

    def _strata(self, measurement: RatioSums, answer: Noisy, public: PublicFacts) -> RatioStrata:
        survey = self.survey
        assert survey.strata is not None
        partial = public.size is None or bool(self.cells.keys) or self.above.nullable or self.below.nullable
        in_units = self._in_units(measurement, answer)
        return RatioStrata(*in_units, survey.strata.size, survey.sizes, survey.populations, survey.lonely, partial)
