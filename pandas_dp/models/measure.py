"""What a moment matrix is made of, and the matrix itself: sums of all products of two columns, in each cell.

A number is counted in steps: whole numbers in [-STEPS, STEPS], from the value alone. Blocks of columns of one term are
such that their squares add up to STEPS² at most, in any row. Proof of weights and sensitivity:
docs/proofs/models/moments.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import numpy as np

from ..core.arrays import Array, Table
from ..core.measure.cells import ONE_CELL, Cells, Key, Norm, Variable, farthest
from ..core.measure.measurement import Noisy
from ..core.neighbours import Adjacency
from ..core.noise.gaussian import DiscreteGaussian
from ..errors import BadBounds
from ..numeric.measure import root_up
from .moments.solve import MatrixColumn, MatrixSums, MomentMatrix

STEPS = 2**20  # products of two are exact, and in float64 2**13 of them add up exactly
FEW = 2**10  # ranges of so few codes are stretched by a whole number, so that nothing is rounded
One = TypeVar("One", bound="Term")


def in_steps(variable: Variable, codes: Array, out: Array | None = None) -> Array:
    """Codes of the variable's grid as steps; both ends of its range are the same number of steps from the middle."""
    half = variable.grid.half
    if half <= FEW:
        return np.multiply(codes, float(STEPS // half), out=out)
    return np.rint(np.multiply(codes, STEPS / half, out=out), out=out)


def half_range(variable: Variable) -> float:
    """What STEPS are worth in the variable's own unit."""
    half = variable.grid.half
    codes = Fraction(STEPS, STEPS // half) if half <= FEW else Fraction(half)
    return float(codes * variable.grid.code_step)


class Term(Protocol):
    """A column of a moment matrix, or several of which the squares add up to no more than those of one."""

    @property
    def columns(self) -> tuple[MatrixColumn, ...]: ...

    @property
    def in_box(self) -> bool:
        """Whether it is a number, or the levels of a categorical; sharper bounds hold where all are."""

    @property
    def variables(self) -> tuple[Variable, ...]: ...

    @property
    def keys(self) -> tuple[Key, ...]: ...

    @property
    def name(self) -> str: ...

    def fill(self, room: Array, steps: Mapping[Variable, Array], places: Mapping[Key, Array]) -> None:
        """Write a line for each of its columns: whole numbers of a row's values alone."""

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""


@dataclass(frozen=True)
class Number:
    """A column of numbers, also yes or no."""

    variable: Variable
    in_box = True
    keys: tuple[Key, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @property
    def name(self) -> str:
        return str(self.variable.column)

    @cached_property
    def columns(self) -> tuple[MatrixColumn, ...]:
        centre = float(self.variable.grid.centre)
        return (MatrixColumn(self.name, self.variable.column, None, centre, half_range(self.variable)),)

    def fill(self, room: Array, steps: Mapping[Variable, Array], places: Mapping[Key, Array]) -> None:
        if room[0] is not steps[self.variable]:
            room[0] = steps[self.variable]

    def to_json(self) -> dict[str, Any]:
        return self.variable.to_json()


@dataclass(frozen=True)
class Levels:
    """A categorical: a column of zeros and ones for each of its declared categories."""

    key: Key
    in_box = True
    variables: tuple[Variable, ...] = ()

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key,)

    @property
    def name(self) -> str:
        return f"C({self.key.name})"

    @cached_property
    def columns(self) -> tuple[MatrixColumn, ...]:
        return tuple(
            MatrixColumn(f"{self.name}[{level}]", self.key.name, level, sort="level") for level in levels_of(self.key)
        )

    def fill(self, room: Array, steps: Mapping[Variable, Array], places: Mapping[Key, Array]) -> None:
        room[:] = 0.0
        room[places[self.key], np.arange(room.shape[1])] = 1.0

    def to_json(self) -> dict[str, Any]:
        return {"levels": self.key.to_json()}


def with_gaps(term: One) -> One:
    """The same, where a row without a value of its numbers does not count, whatever was declared."""
    held = {each.name: getattr(term, each.name) for each in fields(term)}  # type: ignore[arg-type]
    numbers = {name: number for name, number in held.items() if isinstance(number, Variable)}
    lacking = {name: replace(each, interval=replace(each.interval, nullable=True)) for name, each in numbers.items()}
    return replace(term, **lacking)  # type: ignore[type-var]


OTHER = "other"


def levels_of(key: Key) -> tuple[Any, ...]:
    """The declared categories, and one for all other values where there is one."""
    values: tuple[Any, ...] = getattr(key.labels, "values", ())
    return (*values, OTHER) if key.other else values


@dataclass(frozen=True)
class Product:
    """A number times another, each counted from the middle of its range: one more number, in steps of its own."""

    first: Variable
    second: Variable
    in_box = True
    keys: tuple[Key, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.first, self.second)

    @property
    def name(self) -> str:
        return f"{self.first.column}:{self.second.column}"

    @cached_property
    def columns(self) -> tuple[MatrixColumn, ...]:
        half = half_range(self.first) * half_range(self.second)
        return (MatrixColumn(self.name, (self.first.column, self.second.column), None, 0.0, half, "product"),)

    def fill(self, room: Array, steps: Mapping[Variable, Array], places: Mapping[Key, Array]) -> None:
        np.multiply(steps[self.first], steps[self.second], out=room[0])
        np.rint(np.multiply(room[0], 1 / STEPS, out=room[0]), out=room[0])  # a power of two, so nothing else is lost

    def to_json(self) -> dict[str, Any]:
        return {"product": [each.to_json() for each in self.variables]}


@dataclass(frozen=True)
class Slopes:
    """A number where the row has a level, 0 elsewhere: a column for each declared category."""

    key: Key
    variable: Variable
    in_box = False

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @property
    def keys(self) -> tuple[Key, ...]:
        return (self.key,)

    @property
    def name(self) -> str:
        return f"C({self.key.name}):{self.variable.column}"

    @cached_property
    def columns(self) -> tuple[MatrixColumn, ...]:
        half, term = half_range(self.variable), (self.key.name, self.variable.column)
        return tuple(
            MatrixColumn(f"C({self.key.name})[{level}]:{self.variable.column}", term, level, 0.0, half, "slope")
            for level in levels_of(self.key)
        )

    def fill(self, room: Array, steps: Mapping[Variable, Array], places: Mapping[Key, Array]) -> None:
        room[:] = 0.0
        room[places[self.key], np.arange(room.shape[1])] = steps[self.variable]

    def to_json(self) -> dict[str, Any]:
        return {"levels": self.key.to_json(), "times": self.variable.to_json()}


@dataclass(frozen=True)
class LinearBasis:
    """Piecewise linear functions of a number: each is 1 at its knot and 0 at all others; beyond the ends they stay.

    In steps they add up to STEPS exactly, two of them not 0 at most.
    """

    variable: Variable
    knots: tuple[float, ...]
    in_box = False
    keys: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        """Knots differ by a step or more, and by what a float holds: else a share of their distance would be none."""
        with np.errstate(all="ignore"):
            between = np.diff(self._at)
        if not (np.isfinite(self._at).all() and np.isfinite(between).all() and (between >= 1).all()):
            column = self.variable.column
            raise BadBounds(
                f"two knots of column {column!r} are nearer to each other than a millionth of its declared range, or "
                "farther than a float can tell; give knots that rise within the range, e.g. [18, 30, 45, 66].",
                column=column,
            )

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @property
    def name(self) -> str:
        return f"s({self.variable.column})"

    @cached_property
    def columns(self) -> tuple[MatrixColumn, ...]:
        return tuple(
            MatrixColumn(f"{self.name}[{knot:g}]", self.variable.column, knot, sort="hat") for knot in self.knots
        )

    @cached_property
    def _at(self) -> Array:
        """The knots in steps of the variable."""
        centre, half = float(self.variable.grid.centre), half_range(self.variable)
        return (np.array([float(Fraction(knot)) for knot in self.knots]) - centre) * (STEPS / half)

    def fill(self, room: Array, steps: Mapping[Variable, Array], places: Mapping[Key, Array]) -> None:
        values, at = steps[self.variable], self._at
        left = np.clip(np.searchsorted(at, values, side="right") - 1, 0, len(at) - 2)
        share = (values - at[left]) / (at[left + 1] - at[left])
        above = np.rint(STEPS * np.clip(share, 0.0, 1.0))
        room[:] = 0.0
        every = np.arange(room.shape[1])
        room[left, every], room[left + 1, every] = STEPS - above, above

    def to_json(self) -> dict[str, Any]:
        return {"linear_basis": self.variable.to_json(), "knots": list(self.knots)}


ProductKind = Literal["count", "level", "product", "square"]
INTERCEPT = MatrixColumn("Intercept", None, sort="constant")


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
    fold: ClassVar[str] = "models.fold:ProductsOfTerms"

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
    def sums(self) -> MatrixSums:
        columns = (INTERCEPT, *(column for term in self.terms for column in term.columns))
        return MatrixSums(columns, self.counted, complements=self.boxed)

    @cached_property
    def _like(self) -> list[int]:
        """Of each column the first term that is scaled as its own is."""
        first = [self._scales.index(scale) for scale in self._scales]
        return [first[0], *(first[at + 1] for at, term in enumerate(self.terms) for _ in term.columns)]

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        scaled = self.sums.scaled
        pairs = list(zip(*(side.tolist() for side in self.sums.places), strict=True))
        kinds = [(*self._kind(one, other), scaled[one] + scaled[other]) for one, other in pairs]
        share = self._share_in_box(norm, adjacency) if self.boxed else self._share
        found = {kind: share(*kind[:3]) * STEPS ** kind[3] for kind in dict.fromkeys(kinds)}
        return tuple(found[kind] for kind in kinds)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity, in units in which a number at either end of its range is 1."""
        if self.keys:
            adjacency = adjacency.with_absence()
        if self.boxed:
            within, alone = self._box.within(norm, self._changes(norm, adjacency)[0]), self._alone(norm, adjacency)
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
        """What a noisy answer says, in parts of a row: the matrix of each cell; the number of rows where everyone
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

    def _kind(self, one: int, other: int) -> tuple[int, int, ProductKind]:
        """What determines the share of a number: how its columns are scaled, if that differs, and how they meet."""
        terms = (0, 0) if self.boxed else (self._like[one], self._like[other])
        if one == other:
            return (*terms, "square" if one else "count")
        return (*terms, "level" if not one and self.sums.columns[other].sort == "level" else "product")

    def _share(self, one: int, other: int, kind: ProductKind) -> Fraction:
        """The noise on a number of columns of these terms, relative to what one row can bring: the square of a number
        has twice the variance; a level stands at its square too."""
        first, second = self._scales[one], self._scales[other]
        more = second**2 / 2 if kind == "level" else 0
        return _root_in(1 / (first * second / (2 if kind in ("square", "count") else 1) + more), 2)

    def _share_in_box(self, norm: Norm, adjacency: Adjacency) -> Callable[[int, int, ProductKind], Fraction]:
        """The same where all terms are numbers or levels."""
        square, count = self._changes(norm, adjacency)
        shares = {"square": _root_in(1 / square, norm), "count": _root_in(1 / count, norm)}
        return lambda one, other, kind: shares.get(kind, Fraction(1))

    @cached_property
    def _box(self) -> Box:
        return Box(sum(not term.keys for term in self.terms), sum(bool(term.keys) for term in self.terms))

    def _changes(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, Fraction]:
        """What a change of a square counts, and what one row more or less."""
        needs_count = not adjacency.swap or self.cells.size > 1
        return self._box.square(norm, needs_count), self._box.count(norm, needs_count)

    def _alone(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        square, count = self._changes(norm, adjacency)
        return self._box.alone(norm, square, count if self.counted else None)

    @cached_property
    def _scales(self) -> tuple[Fraction, ...]:
        """Squares of what each term is scaled by, the constant first."""
        return (Fraction(1), *(self.importance or (Fraction(1),) * len(self.terms)))

    def _tilted(self, norm: Norm, half: int) -> Fraction:
        sensitivity = sum(self._scales, Fraction(0)) ** 2 / half
        # in norm 1 no sum of so many is larger, by Cauchy and Schwarz
        return sensitivity if norm == 2 else root_up(sensitivity * len(self.sums.places[0]))


@dataclass(frozen=True)
class Box:
    """Weights and sensitivity for so many numbers in [-1, 1], so many categoricals, and the constant."""

    numbers: int
    categoricals: int

    @cached_property
    def terms(self) -> int:
        return 1 + self.numbers + self.categoricals

    def square(self, norm: Norm, needs_count: bool) -> Fraction:
        """What a change of a square counts."""
        free = self.terms + self.categoricals
        if norm == 2:
            return Fraction(free, 2) if needs_count else Fraction(free, 2) + 1
        if not needs_count or not self.numbers:
            return Fraction(1, 2)
        room = 2 * self._ends + 2 - self.within(1, Fraction(1, 2))
        return max(Fraction(1, 2), min(Fraction(self.terms - 1, 2), Fraction(1, 2) + room / self.numbers))

    def count(self, norm: Norm, needs_count: bool) -> Fraction:
        """What one row more or less counts."""
        if needs_count:
            return Fraction(self.terms, 2) if norm == 2 else Fraction(1)
        free = self.within(norm, self.square(norm, needs_count)) - self._ends
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
    return square if norm == 1 else Fraction(isqrt((square.numerator << 40) // square.denominator) + 1, 1 << 20)
