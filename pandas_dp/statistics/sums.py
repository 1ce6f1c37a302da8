"""How much: the sum of a variable in each cell."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from math import inf
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..errors import UnsupportedArgument, UnsupportedType
from ..evidence import Amounts, Bootstrap, Noise
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Design, Moments, Resamples, Tally, Totals, Variable
from .estimator import Estimator, Worth, code_of, whole_numbers
from .offered import Columns, Statistic
from .population_sums import PopulationSum


@dataclass(frozen=True)
class Sum:
    """The sum of the values, clamped to their bounds."""

    variable: Variable
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "sum"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="sum", of=self.variable.to_json(), cells=self.cells.to_json())

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        if setting.size is not None:  # around the middle, a sum of public size is the sum that the moments hold
            moments = Moments(self.variable, self.cells)
            if moments in beside:
                return (moments,)
        return (Totals(self.variable, self.cells),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Amounts:
        (answer,) = answers
        grid, steps = self.variable.grid, answer.table[:, 0]
        noise = Noise(answer.laws[0], float(grid.step))
        if len(answer.laws) > 1:
            steps = (steps.astype(object) + grid.offset * (setting.size or 0)) / grid.factor
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

    def sampled(self, how: Bootstrap, setting: Setting) -> PopulationSum:
        if setting.size is None and setting.most is None:
            raise UnsupportedArgument(
                "sum takes bootstrap= where it is public how many rows the whole table has, which are what was "
                "sampled; ask for the mean instead.",
                argument="bootstrap",
            )
        return PopulationSum(self.variable, how, self.cells)

    def resamples(self, design: Design, replicates: int, size: int) -> Resamples:
        return Resamples(self.variable, "sum", design, replicates, size)

    def worth(self, tally: Resamples) -> Worth:
        grid, size = self.variable.grid, tally.size
        ends = float(grid.centre) * size, float(grid.lower) * size, float(grid.upper) * size
        return Worth(code_of(tally, self.variable) * size / tally.drawn, *ends)


def _sum(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    variable = columns.variable(column).for_sums
    if variable.interval.kind == "datetime":
        raise UnsupportedType(f"column {column!r} holds points in time, which have no sum.", column=column)
    return Sum(variable, cells)


SUM = Statistic("sum", Sum, _sum)
