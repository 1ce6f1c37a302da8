"""What is known of one table of a model: numbers with noise, of its cells, of sums of some of them, or of an effect."""

from __future__ import annotations

import hashlib
from math import prod

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .effects import Floats
from .kept import Kept


@dataclass(frozen=True, eq=False)
class Told:
    """Noisy numbers of the table over these keys, each with noise of this variance.

    They are those of its cells; with `groups`, of sums of cells, cell by cell the number that it adds to; with
    `centred`, of its effect: the cells less all that follows from fewer keys.
    """

    kept: Kept
    values: Floats
    variance: float
    groups: NDArray[np.intp] | None = None
    centred: bool = False

    def seen(self, table: Floats) -> Floats:
        """These numbers of a table over the keys."""
        if self.groups is not None:
            return np.asarray(np.bincount(self.groups.ravel(), table.ravel(), self.values.size), dtype=float)
        return (centred(table) if self.centred else table).ravel()

    def spread(self, numbers: Floats, shape: tuple[int, ...]) -> Floats:
        """For each cell the sum of the numbers that it adds to."""
        if self.groups is not None:
            return np.asarray(numbers[self.groups.ravel()].reshape(shape))
        table = numbers.reshape(shape)
        return centred(table) if self.centred else table

    def bend(self, shape: tuple[int, ...], rows: float) -> Floats:
        """About how fast each number of the model moves with its own weight."""
        flat = self.values.ravel()
        return np.full(flat.shape, rows / max(1, prod(shape))) if self.centred else np.maximum(flat, 0.0)

    @property
    def name(self) -> str:
        """What tells it from others when a model is fitted again."""
        groups = "" if self.groups is None else hashlib.sha256(self.groups.tobytes()).hexdigest()
        return f"{self.kept}{' centred' * self.centred} {self.values.size} {groups}"


def centred(table: Floats) -> Floats:
    """The table less its means along each key."""
    for axis in range(table.ndim):
        table = table - table.mean(axis=axis, keepdims=True)
    return table
