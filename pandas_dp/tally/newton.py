"""Scores of a regression at public coefficients, with their curvature or their squares beside them.

Proofs of weights and reach: docs/proofs/scores.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Variable
from .gram import Gram
from .links import FINE, ONE, Linear, Link, Logit, Poisson
from .moments import root_up
from .people import GRAIN
from .reach import Norm, farthest
from .sums import Table
from .terms import STEPS, Number, Term

Column = np.ndarray[Any, Any]
OF_SCORES = Fraction(7, 10)  # of the look's cost, where a curvature is released beside them
FARTHEST = 64  # coefficients are clipped there, so that predictors are exact in float64
MOST_TERMS = 99
BANDS_PER_TWO = 2  # from a size to half of it
BANDS = 11 * BANDS_PER_TWO
BAND_ENDS = -np.rint(ONE * 2.0 ** (-np.arange(BANDS) / BANDS_PER_TWO))  # the longest of each, rising


@dataclass(frozen=True)
class NewtonSums:
    """Σz and, in the upper triangle, Σvvᵀ over rows that have whatever the terms and the response need.

    z = residual·x, each in [-ONE, ONE], x the constant and the columns of the terms. v is root·x, or z again for a
    linear link. `coefficients` are whole, one a column, in parts of 1/FINE and in half-ranges.
    """

    terms: tuple[Term, ...]
    response: Variable
    exposure: Variable | None
    link: Link
    coefficients: tuple[int, ...]
    cells: ClassVar[Cells] = ONE_CELL

    @cached_property
    def read(self) -> Gram:
        """What is read of a row: the terms, then the response, then the exposure."""
        beside = (self.response,) if self.exposure is None else (self.response, self.exposure)
        return Gram((*self.terms, *map(Number, beside)))

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.read.variables

    @cached_property
    def scales(self) -> Column:
        """By what each column, as a term fills it, is to be multiplied to be ONE at most where it counts STEPS."""
        sorts = ["constant", *(column.sort for term in self.terms for column in term.columns)]
        return np.array([1.0 if sort in ("constant", "level") else 1 / STEPS for sort in sorts])

    @cached_property
    def columns(self) -> int:
        return len(self.scales)

    @cached_property
    def places(self) -> tuple[Column, Column]:
        """The upper triangle."""
        return np.triu_indices(self.columns)

    def predictors(self, room: Column) -> Column:
        """Whole numbers below 2**53 at every step of the sum, so exact in whatever order BLAS adds."""
        weights = np.array(self.coefficients, dtype=float) * np.where(self.scales == 1.0, float(STEPS), 1.0)
        return np.asarray(weights @ room)

    def brought(self, room: Column) -> tuple[Column, Column]:
        """z and v of each row, a line a column: rounded each by itself, v toward zero."""
        x, response, *exposure = room[: self.columns], *room[self.columns :]
        residual, root = self.link.parts(self.predictors(x), response, exposure[0] if exposure else None)
        scale = self.scales[:, None]
        z = np.rint(x * residual * scale)
        return z, z if root is None else np.trunc(x * root * scale)

    @property
    def size(self) -> int:
        """The most that |x|² can be: a term counts as one, whatever its columns."""
        return 1 + len(self.terms)

    @property
    def second(self) -> int:
        """Where sums of products of v begin."""
        return self.columns

    @property
    def units(self) -> tuple[float, ...]:
        """What one of each released number is worth, in parts of the clip and of the top."""
        return (1 / ONE,) * self.columns + (1 / ONE**2,) * len(self.places[0])

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        score, second = self._noises(moves)
        one, other = (side.tolist() for side in self.places)
        square = root_up(2 * second)
        return (
            *(root_up(score) * ONE,) * self.columns,
            *((square if i == j else root_up(second)) * ONE**2 for i, j in zip(one, other, strict=True)),
        )

    def _noises(self, moves: Moves) -> tuple[Fraction, Fraction]:
        """Squares of weights, of a score and of a product off the diagonal, in units in which ONE is 1."""
        q, within = self.size, 4 if moves.swap else 1
        if isinstance(self.link, Linear):
            return Fraction(1), Fraction(q)
        return within * q / OF_SCORES, Fraction(q) ** 2 / (1 if moves.swap else 2) / (1 - OF_SCORES)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """The reach (sensitivity), in units in which ONE is 1."""
        if self.read.keys:
            moves = moves.with_absence()
        within = alone = Fraction(1)
        if isinstance(self.link, Linear):
            within, alone = Fraction(4 * self.size), Fraction(3 * self.size, 2)
        if norm == 1:  # no sum of so many is larger, by Cauchy and Schwarz
            many = self.columns + len(self.places[0])
            within, alone = root_up(within * many), root_up(alone * many)
        return farthest(moves, ONE_CELL, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class ResidualSizes(NewtonSums):
    """How many rows have residuals of each size, from the longest to the shortest: a row is in one band, or in none.

    `most` is how many rows of a person weigh in full, where rows are those of people (docs/proofs/rows-of-people.md).
    """

    most: int | None = None

    def bands(self, room: Column) -> Column:
        """Of each row: the shortest residuals are all in the last."""
        residuals, _ = self.link.parts(self.predictors(room[: self.columns]), room[self.columns], None)
        return np.searchsorted(BAND_ENDS, -np.abs(residuals), side="right") - 1

    @property
    def parts(self) -> int:
        """Of a row, in which its bands are counted."""
        return 1 if self.most is None else GRAIN

    @property
    def units(self) -> tuple[float, ...]:
        return (1 / self.parts,) * BANDS

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(self.parts * (self.most or 1)),) * BANDS

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """The reach (sensitivity), in rows, or in so many rows as a person's weigh."""
        absent = self.most is not None or bool(self.read.keys)
        moves = moves.with_absence() if absent else moves
        return farthest(moves, ONE_CELL, self.variables, within=Fraction(2), alone=Fraction(1))


__all__ = [
    "BANDS",
    "BAND_ENDS",
    "FARTHEST",
    "FINE",
    "ONE",
    "Linear",
    "Link",
    "Logit",
    "NewtonSums",
    "Poisson",
    "ResidualSizes",
]
