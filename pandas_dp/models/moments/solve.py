"""A moment matrix in the units of its columns: which sums it is made of, what several of them say twice, and how far
noise moves each entry."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ...core.arrays import Floats
from .solve_powers import mean_of_product, power_in_polynomials, same_products

Places = np.ndarray[Any, np.dtype[np.intp]]
Sort = Literal["constant", "number", "product", "power", "level", "hat", "slope"]


@dataclass(frozen=True)
class MatrixColumn:
    """A column of the expansion: the constant, a number, one level of a categorical, one function of a spline.

    It is counted in half-ranges around a centre: u = (x - centre) / half.
    """

    name: str  # as a coefficient of it is called: "Intercept", "age", "C(region)[e]"
    term: Hashable  # what it belongs to: a label of the table, or for a product or a slope a pair of them
    level: Hashable = None  # which category of the term it stands for, or which knot or degree, where for one
    centre: float = 0.0
    half: float = 1.0
    sort: Sort = "number"

    def to_json(self) -> dict[str, Any]:
        """Itself as a label holds it; what no JSON has is text."""
        level = self.level if isinstance(self.level, str | int | float | None) else str(self.level)
        pair = isinstance(self.term, tuple) and self.sort in PAIRS
        term = list(self.term) if pair and isinstance(self.term, tuple) else self.term
        return {**vars(self), "term": term, "level": level}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> MatrixColumn:
        """What was written; names that a later version may add are not read."""
        known = {name: facts[name] for name in cls.__dataclass_fields__ if name in facts}
        term = known["term"]
        return cls(**{**known, "term": tuple(term) if isinstance(term, list) else term})


PAIRS = ("product", "slope")


@dataclass(frozen=True)
class EntryNoises:
    """Independent errors of known variance, and by how much each moves entries (row, column) and (column, row)."""

    variances: Floats  # one a released number
    number: Places  # one an entry that a number moves: which number,
    row: Places  # where, row <= column,
    column: Places
    factor: Floats  # and how far
    heavy: bool = False  # whether their tails are heavier than those of normal noise: Laplace noise
    ties: Floats | None = None  # orthonormal, a row a number: what the numbers were made to agree in moves no more

    def only(self, numbers: Places) -> EntryNoises:
        """Of some numbers, rising, alone; of all, where they are tied."""
        if self.ties is not None:
            return self
        here = np.isin(self.number, numbers)
        place = np.searchsorted(numbers, self.number[here])
        row, column, factor = self.row[here], self.column[here], self.factor[here]
        return EntryNoises(self.variances[numbers], place, row, column, factor, self.heavy)


@dataclass(frozen=True)
class MomentMatrix:
    """The sums of u_i u_j over the rows of one cell, u_0 = 1 first, each noisy: what least squares starts from."""

    columns: tuple[MatrixColumn, ...]
    matrix: Floats  # square and symmetric
    noises: EntryNoises
    size_public: bool = False  # whether entry (0, 0) is exact

    @property
    def n(self) -> float:
        """How many rows there are, or about how many."""
        return float(self.matrix[0, 0])

    def moved(self, weights: Floats) -> Floats:
        """By how much each released number moves matrix @ weights: a row for each number, a column for each column."""
        noises = self.noises
        moved = np.zeros((len(noises.variances), len(self.columns)))
        np.add.at(moved, (noises.number, noises.row), noises.factor * weights[noises.column])
        off = noises.row != noises.column
        at = noises.number[off], noises.column[off]
        np.add.at(moved, at, noises.factor[off] * weights[noises.row[off]])
        if noises.ties is None:
            return moved
        spread = np.sqrt(noises.variances)[:, None]
        return np.asarray(moved - noises.ties @ (noises.ties.T @ (spread * moved)) / spread)

    def covariance(self, weights: Floats, places: Sequence[int] | slice = slice(None)) -> Floats:
        """That of the noise in (matrix @ weights)[places]."""
        moved = self.moved(weights)[:, places]
        return np.asarray((moved.T * self.noises.variances) @ moved)


def unit_map(columns: Sequence[MatrixColumn]) -> Floats:
    """What turns a row's half-ranges u into its columns' own numbers: x = T u.

    A product counts each factor from the middle of its range; of the plain product a part is the factors themselves.
    """
    units = np.zeros((len(columns), len(columns)))
    numbers = {column.term: at for at, column in enumerate(columns) if column.sort == "number"}
    levels = {(column.term, column.level): at for at, column in enumerate(columns) if column.sort == "level"}
    for at, column in enumerate(columns):
        units[at, at] = column.half
        if column.sort == "number":
            units[at, 0] = column.centre
        if column.sort == "slope" and isinstance(column.term, tuple):
            of, times = levels.get((column.term[0], column.level)), numbers.get(column.term[1])
            if of is not None and times is not None:
                units[at, of] = columns[times].centre
        if column.sort == "product" and isinstance(column.term, tuple):
            one, other = (numbers.get(each) for each in column.term)
            if one is not None and other is not None:
                units[at, 0] = columns[one].centre * columns[other].centre
                units[at, one] += columns[other].centre * columns[one].half
                units[at, other] += columns[one].centre * columns[other].half
    for degrees in _degrees(columns).values():
        number = columns[degrees[1]]
        for degree in range(2, len(degrees)):
            shares = power_in_polynomials(number.centre, number.half, degree)
            units[degrees[degree], [degrees[each] for each in range(degree + 1)]] = shares
    return units


def _degrees(columns: Sequence[MatrixColumn]) -> dict[Hashable, dict[int, int]]:
    """Of each number of which there are powers, where the polynomial of each degree stands, the constant first."""
    numbers = {column.term: at for at, column in enumerate(columns) if column.sort == "number"}
    found: dict[Hashable, dict[int, int]] = {}
    for at, column in enumerate(columns):
        if column.sort == "power" and isinstance(column.level, int):
            found.setdefault(column.term, {0: 0, 1: numbers[column.term]})[column.level] = at
    return found


def in_units(matrix: MomentMatrix) -> Floats:
    """The sums of products of the columns' own numbers."""
    units = unit_map(matrix.columns)
    return np.asarray(units @ matrix.matrix @ units.T)


def spreads_in_units(matrix: MomentMatrix) -> Floats:
    """The standard deviation of the noise in each of these sums."""
    from scipy import sparse  # late: seldom needed

    noises, size = matrix.noises, len(matrix.columns)
    units = sparse.csr_array(unit_map(matrix.columns))
    off = noises.row != noises.column
    entry = np.concatenate([noises.row * size + noises.column, (noises.column * size + noises.row)[off]])
    number = np.concatenate([noises.number, noises.number[off]])
    factor = np.concatenate([noises.factor, noises.factor[off]]) * np.sqrt(noises.variances)[number]
    moved = sparse.csr_array((factor, (entry, number)), shape=(size**2, len(noises.variances)))
    moved = sparse.csr_array(sparse.kron(units, units) @ moved)
    variances = np.asarray(moved.power(2).sum(axis=1)).ravel()
    if noises.ties is not None:
        variances = np.maximum(variances - ((moved @ noises.ties) ** 2).sum(axis=1), 0.0)
    return np.asarray(np.sqrt(variances).reshape(size, size))


def raised(matrix: Floats, least: float = 0.0, part: float = 0.0) -> Floats:
    """A symmetric matrix with no eigenvalue below these, `part` being of the greatest in size."""
    values, vectors = np.linalg.eigh(matrix)
    floor = max(least, part * float(np.abs(values).max(initial=0.0)))
    return np.asarray((vectors * np.maximum(values, floor)) @ vectors.T)


def agreeing(columns: Sequence[MatrixColumn]) -> Floats:
    """What keeps of scores what they do not contradict: all levels of a categorical are the constant, and a number
    apart for each level is the number."""
    ties = [tie for tie in _sums_of_nothing(columns) if tie.any()]
    size = len(columns)
    if not ties:
        return np.eye(size)
    basis, _ = np.linalg.qr(np.array(ties).T)
    return np.asarray(np.eye(size) - basis @ basis.T)


def agreed_squares(columns: Sequence[MatrixColumn], upper: Floats, of_rows: bool = True) -> Floats:
    """A square of sums of products over the columns, from its upper triangle: of rows, none of which has two levels of
    a categorical, or of people, whose rows may."""
    size = len(columns)
    found = np.zeros((size, size))
    found[np.triu_indices(size)] = upper
    found = np.triu(found) + np.triu(found, 1).T
    levels = [(c.term, c.level) if of_rows and c.sort == "level" else None for c in columns]
    for at, one in enumerate(levels):
        for to, other in enumerate(levels):
            if one and other and one != other and one[0] == other[0]:
                found[at, to] = 0.0  # no row has both
    keeps = agreeing(columns)
    return np.asarray(keeps @ found @ keeps)


def _sums_of_nothing(columns: Sequence[MatrixColumn]) -> list[Floats]:
    """Sums of columns that are 0 in every row."""
    numbers = {column.term: at for at, column in enumerate(columns) if column.sort == "number"}
    found: dict[Any, Floats] = {}
    for at, column in enumerate(columns):
        if column.sort not in ("level", "slope"):
            continue
        whole = numbers.get(column.term[1]) if column.sort == "slope" and isinstance(column.term, tuple) else 0
        if whole is not None:
            tie = found.setdefault((column.sort, column.term), np.zeros(len(columns)))
            tie[at], tie[whole] = 1.0, -1.0
    return list(found.values())


def supposed_products(columns: Sequence[MatrixColumn], spreads: Mapping[Hashable, float]) -> Floats:
    """The mean of each product of two columns, in half-ranges: numbers vary around the middle of their ranges, all
    levels are equally frequent."""
    many = Counter(column.term for column in columns if column.sort == "level")
    for column in columns:
        if column.sort == "slope" and isinstance(column.term, tuple) and column.term[0] not in many:
            many[column.term[0]] = sum(1 for each in columns if each.sort == "slope" and each.term == column.term)
    halves = {column.term: column.half for column in columns if column.sort == "number"}
    squares = {name: (spread / halves[name]) ** 2 for name, spread in spreads.items() if name in halves}
    found = [[_product(one, other, many, squares) for other in columns] for one in columns]
    return np.array(found)


def _product(
    one: MatrixColumn, other: MatrixColumn, many: Mapping[Hashable, int], squares: Mapping[Hashable, float]
) -> float:
    levels: dict[Hashable, Hashable] = {}
    for key, level in (*_levels(one), *_levels(other)):
        if levels.setdefault(key, level) != level:
            return 0.0
    degrees: dict[Hashable, list[int]] = defaultdict(list)
    for name, degree in (*_numbers(one), *_numbers(other)):
        degrees[name].append(degree)
    found = 1.0
    for key in levels:
        found /= many[key]
    for name, each in degrees.items():
        found *= mean_of_product(each, squares[name])
    return found


def _levels(column: MatrixColumn) -> list[tuple[Hashable, Hashable]]:
    if column.sort == "level":
        return [(column.term, column.level)]
    return [(column.term[0], column.level)] if column.sort == "slope" and isinstance(column.term, tuple) else []


def _numbers(column: MatrixColumn) -> list[tuple[Hashable, int]]:
    """Those that it multiplies, each with the degree of its polynomial."""
    if column.sort in ("number", "power"):
        return [(column.term, column.level if isinstance(column.level, int) else 1)]
    if column.sort == "product" and isinstance(column.term, tuple):
        return [(each, 1) for each in column.term]
    return [(column.term[1], 1)] if column.sort == "slope" and isinstance(column.term, tuple) else []


LEAST = 1e-12  # of the greatest variance, which noise of almost none counts as
TINY = 1e-200
ALIKE = 1e-9  # of the greatest, an equation that follows from others
SCALED = ("number", "product", "power", "hat", "slope")  # counted in steps; the constant and levels are 0 or 1


@dataclass(frozen=True)
class MatrixSums:
    """The sums over rows of products of two columns, the constant first among the columns.

    Not released: a product of two levels of a categorical, or of hats that do not touch, which is always 0; the square
    of a level, which is the level; the number of rows where it is public. With `complements`, the sum of 1 - u² stands
    in place of that of a square u².
    """

    columns: tuple[MatrixColumn, ...]
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
        linear_basis = self._linear_basis[one], self._linear_basis[other]
        return (
            linear_basis[0] is not None
            and linear_basis[1] is not None
            and linear_basis[0][0] == linear_basis[1][0]
            and abs(linear_basis[0][1] - linear_basis[1][1]) > 1
        )

    def _released(self, one: int, other: int) -> bool:
        if one == other:
            return self.counted if not one else bool(self.scaled[one])
        return not self.never_meet(one, other)

    @cached_property
    def _levels(self) -> list[dict[Hashable, Hashable]]:
        """Which level of which categorical a row must have, where a column is not to be 0."""
        return [dict(_levels(column)) for column in self.columns]

    @cached_property
    def _linear_basis(self) -> list[tuple[Hashable, int] | None]:
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
        return [*self._blocks_that_add_up(), *self._same_products(), *self._powers()]

    def _powers(self) -> list[list[tuple[int, int, float]]]:
        return [
            [(*sorted((at[a], at[b])), factor) for a, b, factor in said]  # type: ignore[misc]
            for at in _degrees(self.columns).values()
            for said in same_products(len(at) - 1)
        ]

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
            factors = sorted([*_numbers(self.columns[one]), *_numbers(self.columns[other])], key=repr)
            levels = frozenset({**self._levels[one], **self._levels[other]}.items())
            linear_basis = tuple(
                sorted(repr(each) for each in (self._linear_basis[one], self._linear_basis[other]) if each is not None)
            )
            same[tuple(factors), levels, linear_basis].append((one, other))
        return [[(*a, 1.0), (*b, -1.0)] for entries in same.values() for a, b in pairwise(entries)]

    def matrices(self, numbers: Floats, variances: Floats, size: int | None, heavy: bool = False) -> list[MomentMatrix]:
        """A matrix for each row of released numbers, after what they say twice was made one."""
        variances = np.maximum(variances, max(LEAST * variances.max(initial=0.0), TINY))  # to divide by
        ties = _ties(self, tuple(variances.tolist()), size)
        agreed = ties.agreed(numbers)
        noises = EntryNoises(variances, *self._factors, ties=ties.basis if ties.basis.size else None, heavy=heavy)
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
def _ties(sums: MatrixSums, variances: tuple[float, ...], size: int | None) -> Ties:
    spread = np.sqrt(np.array(variances))
    equations, requested = [], []
    for said in sums.said_twice:
        row, constant = np.zeros(len(spread)), 0.0
        for one, other, factor in said:
            for number, share in sums.entries.get((one, other), ()):
                row[number] += factor * share
            constant += factor * (size or 0) * (one == other == 0 and not sums.counted)
        if row.any():
            equations.append(row * spread)
            requested.append(-constant)
    if not equations:
        return Ties(spread, np.zeros((len(spread), 0)), np.zeros(len(spread)))
    from scipy.linalg import qr, solve_triangular  # late: it takes a while

    basis, upper, places = qr(np.array(equations).T, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(upper))
    rank = int((sizes > ALIKE * sizes[0]).sum())
    basis = np.ascontiguousarray(basis[:, :rank])
    meets = solve_triangular(upper[:rank, :rank], np.array(requested)[places[:rank]], trans=1)
    return Ties(spread, basis, basis @ meets)
