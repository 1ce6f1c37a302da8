"""What is visible of an answer: its numbers, and everything else, by which two tables must not differ."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ...dataclass import dataclass
from ...release import label_of

OWN = ("id", "entry", "digest", "frame", "session")  # of a label: they differ from release to release
RAISED = "raised "  # before an error
ADDRESS = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{16}\b")  # of objects, and the names of sessions, releases and frames


@dataclass(frozen=True)
class Seen:
    """An answer as somebody gets it: `outline` is all but numbers, in words; `numbers` in the order of their places."""

    outline: tuple[str, ...]
    numbers: tuple[float, ...]

    @property
    def error(self) -> str | None:
        """What was raised in place of an answer.

        Examples
        --------
        >>> seen(lambda: 1 / 0).error
        'ZeroDivisionError: division by zero'
        """
        first = self.outline[0] if self.outline else ""
        return first.removeprefix(RAISED) if first.startswith(RAISED) else None

    def unlike(self, other: Seen) -> str:
        """The first thing in which it differs, in words.

        Examples
        --------
        >>> Seen(("a DataFrame", "columns ['x']"), ()).unlike(Seen(("a DataFrame", "columns ['y']"), ()))
        "columns ['x'], or columns ['y']"
        """
        longest = max(len(self.outline), len(other.outline))
        both = [[*each.outline, *["nothing more"] * (longest - len(each.outline))] for each in (self, other)]
        one, another = next((pair for pair in zip(*both, strict=True) if pair[0] != pair[1]), ("", ""))
        return f"{_short(one)}, or {_short(another)}"


def seen(act: Callable[[], Any]) -> Seen:
    """What is visible of what it does: what it gives, raises, warns of and prints.

    Examples
    --------
    >>> found = seen(lambda: {"n": 3, "unit": "rows"})
    >>> found.numbers, found.outline
    ((3.0,), ('.n int', '.unit rows'))
    >>> seen(lambda: 1 / 0).outline
    ('raised ZeroDivisionError: division by zero',)
    """
    out, err = io.StringIO(), io.StringIO()
    told: list[str] = []
    numbers: list[float] = []
    with (
        warnings.catch_warnings(record=True) as warned,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("always")
        try:
            answer = act()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is seen
            told.append(f"{RAISED}{type(error).__name__}: {error}")
        else:
            for word, number in _leaves(answer, ""):
                told.append(word)
                numbers.extend([] if number is None else [number])
    told += [f"warned {each.category.__name__}: {each.message}" for each in warned]
    told += [f"printed {text}" for text in (out.getvalue(), err.getvalue()) if text]
    return Seen(tuple(ADDRESS.sub("…", word) for word in told), tuple(numbers))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, float | None]]:
    """Words for what it is, and its numbers where they stand."""
    if isinstance(value, pd.DataFrame | pd.Series):
        yield from _of_table(value, path)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves(each, f"{path}.{key}")
    elif isinstance(value, np.ndarray):
        yield f"{path} array of {value.dtype}, {value.shape}", None
        yield from _leaves(value.ravel().tolist(), path)
    elif isinstance(value, list | tuple):
        yield f"{path} {type(value).__name__} of {len(value)}", None
        for each in value:
            yield from _leaves(each, path)
    elif isinstance(value, bool | int | float | np.number | np.bool_):
        yield f"{path} {type(value).__name__}", _float(value)
    elif isinstance(value, pd.Timestamp | pd.Timedelta):
        yield f"{path} {type(value).__name__}", np.nan if value is pd.NaT else float(value.value)
    elif isinstance(value, str) or value is None:
        yield f"{path} {value}", None
    else:
        yield f"{path} {type(value).__name__} {value!r}", None


def _of_table(table: pd.DataFrame | pd.Series, path: str) -> Iterator[tuple[str, float | None]]:
    yield f"{path} {type(table).__name__}", None
    yield f"index {[repr(each) for each in table.index]} {table.index.names} {table.index.dtype}", None
    label = label_of(table)
    columns = [(table.name, table)] if isinstance(table, pd.Series) else list(_bare(table).items())
    for name, column in columns:
        yield f"column {name!r} of {column.dtype}", None
        for each in column.tolist():
            yield from _leaves(each, f"{path}[{name!r}]")
    if label is not None:
        yield from _leaves({key: each for key, each in label.items() if key not in OWN}, "label")


def _bare(table: pd.DataFrame) -> pd.DataFrame:
    """Without the label, which pandas copies for every column that it takes out."""
    bare = pd.DataFrame(table)
    bare.attrs = {}
    return bare


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _short(word: str) -> str:
    return word if len(word) <= 120 else f"{word[:117]}…"
