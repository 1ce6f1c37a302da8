"""A function called on the rows of each person by themselves: person by person by construction, whatever it does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ..backends import KnownIds
from ..backends.maps import as_declared, numbers_of
from ..backends.quiet import quiet
from ..errors import NotRowwise
from .made_up import Like
from .replay import SEED, quietly

Array = np.ndarray[Any, Any]
Made = dict[Any, list[Any]]
Told = pd.DataFrame | dict[Any, Any] | None
PEOPLE = 60  # that are made up, to see what f gives
INTERRUPTED = (KeyboardInterrupt,)  # of whoever sits there; an exit that f asks for is a failure like any other
SINGLE = "value"  # the column of a single number


def by_person(
    f: Callable[..., Any],
    frame: pd.DataFrame,
    persons: Array,
    known: KnownIds,
    named: tuple[Hashable, Collection[Hashable]],
    like: Like,
) -> pd.DataFrame:
    """A table of what f gives for each person, in the order of their ids: an index of people, the columns and dtypes
    that f has on made-up tables. Where f fails, or gives no table, a person has no rows.

    Of the `named` the first is the index's name, and no column has one of them: they say whose a row is.
    """
    unit, names = named
    columns = {name: numeric for name, numeric in _columns(f, like).items() if name not in names}
    if not columns:
        kept = ", ".join(sorted(map(repr, names)))
        raise NotRowwise(
            f"this function gives no column beside those that say whose a row is, {kept}; it has to give one under "
            "another name."
        )
    plain = _as_declared(frame, like)
    order = np.argsort(persons, kind="stable")
    order = order[np.searchsorted(persons[order], 0) :]  # nobody's rows come first
    starts = np.flatnonzero(np.diff(persons[order], prepend=-1)).tolist()
    plain = plain.take(order).reset_index(drop=True)
    made: Made = {name: [] for name in columns}
    ids: list[Array] = []
    numbers = _pseudonyms(known)
    with quiet():
        for first, last in pairwise([*starts, len(order)]):
            mine = plain.iloc[first:last]
            mine.index = pd.RangeIndex(last - first)
            found = _called(f, mine, columns)
            if found is None:
                continue
            for name, values in found.items():
                made[name].append(values)
            many = len(next(iter(found.values())))
            ids.append(np.full(many, numbers[persons[order[first]]], dtype=np.int64))
    index = pd.Index(np.concatenate([np.zeros(0, np.int64), *ids]), name=unit)
    data = {
        name: pd.Series(_together(made[name], numeric), index=index, dtype=np.float64 if numeric else object)
        for name, numeric in columns.items()
    }
    table = pd.DataFrame(data, index=index, columns=list(columns))
    table.attrs = {name: said for name, said in frame.attrs.items() if name == "dp"}
    table = table.sort_index(kind="stable")
    if isinstance(table.attrs.get("dp"), dict):
        table.attrs["dp"] = {name: said for name, said in table.attrs["dp"].items() if name != "derived"}
    return table


def _pseudonyms(known: KnownIds) -> Array:
    """Of each number the id."""
    ids = np.arange(known.size) if known.ids is None else known.ids
    numbers = np.arange(known.size) if known.persons is None else known.persons
    found = np.zeros(int(numbers.max(initial=-1)) + 1, np.int64)
    found[numbers[numbers >= 0]] = ids[numbers >= 0]
    return found


def _columns(f: Callable[..., Any], like: Like) -> Mapping[Any, bool]:
    """The columns that f gives on made-up people, and which of them hold numbers alone."""
    r = np.random.default_rng(SEED)
    numeric: dict[Any, bool] = {}
    failed: list[str] = []
    for place in range(PEOPLE):
        rows = _as_declared(like.rows(np.full(1 + place % 5, 100 + place), r), like)
        try:
            found = _frame(_told(quietly(f, rows)))
        except INTERRUPTED:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever f does
            failed.append(type(error).__name__)
            continue
        if found is None:
            failed.append("no table")
            continue
        for name in found.columns:
            numbers = found[name].dtype.kind in "biuf" or (not len(found) and numeric.get(name, True))
            numeric[name] = numeric.get(name, True) and bool(numbers)
    if not numeric:
        why = f": {', '.join(dict.fromkeys(failed))}" if failed else ""
        raise NotRowwise(
            f"this function gives no table for any of {PEOPLE} people made up from the schema{why}; it has to take the "
            "rows of one person and give a DataFrame, a dict or Series of single values, or a number."
        )
    return numeric


def _as_declared(frame: pd.DataFrame, like: Like) -> pd.DataFrame:
    return as_declared(frame, {name: None if name == like.unit else said for name, said in like.columns})


def _called(f: Callable[..., Any], rows: pd.DataFrame, columns: Mapping[Any, bool]) -> dict[Any, Array] | None:
    """The columns of what f gives; None where it fails, or gives what cannot be read as they are."""
    try:
        told = _told(f(rows))
        return None if told is None else {name: _as_column(told, name, columns[name]) for name in columns}
    except BaseException as error:  # noqa: BLE001 - whose rows they were is nobody's business
        if not isinstance(error, INTERRUPTED):
            return None
    raise KeyboardInterrupt  # a new one, without the words and the context of the other


def _told(given: Any) -> Told:
    """What f gave: a table, or one row, of which a Series, a dict and a number are each one; None where it is none."""
    if isinstance(given, pd.DataFrame):
        return given if given.columns.is_unique and not isinstance(given.columns, pd.MultiIndex) else None
    if isinstance(given, pd.Series):
        return given.to_dict()
    if isinstance(given, Mapping):
        return dict(given)
    return {SINGLE: given} if isinstance(given, int | float | np.number | np.bool_) else None


def _frame(told: Told) -> pd.DataFrame | None:
    if not isinstance(told, dict):
        return told
    return pd.DataFrame({name: [value] for name, value in told.items()})


def _as_column(found: pd.DataFrame | dict[Any, Any], name: Any, numeric: bool) -> Array:
    """The column, or the value of a row: missing where f gave none of this name; numbers are read in the end."""
    if isinstance(found, dict):
        return _objects([found.get(name)])
    if name not in found.columns:
        return _objects([None] * len(found))
    return numbers_of(found[name]) if numeric else _objects(found[name].tolist())


def _objects(values: list[Any]) -> Array:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):  # a list among them stays one
        array[place] = value
    return array


def _together(parts: list[Array], numeric: bool) -> Array:
    """All parts one after another, missing where there is no number and numbers are wanted."""
    if not numeric:
        return np.concatenate([np.zeros(0, object), *parts])
    if any(part.dtype == object for part in parts):
        return numbers_of(pd.Series(np.concatenate([np.zeros(0, object), *parts]), dtype=object))
    return np.concatenate([np.zeros(0), *parts])
