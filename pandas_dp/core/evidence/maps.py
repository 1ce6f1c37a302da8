"""Linear maps of numbers of several cells, for the errors of what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Protocol

import numpy as np

from ...dataclass import dataclass
from ..arrays import Floats
from .noise import Noise, added


class Linear(Protocol):
    """What it makes of numbers of the cells, one line each, and of their variances."""

    def sums(self, of_cells: Floats) -> Floats: ...

    def squares(self, of_cells: Floats) -> Floats: ...


class Same:
    """Each cell by itself."""

    def sums(self, of_cells: Floats) -> Floats:
        return of_cells

    def squares(self, of_cells: Floats) -> Floats:
        return of_cells


@dataclass(frozen=True)
class Factors:
    """A matrix: a line for each result, a column for each cell."""

    by: Floats

    def sums(self, of_cells: Floats) -> Floats:
        return np.asarray(self.by @ of_cells)

    def squares(self, of_cells: Floats) -> Floats:
        return np.asarray(self.by**2 @ of_cells)


@dataclass(frozen=True)
class AddedUp:
    """Cells of a rectangle, row by row, added up over these of its two axes. Each has noise of its own."""

    shape: tuple[int, int]
    over: tuple[int, ...]

    def sums(self, of_cells: Floats) -> Floats:
        rest = of_cells.shape[1:]
        return np.asarray(of_cells.reshape(*self.shape, *rest).sum(axis=self.over)).reshape(-1, *rest)

    def squares(self, of_cells: Floats) -> Floats:
        return self.sums(of_cells)

    def parts(self, numbers: Floats, many: int) -> Floats:
        """The same of so many numbers a cell, one cell after another."""
        return self.sums(numbers.reshape(-1, many)).ravel()

    def noise(self, of_cell: Noise) -> Noise:
        return added([(of_cell, 1.0, prod(self.shape[axis] for axis in self.over))])


@dataclass(frozen=True)
class LessShare:
    """Each cell less its share of the group that it is in, which `over` adds up."""

    share: Floats
    over: Callable[[Floats], Floats]

    def sums(self, of_cells: Floats) -> Floats:
        return of_cells - self._share(of_cells) * self.over(of_cells)

    def squares(self, of_cells: Floats) -> Floats:
        share = self._share(of_cells)
        return (1 - share) ** 2 * of_cells + share**2 * (self.over(of_cells) - of_cells)

    def _share(self, like: Floats) -> Any:
        return self.share.reshape(-1, *(1,) * (like.ndim - 1))


SAME = Same()
