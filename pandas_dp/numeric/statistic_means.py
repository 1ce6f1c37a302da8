"""Means, shares, variances, deviations and standard errors: what moments tell."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

from ..core.arguments import is_whole
from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, Cells, Variable
from ..core.measure.measurement import Measurement, Noisy
from ..core.measure.statistic import Columns, Estimator, Statistic
from ..core.neighbours import PublicFacts
from ..core.schema.values import ByFields, Interval, Kind
from ..errors import UnsupportedArgument, UnsupportedType, wrong_value
from .evidence_means import Bootstrap, Means, Proportions
from .evidence_moments import MomentSums
from .evidence_spreads import Powers, Spreads
from .measure import ROOT_SCALE, Design, Moments, MomentsTogether, Resamples
from .statistic_bootstrap import Worth, code_of


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


class OfMoments:
    """What the moments of one variable in each cell tell."""

    if TYPE_CHECKING:  # fields

        @property
        def variable(self) -> Variable: ...

        @property
        def cells(self) -> Cells: ...

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, public),)

    def sums(self, answers: tuple[Noisy, ...], public: PublicFacts) -> MomentSums:
        (answer,) = answers
        return in_units(moments(self.variable, self.cells, public), answer, public)


@dataclass(frozen=True)
class Mean(OfMoments, ByFields):
    """The mean of the clamped values."""

    variable: Variable
    cells: Cells = ONE_CELL
    bootstrap: Bootstrap | None = None
    statistic: ClassVar[str] = "mean"

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Means:
        return Means(self.sums(answers, public), bootstrap=self.bootstrap)

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
    kind: ClassVar[Kind] = "float"

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Proportions:
        return Proportions(self.sums(answers, public), bootstrap=self.bootstrap)


def true_or_false(column: Hashable, nullable: bool) -> Variable:
    """A column whose values are zeros and ones, whatever was declared of a column of that name."""
    return Variable(column, Interval(Fraction(0), Fraction(1), "integer", nullable))


def _share(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return Share(columns.condition(column), cells)


SHARE = Statistic("share", Share, _share, shows_error=True)


def length_of(variable: Variable) -> Kind:
    """The kind of a difference of two values: of points in time, a length of time."""
    return "timedelta" if variable.interval.kind == "datetime" else variable.interval.kind


@dataclass(frozen=True)
class Spread(OfMoments, ByFields):
    """The variance of the clamped values, or with `root` their standard deviation."""

    variable: Variable
    root: bool
    ddof: int = 1
    cells: Cells = ONE_CELL
    bootstrap: Bootstrap | None = None
    words: ClassVar = {"root": None}

    @property
    def statistic(self) -> str:
        return "std" if self.root else "var"

    @property
    def kind(self) -> Kind:
        return length_of(self.variable)

    def alone(self, measurement: Measurement) -> Measurement:
        """The measurement it would rather use, where nothing else uses it: less noise on the squares.

        Where there are two possible values, their squares are equal, and the sum says it all.
        """
        if not isinstance(measurement, Moments) or measurement.variable.grid.high - measurement.variable.grid.low == 1:
            return measurement
        return replace(measurement, spread=True)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Spreads:
        return Spreads(self.sums(answers, public), self.root, self.ddof, self.bootstrap)

    def sampled(self, how: Bootstrap, public: PublicFacts) -> Spread:
        if how.variance != "unbiased":
            raise UnsupportedArgument(
                f"the interval of a {self.statistic} for the population is an upper bound already; "
                "leave variance= out.",
                argument="variance",
            )
        return replace(self, bootstrap=how)

    def resamples(self, design: Design, replicates: int, size: int) -> Resamples:
        return Resamples(self.variable, "deviation" if self.root else "variance", design, replicates, size)

    def worth(self, measurement: Resamples) -> Worth:
        code, m = code_of(measurement, self.variable), measurement.drawn
        if self.root:
            return Worth(code / ROOT_SCALE / sqrt(m * (m - self.ddof)))
        return Worth(code**2 / (m * (m - self.ddof)))


def read_ddof(ddof: Any) -> int:
    if not is_whole(ddof) or ddof not in (0, 1):
        raise wrong_value("ddof", "be 0 or 1", ddof)
    return int(ddof)


def _spread(root: bool) -> Callable[..., Estimator]:
    def make(columns: Columns, column: Hashable, cells: Cells, ddof: Any = 1) -> Estimator:
        ddof = read_ddof(ddof)
        variable = columns.variable(column).for_sums
        if not root and variable.interval.kind in ("datetime", "timedelta"):
            raise UnsupportedType(
                f"column {column!r} holds times, whose variance has no unit in pandas; ask for std.", column=column
            )
        return Spread(variable, root, ddof, cells)

    return make


VAR = Statistic("var", Spread, _spread(root=False), shows_error=True)
STD = Statistic("std", Spread, _spread(root=True), shows_error=True)


@dataclass(frozen=True)
class StandardError(OfMoments, ByFields):
    """Of the clamped values; of points in time a length of time."""

    variable: Variable
    ddof: int = 1
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "sem"

    @property
    def kind(self) -> Kind:
        return length_of(self.variable)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Powers:
        return Powers("sem", self.sums(answers, public), spread=1.0, rows=-0.5, ddof=self.ddof)


def _sem(columns: Columns, column: Hashable, cells: Cells, ddof: Any = 1) -> Estimator:
    return StandardError(columns.variable(column).for_sums, read_ddof(ddof), cells)


SEM = Statistic("sem", StandardError, _sem)
