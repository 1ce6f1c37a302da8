"""Means of several columns of the same rows, told from one count."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, Cells, Variable
from ..core.measure.measurement import Noisy
from ..core.measure.statistic import Columns, Estimator, Statistic
from ..core.neighbours import PublicFacts
from ..core.schema.categories import said
from ..core.schema.interval import Interval, Kind
from ..dataclass import dataclass
from .bootstrap.evidence import Bootstrap
from .bootstrap.measure import Design, Resamples
from .bootstrap.statistic import Worth, code_of
from .evidence_means import Means, Proportions
from .evidence_moments import MomentSums
from .measure_moments import Moments, MomentsTogether


def moments(variable: Variable, cells: Cells, public: PublicFacts) -> Moments:
    """The measurement behind mean, var and std; it counts the rows wherever their number is private."""
    return Moments(variable, cells, counted=not public.counts_public(cells, [variable]))


def in_units(measurement: Moments, answer: Noisy, public: PublicFacts) -> MomentSums:
    """Codes times what a code is worth."""
    grid, step = measurement.variable.grid, float(measurement.variable.grid.code_step)
    square = step**2 * 2 ** measurement.shifts[2]
    table, laws = answer.table.astype(float), answer.laws
    count, count_noise = None, None
    if measurement.counted:
        count, count_noise = table[:, 0], Noise(laws[0])
    return MomentSums(
        centre=float(grid.centre),
        half=step * grid.half,
        total=table[:, -2] * step,
        squares=table[:, -1] * square,
        total_noise=Noise(laws[-2], step),
        squares_noise=Noise(laws[-1], square),
        size=public.size if count is None else None,
        count=count,
        count_noise=count_noise,
    )


@dataclass(frozen=True)
class Mean:
    """The mean of the clamped values."""

    variable: Variable
    cells: Cells = ONE_CELL
    bootstrap: Bootstrap | None = None
    statistic: ClassVar[str] = "mean"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        bootstrap = self.bootstrap and self.bootstrap.to_json()
        return said(statistic="mean", of=self.variable.to_json(), cells=self.cells.to_json(), bootstrap=bootstrap)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, public),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Means:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, public), answer, public)
        return Means(sums, bootstrap=self.bootstrap)

    def sampled(self, how: Bootstrap, public: PublicFacts) -> Mean:
        return replace(self, bootstrap=how)

    def resamples(self, design: Design, replicates: int, size: int) -> Resamples:
        return Resamples(self.variable, "sum", design, replicates, size)

    def worth(self, measurement: Resamples) -> Worth:
        grid = self.variable.grid
        ends = float(grid.centre), float(grid.lower), float(grid.upper)
        return Worth(code_of(measurement, self.variable) / measurement.drawn, *ends)


def _mean(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Mean(columns.variable(column).for_sums, cells)


MEAN = Statistic("mean", Mean, _mean, shows_error=True)


@dataclass(frozen=True)
class MeanBeside(Mean):
    """The mean of one of several variables, each of which has a value in every row."""

    together: tuple[Variable, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "together": [each.to_json() for each in self.together]}

    @property
    def measurement(self) -> MomentsTogether:
        return MomentsTogether(self.together, self.cells)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Any, ...]:
        return (self.measurement,)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Means:
        (answer,) = answers
        mine = self.measurement.of(self.variable)
        own = Noisy(answer.table[:, mine], tuple(answer.laws[at] for at in mine))
        return Means(in_units(Moments(self.variable, self.cells, counted=True), own, public), self.bootstrap)


@dataclass(frozen=True)
class Share(Mean):
    """The mean of true and false, as one and zero.

    Which values count is public, a value at a time: a number above one half is true, any other is false; what is no
    number is missing, and missing values are dropped where the column may have them, and count one half where not.
    """

    statistic: ClassVar[str] = "share"

    @property
    def kind(self) -> Kind:
        return "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        bootstrap = self.bootstrap and self.bootstrap.to_json()
        return said(statistic="share", of=self.variable.to_json(), cells=self.cells.to_json(), bootstrap=bootstrap)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Proportions:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, public), answer, public)
        return Proportions(sums, bootstrap=self.bootstrap)


def true_or_false(column: Hashable, nullable: bool) -> Variable:
    """A column whose values are zeros and ones, whatever was declared of a column of that name."""
    return Variable(column, Interval(Fraction(0), Fraction(1), "integer", nullable))


def _share(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Share(columns.condition(column), cells)


SHARE = Statistic("share", Share, _share, shows_error=True)
