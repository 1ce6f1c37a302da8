"""Scores of a regression at public coefficients, added up by person, with their squares: errors by person follow.

Proofs of weights and sensitivity: docs/proofs/people/scores-by-person.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..core.measure.cells import ONE_CELL, Norm, farthest
from ..core.neighbours import Adjacency
from ..dataclass import dataclass
from ..models.glm.measure_newton import OF_SCORES, ONE, Column, LinearLink, NewtonSums
from ..numeric.measure_moments import root_up
from .measure import GRAIN, vanishing


@dataclass(frozen=True)
class NewtonSumsOfPeople(NewtonSums):
    """Σz and the upper triangle of Σzzᵀ, z what the rows of a person add up to as if they were `most` at most; then, of
    a link with weights, the upper triangle of Σvvᵀ over rows that weigh as hers do."""

    most: int
    fold: ClassVar[str] = "people.fold_models:SumsForNewtonOfPeople"

    @property
    def coarse(self) -> int:
        """So many steps of a row's score are one of a person's, so that hers, too, are ONE at most."""
        return 1 << (self.most - 1).bit_length()

    @property
    def curved(self) -> bool:
        return not isinstance(self.link, LinearLink)

    @property
    def second(self) -> int:
        triangle = len(self.places[0])
        return self.columns + (triangle if self.curved else 0)

    @property
    def units(self) -> tuple[float, ...]:
        triangle, score = len(self.places[0]), self.coarse / ONE
        curvature = (1 / (GRAIN * ONE**2),) * triangle
        return ((score,) * self.columns + (score**2,) * triangle) + (curvature if self.curved else ())

    def shortened(self, scores: Column, weights: Column) -> Column:
        """What a person brings, from the sums over her rows (a line a column) and what each of them weighs, in int64:
        rounded toward zero, so that nothing grows."""
        whole = scores * weights
        rounded: Column = abs(whole) // (GRAIN * self.coarse)
        return rounded * ((whole > 0).astype(int) - (whole < 0))

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        score, square, curvature = self._squares(vanishing(adjacency))
        longest = Fraction(self.most * ONE, self.coarse)
        found = [root_up(score) * longest] * self.columns + self._triangle(square, longest**2)
        rows = Fraction(self.most * GRAIN * ONE**2)
        return tuple(found + (self._triangle(curvature, rows) if self.curved else []))

    def _triangle(self, square: Fraction, unit: Fraction) -> list[Fraction]:
        """Weights of products, from the square of that off the diagonal."""
        pairs = zip(*(side.tolist() for side in self.places), strict=True)
        off, own = root_up(square) * unit, root_up(2 * square) * unit
        return [own if i == j else off for i, j in pairs]

    def _squares(self, adjacency: Adjacency) -> tuple[Fraction, Fraction, Fraction]:
        """Squares of weights of a score, of a product of two and of a curvature, in units in which a person brings no
        more to a column than 1."""
        q = Fraction(self.size)
        if not self.curved:
            return Fraction(1), q, Fraction(0)
        score = self._pair(adjacency) / OF_SCORES
        return score, q * score, q**2 / (1 if adjacency.swap else 2) / (1 - OF_SCORES)

    def _pair(self, adjacency: Adjacency) -> Fraction:
        """The squared sensitivity of scores and of their squares together."""
        return Fraction(4 * self.size) if adjacency.swap else Fraction(3 * self.size, 2)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity, in those units."""
        adjacency = vanishing(adjacency)
        found = Fraction(1) if self.curved else self._pair(adjacency)
        if norm == 1:  # no sum of so many is larger, by Cauchy and Schwarz
            found = root_up(found * len(self.units))
        return farthest(adjacency, ONE_CELL, self.variables, within=found, alone=found)
