"""Tables that everybody knows, as `public_tables=` of a synthesis gives them: read, and held against each other."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..errors import UnsupportedArgument
from ..margins import Graph, Model, Told, added, fit_model, meet
from ..release import label_of, reading_labels
from ..statistics import Impossible, PublicTables
from ..tally import Reading
from .impossible import MOST_MODEL, place_of

NEAR = 1e-6  # of the rows: how far sums of tables may be apart
FITTED = 0.01  # of the rows, that a model of all may be off
EXAMPLE = 'e.g. [pd.Series({"f": 520, "m": 480}).rename_axis("sex")]'


def public_tables(
    readings: Sequence[Reading], given: Any, impossible: Impossible, size: int | None
) -> tuple[PublicTables, Impossible]:
    """The tables, and the cells that cannot be: those that hold nobody among them."""
    if given is None:
        return PublicTables(), impossible
    listed = [given] if isinstance(given, pd.Series | pd.DataFrame) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(each, pd.Series | pd.DataFrame) for each in listed):
        raise _wrong(f"public_tables must be a list of counts, each a Series or DataFrame under its keys, {EXAMPLE}.")
    told = tuple(_read(readings, each) for each in listed)
    if not told:
        return PublicTables(), impossible
    empty = tuple((each.kept, each.values > 0) for each in told if not each.values.all())
    found = replace(impossible, zeros=(*impossible.zeros, *empty))
    said = hashlib.sha256(repr([(each.kept, each.values.tolist()) for each in told]).encode()).hexdigest()
    model = _checked(told, found, [reading.size for reading in readings], size)
    return PublicTables(told, said, model), found


def _read(readings: Sequence[Reading], table: pd.Series | pd.DataFrame) -> Told:
    """The counts in the order of the keys and their categories; nobody lacks a value where none are said to."""
    if label_of(table) is not None:
        raise _wrong(
            "public_tables are known without noise, and one of these is a release; ask release.dp.synthesize()."
        )
    axes = [table.index] if isinstance(table, pd.Series) else [table.index, table.columns]
    places = _places(readings, [name for axis in axes for name in axis.names])
    keys = [readings[place] for place in places]
    codes = np.concatenate([_codes(axis, mine) for axis, mine in _crossed(axes, keys)], axis=0)
    values, there = np.zeros([key.size for key in keys]), np.zeros([key.size for key in keys], dtype=np.int64)
    np.add.at(there, tuple(codes), 1)
    values[tuple(codes)] = _numbers(table, keys[0].key.name)
    needed = there[tuple(slice(0, key.size - key.missing) for key in keys)]
    if (there > 1).any() or not needed.all():
        raise _wrong(
            f"a table of public_tables, by {keys[0].key.name!r}, must have one number for each declared category of "
            "its keys, and for missing values (NaN) where some lack one."
        )
    order = np.argsort(places)
    return Told(tuple(sorted(places)), np.ascontiguousarray(values.transpose(order)), 0.0)


def _crossed(axes: Sequence[pd.Index], keys: Sequence[Reading]) -> list[tuple[pd.Index, list[Reading]]]:
    """The labels of each axis, cell by cell of the table, with its keys."""
    if len(axes) == 1:
        return [(axes[0], list(keys))]
    down, across = axes
    first, last = list(keys[: down.nlevels]), list(keys[down.nlevels :])
    return [(down.repeat(len(across)), first), (across[list(range(len(across))) * len(down)], last)]


def _places(readings: Sequence[Reading], names: Sequence[Hashable]) -> list[int]:
    known = [reading.key.name for reading in readings]
    if not names or not all(name in known for name in names) or len(set(names)) < len(names):
        asked = ", ".join(map(repr, known))
        raise _wrong(
            f"the axes of a table of public_tables must be named by different keys of this synthesize, of {asked}; "
            f"name them by rename_axis, {EXAMPLE}."
        )
    return [known.index(name) for name in names]


def _codes(axis: pd.Index, keys: Sequence[Reading]) -> Any:
    """A line for each key: the category that each label names."""
    found = np.zeros((len(keys), len(axis)), dtype=np.intp)
    for level, reading in enumerate(keys):
        labels = reading_labels(reading)
        at = pd.Index(axis.get_level_values(level))
        known = {each: place_of(labels, str(each) if isinstance(each, pd.Interval) else each) for each in at.unique()}
        if None in known.values():
            name = reading.key.name
            raise _wrong(
                f"a table of public_tables names a category of {name!r} that was not declared; give the declared ones, "
                "to the letter, or declare it."
            )
        found[level] = at.map(known, na_action=None).to_numpy(dtype=np.intp)
    return found


def _numbers(table: pd.Series | pd.DataFrame, name: Hashable) -> Any:
    try:
        numbers = np.asarray(table, dtype=float).ravel()
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.sum() > 0:
        raise _wrong(
            f"a table of public_tables, by {name!r}, must hold finite numbers of rows, 0 or more, and some row."
        )
    return numbers


def _checked(told: Sequence[Told], impossible: Impossible, sizes: Sequence[int], size: int | None) -> Model:
    """The model of them: there is room for it, and it has them all."""
    rows = float(told[0].values.sum())
    if size is not None and rows > size * (1 + NEAR):
        raise _wrong(f"public_tables hold {rows:,.0f} rows, and the table has {size:,}; give tables of the same rows.")
    for one, other in combinations(told, 2):
        shared = meet(one.kept, other.kept)
        sums = [added(each.values, each.kept, shared) for each in (one, other)]
        if np.abs(sums[0] - sums[1]).sum() > NEAR * rows:
            raise _wrong("two of the public_tables contradict each other: what both tell differs; correct them.")
    cells = Graph.of(sizes, [*impossible.tables, *(each.kept for each in told)]).cells
    if cells > MOST_MODEL:
        raise _wrong(
            f"a model with these public_tables has {cells:,} cells, and at most {MOST_MODEL:,} are possible; leave "
            "out some, or give tables of fewer keys."
        )
    model = fit_model(sizes, told, rows, impossible.zeros)
    if not model.is_possible or any(np.abs(model.table(t.kept) - t.values).sum() > FITTED * rows for t in told):
        raise _wrong("no table of rows has all the public_tables and none in structural_zeros; correct one of them.")
    return model


def _wrong(sentence: str) -> UnsupportedArgument:
    return UnsupportedArgument(sentence, argument="public_tables")
