"""A moment matrix in the units of its columns, and how far noise moves each entry of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ...core.arrays import Floats
from ...dataclass import dataclass

Places = np.ndarray[Any, np.dtype[np.intp]]
Sort = Literal["constant", "number", "product", "level", "hat", "slope"]


@dataclass(frozen=True)
class Column:
    """A column of the expansion: the constant, a number, one level of a categorical, one function of a spline.

    It is counted in half-ranges around a centre: u = (x - centre) / half.
    """

    name: str  # as a coefficient of it is called: "Intercept", "age", "C(region)[e]"
    term: Hashable  # what it belongs to: a label of the table, or for a product or a slope a pair of them
    level: Hashable = None  # which category of the term it stands for, or which knot, where it stands for one
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
    def from_json(cls, facts: Mapping[str, Any]) -> Column:
        """What was written; names that a later version may add are not read."""
        known = {name: facts[name] for name in cls.__dataclass_fields__ if name in facts}
        term = known["term"]
        return cls(**{**known, "term": tuple(term) if isinstance(term, list) else term})


PAIRS = ("product", "slope")


@dataclass(frozen=True)
class Noises:
    """Independent errors of known variance, and by how much each moves entries (row, column) and (column, row)."""

    variances: Floats  # one a released number
    number: Places  # one an entry that a number moves: which number,
    row: Places  # where, row <= column,
    column: Places
    factor: Floats  # and how far
    heavy: bool = False  # whether their tails are heavier than those of normal noise: Laplace noise
    ties: Floats | None = None  # orthonormal, a row a number: what the numbers were made to agree in moves no more

    def only(self, numbers: Places) -> Noises:
        """Of some numbers, rising, alone; of all, where they are tied."""
        if self.ties is not None:
            return self
        here = np.isin(self.number, numbers)
        place = np.searchsorted(numbers, self.number[here])
        moves = (each[here] for each in (self.row, self.column, self.factor))
        return Noises(self.variances[numbers], place, *moves, self.heavy)


@dataclass(frozen=True)
class MomentMatrix:
    """The sums of u_i u_j over the rows of one cell, u_0 = 1 first, each blurred: what least squares starts from."""

    columns: tuple[Column, ...]
    matrix: Floats  # square and symmetric
    noises: Noises
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


def unit_map(columns: Sequence[Column]) -> Floats:
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
    return units


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


def agreeing(columns: Sequence[Column]) -> Floats:
    """What keeps of scores what they do not contradict: all levels of a categorical are the constant, and a number
    apart for each level is the number."""
    ties = [tie for tie in _sums_of_nothing(columns) if tie.any()]
    size = len(columns)
    if not ties:
        return np.eye(size)
    basis, _ = np.linalg.qr(np.array(ties).T)
    return np.asarray(np.eye(size) - basis @ basis.T)


def agreed_squares(columns: Sequence[Column], upper: Floats, of_rows: bool = True) -> Floats:
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


def _sums_of_nothing(columns: Sequence[Column]) -> list[Floats]:
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


def supposed_products(columns: Sequence[Column], spreads: Mapping[Hashable, float]) -> Floats:
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


def _product(one: Column, other: Column, many: Mapping[Hashable, int], squares: Mapping[Hashable, float]) -> float:
    levels: dict[Hashable, Hashable] = {}
    for key, level in (*_levels(one), *_levels(other)):
        if levels.setdefault(key, level) != level:
            return 0.0
    found = 1.0
    for key in levels:
        found /= many[key]
    for name, power in Counter((*_numbers(one), *_numbers(other))).items():
        found *= {2: 1.0, 4: 3.0}.get(power, 0.0) * squares[name] ** (power / 2)
    return found


def _levels(column: Column) -> list[tuple[Hashable, Hashable]]:
    if column.sort == "level":
        return [(column.term, column.level)]
    return [(column.term[0], column.level)] if column.sort == "slope" and isinstance(column.term, tuple) else []


def _numbers(column: Column) -> list[Hashable]:
    if column.sort == "number":
        return [column.term]
    if column.sort == "product" and isinstance(column.term, tuple):
        return list(column.term)
    return [column.term[1]] if column.sort == "slope" and isinstance(column.term, tuple) else []
