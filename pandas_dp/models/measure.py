"""What a moment matrix is made of: a number, the levels of a categorical, and what is made of two of them.

A number is counted in steps: whole numbers in [-STEPS, STEPS], from the value alone. Blocks of columns of one term are
such that their squares add up to STEPS² at most, in any row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np

from ..core.measure.cells import Key, Variable
from ..dataclass import dataclass
from ..errors import BadBounds
from .moments.solve import Column

STEPS = 2**20  # products of two are exact, and in float64 2**13 of them add up exactly
FEW = 2**10  # ranges of so few codes are stretched by a whole number, so that nothing is rounded
Numbers = np.ndarray[Any, Any]
One = TypeVar("One", bound="Term")


def in_steps(variable: Variable, codes: Numbers, out: Numbers | None = None) -> Numbers:
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
    def columns(self) -> tuple[Column, ...]: ...

    @property
    def in_box(self) -> bool:
        """Whether it is a number, or the levels of a categorical; sharper bounds hold where all are."""

    @property
    def variables(self) -> tuple[Variable, ...]: ...

    @property
    def keys(self) -> tuple[Key, ...]: ...

    @property
    def name(self) -> str: ...

    def fill(self, room: Numbers, steps: Mapping[Variable, Numbers], places: Mapping[Key, Numbers]) -> None:
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
    def columns(self) -> tuple[Column, ...]:
        centre = float(self.variable.grid.centre)
        return (Column(self.name, self.variable.column, None, centre, half_range(self.variable)),)

    def fill(self, room: Numbers, steps: Mapping[Variable, Numbers], places: Mapping[Key, Numbers]) -> None:
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
    def columns(self) -> tuple[Column, ...]:
        return tuple(
            Column(f"{self.name}[{level}]", self.key.name, level, sort="level") for level in levels_of(self.key)
        )

    def fill(self, room: Numbers, steps: Mapping[Variable, Numbers], places: Mapping[Key, Numbers]) -> None:
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
    def columns(self) -> tuple[Column, ...]:
        half = half_range(self.first) * half_range(self.second)
        return (Column(self.name, (self.first.column, self.second.column), None, 0.0, half, "product"),)

    def fill(self, room: Numbers, steps: Mapping[Variable, Numbers], places: Mapping[Key, Numbers]) -> None:
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
    def columns(self) -> tuple[Column, ...]:
        half, term = half_range(self.variable), (self.key.name, self.variable.column)
        return tuple(
            Column(f"C({self.key.name})[{level}]:{self.variable.column}", term, level, 0.0, half, "slope")
            for level in levels_of(self.key)
        )

    def fill(self, room: Numbers, steps: Mapping[Variable, Numbers], places: Mapping[Key, Numbers]) -> None:
        room[:] = 0.0
        room[places[self.key], np.arange(room.shape[1])] = steps[self.variable]

    def to_json(self) -> dict[str, Any]:
        return {"levels": self.key.to_json(), "times": self.variable.to_json()}


@dataclass(frozen=True)
class Hats:
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
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"{self.name}[{knot:g}]", self.variable.column, knot, sort="hat") for knot in self.knots)

    @cached_property
    def _at(self) -> Numbers:
        """The knots in steps of the variable."""
        centre, half = float(self.variable.grid.centre), half_range(self.variable)
        return (np.array([float(Fraction(knot)) for knot in self.knots]) - centre) * (STEPS / half)

    def fill(self, room: Numbers, steps: Mapping[Variable, Numbers], places: Mapping[Key, Numbers]) -> None:
        values, at = steps[self.variable], self._at
        left = np.clip(np.searchsorted(at, values, side="right") - 1, 0, len(at) - 2)
        share = (values - at[left]) / (at[left + 1] - at[left])
        above = np.rint(STEPS * np.clip(share, 0.0, 1.0))
        room[:] = 0.0
        every = np.arange(room.shape[1])
        room[left, every], room[left + 1, every] = STEPS - above, above

    def to_json(self) -> dict[str, Any]:
        return {"hats": self.variable.to_json(), "knots": list(self.knots)}
