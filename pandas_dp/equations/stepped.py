"""Coefficients of a regression by steps, in the units of its columns."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..dataclass import dataclass
from .design import Design
from .moment_matrix import Column, Floats
from .moment_units import unit_map
from .score_steps import ScoreSteps
from .solution import Solution, Tested


@dataclass(frozen=True, eq=False)
class Stepped:
    """Coefficients of a design in the units of its columns."""

    columns: tuple[Column, ...]
    design: Design
    problem: ScoreSteps

    @cached_property
    def solution(self) -> Solution:
        return Solution(self.problem)

    @cached_property
    def units(self) -> Floats:
        """Coefficients, as rows over those in half-ranges."""
        at = self.design.places
        return np.asarray(np.linalg.inv(unit_map(self.columns)[np.ix_(at, at)].T))

    @property
    def coef(self) -> Floats:
        return np.asarray(self.units @ self.solution.estimate)

    def std_error(self, contrasts: Floats | None = None) -> Floats:
        """Of the coefficients, or of combinations of them."""
        return self.solution.std_error(self._contrasts(contrasts))

    def sets(self, level: float, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """Intervals for the coefficients, or for combinations of them, each by itself."""
        return self.solution.sets(self._contrasts(contrasts), level)

    def tested(self, values: Floats, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """How badly the equations fit where coefficients, or combinations, have these values, and the p values."""
        return self.solution.statistics(self._contrasts(contrasts), values)

    def restricted(self, rows: Floats, values: Floats) -> Tested:
        """The hypothesis that combinations of the coefficients have these values, all together."""
        return self.solution.restricted(self._contrasts(rows), values)

    def _contrasts(self, contrasts: Floats | None) -> Floats:
        return self.units if contrasts is None else np.asarray(contrasts @ self.units)
