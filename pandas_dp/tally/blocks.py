"""Terms of two columns, and functions of one: products, a number apart for each level, hats over public knots."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..equations.moment_matrix import Column
from ..errors import BadBounds
from .cells import Key, Variable
from .terms import STEPS, Numbers, half_range, levels_of


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
