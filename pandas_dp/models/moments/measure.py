"""The moment matrix of several terms, in each cell: sums of all products of two of their columns.

Proof of its weights and sensitivity: docs/proofs/models/moments.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from math import isqrt, prod
from typing import Literal

import numpy as np

from ...core.measure.cells import ONE_CELL, Cells, Key, Norm, Variable, farthest
from ...core.measure.noisy import Noisy
from ...core.neighbours import Adjacency
from ...core.noise.gaussian import DiscreteGaussian
from ...dataclass import dataclass
from ...numeric.measure_distinct import Monomial, Table
from ...numeric.measure_moments import ROUNDING, root_up, rounding_shift, widen
from ..measure import STEPS, Term
from .solve_moment_matrix import Column, MomentMatrix
from .solve_moment_sums import MomentSums

Standing = Literal["count", "level", "product", "square"]
INTERCEPT = Column("Intercept", None, sort="constant")


@dataclass(frozen=True)
class Gram:
    """Sums over rows of products of two columns of the terms, where the constant is a term too.

    Rows that lack a declared level, or a value of a nullable column, are not there. Where that can be, and where rows
    come and go, their number is released (`counted`). `importance` scales terms, in their order: noise on a product is
    divided by those of its two factors, and reckoned otherwise.
    """

    terms: tuple[Term, ...]
    counted: bool = False
    cells: Cells = ONE_CELL
    importance: tuple[Fraction, ...] = ()  # one a term, each the square of what it is scaled by; none: all alike

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return tuple(dict.fromkeys(variable for term in self.terms for variable in term.variables))

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Categoricals among the terms."""
        return tuple(dict.fromkeys(key for term in self.terms for key in term.keys))

    @cached_property
    def boxed(self) -> bool:
        """Whether all terms are numbers or levels, of the same importance."""
        return not self.importance and all(term.in_box for term in self.terms)

    @cached_property
    def sums(self) -> MomentSums:
        columns = (INTERCEPT, *(column for term in self.terms for column in term.columns))
        return MomentSums(columns, self.counted, complements=self.boxed)

    @cached_property
    def _like(self) -> list[int]:
        """Of each column the first term that is scaled as its own is."""
        first = [self._scales.index(scale) for scale in self._scales]
        return [first[term] for term in self._term_of]

    @cached_property
    def _term_of(self) -> list[int]:
        """The term of each column, the constant being the first."""
        return [0, *(at + 1 for at, term in enumerate(self.terms) for _ in term.columns)]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        scaled = self.sums.scaled
        pairs = list(zip(*(side.tolist() for side in self.sums.places), strict=True))
        kinds = [(*self._kind(one, other), scaled[one] + scaled[other]) for one, other in pairs]
        found = {kind: self._share(*kind[:3], norm, adjacency) * STEPS ** kind[3] for kind in dict.fromkeys(kinds)}
        return tuple(found[kind] for kind in kinds)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity, in units in which a number at either end of its range is 1."""
        if self.keys:
            adjacency = adjacency.with_absence()
        if self.boxed:
            within, alone = self._box.within(norm, self._square(norm, adjacency)), self._alone(norm, adjacency)
        else:
            within, alone = self._tilted(norm, 1), self._tilted(norm, 2)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        """Of all products of two columns, cell by cell, what is released."""
        one, other = self.sums.places
        arranged = sums[:, one, other]
        squares = (one == other) & (one > 0)
        if self.counted and self.boxed and squares.any():
            arranged[:, squares] = STEPS**2 * sums[:, :1, 0] - arranged[:, squares]
        return arranged

    def matrices(self, answer: Noisy, size: int | None = None, parts: int = 1) -> list[MomentMatrix]:
        """What a blurred answer says, in parts of a row: the matrix of each cell; the number of rows where everyone
        knows it."""
        units = self.units * parts
        variances = np.array([law.variance for law in answer.laws]) / units**2
        heavy = not all(isinstance(law, DiscreteGaussian) for law in answer.laws)
        return self.sums.matrices(answer.table.astype(float) / units, variances, size, heavy)

    @property
    def units(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """How many of what is added up make one, for each released number."""
        scaled = np.array(self.sums.scaled)
        one, other = self.sums.places
        return np.asarray(float(STEPS) ** (scaled[one] + scaled[other]))

    def _kind(self, one: int, other: int) -> tuple[int, int, Standing]:
        """What determines the share of a number: how its columns are scaled, if that differs, and how they meet."""
        terms = (0, 0) if self.boxed else (self._like[one], self._like[other])
        if one == other:
            return (*terms, "square" if one else "count")
        return (*terms, "level" if not one and self.sums.columns[other].sort == "level" else "product")

    def _share(self, one: int, other: int, standing: Standing, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The noise on a number of columns of these terms, relative to what one row can bring."""
        if not self.boxed:
            return self._share_of_tilted(one, other, standing)
        if standing == "count":
            return _root_in(1 / self._count(norm, adjacency), norm)
        return _root_in(1 / self._square(norm, adjacency), norm) if standing == "square" else Fraction(1)

    @cached_property
    def _box(self) -> Box:
        return Box(sum(not term.keys for term in self.terms), sum(bool(term.keys) for term in self.terms))

    def _crowded(self, adjacency: Adjacency) -> bool:
        return not adjacency.swap or self.cells.size > 1

    def _square(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """What a change of a square counts."""
        return self._box.square(norm, self._crowded(adjacency))

    def _count(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """What one row more or less counts."""
        return self._box.count(norm, self._crowded(adjacency))

    def _alone(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        count = self._count(norm, adjacency) if self.counted else None
        return self._box.alone(norm, self._square(norm, adjacency), count)

    def _share_of_tilted(self, one: int, other: int, standing: Standing) -> Fraction:
        """The square of a number has twice the variance; a level stands at its square too."""
        first, second = self._scales[one], self._scales[other]
        more = second**2 / 2 if standing == "level" else 0
        return _root_in(1 / (first * second / (2 if standing in ("square", "count") else 1) + more), 2)

    @cached_property
    def _scales(self) -> tuple[Fraction, ...]:
        """Squares of what each term is scaled by, the constant first."""
        return (Fraction(1), *(self.importance or (Fraction(1),) * len(self.terms)))

    def _tilted(self, norm: Norm, half: int) -> Fraction:
        sensitivity = sum(self._scales, Fraction(0)) ** 2 / half
        if norm == 2:
            return sensitivity
        return root_up(sensitivity * len(self.sums.places[0]))  # no sum of so many is larger, by Cauchy and Schwarz


@dataclass(frozen=True)
class Box:
    """Weights and sensitivity for so many numbers in [-1, 1], so many categoricals, and the constant."""

    numbers: int
    categoricals: int

    @property
    def terms(self) -> int:
        return 1 + self.numbers + self.categoricals

    def square(self, norm: Norm, crowded: bool) -> Fraction:
        """What a change of a square counts."""
        free = self.terms + self.categoricals
        if norm == 2:
            return Fraction(free, 2) if crowded else Fraction(free, 2) + 1
        if not crowded or not self.numbers:
            return Fraction(1, 2)
        room = 2 * self._ends + 2 - self.within(1, Fraction(1, 2))
        return max(Fraction(1, 2), min(Fraction(self.terms - 1, 2), Fraction(1, 2) + room / self.numbers))

    def count(self, norm: Norm, crowded: bool) -> Fraction:
        """What one row more or less counts."""
        if crowded:
            return Fraction(self.terms, 2) if norm == 2 else Fraction(1)
        free = self.within(norm, self.square(norm, crowded)) - self._ends
        return free - self.numbers if norm == 2 else free

    @property
    def _ends(self) -> Fraction:
        """What a row with every number at an end of its range brings, but for squares and the count."""
        return Fraction(self.terms * (self.terms - 1), 2)

    def within(self, norm: Norm, square: Fraction) -> Fraction:
        """How far a row can move its cell when it stays there."""
        terms, numbers = self.terms, self.numbers
        if norm == 2 and (numbers, self.categoricals) == (2, 0):
            return max(Fraction(8), 6 + square)
        found = []
        for changed in range(self.categoricals + 1):
            moved = min(Fraction(numbers), Fraction(terms - changed, 2))
            of_numbers = moved * (terms - changed - moved)
            of_levels = changed * (2 * terms - 1 - changed)
            found.append(4 * of_numbers + of_levels if norm == 2 else 2 * of_numbers + of_levels)
        return max(found) + (numbers * (square - Fraction(1, 2)) if norm == 1 else 0)

    def alone(self, norm: Norm, square: Fraction, count: Fraction | None) -> Fraction:
        """How far when it comes or goes: with all numbers at an end of their range, or in the middle."""
        middle = Fraction((1 + self.categoricals) * self.categoricals, 2)
        if count is None:
            return self._ends + self.numbers * square
        return count + max(self._ends, middle + self.numbers * square)


def _root_in(square: Fraction, norm: Norm) -> Fraction:
    """In norm 1 itself; in norm 2 its square root, rounded up to parts in 2**20."""
    if norm == 1:
        return square
    return Fraction(isqrt((square.numerator << 40) // square.denominator) + 1, 1 << 20)


@dataclass(frozen=True)
class Weights:
    """Noise on the count and on the squares, relative to what one row can bring; sums and cross products have 1."""

    count: Fraction
    square: Fraction


@dataclass(frozen=True)
class Products:
    """Sums of y_j and of y_j·y_k (j <= k) over rows that have every value; where the size is private (`counted`), also
    their number, and half² - y² in place of y².

    Noise is shared out so that sums and cross products have the same, squares less, and where rows can be swapped the
    count is free (docs/proofs/core/sensitivity.md, theorem 3).
    """

    variables: tuple[Variable, ...]
    counted: bool = False
    cells: Cells = ONE_CELL

    @cached_property
    def monomials(self) -> tuple[Monomial, ...]:
        places = range(len(self.variables))
        return ((), *((j,) for j in places), *combinations_with_replacement(places, 2))

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        return tuple(rounding_shift(self._size(m)) if len(m) == 2 else 0 for m in self.monomials)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        shares = self._shares(norm, adjacency)
        weights = [
            self._share(shares, m) * Fraction(self._size(m), 2**s)
            for m, s in zip(self.monomials, self.shifts, strict=True)
        ]
        return tuple(weights if self.counted else weights[1:])

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity in units in which a variable at either end of its range is 1 away from the middle."""
        shares = self._shares(norm, adjacency)
        slack = [
            ROUNDING * 2**s / (self._share(shares, m) * self._size(m))
            for m, s in zip(self.monomials, self.shifts, strict=True)
            if s
        ]
        return farthest(
            adjacency,
            self.cells,
            self.variables,
            within=widen(norm, self._within(norm, 1 / shares.square**norm), slack),
            alone=widen(norm, self._alone(norm, shares), slack),
        )

    def arrange(self, sums: Table) -> Table:
        if not self.counted:
            return sums[:, 1:]
        arranged = sums.copy()
        for at, (monomial, shift) in enumerate(zip(self.monomials, self.shifts, strict=True)):
            if is_square(monomial):
                arranged[:, at] = (self._size(monomial) >> shift) * sums[:, 0] - sums[:, at]
        return arranged

    def _size(self, monomial: Monomial) -> int:
        return prod(self.variables[j].grid.half for j in monomial)

    @property
    def _terms(self) -> int:
        """The variables and the constant."""
        return len(self.variables) + 1

    def _share(self, shares: Weights, monomial: Monomial) -> Fraction:
        if not monomial:
            return shares.count
        return shares.square if is_square(monomial) else Fraction(1)

    def _within(self, norm: Norm, square: Fraction) -> Fraction:
        """How far a row can move its cell when it stays there; `square` is what a change of a square counts."""
        terms = self._terms
        if norm == 1:
            return Fraction(terms**2, 2) + (terms - 1) * (square - Fraction(1, 2))
        return max(Fraction(8), 6 + square) if terms == 3 else Fraction(terms**2)

    def _alone(self, norm: Norm, shares: Weights) -> Fraction:
        """How far when it comes or goes: it is at the ends of its ranges, or in the middle of all of them."""
        terms, square = self._terms, 1 / shares.square**norm
        ends = Fraction(terms * (terms - 1), 2)
        if not self.counted:
            return ends + (terms - 1) * square
        count = 1 / shares.count**norm
        return count + (ends if norm == 1 else max(ends, (terms - 1) * square))

    def _shares(self, norm: Norm, adjacency: Adjacency) -> Weights:
        terms, crowded = self._terms, not adjacency.swap or self.cells.size > 1
        if norm == 1:
            if crowded:
                return Weights(count=Fraction(1), square=Fraction(2, terms - 1))
            return Weights(count=Fraction(2, terms), square=Fraction(2))
        if crowded:
            return Weights(count=_root(Fraction(2, terms)), square=_root(Fraction(2, terms)))
        square = Fraction(terms + 2, 2)
        count = self._within(norm, square) - (terms - 1) * square
        return Weights(count=_root(1 / count), square=_root(1 / square))


def is_square(monomial: Monomial) -> bool:
    """Whether it is a variable times itself."""
    return len(monomial) == 2 and monomial[0] == monomial[1]


def _root(x: Fraction) -> Fraction:
    """The square root, rounded up to thousandths."""
    return Fraction(isqrt((10**6 * x.numerator - 1) // x.denominator) + 1, 1000)
