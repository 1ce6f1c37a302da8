"""Rows by the types of their values: whether an operator has no meaning for them is the same for all of a kind."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from dask._expr import Expr

PLAIN = frozenset({str, bytes, bool, int, float, type(None)})
OPERATORS = frozenset({"Add", "Sub", "Mul", "Div", "FloorDiv", "LT", "LE", "GT", "GE"})
"""Of these Python raises TypeError for two plain values by their types alone: of % it does by what a text holds, of
** by what a power is."""

NUMBERS = (np.generic, pd.Timestamp, pd.Timedelta)  # what else may be written beside a column
Places = np.ndarray[Any, Any]


def is_by_kind(node: Any) -> bool:
    """Whether a node is such an operator, of columns and plain values."""
    if type(node).__name__ not in OPERATORS:
        return False
    written = [each for each in node.operands if not isinstance(each, Expr)]
    return all(type(each) in PLAIN or isinstance(each, NUMBERS) for each in written)


def places_by_kind(data: Iterable[pd.DataFrame | pd.Series[Any]]) -> dict[Hashable, Places]:
    """Where rows of each kind stand; of kind None are those with a value that is not plain."""
    columns = [each[name] for each in data if isinstance(each, pd.DataFrame) for name in each.columns]
    columns += [each for each in data if isinstance(each, pd.Series)]
    found: dict[Hashable, list[int]] = {}
    for place, kinds in enumerate(zip(*map(_kinds, columns), strict=True)):
        found.setdefault(None if None in kinds else kinds, []).append(place)
    return {kind: np.array(places) for kind, places in found.items()}


def _kinds(column: pd.Series[Any]) -> list[Any]:
    """Of each value whether it is missing, and its type where a column has several; None if it is not plain."""
    missing = column.isna().tolist()
    if column.dtype != object:
        return missing
    types = [type(value) for value in column]
    return [(kind, gone) if kind in PLAIN else None for kind, gone in zip(types, missing, strict=True)]
