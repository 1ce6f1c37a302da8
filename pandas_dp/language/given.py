"""What functions of the analyst gave for rows: made when it is written, kept by where rows stand in their source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from ..core.arrays import Array
from ..core.engine.values import NANOSECONDS, instant, number, span, text
from ..errors import PrivacyError
from .graph import Node, Program, SourceColumn
from .times import LATEST


class Given:
    """A column that a source has beside its own: a value for each of its rows, None where the function gave none, or
    was not called. It has no name, and is known as itself. `functions` are those that made it, `inner` of what."""

    def __init__(self, values: Array, functions: tuple[str, ...], inner: tuple[Node, ...]) -> None:
        self._values, self.functions, self.inner = values, functions, inner

    @property
    def _series(self) -> pd.Series[Any]:
        return pd.Series(self._values, dtype=object, copy=False)

    def __repr__(self) -> str:
        return f"<what {self.functions[-1]} gave>"

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("what a function made of rows stays with them, in the session; ask it by .dp.")


def given_in(nodes: Iterable[Node]) -> list[Given]:
    """What functions gave that is used in these."""
    columns = [node.column for node in Program.of([*nodes]).nodes if isinstance(node, SourceColumn)]
    return [column for column in columns if isinstance(column, Given)]


def functions_of(nodes: Iterable[Node]) -> tuple[str, ...]:
    """The functions of the analyst that were called for these, by name and line."""
    return tuple(sorted({name for each in given_in(nodes) for name in each.functions}))


def as_plain(value: Any) -> Any:
    """What a function gave as a value without code of anybody else's: a truth, a number, a text, a time or a length of
    time; None where it is nothing of these."""
    kind = type(value)
    if kind is float or kind is int or kind is str or kind is bool:
        return value if value == value else None
    if issubclass(kind, np.bool_):
        return bool(value)
    for read in (text, number):
        found = read(value)
        if found is not None:
            return found
    return of_time(value)


def of_time(value: Any) -> pd.Timestamp | pd.Timedelta | None:
    """A time or a length of time; None where it is neither, or none that a column holds."""
    for read, of in ((instant, moment), (span, length)):
        nanoseconds = read(value)
        if nanoseconds is not None:
            return of(nanoseconds)
    return None


def moment(nanoseconds: int) -> pd.Timestamp | None:
    """In the finest unit that holds it, whatever column it is from; None where none does."""
    found: Any = _in_finest(np.datetime64, pd.Timestamp, nanoseconds)
    return None if found is pd.NaT else found


def length(nanoseconds: int) -> pd.Timedelta | None:
    found: Any = _in_finest(np.timedelta64, pd.Timedelta, nanoseconds)
    return None if found is pd.NaT else found


def _in_finest(of_numpy: Any, of_pandas: Any, nanoseconds: int) -> Any:
    for unit in ("ns", "us", "ms", "s"):
        ticks = nanoseconds // NANOSECONDS[unit]
        if abs(ticks) <= LATEST:
            try:
                return of_pandas(of_numpy(ticks, unit))
            except (ValueError, OverflowError):
                return None
    return None
