"""How a pandas column is read: a block of rows at a time, as a numpy array whose dtype says what it holds."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd

Array = np.ndarray[Any, Any]
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Block = tuple[Array, Mask | None]
"""Values, and which of them are missing; None where only the values themselves (NaN, NaT, None) can tell."""


class Column(Protocol):
    """Values by blocks. A column with `levels` holds places in that (usually short) column, -1 where missing."""

    levels: Column | None

    def block(self, rows: slice) -> Block: ...


class Plain:
    """A numpy array as it stands."""

    levels = None

    def __init__(self, values: Array) -> None:
        self.values = values

    def block(self, rows: slice) -> Block:
        return self.values[rows], None


class Masked:
    """pandas' nullable integers, floats and booleans."""

    levels = None

    def __init__(self, array: Any) -> None:
        self.array = array

    def block(self, rows: slice) -> Block:
        piece = self.array[rows]
        return piece.to_numpy(dtype=piece.dtype.numpy_dtype, na_value=0), piece.isna()


class Foreign:
    """Any other array, as objects: periods, intervals, Python strings, third parties' types."""

    levels = None

    def __init__(self, array: Any) -> None:
        self.array = array

    def block(self, rows: slice) -> Block:
        return np.asarray(self.array[rows], dtype=object), None


class Sparse:
    """Made dense block by block."""

    levels = None

    def __init__(self, array: Any) -> None:
        self.array = array

    def block(self, rows: slice) -> Block:
        return np.asarray(self.array[rows]), None


class Levels:
    """Places in a column of levels."""

    def __init__(self, places: Array, levels: Column) -> None:
        self.places, self.levels = places, levels
        self.size = len(places)

    def block(self, rows: slice) -> Block:
        return self.places[rows], None


def column_of(data: pd.Series[Any] | pd.Index[Any]) -> Column:
    """The reader that fits a column's dtype."""
    dtype, array = data.dtype, data.array
    if isinstance(dtype, pd.CategoricalDtype):
        return Levels(array.codes, column_of(array.categories))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return Plain(array.asi8.view(f"M8[{dtype.unit}]"))
    if isinstance(dtype, np.dtype):
        return Plain(data.to_numpy())
    if isinstance(dtype, pd.SparseDtype):
        return Sparse(array)
    if isinstance(array, _MASKED):
        return Masked(array)
    if isinstance(dtype, pd.ArrowDtype) or getattr(dtype, "storage", None) == "pyarrow":
        from .arrow import arrow_column

        return arrow_column(array.__arrow_array__())
    return Foreign(array)


_MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
