"""Columns of a protected table beside rows that were cut from it, found by their row ids. Silent whatever they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .columns import Array
from .known import ids_of

Data = pd.DataFrame | pd.Series


def beside(data: Data, columns: pd.DataFrame) -> pd.DataFrame:
    """A frame of both, a row for each of `data`: of `columns` the first row of the same id, missing where there is
    none. Their names are different."""
    frame = _as_frame(data)
    if data.index.is_(columns.index):
        return _joined(frame, {name: columns[name].array for name in columns.columns})
    places = _places(ids_of(columns.index), ids_of(data.index))
    return _joined(frame, {name: _taken(_plain(columns[name].array), places) for name in columns.columns})


def _taken(array: Any, places: Array) -> Any:
    """What stands at these places, missing at -1: of a dtype that follows from the array's alone, with every digit."""
    dtype = array.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        lost = places < 0
        found = array[np.maximum(places, 0)] if len(array) else np.zeros(len(places), dtype)
        masked = pd.arrays.BooleanArray if dtype.kind == "b" else pd.arrays.IntegerArray
        return masked(found, lost)
    if isinstance(dtype, pd.IntervalDtype | pd.SparseDtype):
        array = np.asarray(array.astype(object), dtype=object)
    take: Any = pd.api.extensions.take
    return take(array, places, allow_fill=True)


def _plain(array: Any) -> Any:
    """What pandas 2 takes from without a warning: of its own wrapping of a numpy array, the numpy array."""
    return array.to_numpy() if isinstance(array, pd.arrays.NumpyExtensionArray) else array


def _as_frame(data: Data) -> pd.DataFrame:
    """A series under its own name, which may be none."""
    if isinstance(data, pd.DataFrame):
        return data.copy(deep=False)
    frame = data.to_frame()
    frame.columns = pd.Index([data.name], dtype=object, tupleize_cols=False)
    return frame


def _joined(frame: pd.DataFrame, columns: dict[Any, Any]) -> pd.DataFrame:
    plain = {name: _plain(values) for name, values in columns.items()}  # of objects pandas 2 would infer a dtype
    added = pd.DataFrame({name: pd.Series(each, frame.index, dtype=each.dtype) for name, each in plain.items()})
    made = pd.concat([frame.set_axis(range(len(frame))), added.set_axis(range(len(frame)))], axis=1)
    made.index = frame.index
    return made


def _places(known: Array, ids: Array) -> Array:
    """The first place of each id among the known ones, -1 where it is not there."""
    if not len(known):
        return np.full(len(ids), -1)
    order = np.argsort(known, kind="stable")
    at = np.minimum(np.searchsorted(known[order], ids), len(known) - 1)
    places = order[at]
    return np.where((known[places] == ids) & (ids >= 0), places, -1)
