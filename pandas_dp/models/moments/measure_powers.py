"""Powers of a number, as Chebyshev polynomials of where it lies in its range: each is one more number in [-1, 1].

From the middle of the range they hardly depend on each other, and the power that a user wrote is a public combination
of them: docs/proofs/models/moments.md#powers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import Array
from ...core.measure.cells import Key, Variable
from ..measure import STEPS, half_range
from .solve import MatrixColumn


@dataclass(frozen=True)
class Power:
    """The polynomial of one degree; the number itself and those of lower degrees are terms beside it."""

    variable: Variable
    degree: int
    in_box = True
    keys: tuple[Key, ...] = ()

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @property
    def name(self) -> str:
        return f"I({self.variable.column} ** {self.degree})"

    @cached_property
    def columns(self) -> tuple[MatrixColumn, ...]:
        half = half_range(self.variable) ** self.degree / 2 ** (self.degree - 1)
        return (MatrixColumn(self.name, self.variable.column, self.degree, 0.0, half, "power"),)

    def fill(self, room: Array, steps: Mapping[Variable, Array], places: Mapping[Key, Array]) -> None:
        """By the recurrence, rounded at each degree: products of two steps are exact."""
        found: Any = steps[self.variable]
        before: Any = float(STEPS)
        for _ in range(self.degree - 1):
            found, before = np.rint(steps[self.variable] * found * (2 / STEPS) - before), found
            np.clip(found, -STEPS, STEPS, out=found)
        room[0] = found

    def to_json(self) -> dict[str, Any]:
        return {"power": self.variable.to_json(), "degree": self.degree}
