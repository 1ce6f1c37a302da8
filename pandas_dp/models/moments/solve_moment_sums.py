"""Which sums a moment matrix is made of, in what order they are released, and what several of them say twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np

from ...core.arrays import Floats
from ...dataclass import dataclass
from .solve_moment_matrix import Column, MomentMatrix, Noises, Places

LEAST = 1e-12  # of the greatest variance, which noise of almost none counts as
TINY = 1e-200
ALIKE = 1e-9  # of the greatest, an equation that follows from others
SCALED = ("number", "product", "hat", "slope")  # counted in steps; the constant and levels are 0 or 1


@dataclass(frozen=True)
class MomentSums:
    """The sums over rows of products of two columns, the constant first among the columns.

    Not released: a product of two levels of a categorical, or of hats that do not touch, which is always 0; the square
    of a level, which is the level; the number of rows where it is public. With `complements`, the sum of 1 - u² stands
    in place of that of a square u².
    """

    columns: tuple[Column, ...]
    counted: bool = True  # the number of rows is released
    complements: bool = False

    @cached_property
    def places(self) -> tuple[Places, Places]:
        """Of each released number, the columns that are multiplied, the earlier one first.

        In order: the number of rows, numbers of rows with a level or two, sums, sums of products, sums of squares.
        """
        scaled = self.scaled
        above = zip(*map(np.ndarray.tolist, np.triu_indices(len(self.columns))), strict=True)
        released = [pair for pair in above if self._released(*pair)]
        order = sorted(released, key=lambda pair: (scaled[pair[0]] + scaled[pair[1]], pair[0] == pair[1] != 0))
        first, second = zip(*order, strict=True) if order else ((), ())
        return np.array(first, np.intp), np.array(second, np.intp)

    @cached_property
    def scaled(self) -> tuple[int, ...]:
        """1 for each column that is counted in steps."""
        return tuple(int(column.sort in SCALED) for column in self.columns)

    def never_meet(self, one: int, other: int) -> bool:
        """Whether the product of the two is 0 in any row."""
        first, second = self._levels[one], self._levels[other]
        if any(second.get(key, level) != level for key, level in first.items()):
            return True
        hats = self._hats[one], self._hats[other]
        return (
            hats[0] is not None
            and hats[1] is not None
            and hats[0][0] == hats[1][0]
            and abs(hats[0][1] - hats[1][1]) > 1
        )

    def _released(self, one: int, other: int) -> bool:
        if one == other:
            return self.counted if not one else bool(self.scaled[one])
        return not self.never_meet(one, other)

    @cached_property
    def _levels(self) -> list[dict[Hashable, Hashable]]:
        """Which level of which categorical a row must have, where a column is not to be 0."""
        return [_level_of(column) for column in self.columns]

    @cached_property
    def _hats(self) -> list[tuple[Hashable, int] | None]:
        """Of a hat, its variable and its place among the hats."""
        seen: dict[Hashable, int] = defaultdict(int)
        found: list[tuple[Hashable, int] | None] = []
        for column in self.columns:
            found.append((column.term, seen[column.term]) if column.sort == "hat" else None)
            seen[column.term] += column.sort == "hat"
        return found

    @cached_property
    def entries(self) -> dict[tuple[int, int], list[tuple[int, float]]]:
        """Each entry of the matrix as released numbers, each times a factor; what is not there is 0 or public."""
        found: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for number, (one, other) in enumerate(zip(*map(np.ndarray.tolist, self.places), strict=True)):
            if one == other and one and self.complements and self.counted:
                found[one, one] = [(0, 1.0), (number, -1.0)]
            else:
                found[one, other] = [(number, 1.0)]
            if not one and other and self.columns[other].sort == "level":
                found[other, other] = [(number, 1.0)]
        return found

    @cached_property
    def said_twice(self) -> list[list[tuple[int, int, float]]]:
        """What is 0 of entries of the matrix, whatever the rows hold: row, column and factor of each."""
        return [*self._blocks_that_add_up(), *self._same_products()]

    def _blocks_that_add_up(self) -> list[list[tuple[int, int, float]]]:
        """All levels, or all hats, of a variable are the constant; a number times each level is the number."""
        blocks: dict[tuple[Hashable, Hashable], list[int]] = defaultdict(list)
        for at, column in enumerate(self.columns):
            if column.sort in ("level", "hat", "slope"):
                blocks[column.sort, column.term].append(at)
        numbers = {column.term: at for at, column in enumerate(self.columns) if column.sort == "number"}
        found = []
        for (sort, term), members in blocks.items():
            whole = numbers.get(term[1]) if sort == "slope" and isinstance(term, tuple) else 0
            if whole is not None:
                found += [
                    [*((min(at, j), max(at, j), 1.0) for at in members), (min(whole, j), max(whole, j), -1.0)]
                    for j in range(len(self.columns))
                ]
        return found

    def _same_products(self) -> list[list[tuple[int, int, float]]]:
        same: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        for one, other in self.entries:
            factors = sorted([*_factors(self.columns[one]), *_factors(self.columns[other])], key=repr)
            levels = frozenset({**self._levels[one], **self._levels[other]}.items())
            hats = tuple(sorted(repr(each) for each in (self._hats[one], self._hats[other]) if each is not None))
            same[tuple(factors), levels, hats].append((one, other))
        return [[(*a, 1.0), (*b, -1.0)] for entries in same.values() for a, b in pairwise(entries)]

    def matrices(self, numbers: Floats, variances: Floats, size: int | None, heavy: bool = False) -> list[MomentMatrix]:
        """A matrix for each row of released numbers, after what they say twice was made one."""
        variances = np.maximum(variances, max(LEAST * variances.max(initial=0.0), TINY))  # to divide by
        ties = _ties(self, tuple(variances.tolist()), size)
        agreed = ties.agreed(numbers)
        noises = Noises(variances, *self._factors, ties=ties.basis if ties.basis.size else None, heavy=heavy)
        return [MomentMatrix(self.columns, self._filled(each, size), noises, not self.counted) for each in agreed]

    @cached_property
    def _factors(self) -> tuple[Places, Places, Places, Floats]:
        """number, row, column, factor of whatever a number moves."""
        flat = [(n, one, other, f) for (one, other), parts in self.entries.items() for n, f in parts]
        number, row, column, factor = zip(*flat, strict=True) if flat else ((), (), (), ())
        return np.array(number, np.intp), np.array(row, np.intp), np.array(column, np.intp), np.array(factor, float)

    def _filled(self, numbers: Floats, size: int | None) -> Floats:
        number, row, column, factor = self._factors
        matrix = np.zeros((len(self.columns),) * 2)
        np.add.at(matrix, (row, column), factor * numbers[number])
        if not self.counted:
            matrix[0, 0] = size or 0
        return np.asarray(matrix + np.triu(matrix, 1).T)


@dataclass(frozen=True)
class Ties:
    """Linear equations that exact numbers meet: orthonormal directions in units of the noise, and the way there."""

    spread: Floats
    basis: Floats  # number × equation
    shift: Floats  # of each number

    def agreed(self, numbers: Floats) -> Floats:
        """The numbers nearest to these, in units of their noise, that meet the equations; each row by itself."""
        if not self.basis.size:
            return numbers
        scaled = numbers / self.spread
        return np.asarray((scaled - (scaled @ self.basis) @ self.basis.T + self.shift) * self.spread)


@lru_cache(maxsize=32)
def _ties(sums: MomentSums, variances: tuple[float, ...], size: int | None) -> Ties:
    spread = np.sqrt(np.array(variances))
    equations, wanted = [], []
    for said in sums.said_twice:
        row, constant = np.zeros(len(spread)), 0.0
        for one, other, factor in said:
            for number, share in sums.entries.get((one, other), ()):
                row[number] += factor * share
            constant += factor * (size or 0) * (one == other == 0 and not sums.counted)
        if row.any():
            equations.append(row * spread)
            wanted.append(-constant)
    if not equations:
        return Ties(spread, np.zeros((len(spread), 0)), np.zeros(len(spread)))
    from scipy.linalg import qr, solve_triangular  # late: it takes a while

    basis, upper, places = qr(np.array(equations).T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(upper))
    rank = int((sizes > ALIKE * sizes[0]).sum())
    basis = np.ascontiguousarray(basis[:, :rank])
    meets = solve_triangular(upper[:rank, :rank], np.array(wanted)[places[:rank]], trans=1)
    return Ties(spread, basis, basis @ meets)


def _level_of(column: Column) -> dict[Hashable, Hashable]:
    if column.sort == "level":
        return {column.term: column.level}
    if column.sort == "slope" and isinstance(column.term, tuple):
        return {column.term[0]: column.level}
    return {}


def _factors(column: Column) -> tuple[Hashable, ...]:
    """The numbers that are multiplied in it."""
    if column.sort == "number":
        return (column.term,)
    if column.sort == "product" and isinstance(column.term, tuple):
        return column.term
    return (column.term[1],) if column.sort == "slope" and isinstance(column.term, tuple) else ()
