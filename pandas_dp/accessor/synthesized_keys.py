"""The keys of a synthesis: its columns, levels of them, and the tables over both that shall be accurate."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from ..errors import NoBounds, NoCategories, UnsupportedArgument
from ..margins import Kept
from ..reading import is_whole
from ..tally import Reading
from .asking import Asking
from .bins import read_bins
from .distances import read_wanted
from .hierarchies import Hierarchies
from .readings import reading_of

OUT = "leave it out by columns=[...]"


def read_levels(given: Any, frame: pd.DataFrame, columns: Sequence[Hashable]) -> Hierarchies:
    """The levels of `hierarchies=`, each of a column that rows are wanted of."""
    levels = Hierarchies.read(given, frame)
    lacking = next((levels.column(name) for name in levels.levels if levels.column(name) not in columns), None)
    if lacking is not None:
        raise UnsupportedArgument(
            f"hierarchies name levels of {lacking!r}, which is not among the columns of this synthesize; leave them "
            "out, or name the column.",
            argument="hierarchies",
        )
    return levels


def readings_of(asking: Asking, columns: Sequence[Hashable], bins: Any, levels: Hierarchies) -> list[Reading]:
    """How each column is read, and each level of one; a column whose values nobody can list is refused."""
    if bins == "measured":
        raise UnsupportedArgument(
            'bins="measured" is not offered in this version; give a number of bins or edges, or ask for a cdf first.',
            argument="bins",
        )
    how = read_bins("synthesize", bins, columns) if not is_whole(bins) else {}
    found = {name: _reading(asking, name, how.get(name), bins) for name in columns}
    return [*found.values(), *(_level(asking, name, levels, found[levels.column(name)]) for name in levels.levels)]


def _reading(asking: Asking, name: Hashable, own: Any, bins: Any) -> Reading:
    if own is None and is_whole(bins) and asking.domain.is_measured(name) and not asking.domain.is_listed(name):
        own = bins
    try:
        return reading_of(asking, name, own)
    except (NoCategories, NoBounds) as refusal:
        raise type(refusal)(f"{refusal} Or {OUT}.", **vars(refusal)) from None


def _level(asking: Asking, name: Hashable, levels: Hierarchies, column: Reading) -> Reading:
    if column.key.clamp is not None:
        raise UnsupportedArgument(
            f"the level {name!r} groups categories, and {column.key.column!r} is counted in bins; choose coarser bins "
            "by bins=, or declare its categories.",
            argument="hierarchies",
        )
    return Reading(levels.key(asking, name), column.missing)


def wanted_tables(readings: Sequence[Reading], tables: Any) -> tuple[Kept, ...]:
    """The tables that shall be accurate, by places of keys, none over two keys that read one column."""
    names = [reading.key.name for reading in readings]
    if isinstance(tables, str):
        apart = len({reading.key.column for reading in readings})
        if apart == 1 and tables == "pairs":
            return tuple((place,) for place in range(len(names)))
        found = read_wanted("synthesize", tables, names)[1]
        return (
            tuple(kept for kept in found if _is_apart(readings, kept))
            or read_wanted("synthesize", tables, names[:apart])[1]
        )
    asked, wanted = read_wanted("synthesize", tables, names)
    lacking = next((name for name in asked if name not in names), None)
    if lacking is not None:
        raise UnsupportedArgument(
            f"synthesize was asked for tables of {lacking!r}, which is not among its columns.", argument="tables"
        )
    listed = tuple(tuple(sorted(names.index(asked[at]) for at in table)) for table in wanted)
    spare = next((kept for kept in listed if not _is_apart(readings, kept)), None)
    if spare is not None:
        one, other = _alike(readings, spare)
        raise UnsupportedArgument(
            f"synthesize was asked for a table of {one!r} and {other!r}, which read one column; ask for a table of "
            "each.",
            argument="tables",
        )
    return listed


def _is_apart(readings: Sequence[Reading], kept: Kept) -> bool:
    return len({readings[place].key.column for place in kept}) == len(kept)


def _alike(readings: Sequence[Reading], kept: Kept) -> tuple[Hashable, Hashable]:
    """Two keys that read one column."""
    pairs = combinations(kept, 2)
    return next(
        (readings[a].key.name, readings[b].key.name)
        for a, b in pairs
        if readings[a].key.column == readings[b].key.column
    )
