"""What a row's residual and weight are, at a public predictor: whole numbers from the row's own values alone.

Residuals are parts of a clip, roots of weights parts of the root of a `top`, where they are cut off: ONE for all of it.
The predictor comes as an exact whole number; a link looks it up in a public table, so that no row's numbers depend on
how others are added up.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np

from ...core.arrays import Table
from ...core.measure.cells import GRAIN, ONE_CELL, Cells, Norm, Variable, farthest
from ...core.neighbours import Adjacency
from ...numeric.measure import root_up
from ..measure import STEPS, Gram, Number, Term

Column = np.ndarray[Any, Any]
ONE = STEPS
FINE = 2**20  # parts of a unit of a coefficient; the predictor is in parts of 1/(FINE·STEPS)
ENTRIES = 2**11  # of a table, a unit of the predictor
ENDS = 16  # the table holds predictors from -ENDS to ENDS


class Link(Protocol):
    """How a response is modelled."""

    name: ClassVar[str]

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        """The residuals of rows and the roots of their weights, whole numbers up to ONE; None where it has none."""


@lru_cache(maxsize=1)
def middles() -> Column:
    """The predictor in the middle of each entry of a table."""
    return (np.arange(2 * ENDS * ENTRIES) + 0.5) / ENTRIES - ENDS


def looked_up(table: Column, predictor: Column) -> Column:
    """Of each predictor its entry: a division by a power of two, exact, rounded down."""
    place = np.floor(predictor * (ENTRIES / (FINE * STEPS))) + ENDS * ENTRIES
    found: Column = table[np.clip(place, 0, len(table) - 1).astype(np.intp)]
    return found


@lru_cache(maxsize=8)
def _logistic(top: float) -> tuple[Column, Column]:
    chance = 1 / (1 + np.exp(-middles()))
    return np.rint(ONE * chance), np.floor(ONE * np.sqrt(np.minimum(chance * (1 - chance) / top, 1.0)))


@dataclass(frozen=True)
class Logit:
    """Yes or no: the residual is the response, 0 or 1, less its probability; the weight is that of the binomial."""

    top: float = 0.25
    name: ClassVar[str] = "logit"

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        chances, roots = _logistic(self.top)
        yes = np.rint((response + STEPS) * (ONE / (2 * STEPS)))
        return yes - looked_up(chances, predictor), looked_up(roots, predictor)


@dataclass(frozen=True)
class Poisson:
    """Counts: residuals are cut off at `clip`, and the means that weigh at `top`. `counts` and `exposures` are the
    middle of a range and its half, in its own unit."""

    counts: tuple[float, float]
    clip: float
    top: float
    exposures: tuple[float, float] | None = None
    name: ClassVar[str] = "poisson"

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        longest = 1.0 if self.exposures is None else sum(self.exposures)
        mean = looked_up(_exponential(longest / self.clip), predictor)
        if exposure is not None and self.exposures is not None:
            share = np.rint(_own(exposure, self.exposures, longest))
            mean = np.rint(mean * np.clip(share, 0, ONE) * (1 / ONE))
        seen = np.rint(_own(response, self.counts, self.clip))
        weight = np.clip(mean * (self.clip / self.top), 0, ONE)
        return np.clip(seen - mean, -ONE, ONE), np.floor(np.sqrt(weight * ONE))


def _own(steps: Column, around: tuple[float, float], unit: float) -> Column:
    """Numbers of a column in parts of a unit, ONE for all of it."""
    centre, half = around
    found: Column = steps * (half / unit * (ONE / STEPS)) + ONE * (centre / unit)
    return found


@lru_cache(maxsize=4)
def _exponential(scale: float) -> Column:
    """Means far beyond the clip are as good as there."""
    return np.rint(np.minimum(ONE * scale * np.exp(middles()), 2.0**32))


@dataclass(frozen=True)
class LinearLink:
    """Any number: residuals in half-ranges are cut off at `clip`; the second sums are of squares of scores."""

    clip: float
    name: ClassVar[str] = "linear"

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        away = (response - predictor * (1 / FINE)) * (1 / self.clip)
        return np.clip(np.rint(away), -ONE, ONE), None


OF_SCORES = Fraction(7, 10)  # of the stage's cost, where a curvature is released beside them
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
    fold: ClassVar[str] = "models.fold:SumsForNewton"

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

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        score, second = self._noises(adjacency)
        one, other = (side.tolist() for side in self.places)
        square = root_up(2 * second)
        return (
            *(root_up(score) * ONE,) * self.columns,
            *((square if i == j else root_up(second)) * ONE**2 for i, j in zip(one, other, strict=True)),
        )

    def _noises(self, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """Squares of weights, of a score and of a product off the diagonal, in units in which ONE is 1."""
        q, within = self.size, 4 if adjacency.swap else 1
        if isinstance(self.link, LinearLink):
            return Fraction(1), Fraction(q)
        return within * q / OF_SCORES, Fraction(q) ** 2 / (1 if adjacency.swap else 2) / (1 - OF_SCORES)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity, in units in which ONE is 1."""
        if self.read.keys:
            adjacency = adjacency.with_absence()
        within = alone = Fraction(1)
        if isinstance(self.link, LinearLink):
            within, alone = Fraction(4 * self.size), Fraction(3 * self.size, 2)
        if norm == 1:  # no sum of so many is larger, by Cauchy and Schwarz
            many = self.columns + len(self.places[0])
            within, alone = root_up(within * many), root_up(alone * many)
        return farthest(adjacency, ONE_CELL, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class ResidualSizes(NewtonSums):
    """How many rows have residuals of each size, from the longest to the shortest: a row is in one band, or in none.

    `most` is how many rows of a person weigh in full, where rows are those of people
    (docs/proofs/people/rows-of-people.md).
    """

    most: int | None = None
    fold: ClassVar[str] = "models.fold:RowsBySize"

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

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(self.parts * (self.most or 1)),) * BANDS

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity, in rows, or in so many rows as a person's weigh."""
        absent = self.most is not None or bool(self.read.keys)
        adjacency = adjacency.with_absence() if absent else adjacency
        return farthest(adjacency, ONE_CELL, self.variables, within=Fraction(2), alone=Fraction(1))
