"""What a person with several rows brings: rows that weigh less, sums that are clamped, people who are counted.

Proofs: docs/proofs/people/rows-of-people.md; of scores, docs/proofs/people/scores-by-person.md."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import GRAIN, ONE_CELL, Cells, Key, Norm, OfVariable, Presence, Variable, farthest, vanishing
from ..core.neighbours import Adjacency
from ..core.schema.values import Grid
from ..models.glm.measure_newton import OF_SCORES, ONE, Column, LinearLink, NewtonSums
from ..numeric.measure import root_up, rounded_product
from ..tables.measure import MarginOf


def weights_of(rows: Numbers, most: int) -> Numbers:
    """What each row of a person with so many rows weighs, in 1/GRAIN: together at most as `most` rows.

    Examples
    --------
    >>> weights_of(np.array([0, 1, 2, 3, 8]), 2).tolist()
    [1048576, 1048576, 1048576, 699050, 262144]
    """
    weights: Numbers = np.where(rows > most, GRAIN * most // np.maximum(rows, 1), GRAIN)
    return weights


@dataclass(frozen=True)
class Weighted:
    """`inner` in 1/GRAIN of a row, where each row of a person weighs less the more rows she has (theorem R1).

    She brings a point of `most` times the convex hull of what a row may bring, or nothing: so the sensitivity is that
    of one row that may vanish, as often as rows may count.
    """

    inner: Any  # a measurement of rows
    most: int
    fold: ClassVar[str] = "people.fold_models:of_people"

    @property
    def cells(self) -> Cells:
        return self.inner.cells

    @property
    def variables(self) -> tuple[Variable | Presence, ...]:
        return self.inner.variables

    @property
    def is_shared(self) -> bool:
        return isinstance(self.inner, MarginOf)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return tuple(GRAIN * each for each in self.inner.weights(norm, vanishing(adjacency)))

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """In the units of `weights`, which are GRAIN times those of the rows."""
        return self.most**norm * self.inner.sensitivity(norm, vanishing(adjacency))

    def arrange(self, sums: Table) -> Table:
        return self.inner.arrange(sums)


@dataclass(frozen=True)
class PersonTotals(OfVariable):
    """The sum of each person's rows, in steps of the grid, clamped to [low, high], and added up (theorem R2).

    Without rows she adds nothing, so 0 is among what she can add.
    """

    variable: Variable
    low: int
    high: int
    cells: Cells = ONE_CELL
    fold: ClassVar[str] = "people.fold:TotalsOfPeople"

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        width = max(self.high, 0) - min(self.low, 0) if adjacency.swap else max(abs(self.low), abs(self.high))
        return Fraction(width) ** norm


@dataclass(frozen=True)
class ValuesOfPeople:
    """How many different values can be handed out to people who have them, at most `most` to each (theorem R8).

    Never more than there are. One person more, fewer or another changes it by as many as she can be handed.
    """

    item: Key | Variable
    most: int
    cells: ClassVar[Cells] = ONE_CELL
    fold: ClassVar[str] = "people.fold_models:ValuesHandedOut"

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.item,) if isinstance(self.item, Variable) else ()

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return Fraction(self.most) ** norm

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class PeopleCounts:
    """The number of people with a row in each cell; who is in more than `most` cells weighs less in each (theorem R3).

    Of the cells' numbers she brings a vector whose length in `norm` is at most that of `most` ones.
    """

    cells: Cells
    most: int
    norm: Norm
    variables: tuple[Variable | Presence, ...] = ()
    fold: ClassVar[str] = "people.fold:PeopleInCells"

    @property
    def grain(self) -> int:
        """One where nobody can be in more cells than count, so that numbers stay whole."""
        return 1 if self.cells.size <= self.most else GRAIN

    def weight(self, cells: int) -> int:
        """What a person in so many cells weighs in each, in parts of `grain`."""
        if cells <= self.most:
            return self.grain
        if self.norm == 1:
            return self.grain * self.most // cells
        return isqrt(self.grain**2 * self.most // cells)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(self.grain),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """No cell changes by more than one. In the other norm, a vector that is no shorter than in its own may be."""
        most = self.most if norm == self.norm or self.norm == 1 else self._longest
        return Fraction(min((2 if adjacency.swap else 1) * most, self.cells.size))

    @property
    def _longest(self) -> int:
        """The greatest sum of a vector bounded in its squares: evenly spread over all cells."""
        return isqrt(self.most * self.cells.size - 1) + 1

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class PeopleTotals(PeopleCounts):
    """The sum of each person's rows in each cell, in steps of the grid, clamped to [low, high], and added up.

    Who is in more than `most` cells weighs less in each, as where people are counted (theorem R3).
    """

    low: int = 0
    high: int = 0
    fold: ClassVar[str] = "people.fold:TotalsInCells"

    @property
    def grid(self) -> Grid:
        """Of the one variable."""
        (variable,) = self.variables
        assert isinstance(variable, Variable)
        return variable.grid

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """Of two people in one cell the larger difference of weighed ends, and of all ends that they may have."""
        most = self.most if norm == self.norm or self.norm == 1 else self._longest
        longest, width = max(abs(self.low), abs(self.high)), max(self.high, 0) - min(self.low, 0)
        if not adjacency.swap:
            return Fraction(min(most, self.cells.size) * longest**norm)
        both = self.low**2 + self.high**2 if norm == 2 and self.low < 0 < self.high else longest**norm
        return Fraction(min(2 * most * both, self.cells.size * width**norm))


BITS = 28  # a person's numbers stay below 2**BITS, so that their products are exact in int64
Numbers = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RowMeans(OfVariable):
    """T = Σt, S = Σs, Σuv, Σu(1 - t), Σv(1 - t) over people, in each cell.

    t is how much of a person counts here, at most 1 in all cells together, s = t times her mean there, centred, the
    ends of the range being -1 and 1; u = (t + s)/2, v = (t - s)/2. Of n rows min(n, most)/most count. Numbers are
    released as whole multiples: u and v of 1/scale, products of 1/scale².

    A person is in one cell at most where `apart`, which is where each has one row.
    """

    variable: Variable
    cells: Cells = ONE_CELL
    most: int = 1
    apart: bool = False
    bits: ClassVar[int] = BITS
    shift: ClassVar[int] = 0
    fold: ClassVar[str] = "people.fold:MeansOfRows"

    @cached_property
    def coarse(self) -> int:
        """How many codes are counted as one: a power of two."""
        longest = self.most * 2 * self.variable.grid.half
        return 1 << max(0, longest.bit_length() - self.bits)

    @cached_property
    def width(self) -> int:
        """Steps from the lower end of the range to the upper one."""
        return max(1, 2 * self.variable.grid.half // self.coarse)

    @cached_property
    def fine(self) -> int:
        """Into how many parts a step is cut, so that rounding hardly matters where a person's sums are shortened."""
        return 1 << max(0, BITS - (self.most * self.width).bit_length())

    @property
    def scale(self) -> int:
        """What the sums of a person add up to at most, from the lower end and from the upper one, in parts."""
        return self.most * self.width * self.fine

    def steps(self, codes: Numbers) -> Numbers:
        """Steps above the lower end of the range, as int64: a function of each value alone."""
        above = codes + float(self.variable.grid.half)
        if self.coarse > 1:
            above = np.minimum(np.rint(above / self.coarse), self.width)
        return above.astype(np.int64)

    def shortened(self, above: Numbers, rows: Numbers, here: Numbers) -> tuple[Numbers, Numbers]:
        """Sums from the lower end and from the upper one, of `here` of a person's `rows`, as if she had at most `most`;
        in parts of a step.

        Rounded down: what is not negative stays inside the simplex that way.
        """
        below = here * self.width - above
        many = rows > self.most
        most, each = np.where(many, self.most * self.fine, self.fine), np.where(many, rows, 1)
        return most * above // each, most * below // each

    def sums_of(self, above: Numbers, below: Numbers) -> list[Numbers]:
        """The five numbers of each person in each cell, from those two sums."""
        rest = self.scale - above - below
        pairs = (above, below), (above, rest), (below, rest)
        return [above + below, above - below, *(rounded_product(one, other, self.shift) for one, other in pairs)]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        count, product = self._shares(norm, adjacency)
        scale = Fraction(self.scale)
        return (count * scale, scale, *(product * scale**2 / 2**self.shift,) * 3)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """In units in which a person at either end of the range is 1 away from its middle."""
        count, product = self._shares(norm, adjacency)
        if norm == 2:
            return Fraction(4) if adjacency.swap else 1 + 1 / count**2
        if self._several:
            alone = 1 + 1 / count + 1 / product
        elif adjacency.swap and self.cells.size == 1:
            return Fraction(2)
        else:
            alone = 1 + 1 / count
        return 2 * alone if adjacency.swap else alone

    @property
    def _several(self) -> bool:
        """Whether the rows of one person may be in several cells."""
        return self.cells.size > 1 and not self.apart

    def _shares(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """Noise on T and on the products, relative to that on S."""
        adjacency = vanishing(adjacency)
        if norm == 1:
            if self._several:
                return Fraction(1443, 1000), Fraction(4)
            if adjacency.swap and self.cells.size == 1:
                return Fraction(3, 2), Fraction(3)
            return Fraction(1443, 1000), Fraction(6, 10)
        if not adjacency.swap:
            return Fraction(1316, 1000), Fraction(3982, 10000) if self._several else Fraction(1, 4)
        if self._several:
            return Fraction(1), Fraction(35356, 100000)
        return Fraction(57736, 100000) if self.cells.size == 1 else Fraction(1), Fraction(1, 4)


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
