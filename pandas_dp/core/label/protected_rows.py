"""Tables that hold rows of a protected one, as far as they show it: by a mark, a label, or the names of row ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

ROW_NAME = "dp_row_"  # and eight digits: how the index of a protected table is called
names_of_people: dict[str, Callable[[Hashable], bool]] = {}
"""By the id of an open session that hides people: whether an index of this name has them."""


def is_row_name(name: object) -> bool:
    """Whether this is how the row ids of a protected table are called, also one of a session that is closed."""
    return isinstance(name, str) and re.fullmatch(ROW_NAME + "[0-9a-f]{8}", name) is not None


def shows_protected_rows(data: Any, is_of_people: Callable[[Hashable], bool] = lambda _: False) -> bool:
    """Whether a table, a column, or any of several is a protected one or was made of one, as far as it shows: by its
    mark, its label, or the names of its indexes and columns."""

    def among(several: Iterable[Any]) -> bool:
        return any(shows_protected_rows(each, is_of_people) for each in several)

    if isinstance(data, Mapping):
        return among(data.values())
    if isinstance(data, list | tuple):
        return among(each for each in data if isinstance(each, _HOLDING))
    if isinstance(data, pd.Index):
        return any(is_row_name(name) or is_of_people(name) for name in data.names)
    if isinstance(data, pd.DataFrame | pd.Series):
        said = data.attrs.get("dp")
        labelled = isinstance(said, dict) and said.get("kind") == "protected"
        columns = [*data.columns, *data.columns.names] if isinstance(data, pd.DataFrame) else [data.name]
        return (
            labelled
            or getattr(data, "_dp_origin", None) is not None
            or among([data.index])
            or any(map(is_row_name, columns))
        )
    nothing = getattr(data, "_meta", None)  # of Dask
    return isinstance(nothing, pd.DataFrame | pd.Series) and among([nothing])


_HOLDING = (pd.DataFrame, pd.Series, pd.Index, Mapping, list, tuple)


def is_name_of_people(name: Hashable) -> bool:
    """Whether an open session hides people by whom an index of this name goes."""
    return any(of(name) for of in names_of_people.values())
