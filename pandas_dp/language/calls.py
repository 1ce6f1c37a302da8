"""Functions of the analyst, called once for each row that a program is shown, with its values, each read by itself.

What a function gets follows from the row alone, whatever holds it: whole numbers are ints and others floats, but of
columns that are declared floats; times are `Timestamp`, without a zone in UTC; what is missing, or nothing of these, is
nan. What it raises is missing. It is frozen before, so that it keeps nothing from row to row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Array, Column, Mask
from ..core.engine.values import Number, number, text
from ..errors import NotFollowed
from ..recording.functions import Frozen, apart, frozen
from .evaluation import column_of_node, holds
from .expression import Expression
from .given import Given, as_plain, functions_of, length, moment, of_time
from .graph import Node, Program, Readable, SomeRows, SourceColumn, blocks, source_column
from .rows import RowSet
from .texts import as_objects
from .times import Ticks, ticks_of
from .values import objects_of

NAN = float("nan")
EXACT = 2**53  # beyond, a float does not say which whole number it is
MADE_UP: Sequence[Mapping[str, Any]] = [
    {},
    {"number": 1, "condition": True, "text": "a", "time": pd.Timestamp(0), "span": pd.Timedelta("1D"), "any": 1},
    {"number": 1, "condition": True, "text": "a", "time": pd.Timestamp(0), "span": pd.Timedelta("1D"), "any": "a"},
]
"""Values of a row that nobody has, by kind: none first."""


def shows_rows(rows: RowSet) -> bool:
    """Whether a program is shown them."""
    return getattr(rows._source, "shows_rows", False)


@np.errstate(all="ignore")
@apart()
def called_on_values(
    column: Expression,
    f: Callable[..., Any],
    to: str,
    args: tuple[Any, ...],
    options: Mapping[str, Any],
    ignores_missing: bool = False,
) -> Node:
    """What a function gives for each value of a column; with `ignores_missing` nothing where there is none."""
    function = frozen(f, to, args, options, _follows(column.rows))
    whole, kept = shown_rows(column.rows)
    values = np.empty(len(whole), dtype=object)
    for places, (given,) in _handed([column], whole, kept):
        values[places] = as_objects(
            [None if ignores_missing and each is NAN else as_plain(function(each)) for each in given]
        )
    return _kept(values, function, [column])


@np.errstate(all="ignore")
@apart()
def called_on_rows(
    columns: Sequence[Expression],
    f: Callable[..., Any],
    args: tuple[Any, ...],
    options: Mapping[str, Any],
    expands: bool,
) -> Node | dict[Hashable, Node]:
    """What a function gives for each row, a Series of objects by the names of columns; columns by their names where it
    gives a Series, or with `expands` a list, for a row that nobody has."""
    function = frozen(f, "apply", args, options, _follows(columns[0].rows))
    index = pd.Index([each.name for each in columns])
    names = _names_given(function, index, columns, expands)
    whole, kept = shown_rows(columns[0].rows)
    made = {name: np.empty(len(whole), dtype=object) for name in ([None] if names is None else names)}
    for places, given in _handed(columns, whole, kept):
        for place, *row in zip(places.tolist(), *given, strict=True):
            found = function(_row(row, index))
            parts = {None: found} if names is None else _parts(found)
            for name, values in made.items():
                values[place] = as_plain(parts.get(name))
    nodes = {name: _kept(values, function, columns) for name, values in made.items()}
    return nodes[None] if names is None else nodes


def values_given(column: Expression) -> list[Any]:
    """The values of a column that a program is shown, in the order of the source; None where there is none."""
    whole, kept = shown_rows(column.rows)
    found = objects_of(column_of_node(column.node if isinstance(column.node, SourceColumn) else column.read(), whole))
    shown: list[Any] = found.tolist() if kept is None else found[kept].tolist()
    return shown


def _kept(values: Array, function: Frozen, columns: Sequence[Expression]) -> Node:
    inner = tuple(each.node for each in columns)
    return source_column(Given(values, (*functions_of(inner), function.called), inner))


# -- rows


def _follows(rows: RowSet) -> tuple[str, ...]:
    """The libraries that count as the analyst's."""
    found: tuple[str, ...] = getattr(rows._source.core.opening, "follows", ())
    return found


def shown_rows(rows: RowSet) -> tuple[Readable, Mask | None]:
    """All rows of the source, and which of them these are."""
    if not shows_rows(rows):
        raise NotFollowed("a protected table shows no rows, also to no function; write an expression.")
    all_of_them = rows
    while all_of_them.before is not None:
        all_of_them = all_of_them.before
    whole: Readable = all_of_them._read.readable()
    kept: Mask | None = None
    for condition in rows.conditions:
        mask = holds(condition, whole)
        kept = mask if kept is None else kept & mask
    return whole, kept


def _handed(
    columns: Sequence[Expression], whole: Readable, kept: Mask | None
) -> Iterator[tuple[Array, list[list[Any]]]]:
    """The places of some rows in the source, and of each column their values."""
    program = Program.of([node for each in columns for node in (_read(each), each.isna().node)])
    for block in blocks(len(whole)):
        rows = block.stop - block.start
        inside = np.arange(rows) if kept is None else np.flatnonzero(kept[block])
        if len(inside):
            found = program.run(SomeRows(whole, block))
            pairs = zip(columns, found[::2], found[1::2], strict=True)
            yield inside + block.start, [_values(*each, rows)[inside].tolist() for each in pairs]


def _row(values: Sequence[Any], index: pd.Index) -> pd.Series[Any]:
    return pd.Series(as_objects([*values]), index=index.view(), dtype=object, copy=False)


def _names_given(
    function: Frozen, index: pd.Index, columns: Sequence[Expression], expands: bool
) -> list[Hashable] | None:
    """Of the columns that it makes, told by what it gives for rows that nobody has: the first for which it gives
    something."""
    for made_up in MADE_UP:
        found = function(_row([made_up.get(each.kind, NAN) for each in columns], index))
        if isinstance(found, pd.Series) or (expands and isinstance(found, list | tuple | np.ndarray)):
            names = list(_parts(found))
            if isinstance(found, pd.Series) and len(names) < len(found):
                raise NotFollowed("apply takes a function that gives a Series of different names.")
            return names
        if found is not None and not expands:
            return None
    if expands:
        raise NotFollowed(
            "apply calls the function on a row without values first, to learn which columns it gives, and there it "
            "gave none; let it give its list, or its Series, for a row whose values are nan too."
        )
    return None


def _parts(found: Any) -> dict[Any, Any]:
    """What it gives for each column, by name or place; nothing where it gives neither a Series nor a list."""
    try:
        if isinstance(found, pd.Series):
            return dict(zip(found.index.tolist(), found.tolist(), strict=True))
        return dict(enumerate(found)) if isinstance(found, list | tuple | np.ndarray) else {}
    except TypeError:  # names that are no names
        return {}


# -- values, as a function gets them


def _read(column: Expression) -> Node:
    return column.node if column.kind == "any" else column.read()


def _values(column: Expression, values: Any, lost: Array, rows: int) -> Array:
    kind = _read(column).kind
    if kind == "number":
        found = _numbers(np.broadcast_to(values, rows), as_floats=_is_float(column))
    elif kind == "condition":
        found = np.broadcast_to(values, rows).astype(object)
    elif kind == "text":
        codes, texts = values
        found = as_objects([*texts, NAN])[codes]
    elif kind == "any":
        found = _of_column(values)
    else:
        found = _times(values, kind, column.zone)
    found[np.broadcast_to(lost, rows)] = NAN
    return found


def _is_float(column: Expression) -> bool:
    """Whether it is a column of the source that is declared so."""
    if not isinstance(column.node, SourceColumn):
        return False
    fact = column.rows._source.facts.get(column.node.column)
    return fact is not None and fact.is_float


def _numbers(x: Array, as_floats: bool = False) -> Array:
    found = x.astype(object)
    if not as_floats:
        whole = (np.abs(x) < EXACT) & (x == np.trunc(x))
        found[whole] = x[whole].astype(np.int64).astype(object)
    return found


def _times(given: Ticks, kind: str, zone: Any) -> Array:
    ticks, unit, lost = given
    of = moment if kind == "time" else length
    found = [None if gone else of(each * unit) for each, gone in zip(ticks.tolist(), lost.tolist(), strict=True)]
    if zone is not None:
        found = [None if each is None else _in_zone(each, zone) for each in found]
    return as_objects([NAN if each is None else each for each in found])


def _in_zone(time: Any, zone: Any) -> Any:
    try:
        return time.tz_localize("UTC").tz_convert(zone)
    except (ValueError, OverflowError):
        return None


def _of_column(column: Column) -> Array:
    """Of whatever kind, each as what it is."""
    every = slice(0, column.size)
    if column.levels is not None:
        places, _ = column.block(every)
        return as_objects([*_of_column(column.levels), NAN])[places]
    encode = getattr(column, "encode", None)  # Arrow's texts
    if encode is not None:
        codes, words = encode(every)
        return as_objects([*words, NAN])[codes]
    values, missing = column.block(every)
    if values.dtype.kind == "f" and values.dtype.itemsize <= 8:
        found = _numbers(values.astype(np.float64))
    elif values.dtype.kind in "iu":
        found = values.astype(object)
        far = ~((values > -EXACT) & (values < EXACT))
        found[far] = values[far].astype(np.float64).astype(object)
    elif values.dtype.kind in "mM":
        kind: Any = "time" if values.dtype.kind == "M" else "span"
        found = _times(ticks_of(column, kind), kind, None)
    else:
        found = as_objects([_one(each) for each in values.tolist()])
    if missing is not None:
        found[missing] = NAN
    return found


def _one(value: Any) -> Any:
    """A number, a text, a time or a length of time; nan where it is nothing of these."""
    said = text(value)
    if said is not None:
        return said
    many = number(value)
    if many is not None:
        return _number(many)
    found = of_time(value)
    return NAN if found is None else found


def _number(value: Number) -> int | float:
    if isinstance(value, int) and abs(value) < EXACT:
        return value
    try:
        found = float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return int(found) if abs(found) < EXACT and found.is_integer() else found
