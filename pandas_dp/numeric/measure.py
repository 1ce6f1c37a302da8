"""Sums of whole numbers of rows: counts, totals, moments of several variables, and statistics of resampled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt, ldexp
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.arrays import Monomial, Table
from ..core.measure.cells import ONE_CELL, Cells, Key, Norm, OfVariable, Presence, Variable, farthest
from ..core.measure.measurement import HALF_OF_A_CODE
from ..core.neighbours import Adjacency


@dataclass(frozen=True)
class Counts:
    """The number of rows in each cell; rows that lack a value in one of `variables` are not counted."""

    cells: Cells = ONE_CELL
    variables: tuple[Variable | Presence, ...] = ()
    monomials: ClassVar[tuple[Monomial, ...]] = ((),)
    counts_rows: ClassVar[bool] = True
    shifts: ClassVar[tuple[int, ...]] = (0,)
    fold: ClassVar[str] = "core.engine.sweep:SumsOf"

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def extremes(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """How far a row can move its cell when it stays there, and when it comes or goes."""
        return Fraction(0), Fraction(1)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.extremes(norm, adjacency)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        return sums

    def supposed(self, rows: int) -> list[int]:
        return [rows]


@dataclass(frozen=True)
class Totals(OfVariable):
    """The sum of a variable in each cell, in steps of its grid."""

    variable: Variable
    cells: Cells = ONE_CELL
    monomials: ClassVar[tuple[Monomial, ...]] = ((), (0,))
    shifts: ClassVar[tuple[int, ...]] = (0, 0)
    fold: ClassVar[str] = "core.engine.sweep:SumsOf"

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def extremes(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """How far a row can move its cell when it stays there, and when it comes or goes."""
        low, high = self.variable.grid.low, self.variable.grid.high
        return Fraction(high - low) ** norm, Fraction(max(abs(low), abs(high))) ** norm

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.extremes(norm, adjacency)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        """Codes as steps. A middle between two steps is half a step; rounding the total down keeps its sensitivity."""
        grid = self.variable.grid
        return (sums[:, 1:] + grid.offset * sums[:, :1]) // grid.factor


@dataclass(frozen=True)
class Distinct:
    """How many declared categories, or how many grid points of a range, occur. One row adds or takes one value."""

    item: Key | Variable
    cells: Cells = ONE_CELL
    fold: ClassVar[str] = "numeric.fold_bootstrap:distinct"
    is_shared: ClassVar[bool] = True

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.item,) if isinstance(self.item, Variable) else ()

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return farthest(adjacency, self.cells, self.variables, within=1, alone=1)

    def arrange(self, sums: Table) -> Table:
        """Of numbers, how many the fold found; of categories it counted the rows of each."""
        if not isinstance(self.item, Key):
            return sums
        there = np.count_nonzero(sums.reshape(self.cells.size, self.item.size - self.item.other), axis=1)
        return there.reshape(-1, 1)


PRODUCT_BITS = 40  # products of codes are exact up to here; larger ones are counted in powers of two
ROUNDING = 2  # by how much, in those units, rounding can widen a difference of two products
LEAST_SHARE = Fraction(8285, 10000)  # a little more than 2√2 − 2


@dataclass(frozen=True)
class Shares:
    """Noise on the count, the sums and the products, each relative to what one row can bring; sums have 1."""

    count: Fraction
    product: Fraction


def rounding_shift(greatest: int) -> int:
    """Products up to `greatest` are counted in units of 2**shift."""
    return max(0, greatest.bit_length() - PRODUCT_BITS)


def rounded_product(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any], shift: int) -> np.ndarray[Any, Any]:
    """Products of whole numbers in units of 2**shift; exact where that is 1."""
    if not shift:
        return np.asarray(first * second)
    return np.rint(first.astype(np.float64) * second * ldexp(1.0, -shift)).astype(np.int64)


def widen(norm: Norm, sensitivity: Fraction, slack: Sequence[Fraction]) -> Fraction:
    """A sensitivity where rounding moves coordinates by at most so much more, by the triangle inequality."""
    if norm == 1 or not slack:
        return sensitivity + sum(slack)
    more = sum((each**2 for each in slack), Fraction(0))
    return sensitivity + 2 * root_up(sensitivity * more) + more


def root_up(x: Fraction) -> Fraction:
    """The square root, rounded up to some twenty binary digits."""
    scale = 1 << max(20, 20 + x.denominator.bit_length() - x.numerator.bit_length())
    return Fraction(isqrt(x.numerator * scale**2 // x.denominator) + 1, scale)


@dataclass(frozen=True)
class ExactMoments(OfVariable):
    """Rows, sums of codes and sums of their squares, none of them rounded: for promises whose scale is found in the
    data. Squares are added up from two halves of each code, k = 2**HALF_OF_A_CODE·a + b, of which the codes of the
    fold are k, a and b."""

    variable: Variable
    cells: Cells = ONE_CELL
    monomials: ClassVar[tuple[Monomial, ...]] = ((), (0,), (1, 1), (1, 2), (2, 2))
    halves: ClassVar[bool] = True
    shifts: ClassVar[tuple[int, ...]] = (0,) * 5
    fold: ClassVar[str] = "core.engine.sweep:SumsOf"

    def arrange(self, sums: Table) -> Table:
        """cell × (rows, sum, sum of squares), in Python's integers."""
        rows, total, high, across, low = sums.astype(object).T
        squares = (high << 2 * HALF_OF_A_CODE) + (across << HALF_OF_A_CODE + 1) + low
        return np.column_stack([rows, total, squares])


@dataclass(frozen=True)
class Moments:
    """Sums of codes y and squares y² in each cell; where the size is private (`counted`), also the number of rows, and
    half² - y² in place of y².

    Noise is shared out so that, next to the sum, the squares cost nothing, and in a derived frame the count neither
    (docs/proofs/core/sensitivity.md, theorems 1 and 2). Where they serve a variance alone (`spread`) and epsilon is
    paid, the squares have less and the sum a little more (theorem 2a).
    """

    variable: Variable
    cells: Cells = ONE_CELL
    counted: bool = False
    spread: bool = False
    monomials: ClassVar[tuple[Monomial, ...]] = ((), (0,), (0, 0))
    is_common: ClassVar[bool] = True  # a count and a sum of the same rows are told from it, too
    fold: ClassVar[str] = "core.engine.sweep:SumsOf"

    @cached_property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        return (0, 0, rounding_shift(self.variable.grid.half**2))

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        shares, half = self._shares(norm, adjacency), self.variable.grid.half
        rest = (Fraction(half), shares.product * Fraction(half**2, 2 ** self.shifts[2]))
        return (shares.count, *rest) if self.counted else rest

    def extremes(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """How far a row can move its cell when it stays there, and when it comes or goes: in units in which a row at
        either end of the range is 1 away from its middle."""
        shares = self._shares(norm, adjacency)
        product = 1 / shares.product**norm
        within, alone = Fraction(2**norm), max(Fraction(1), product)
        if norm == 1 and shares.product < 2:  # a row half the way moves both sums, and farther
            alone = product + 1 / (4 * product)
            within = 1 + alone
        alone = alone + 1 / shares.count**norm if self.counted else 1 + product
        slack = self._slack(shares)
        return widen(norm, within, slack), widen(norm, alone, slack)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.extremes(norm, adjacency)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        if not self.counted:
            return sums[:, 1:]
        greatest = self.variable.grid.half**2 >> self.shifts[2]
        return np.column_stack([sums[:, 0], sums[:, 1], greatest * sums[:, 0] - sums[:, 2]])

    def supposed(self, rows: int) -> list[int]:
        """Of codes that are spread evenly around the middle: they add up to nothing, and their squares to this."""
        grid = self.variable.grid
        square = Fraction(grid.points + 1, 3 * (grid.points - 1)) * grid.half**2 / 2 ** self.shifts[2]
        greatest = grid.half**2 >> self.shifts[2]
        return [rows, 0, round(rows * (greatest - square))] if self.counted else [0, round(rows * square)]

    def _slack(self, shares: Shares) -> list[Fraction]:
        if not self.shifts[2]:
            return []
        return [ROUNDING * 2 ** self.shifts[2] / (shares.product * self.variable.grid.half**2)]

    def _shares(self, norm: Norm, adjacency: Adjacency) -> Shares:
        if norm == 1:
            needs_count = not adjacency.swap or self.cells.size > 1
            if self.spread:
                return (
                    Shares(Fraction(13, 10), Fraction(1156, 1000)) if needs_count else Shares(Fraction(1), LEAST_SHARE)
                )
            return Shares(count=Fraction(1443, 1000) if needs_count else Fraction(1), product=Fraction(2))
        if not adjacency.swap:
            return Shares(count=Fraction(1316, 1000), product=Fraction(1))
        if self.cells.size > 1:
            return Shares(count=Fraction(1), product=Fraction(1))
        if self.counted:
            return Shares(count=Fraction(70711, 100000), product=Fraction(70711, 100000))
        return Shares(count=Fraction(1), product=Fraction(601, 1000))


@dataclass(frozen=True)
class MomentsTogether:
    """The number of rows in each cell, and for each variable the sums of y and of half² - y².

    All variables have a value in every row, so that they are of the same rows. One row moves what it moves of each of
    them, and the count once (docs/proofs/core/sensitivity.md, theorem 2b).
    """

    variables: tuple[Variable, ...]
    cells: Cells = ONE_CELL
    fold: ClassVar[str] = "core.engine.sweep:SumsOf"

    @cached_property
    def monomials(self) -> tuple[Monomial, ...]:
        return ((), *(each for place in range(len(self.variables)) for each in ((place,), (place, place))))

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        return (0, *(each for greatest in self._greatest for each in (0, rounding_shift(greatest))))

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        shares = self._shares(norm, adjacency)
        sizes = [(each.grid.half, shares.product * Fraction(greatest)) for each, greatest in self._each]
        shifts = self.shifts[2::2]
        rest = [each for (one, two), s in zip(sizes, shifts, strict=True) for each in (Fraction(one), two / 2**s)]
        return (shares.count, *rest)

    def extremes(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """How far a row can move its cell when it stays there, and when it comes or goes: in units in which a variable
        at either end of its range is 1 away from its middle."""
        shares, many = self._shares(norm, adjacency), len(self.variables)
        alone = 1 / shares.count**norm + many * max(Fraction(1), 1 / shares.product**norm)
        slack = self._slack(shares)
        return widen(norm, Fraction(many * 2**norm), slack), widen(norm, alone, slack)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        within, alone = self.extremes(norm, adjacency)
        return farthest(adjacency, self.cells, self.variables, within=within, alone=alone)

    def arrange(self, sums: Table) -> Table:
        arranged = sums.copy()
        for at, (greatest, shift) in enumerate(zip(self._greatest, self.shifts[2::2], strict=True)):
            arranged[:, 2 * at + 2] = (greatest >> shift) * sums[:, 0] - sums[:, 2 * at + 2]
        return arranged

    def supposed(self, rows: int) -> list[int]:
        each = [Moments(one, counted=True).supposed(rows) for one in self.variables]
        return [rows, *(number for _, *rest in each for number in rest)]

    def of(self, variable: Variable) -> list[int]:
        """Which numbers are its own: the count, its sum, its squares."""
        at = 2 * self.variables.index(variable)
        return [0, at + 1, at + 2]

    @property
    def _greatest(self) -> list[int]:
        return [variable.grid.half**2 for variable in self.variables]

    @property
    def _each(self) -> list[tuple[Variable, int]]:
        return list(zip(self.variables, self._greatest, strict=True))

    def _slack(self, shares: Shares) -> list[Fraction]:
        pairs = zip(self._greatest, self.shifts[2::2], strict=True)
        return [ROUNDING * 2**shift / (shares.product * greatest) for greatest, shift in pairs if shift]

    def _shares(self, norm: Norm, adjacency: Adjacency) -> Shares:
        many, needs_count = len(self.variables), not adjacency.swap or self.cells.size > 1
        if norm == 1:
            return Shares(_cube_root(Fraction(3, many)) if needs_count else Fraction(1, many), Fraction(2))
        if not adjacency.swap:
            return Shares(root_up(root_up(Fraction(3, many))), Fraction(1))
        if needs_count:
            return Shares(root_up(Fraction(1, many)), Fraction(1))
        return Shares(root_up(Fraction(1, 2 * many)), root_up(Fraction(1, 2)))


def _cube_root(x: Fraction) -> Fraction:
    """To thousandths; no proof needs it exactly."""
    return Fraction(round(1000 * float(x) ** (1 / 3)) + 1, 1000)


Design = Literal["weights", "half-sample", "multinomial"]
Form = Literal["sum", "variance", "deviation", "covariance"]

FINEST = 20  # a range is cut into at most 2**(FINEST + 1) steps
EXACT = 53  # sums of squares below 2**EXACT are exact in float64
ROOT_SCALE = 2**10  # a root is counted in so many parts of a step


@dataclass(frozen=True)
class Resamples:
    """A whole number for each replicate: the sum of its codes, m·Σy² - (Σy)², the root of that, or m·Σyz - Σy·Σz.

    Codes are rounded to so many at a time that all sums of squares are exact in float64, whatever the rows hold.
    """

    variable: Variable
    form: Form
    design: Design
    replicates: int
    size: int  # the public number of rows
    other: Variable | None = None  # z
    cells: ClassVar[Cells] = ONE_CELL
    answered: ClassVar[str] = "numeric.fold_bootstrap:replicates"
    planned: ClassVar[str] = "numeric.run:plan_replicates"

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,) if self.other is None else (self.variable, self.other)

    @property
    def is_secret(self) -> bool:
        """Whether which rows a replicate takes is hidden, and hides them."""
        return self.design != "weights"

    @property
    def drawn(self) -> int:
        """Rows in a replicate, counted as often as they are in it."""
        return self.size // 2 if self.design == "half-sample" else self.size

    def coarse(self, variable: Variable) -> int:
        """How many codes are counted as one: a power of two."""
        bits = min(FINEST, (EXACT - (2 * self.size).bit_length()) // 2)
        return 1 << max(0, variable.grid.half.bit_length() - bits)

    def width(self, variable: Variable) -> int:
        """How far apart two rounded codes can be."""
        return 2 * -(-variable.grid.half // self.coarse(variable))

    @property
    def swing(self) -> int:
        """How far one row that is in a replicate once can move its number, by any change of its value."""
        width, m = self.width(self.variable), self.drawn
        if self.form in ("variance", "covariance"):
            return width * self.width(self.other or self.variable) * (m - 1)
        if self.form == "deviation":  # rounding down adds less than a step
            return isqrt(ROOT_SCALE**2 * width**2 * (m - 1)) + 2
        return width

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),) * self.replicates

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity of all replicates together, for weights: each row is in half of them, twice.

        Secret designs have no sensitivity of their own; how much noise they need is the accountant's to say.
        """
        if self.design != "weights" or adjacency.vanish or not adjacency.swap:
            raise NotImplementedError(f"{self.design} has no sensitivity under these moves")
        times = ceil(self.replicates / 2)
        return Fraction(times * (2 * self.swing) ** norm)
