"""A regression as columns of a moment matrix: which is explained, by which, and the names of the coefficients."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..dataclass import dataclass
from .least_squares import LeastSquares
from .moment_matrix import Floats, MomentMatrix
from .moment_units import unit_map
from .solution import Solution, Tested


@dataclass(frozen=True)
class Block:
    """A term: its columns, none of the reference level, and what their coefficients are called."""

    name: str
    places: tuple[int, ...]
    names: tuple[str, ...]
    endogenous: bool = False  # instruments are used in its place


@dataclass(frozen=True)
class Design:
    """What explains which column of a moment matrix; the constant, where it is a term, is the first."""

    response: int
    blocks: tuple[Block, ...]
    instruments: tuple[int, ...] = ()  # beyond the blocks that need none
    formula: str = ""

    @cached_property
    def places(self) -> list[int]:
        return [place for block in self.blocks for place in block.places]

    @cached_property
    def names(self) -> list[str]:
        return [name for block in self.blocks for name in block.names]

    @property
    def has_constant(self) -> bool:
        return 0 in self.places

    @cached_property
    def given(self) -> list[int]:
        """What is taken as it is, and the instruments."""
        own = [place for block in self.blocks if not block.endogenous for place in block.places]
        return [*own, *(place for place in self.instruments if place not in own)]

    def rows_of(self, name: str) -> list[int]:
        """The coefficients of a term."""
        block = next(block for block in self.blocks if block.name == name)
        return [self.names.index(each) for each in block.names]


@dataclass(frozen=True, eq=False)
class Regression:
    """Least squares by a design, with coefficients in the units of the columns.

    With a constant it is solved for columns in half-ranges around the middles of their ranges, where noise is alike.
    """

    matrix: MomentMatrix
    design: Design
    sampling: bool = True

    @cached_property
    def problem(self) -> LeastSquares:
        rows = self._rows
        given = self.design.given if self.design.instruments else None
        return LeastSquares(
            self.matrix,
            rows[self.design.places],
            rows[self.design.response],
            None if given is None else rows[given],
            self.sampling,
        )

    @cached_property
    def solution(self) -> Solution:
        return Solution(self.problem)

    @cached_property
    def units(self) -> tuple[Floats, Floats]:
        """Coefficients in the units of columns, as rows over those that are solved for, and what is added to them."""
        columns, places = self.matrix.columns, self.design.places
        half = columns[self.design.response].half
        if not self._centred:
            return np.diag(half / self._sizes[places]), np.zeros(len(places))
        back = np.linalg.inv(unit_map(columns)[np.ix_(places, places)].T)
        return np.asarray(half * back), np.asarray(columns[self.design.response].centre * back[:, places.index(0)])

    @cached_property
    def coef(self) -> Floats:
        by, plus = self.units
        return np.asarray(by @ self.solution.estimate + plus)

    def std_error(self, contrasts: Floats | None = None) -> Floats:
        """Of the coefficients, or of combinations of them."""
        return self.solution.std_error(self._contrasts(contrasts))

    def sets(self, level: float, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """Intervals for the coefficients, or for combinations of them, each by itself."""
        plus = self._plus(contrasts)
        low, high = self.solution.sets(self._contrasts(contrasts), level)
        return low + plus, high + plus

    def tested(self, values: Floats, contrasts: Floats | None = None) -> tuple[Floats, Floats]:
        """How badly the equations fit where coefficients, or combinations, have these values, and the p values."""
        return self.solution.statistics(self._contrasts(contrasts), values - self._plus(contrasts))

    def restricted(self, rows: Floats, values: Floats) -> Tested:
        """The hypothesis that combinations of the coefficients have these values, all together."""
        return self.solution.restricted(self._contrasts(rows), values - self._plus(rows))

    def spread(self, place: int) -> float:
        """The released standard deviation of a column, in its own unit; never less than noise alone makes it."""
        column, matrix = self.matrix.columns[place], self.matrix.matrix
        n = max(self.matrix.n, 1.0)
        weights = np.zeros(len(matrix))
        weights[place], weights[0] = 1.0, -matrix[0, place] / n
        squares = float(weights @ matrix @ weights)
        noise = max(float(weights @ self.matrix.covariance(weights) @ weights), 0.0) ** 0.5
        return float(column.half * (max(squares, noise, 1e-12) / n) ** 0.5)

    def _contrasts(self, contrasts: Floats | None) -> Floats:
        by = self.units[0]
        return by if contrasts is None else np.asarray(contrasts @ by)

    def _plus(self, contrasts: Floats | None) -> Floats:
        plus = self.units[1]
        return plus if contrasts is None else np.asarray(contrasts @ plus)

    @cached_property
    def _centred(self) -> bool:
        """Whether the constant and lower terms are there, so that any centre gives the same fit."""
        given = self.design.given if self.design.instruments else self.design.places
        return self.design.has_constant and self._closed(self.design.places) and self._closed(given)

    def _closed(self, places: list[int]) -> bool:
        """Whether these columns, in their own units, are made of none but themselves."""
        others = np.ones(len(self.matrix.columns), dtype=bool)
        others[places] = False
        return bool((unit_map(self.matrix.columns)[places][:, others] == 0).all())

    @cached_property
    def _sizes(self) -> Floats:
        """How large a column may be, at most."""
        return np.asarray(np.abs(unit_map(self.matrix.columns)).sum(axis=1))

    @cached_property
    def _rows(self) -> Floats:
        """Each column as it is solved for, over the columns of the matrix."""
        if self._centred:
            return np.eye(len(self.matrix.columns))
        rows = unit_map(self.matrix.columns) / self._sizes[:, None]
        response, half = self.design.response, self.matrix.columns[self.design.response].half
        rows[response] *= self._sizes[response] / half
        return np.asarray(rows)
