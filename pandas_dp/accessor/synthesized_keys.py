"""The keys of a synthesis: its columns, levels of them, and the tables over both that shall be accurate."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..errors import NoBounds, NoCategories, UnsupportedArgument
from ..margins import MOST_BINS, Kept
from ..reading import is_whole
from ..statistics import Number
from ..tally import Reading, Variable
from .asking import Asking
from .bins import read_bins
from .distances import read_wanted
from .hierarchies import Hierarchies
from .readings import USUAL, reading_of

OUT = "leave it out by columns=[...]"
MEASURED = "measured"  # bins
PARTS = 1_000  # of a range of more values: edges of round numbers stay round


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
    how = read_bins("synthesize", bins, columns) if not _of_all(bins) else {}
    found = {name: _reading(asking, name, how.get(name), bins) for name in columns}
    return [*found.values(), *(_level(asking, name, levels, found[levels.column(name)]) for name in levels.levels)]


def measured_numbers(asking: Asking, columns: Sequence[Hashable], bins: Any) -> tuple[Number, ...]:
    """The columns whose bins are measured: not those that have a bin for each value."""
    how = read_bins("synthesize", bins, columns) if not _of_all(bins) else {}
    asked = [(at, name) for at, name in enumerate(columns) if how.get(name) == MEASURED]
    if bins == MEASURED:
        asked = [(at, name) for at, name in enumerate(columns) if _is_number(asking, name)]
    variables = [(at, Variable(name, asking.domain.interval(name, asking.statistic))) for at, name in asked]
    return tuple(_number(at, each) for at, each in variables if each.grid.points > USUAL)


def _number(at: int, variable: Variable) -> Number:
    """A part for each value, or parts of equal width."""
    interval, grid = variable.interval, variable.grid
    whole = interval.kind == "integer" and grid.step == 1
    low, top = float(interval.lower), float(interval.upper) + whole
    if grid.points <= MOST_BINS:
        inner = [float(grid.step * (grid.low + place)) for place in range(1, grid.points)]
    else:
        inner = np.linspace(low, top, PARTS + 1)[1:-1].tolist()
        inner = [float(round(edge)) for edge in inner] if whole else inner
    edges = [low, *(edge for edge in inner if low < edge < top), top]
    ends = [round(Fraction(edge) / grid.step) - 1 - grid.low for edge in edges[1:-1]]
    return Number(at, variable, tuple(edges), (*ends, grid.points - 1))


def _of_all(bins: Any) -> bool:
    """Whether one word or number says it of all columns."""
    return is_whole(bins) or (isinstance(bins, str) and bins == MEASURED)


def _is_number(asking: Asking, name: Hashable) -> bool:
    return asking.domain.is_measured(name) and not asking.domain.is_listed(name)


def _reading(asking: Asking, name: Hashable, own: Any, bins: Any) -> Reading:
    if own is None and is_whole(bins) and _is_number(asking, name):
        own = bins
    try:
        return reading_of(asking, name, None if isinstance(own, str) and own == MEASURED else own)
    except (NoCategories, NoBounds) as refusal:
        raise type(refusal)(f"{refusal} Or {OUT}.", **vars(refusal)) from None


def check_measured(
    readings: Sequence[Reading], numbers: Sequence[Number], named: Sequence[Kept], argument: str
) -> None:
    """Refuse a statement about bins that nobody knows yet."""
    measured = {number.place for number in numbers}
    spoken = next((place for kept in named for place in kept if place in measured), None)
    if spoken is not None:
        raise UnsupportedArgument(
            f"{argument} names {readings[spoken].key.name!r}, whose bins are measured first and not known yet; give "
            "its bins by bins=, or leave it out there.",
            argument=argument,
        )


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
