"""Names for the types of arrays, and of columns that are read by blocks."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = np.ndarray[Any, Any]
Floats = npt.NDArray[np.float64]
Monomial = tuple[int, ...]
"""Which variables' codes are multiplied: () counts rows, (0,) adds the first variable, (0, 1) adds products."""

Table = np.ndarray[Any, Any]
"""One row per cell, one column per coordinate; exact integers, int64 or Python's own."""

Mask = np.ndarray[Any, np.dtype[np.bool_]]
Block = tuple[Array, Mask | None]
"""Values, and which of them are missing; None where only the values themselves (NaN, NaT, None) can tell."""


class Column(Protocol):
    """Values by blocks. A column with `levels` holds places in that column of levels, -1 where missing."""

    @property
    def size(self) -> int: ...

    @property
    def levels(self) -> Column | None: ...

    def block(self, rows: slice) -> Block: ...
