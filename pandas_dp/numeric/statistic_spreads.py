"""The standard error of a mean as pandas has it: the deviation of the rows over the root of their number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import replace
from math import sqrt
from typing import Any, ClassVar

from ..core.measure.cells import ONE_CELL, Cells, Variable
from ..core.measure.measurement import Measurement, Noisy
from ..core.measure.statistic import Columns, Estimator, Statistic
from ..core.neighbours import PublicFacts
from ..core.reading import is_whole
from ..core.schema.categories import said
from ..core.schema.interval import Kind
from ..dataclass import dataclass
from ..errors import UnsupportedArgument, UnsupportedType, wrong_value
from .bootstrap.evidence import Bootstrap
from .bootstrap.measure import ROOT_SCALE, Design, Resamples
from .bootstrap.statistic import Worth, code_of
from .evidence_spreads import Powers, Spreads
from .measure_moments import Moments
from .statistic_means import in_units, moments


@dataclass(frozen=True)
class Spread:
    """The variance of the clamped values, or with `root` their standard deviation."""

    variable: Variable
    root: bool
    ddof: int = 1
    cells: Cells = ONE_CELL
    bootstrap: Bootstrap | None = None

    @property
    def statistic(self) -> str:
        return "std" if self.root else "var"

    @property
    def kind(self) -> Kind:
        """Of points in time, a length of time."""
        kind = self.variable.interval.kind
        return "timedelta" if kind == "datetime" else kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic,
            of=self.variable.to_json(),
            ddof=self.ddof,
            cells=self.cells.to_json(),
            bootstrap=self.bootstrap and self.bootstrap.to_json(),
        )

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, public),)

    def alone(self, measurement: Measurement) -> Measurement:
        """The measurement it would rather use, where nothing else uses it: less noise on the squares.

        Where there are two possible values, their squares are equal, and the sum says it all.
        """
        if not isinstance(measurement, Moments) or measurement.variable.grid.high - measurement.variable.grid.low == 1:
            return measurement
        return replace(measurement, spread=True)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Spreads:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, public), answer, public)
        return Spreads(sums, self.root, self.ddof, self.bootstrap)

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
class StandardError:
    """Of the clamped values; of points in time a length of time."""

    variable: Variable
    ddof: int = 1
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "sem"

    @property
    def kind(self) -> Kind:
        kind = self.variable.interval.kind
        return "timedelta" if kind == "datetime" else kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="sem", of=self.variable.to_json(), ddof=self.ddof, cells=self.cells.to_json())

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, public),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Powers:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, public), answer, public)
        return Powers("sem", sums, spread=1.0, rows=-0.5, ddof=self.ddof)


def _sem(columns: Columns, column: Hashable, cells: Cells, ddof: Any = 1) -> Estimator:
    return StandardError(columns.variable(column).for_sums, read_ddof(ddof), cells)


SEM = Statistic("sem", StandardError, _sem)
