"""`.loc` and `.iloc` of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pandas as pd

from ..errors import NotFollowed
from .column import LazyColumn
from .columns import RowNumbers

if TYPE_CHECKING:
    from .columns import NamedColumns


class Located:
    """`.loc` of a table."""

    def __init__(self, table: NamedColumns) -> None:
        self._table = table

    def __getitem__(self, key: Any) -> Any:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        table = self._table if _is_all(rows) else self._table[self._mask(rows)]
        return table if _is_all(columns) else table[self._named(columns)]

    def __setitem__(self, key: Any, value: Any) -> None:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        wanted = list(self._table.keys()) if _is_all(columns) else self._named(columns)
        names = wanted if isinstance(wanted, list) else [wanted]
        values = list(value) if isinstance(value, list | tuple) and len(value) == len(names) else [value] * len(names)
        mask = None if _is_all(rows) else self._mask(rows)
        for name, each in zip(names, values, strict=True):
            given = self._table._aligned(each._column(name) if hasattr(each, "items") else each)
            if mask is not None and name in self._table:
                given = self._table[name].mask(mask, given)
            elif mask is not None:
                given = self._table._any(name).value(None).mask(mask, given)
            self._table[name] = given

    def _mask(self, rows: Any) -> LazyColumn:
        found = rows(self._table) if callable(rows) and not isinstance(rows, LazyColumn) else rows
        if isinstance(found, RowNumbers):
            return self._table._any().made(found.within(self._table._rows))
        if not isinstance(found, LazyColumn):
            raise NotFollowed(
                "loc takes rows by a condition, loc[df['size'] > 2]; a span of time is between(start, end)."
            )
        return found

    def _named(self, columns: Any) -> Any:
        if isinstance(columns, slice):
            names = list(self._table.keys())
            start = 0 if columns.start is None else names.index(columns.start)
            stop = len(names) if columns.stop is None else names.index(columns.stop) + 1
            return names[start : stop : columns.step]
        if (
            isinstance(columns, np.ndarray | list)
            and len(columns)
            and all(isinstance(c, bool | np.bool_) for c in columns)
        ):
            return [name for name, kept in zip(self._table, columns, strict=True) if kept]
        return list(columns) if isinstance(columns, list | pd.Index | np.ndarray) else columns


class Placed:
    """`.iloc` of a table, of its columns."""

    def __init__(self, table: NamedColumns) -> None:
        self._table = table

    def __getitem__(self, key: Any) -> Any:
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if not _is_all(rows):
            raise NotFollowed(
                "iloc takes columns, iloc[:, :2]; rows are chosen by a condition, not by where they stand."
            )
        names = list(self._table.keys())
        found = [names[each] for each in columns] if isinstance(columns, list) else names[columns]
        return self._table[found]

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise NotFollowed("iloc writes to rows by where they stand; write by a condition, loc[df['size'] > 2, 'y'].")


def _is_all(key: Any) -> bool:
    return isinstance(key, slice) and key == slice(None)
