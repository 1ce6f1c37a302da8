"""How a pandas column is read: a block of rows at a time, as a numpy array whose dtype says what it holds."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]
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


def readable(values: Array) -> Array:
    """Values of a dtype that only one odd value may have brought about, as one that every reader knows.

    numpy makes all values of a column complex, or long doubles, where one of them is: the others stay what they were.
    """
    kind = values.dtype.kind
    if kind == "c":
        return readable(values.real.copy()) if (values.imag == 0).all() else values.astype(object)
    if kind == "f" and values.dtype.itemsize > 8:
        with np.errstate(all="ignore"):  # long doubles overflow to infinity
            doubles = values.astype(np.float64)
        return doubles if ((doubles == values) | np.isnan(values)).all() else values.astype(object)
    return values.astype(object) if kind == "S" else values


class Plain:
    """A numpy array as it stands."""

    levels: Column | None = None

    def __init__(self, values: Array, levels: Column | None = None) -> None:
        self.values, self.size, self.levels = values, len(values), levels

    def block(self, rows: slice) -> Block:
        return readable(self.values[rows]), None


class Extension:
    """A pandas array that numpy takes block by block: as objects, or dense where it was sparse."""

    levels: Column | None = None

    def __init__(self, array: Any, dtype: type | None) -> None:
        self.array, self.size, self.dtype = array, len(array), dtype

    def block(self, rows: slice) -> Block:
        return readable(np.asarray(self.array[rows], dtype=self.dtype)), None


class Masked:
    """pandas' nullable integers, floats and booleans."""

    levels: Column | None = None

    def __init__(self, array: Any) -> None:
        self.array, self.size = array, len(array)

    def block(self, rows: slice) -> Block:
        piece = self.array[rows]
        return piece.to_numpy(dtype=piece.dtype.numpy_dtype, na_value=0), piece.isna()
