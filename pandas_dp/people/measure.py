"""Means over rows with errors clustered by person: how much, how many, and their squares at no cost.

Proofs: docs/proofs/people/rows-of-people.md, R4 and R5.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import ONE_CELL, Cells, Key, Norm, Presence, Variable
from ..core.neighbours import Adjacency
from ..core.schema.interval import Grid
from ..dataclass import dataclass
from ..models.measure import Gram
from ..numeric.measure_distinct import Counts, Totals
from ..numeric.measure_moments import Moments, rounded_product
from ..quantiles.measure_cumulative import Cumulative, CumulativeInCells
from ..tables.measure import MarginOf

GRAIN = 2**20  # a row weighs a whole number of parts, so many of which make a row


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
class OfPeople:
    """`inner` in 1/GRAIN of a row, where each row of a person weighs less the more rows she has (theorem R1).

    She brings a point of `most` times the convex hull of what a row may bring, or nothing: so the sensitivity is that
    of one row that may vanish, as often as rows may count.
    """

    inner: Counts | Totals | Moments | MarginOf | Gram | Cumulative | CumulativeInCells
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


def vanishing(adjacency: Adjacency) -> Adjacency:
    """A person may always have no row here."""
    return adjacency.with_absence() if adjacency.swap else adjacency


@dataclass(frozen=True)
class PersonTotals:
    """The sum of each person's rows, in steps of the grid, clamped to [low, high], and added up (theorem R2).

    Without rows she adds nothing, so 0 is among what she can add.
    """

    variable: Variable
    low: int
    high: int
    cells: Cells = ONE_CELL
    fold: ClassVar[str] = "people.fold:TotalsOfPeople"

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        width = max(self.high, 0) - min(self.low, 0) if adjacency.swap else max(abs(self.low), abs(self.high))
        return Fraction(width) ** norm

    def arrange(self, sums: Table) -> Table:
        return sums


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
class RowMeans:
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

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

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

    def arrange(self, sums: Table) -> Table:
        return sums
