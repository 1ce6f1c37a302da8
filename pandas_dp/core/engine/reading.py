"""Which reader fits a column of pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from .batch import Column, Extension, Masked, Plain


def column_of(data: pd.Series[Any] | pd.Index[Any]) -> Column:
    """The reader that fits a column's dtype."""
    dtype = data.dtype
    if isinstance(dtype, np.dtype):
        return Plain(data.to_numpy())
    array: Any = data.array
    if isinstance(dtype, pd.CategoricalDtype):
        return Plain(array.codes, _levels_of(dtype.categories))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return Plain(array.asi8.view(f"M8[{dtype.unit}]"))
    if isinstance(dtype, pd.PeriodDtype):
        codes, periods = pd.factorize(array)  # each is read once, however many rows have it; -1 where it is missing
        return Plain(codes, Extension(periods, object))
    if isinstance(array, _MASKED):
        return Masked(array)
    if isinstance(dtype, pd.ArrowDtype) or getattr(dtype, "storage", None) == "pyarrow":
        from .arrow import arrow_column  # needs pyarrow

        return arrow_column(array.__arrow_array__())
    return Extension(array, None if isinstance(dtype, pd.SparseDtype) else object)


def _levels_of(categories: pd.Index[Any]) -> Column:
    """Levels have no levels of their own."""
    if isinstance(categories.dtype, pd.PeriodDtype):
        return Extension(categories.array, object)
    return column_of(categories)


_MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
