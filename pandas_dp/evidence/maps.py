"""Linear maps of numbers of several cells, for the errors of what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..dataclass import dataclass
from .noise import Floats


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
