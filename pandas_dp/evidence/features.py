"""What a column of public rows means to a predictor: one of declared categories, or a bin of a range."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass

PLAIN = (bool, int, float, str)


@dataclass(frozen=True)
class Feature:
    """A key of a table: its categories, in their order, or the edges of its bins; a last cell may hold all others."""

    name: Any
    values: tuple[Any, ...] = ()
    edges: tuple[float, ...] = ()
    other: bool = False

    @property
    def column(self) -> Any:
        """Its name in a table, which JSON has as a list where it is a tuple."""
        return tuple(self.name) if isinstance(self.name, list) else self.name

    @property
    def size(self) -> int:
        return max(len(self.values), len(self.edges) - 1) + self.other

    @property
    def labels(self) -> list[str]:
        """As a table shows them."""
        pairs = zip(self.edges, self.edges[1:], strict=False)
        bins = [f"[{low}, {high})" for low, high in pairs]
        return [*(map(str, self.values) if self.values else bins), *(["other"] if self.other else [])]

    def places(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """The cell of each value, −1 for those in none; numbers beyond the bins are in the nearest."""
        outside = self.size - 1 if self.other else -1
        if not self.edges:
            known = {value: place for place, value in enumerate(self.values)}
            found = [_place(value, known, outside) for value in column.tolist()]
            return np.array(found, dtype=np.intp)
        numbers = as_numbers(column)
        there = ~np.isnan(numbers)
        clipped = np.clip(np.where(there, numbers, self.edges[0]), self.edges[0], self.edges[-1])
        cells = np.clip(np.searchsorted(self.edges, clipped, side="right") - 1, 0, len(self.edges) - 2)
        return np.where(there, cells, outside).astype(np.intp)


def _place(value: Any, known: dict[Any, int], outside: int) -> int:
    try:
        return known.get(value, outside)
    except TypeError:  # a list, a mapping
        return outside


def as_numbers(column: NDArray[Any]) -> NDArray[np.float64]:
    """The values as numbers, NaN for what is none."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64)
    return np.array([_number(value) for value in column.tolist()], dtype=np.float64)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float | np.number) else np.nan
