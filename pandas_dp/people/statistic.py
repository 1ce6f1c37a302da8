"""Statistics over rows of people, with errors clustered by person at no cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.evidence.noise import Noise
from ..core.measure.cells import GRAIN, ONE_CELL, ByNorm, Cells, Norm, Presence, Variable
from ..core.measure.measurement import Measurement, Noisy
from ..core.measure.statistic import Around, Estimator, not_offered
from ..core.neighbours import PerPerson, PublicFacts
from ..core.noise.mechanism import Law, whole_numbers
from ..core.schema.values import ByFields, Kind
from ..errors import UnsupportedArgument
from ..models.statistic import GeneralizedFit, GramTable, LeastSquaresFit, PairTable, TwoStageLeastSquares
from ..numeric.evidence_sums import Amounts
from ..numeric.measure import Moments
from ..numeric.statistic_means import Mean, Share
from ..numeric.statistic_sums import Count, NumberOfValues, Sum
from ..quantiles.statistic import Quantile, QuantileRange
from ..quantiles.statistic_ranked_values import RankedDistance, RankedValue
from ..tables.evidence import Tables
from ..tables.statistic import Margins, TableOfMargins
from .evidence import RowMean, RowSums
from .measure import PeopleCounts, PeopleTotals, PersonTotals, RowMeans, ValuesOfPeople, Weighted

__all__ = [
    "People",
    "of_people",
]


@dataclass(frozen=True)
class MeanOfRows(ByFields):
    """The mean of the clamped values over rows, where the rows of a person weigh as `most` rows at most."""

    variable: Variable
    most: int
    cells: Cells = ONE_CELL
    statistic: str = "mean"

    @property
    def kind(self) -> Kind:
        return "float" if self.statistic == "share" else self.variable.interval.kind

    @property
    def measurement(self) -> RowMeans:
        return RowMeans(self.variable, self.cells, self.most)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[RowMeans, ...]:
        return (self.measurement,)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> RowMean:
        (answer,) = answers
        return RowMean(self.statistic, row_sums(self.measurement, answer, public.people))


def row_sums(measurement: RowMeans, answer: Noisy, people: int | None) -> RowSums:
    """The sums of a measurement in units in which a person counts at most 1."""
    grid, scale = measurement.variable.grid, measurement.scale
    half = float(grid.code_step) * measurement.coarse * measurement.width / 2
    count, total = ((answer.table[:, at] / scale).astype(float) for at in (0, 1))
    both, upper, lower = ((answer.table[:, at] / scale**2).astype(float) for at in (2, 3, 4))
    noises = [Noise(law, 1 / unit) for law, unit in zip(answer.laws, (scale, scale, scale**2), strict=False)]
    sums = (count, total, both, upper, lower)
    return RowSums(float(grid.lower) + half, half, *sums, noises[0], noises[1], noises[2], people)


OverPeople = (
    GeneralizedFit | GramTable | LeastSquaresFit | PairTable | RankedDistance | RankedValue | TwoStageLeastSquares
)
"""Questions that say themselves what they are over rows of people."""


@dataclass(frozen=True)
class OverRows(Around):
    """What is asked where the rows of a person weigh as `most` rows at most, so that counts and sums are multiples of
    1/GRAIN."""

    inner: Any  # a Count or a Sum
    most: int

    @property
    def kind(self) -> Kind:
        return _in_parts(self.inner.kind)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Weighted, ...]:
        return tuple(Weighted(each, self.most) for each in self.inner.measurements(_private(public), ()))

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Any:
        (answer,) = answers
        step, lower, upper = 1.0, 0.0, np.inf
        if isinstance(self.inner, Sum):
            step, (lower, upper) = float(self.inner.variable.grid.step), self.inner.possible
        values = (answer.table[:, 0] / GRAIN).astype(float) * step
        noise = Noise(answer.laws[0], step / GRAIN)
        return Amounts(self.statistic, values, noise, lower, upper, independent="people")


@dataclass(frozen=True)
class TableOverRows(OverRows):
    """A table with planned margins, as well."""

    inner: TableOfMargins
    most: int

    def decided(self, public: PublicFacts, norm: Norm) -> TableOverRows:
        return replace(self, inner=self.inner.decided(_private(public), norm))

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return self.inner.shares(_private(public))

    def spends(self, parts: Sequence[Fraction], public: PublicFacts) -> Fraction:
        return self.inner.spends(parts, _private(public))

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Tables:
        return replace(self.inner.scaled(answers, GRAIN), independent="people")

    def outlook(self, laws: Sequence[Law]) -> Tables:
        return self.inner.outlook(laws, GRAIN)


@dataclass(frozen=True)
class People(ByNorm):
    """The number of people with a row in each cell, where each counts in so many cells at most."""

    cells: Cells
    most: int
    variable: Variable | Presence | None = None
    norm: Norm | None = None  # of the noise that will be used; not decided before it is known
    statistic: str = "count"
    is_of_people: ClassVar[bool] = True

    @property
    def kind(self) -> Kind:
        return "integer" if self._whole else "float"

    @property
    def _whole(self) -> bool:
        return self.cells.size <= self.most

    def to_json(self) -> dict[str, Any]:
        asked = Count(self.cells, self.variable).to_json()
        return {**asked, "count": "people", "max_cells": self.most}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[PeopleCounts, ...]:
        return (PeopleCounts(self.cells, self.most, self.norm or 1, (self.variable,) if self.variable else ()),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Amounts:
        (answer,) = answers
        values, step = whole_numbers(answer.table[:, 0]), 1.0
        if not self._whole:
            values, step = (answer.table[:, 0] / GRAIN).astype(float), 1 / GRAIN
        apart: Literal["rows", "people"] = "rows" if self.cells.size == 1 else "people"
        return Amounts(self.statistic, values, Noise(answer.laws[0], step), lower=0.0, independent=apart)


@dataclass(frozen=True)
class SumOfPeople(ByNorm):
    """The sum of each person's rows, clamped to its ends, added up; in groups that of each cell, in so many cells."""

    inner: Sum
    ends: tuple[Fraction, Fraction]
    most: int = 1
    norm: Norm | None = None  # of the noise that will be used; not decided before it is known
    statistic: str = "sum"

    @property
    def kind(self) -> Kind:
        return _in_parts(self.inner.kind) if self.cells.keys else self.inner.kind

    @property
    def cells(self) -> Cells:
        return self.inner.cells

    @property
    def variable(self) -> Variable:
        return self.inner.variable

    def to_json(self) -> dict[str, Any]:
        most = {"max_cells": self.most} if self.cells.keys else {}
        return {**self.inner.to_json(), "per_person": [str(end) for end in self.ends], **most}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement, ...]:
        low, high = (round(end / self.variable.grid.step) for end in self.ends)
        if not self.cells.keys:
            return (PersonTotals(self.variable, low, high),)
        return (PeopleTotals(self.cells, self.most, self.norm or 1, (self.variable,), low, high),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Amounts:
        low, high = ((0.0 if self.ends[0] >= 0 else -np.inf), (0.0 if self.ends[1] <= 0 else np.inf))
        if not self.cells.keys:
            return replace(self.inner.conclude(answers, public), lower=low, upper=high)
        (answer,) = answers
        step = float(self.variable.grid.step) / (1 if self.cells.size <= self.most else GRAIN)
        values, noise = answer.table[:, 0].astype(float) * step, Noise(answer.laws[0], step)
        return Amounts(self.statistic, values, noise, low, high, independent="people")


@dataclass(frozen=True)
class NumberOfPeoplesValues(Around):
    """How many different values occur, of which one person can stand for so many at most."""

    inner: NumberOfValues
    most: int
    words: ClassVar = {"most": "max_values"}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[ValuesOfPeople, ...]:
        item = self.inner.item
        return (ValuesOfPeople(_present(item) if isinstance(item, Variable) else item, self.most),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Amounts:
        return self.inner.conclude(answers, public)


def _in_parts(kind: Kind) -> Kind:
    """Of numbers that were whole before rows weighed less than one."""
    return "float" if kind == "integer" else kind


def _private(public: PublicFacts) -> PublicFacts:
    """The number of rows of people is never public."""
    return (
        replace(public, adjacency=public.adjacency.with_absence(), size=None, most=None)
        if public.adjacency.swap
        else public
    )


def of_people(estimator: Estimator, how: PerPerson, statistic: str, unit: str | None = None) -> Estimator:
    """The same question over rows of people; refused where there is none yet."""
    if how.total is not None:
        return _clamping_people(estimator, how.total, how.cells)
    if how.cells is not None:
        return _counting_people(estimator, how.cells, statistic)
    if how.values is not None:
        return _handing_out(estimator, how.values)
    most = how.rows
    assert most is not None
    if isinstance(estimator, Mean) and estimator.bootstrap is None:
        name = "share" if isinstance(estimator, Share) else "mean"
        return MeanOfRows(_present(estimator.variable), most, estimator.cells, name)
    if isinstance(estimator, Count | Sum):
        return OverRows(_over(estimator), most)
    if isinstance(estimator, Margins):
        return replace(estimator, inner=OverRows(_over(estimator.inner), most))
    if isinstance(estimator, TableOfMargins) and isinstance(estimator.inner, Count | Sum):
        return TableOverRows(replace(estimator, inner=_over(estimator.inner)), most)
    if isinstance(estimator, Quantile | QuantileRange):
        return replace(estimator, variable=_present(estimator.variable), most=most)
    if isinstance(estimator, OverPeople):
        return estimator.over_rows(most)
    if isinstance(estimator, NumberOfValues):
        raise UnsupportedArgument(
            "nunique counts values, not rows: say how many different values of one person count, max_values=5.",
            argument="max_rows",
        )
    raise not_offered("rows of people", statistic, unit=unit)


def _over(estimator: Any) -> Any:
    """A row without a value does not count, whatever was declared (the number of rows is private anyway)."""
    variable = estimator.variable
    return estimator if variable is None else replace(estimator, variable=_present(variable))


def _present(variable: Any) -> Any:
    if isinstance(variable, Presence):
        return replace(variable, nullable=True)
    return replace(variable, interval=replace(variable.interval, nullable=True))


def _counting_people(estimator: Estimator, most: int, statistic: str) -> People:
    if not isinstance(estimator, Count):
        raise UnsupportedArgument(
            f"{statistic} does not count rows cell by cell, so count='people' has no effect here; leave it out, with "
            "max_cells=, or ask for value_counts, crosstab or groupby(...).size().",
            argument="count",
        )
    over = _over(estimator)
    return People(over.cells, most, over.variable)


def _clamping_people(estimator: Estimator, ends: tuple[Fraction, Fraction], most: int | None) -> SumOfPeople:
    if not isinstance(estimator, Sum):
        raise UnsupportedArgument(
            "per_person= clamps the sum of all rows of a person: it belongs to sum(); elsewhere say how many rows "
            "count, max_rows=.",
            argument="per_person",
        )
    if bool(estimator.cells.keys) != (most is not None):
        raise UnsupportedArgument(
            "per_person= clamps what the rows of a person add up to, in groups in each cell of theirs: there, and only "
            "there, say in how many cells a person counts in full, e.g. max_cells=3.",
            argument="max_cells",
        )
    if estimator.kind not in ("float", "integer"):
        raise UnsupportedArgument(
            "per_person= clamps numbers; of lengths of time make numbers first, e.g. by .dt.total_seconds().",
            argument="per_person",
        )
    return SumOfPeople(_over(estimator), ends, most or 1)


def _handing_out(estimator: Estimator, most: int) -> NumberOfPeoplesValues:
    if not isinstance(estimator, NumberOfValues) or estimator.cells.keys:
        raise UnsupportedArgument(
            "max_values= says how many different values of one person count: it belongs to nunique() without keys, as "
            "who is in several groups cannot weigh less in each; in groups ask for count='people' or max_rows= and "
            "count.",
            argument="max_values",
        )
    return NumberOfPeoplesValues(estimator, most)
