"""Keys of a synthesis as they are asked for: bins, tables over them, cells that cannot be; and `distance`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import is_whole
from ..core.door.asking import Asking
from ..core.door.importance import USUAL, reading_of
from ..core.door.keywords import Keywords, read_bins
from ..core.engine.fold import Part
from ..core.label.label import OTHER
from ..core.label.layout import Layout
from ..core.label.release import Release, label_of
from ..core.measure.cells import Key, Variable
from ..core.plan.plan import Asked
from ..core.protect.session_lookup import owner_of
from ..core.schema.values import Breaks, Categories
from ..errors import (
    NoBounds,
    NoCategories,
    NotProtected,
    UnknownColumn,
    UnsupportedArgument,
    UnsupportedType,
    shown,
)
from ..tables.ask_hierarchies import Hierarchies
from ..tables.ask_margins import read_rules, read_tables
from ..tables.planning.margins import Margin
from ..tables.planning.prefixes import MOST_BINS
from .conclude_columns import reading_labels
from .fold import CountsOfTables
from .measure import CountedTables, Distances, KeyReading
from .model.fit import Zeros, fit_model
from .model.graph import Graph
from .statistic_table_stages import BinnedNumber, DistanceOfTables, Impossible


@dataclass(frozen=True, eq=False)
class ComparedModel:
    """A synthesis, of which nothing is known here but what it describes."""

    described: Any

    @property
    def names(self) -> list[Hashable]:
        """The columns of its rows; coarser levels of them are none."""
        return [key.name for key in self.described.shown]

    @property
    def digest(self) -> str:
        return str(self.described.digest)

    def reading(self, asking: Asking, name: Hashable) -> KeyReading:
        """The column as the model has it."""
        from .conclude_columns import bin_ends  # late: there is a release by now

        column = next(each for each in self.described.columns if each.name == name)
        labels = list(column.labels)
        if OTHER in labels and not (asking.domain.is_listed(name) and OTHER in asking.domain.categories(name).values):
            raise UnsupportedArgument(
                f"the tables of this synthesis count other values of {name!r} under {OTHER!r}, which distance does "
                "not; make it of tables without other=True.",
                argument="of",
            )
        read = labels if column.bins is not None else [bin_ends(label) for label in labels]
        ends = [each for each in read if each is not None]
        if len(ends) == len(labels) and asking.domain.is_measured(name) and not asking.domain.is_listed(name):
            edges = (*(low for low, _ in ends), ends[-1][1])
            return KeyReading(
                Key(name, Breaks(tuple(map(float, edges))), clamp=asking.domain.interval(name)), column.missing
            )
        return KeyReading(Key(name, Categories(tuple(labels))), column.missing)

    def counts(self, names: Sequence[Hashable], counted: CountedTables) -> Any:
        """Whole numbers of rows, table by table."""
        of, found = self.described, []
        for table in counted.tables:
            keys = [of.key(names[place]) for place in table]
            found.append(np.rint(of.counts(keys)).astype(np.int64).ravel())
        return np.concatenate(found)


MOST_TABLES = 1_000
MOST_CELLS = 10**7  # of all tables together
OF_SIZE = {"pairs": 2, "triples": 3}


def release(frame: pd.DataFrame, of: object, tables: object, bins: Any, keywords: Keywords) -> Release:
    """The distance of each table, and their mean."""
    if hasattr(of, "_described"):
        return of_model(frame, ComparedModel(of._described), tables, bins, keywords)
    rows = public_rows(of)
    names, requested = read_requested("distance", tables, [name for name in rows.columns if name in frame.columns])
    lacking = next((name for name in names if name not in rows.columns), None)
    if lacking is not None:
        raise UnknownColumn(f"distance was asked about column {lacking!r}, which the rows do not have.", column=lacking)
    asking = Asking(frame, "distance", keywords, columns=names, keys=names, counts_keys=True)
    asking.not_with("weaker promises", "many rows")
    how = read_bins("distance", bins, names)
    counted = CountedTables(tuple(reading_of(asking, name, how.get(name)) for name in names), requested)
    check_cells("distance", counted)
    public = scaled(counts_of_public(rows, counted), counted, asking.public.size)
    part = DistanceOfTables(Distances(counted, public.tobytes()), "rows")
    return asking.release([Asked(None, part)], Layout(labels_of(names, requested), None, "measures"))


def of_model(frame: pd.DataFrame, model: ComparedModel, tables: object, bins: Any, keywords: Keywords) -> Release:
    """The distance of what a synthesis makes of each table."""
    if bins is not None:
        raise UnsupportedArgument("a synthesis has its own bins; leave bins= out.", argument="bins")
    names, requested = read_requested("distance", tables, [name for name in model.names if name in frame.columns])
    lacking = next((name for name in names if name not in model.names), None)
    if lacking is not None:
        raise UnknownColumn(
            f"distance was asked about {lacking!r}, which is no column of the synthesis; its columns are "
            f"{', '.join(map(repr, model.names))}.",
            column=lacking,
        )
    asking = Asking(frame, "distance", keywords, columns=names, keys=names, counts_keys=True)
    asking.not_with("weaker promises", "many rows")
    counted = CountedTables(tuple(model.reading(asking, name) for name in names), requested)
    check_cells("distance", counted)
    public = model.counts(names, counted)
    part = DistanceOfTables(Distances(counted, public.tobytes()), "synthesis", model.digest)
    return asking.release([Asked(None, part)], Layout(labels_of(names, requested), None, "measures"))


def public_rows(of: object) -> pd.DataFrame:
    """Rows that say of themselves that they are synthetic; refused otherwise."""
    if not isinstance(of, pd.DataFrame):
        raise UnsupportedType(f"distance takes a synthesis, or rows that were drawn from one, not {shown(of)}.")
    check_synthetic(of)
    return of


def read_requested(
    statistic: str, tables: object, columns: Sequence[Hashable]
) -> tuple[tuple[Hashable, ...], tuple[tuple[int, ...], ...]]:
    """The keys, and which of them each table has: lists of keys, or all tables over two or three of the columns."""
    if not isinstance(tables, str):
        names, requested = read_tables(statistic, tables)
        if not all(requested):
            raise UnsupportedArgument(f"{statistic} takes tables with a key; [] has none.", argument="tables")
        return names, requested
    many = OF_SIZE.get(tables)
    if many is None:
        raise UnsupportedArgument(
            f'{statistic} takes tables="pairs", "triples" or a list of lists of keys, not {shown(tables)}.',
            argument="tables",
        )
    if len(columns) < many:
        raise UnsupportedArgument(
            f"{statistic} was asked about tables of {many} columns, and there are {len(columns)}.", argument="tables"
        )
    found = tuple(combinations(range(len(columns)), many))
    if len(found) > MOST_TABLES:
        raise UnsupportedArgument(
            f"{statistic} takes at most {MOST_TABLES:,} tables, not {len(found):,}; choose columns, or list tables.",
            argument="tables",
        )
    return tuple(columns), found


def check_cells(statistic: str, counted: CountedTables) -> None:
    """So many that they are counted and held at once."""
    if sum(counted.sizes) > MOST_CELLS:
        raise UnsupportedArgument(
            f"{statistic} would count {sum(counted.sizes):,} cells of all tables, and at most {MOST_CELLS:,} are "
            "possible; use fewer columns, bins or keys a table.",
            cells=sum(counted.sizes),
        )


def scaled(counts: Any, counted: CountedTables, size: int | None) -> Any:
    """As many rows as the data have, where that is public, in whole numbers."""
    rows = int(counted.table(counts, 0).sum())
    if size is None or size == rows or not rows:
        return np.asarray(counts, np.int64)
    return np.rint(np.asarray(counts, float) * (size / rows)).astype(np.int64)


def labels_of(names: Sequence[Hashable], requested: Sequence[Sequence[int]]) -> pd.Index:
    """A name for each table, and one for their mean where there are several."""
    tables = [" × ".join(str(names[place]) for place in table) for table in requested]
    return pd.Index([*tables, *(["mean"] if len(tables) > 1 else [])], name="table")


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


def readings_of(asking: Asking, columns: Sequence[Hashable], bins: Any, levels: Hierarchies) -> list[KeyReading]:
    """How each column is read, and each level of one; a column whose values nobody can list is refused."""
    how = read_bins("synthesize", bins, columns) if not _of_all(bins) else {}
    found = {name: _reading(asking, name, how.get(name), bins) for name in columns}
    return [*found.values(), *(_level(asking, name, levels, found[levels.column(name)]) for name in levels.levels)]


def measured_numbers(asking: Asking, columns: Sequence[Hashable], bins: Any) -> tuple[BinnedNumber, ...]:
    """The columns whose bins are measured: not those that have a bin for each value."""
    how = read_bins("synthesize", bins, columns) if not _of_all(bins) else {}
    asked = [(at, name) for at, name in enumerate(columns) if how.get(name) == MEASURED]
    if bins == MEASURED:
        asked = [(at, name) for at, name in enumerate(columns) if _is_number(asking, name)]
    variables = [(at, Variable(name, asking.domain.interval(name, asking.statistic))) for at, name in asked]
    return tuple(_number(at, each) for at, each in variables if each.grid.points > USUAL)


def _number(at: int, variable: Variable) -> BinnedNumber:
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
    return BinnedNumber(at, variable, tuple(edges), (*ends, grid.points - 1))


def _of_all(bins: Any) -> bool:
    """Whether one word or number says it of all columns."""
    return is_whole(bins) or (isinstance(bins, str) and bins == MEASURED)


def _is_number(asking: Asking, name: Hashable) -> bool:
    return asking.domain.is_measured(name) and not asking.domain.is_listed(name)


def _reading(asking: Asking, name: Hashable, own: Any, bins: Any) -> KeyReading:
    if own is None and is_whole(bins) and _is_number(asking, name):
        own = bins
    try:
        return reading_of(asking, name, None if isinstance(own, str) and own == MEASURED else own)
    except (NoCategories, NoBounds) as refusal:
        raise type(refusal)(f"{refusal} Or {OUT}.", **vars(refusal)) from None


def check_measured(
    readings: Sequence[KeyReading], numbers: Sequence[BinnedNumber], named: Sequence[Margin], argument: str
) -> None:
    """Refuse a statement about bins that nobody knows yet."""
    measured = {number.place for number in numbers}
    spoken = next((place for margin in named for place in margin if place in measured), None)
    if spoken is not None:
        raise UnsupportedArgument(
            f"{argument} names {readings[spoken].key.name!r}, whose bins are measured first and not known yet; give "
            "its bins by bins=, or leave it out there.",
            argument=argument,
        )


def _level(asking: Asking, name: Hashable, levels: Hierarchies, column: KeyReading) -> KeyReading:
    if column.key.clamp is not None:
        raise UnsupportedArgument(
            f"the level {name!r} groups categories, and {column.key.column!r} is counted in bins; choose coarser bins "
            "by bins=, or declare its categories.",
            argument="hierarchies",
        )
    return KeyReading(levels.key(asking, name), column.missing)


def requested_tables(readings: Sequence[KeyReading], tables: Any) -> tuple[Margin, ...]:
    """The tables that shall be accurate, by places of keys, none over two keys that read one column."""
    names = [reading.key.name for reading in readings]
    if isinstance(tables, str):
        apart = len({reading.key.column for reading in readings})
        if apart == 1 and tables == "pairs":
            return tuple((place,) for place in range(len(names)))
        found = read_requested("synthesize", tables, names)[1]
        return (
            tuple(margin for margin in found if _is_apart(readings, margin))
            or read_requested("synthesize", tables, names[:apart])[1]
        )
    asked, requested = read_requested("synthesize", tables, names)
    lacking = next((name for name in asked if name not in names), None)
    if lacking is not None:
        raise UnsupportedArgument(
            f"synthesize was asked for tables of {lacking!r}, which is not among its columns.", argument="tables"
        )
    listed = tuple(tuple(sorted(names.index(asked[at]) for at in table)) for table in requested)
    spare = next((margin for margin in listed if not _is_apart(readings, margin)), None)
    if spare is not None:
        one, other = _alike(readings, spare)
        raise UnsupportedArgument(
            f"synthesize was asked for a table of {one!r} and {other!r}, which read one column; ask for a table of "
            "each.",
            argument="tables",
        )
    return listed


def _is_apart(readings: Sequence[KeyReading], margin: Margin) -> bool:
    return len({readings[place].key.column for place in margin}) == len(margin)


def _alike(readings: Sequence[KeyReading], margin: Margin) -> tuple[Hashable, Hashable]:
    """Two keys that read one column."""
    pairs = combinations(margin, 2)
    return next(
        (readings[a].key.name, readings[b].key.name)
        for a, b in pairs
        if readings[a].key.column == readings[b].key.column
    )


MOST_MODEL = 300_000  # cells


def impossible_cells(readings: Sequence[KeyReading], structural_zeros: Any) -> Impossible:
    """Each rule over the keys that it names, and each level over itself and its column."""
    declared = _declared(readings, structural_zeros)
    tied = [_tied(readings, at) for at, reading in enumerate(readings) if reading.key.level is not None]
    if not declared and not tied:
        return Impossible()
    said = "; ".join(f"{margin}: {np.argwhere(~possible).tolist()}" for margin, possible in declared)
    found = Impossible((*declared, *tied), said)
    check_possible([reading.size for reading in readings], found)
    return found


def _declared(readings: Sequence[KeyReading], rules: Any) -> list[Zeros]:
    names, found = [reading.key.name for reading in readings], []
    for rule in read_rules(rules):
        if not all(name in names for name in rule):
            raise UnsupportedArgument("structural_zeros name what is no column of this synthesize; name its columns.")
        margin = tuple(sorted(names.index(name) for name in rule))
        possible = np.ones([readings[place].size for place in margin], dtype=bool)
        possible[np.ix_(*(_places(readings[place], rule[names[place]]) for place in margin))] = False
        if not possible.any():
            raise UnsupportedArgument("structural_zeros leave no cell that can be.")
        found.append((margin, possible))
    return found


def _tied(readings: Sequence[KeyReading], at: int) -> Zeros:
    """Each category of the column in its group alone; a missing value is missing in both."""
    level = readings[at].key
    column = next(
        place for place, each in enumerate(readings) if each.key.column == level.column and each.key.level is None
    )
    groups = [*level.places, *([level.size] if readings[at].missing else [])]
    possible = np.zeros((len(groups), readings[at].size), dtype=bool)
    possible[np.arange(len(groups)), groups] = True
    return ((column, at), possible)


def check_possible(sizes: Sequence[int], impossible: Impossible) -> None:
    """A model has room for the rules, and some row can be."""
    cells = Graph.of(sizes, impossible.tables).cells
    if cells > MOST_MODEL:
        raise UnsupportedArgument(
            f"a model with these structural_zeros and hierarchies has {cells:,} cells, and at most {MOST_MODEL:,} are "
            "possible; name fewer keys in one rule, and fewer or smaller levels.",
            argument="structural_zeros",
        )
    if not fit_model(sizes, [], 1.0, impossible.zeros).is_possible:
        raise UnsupportedArgument("structural_zeros leave no cell that can be.")


def _places(reading: KeyReading, given: Any) -> list[int]:
    labels = reading_labels(reading)
    values = list(given) if isinstance(given, list | tuple | set | frozenset) else [given]
    found = [place for value in values if (place := place_of(labels, value)) is not None]
    if len(found) < len(values):
        raise UnsupportedArgument(
            f"structural_zeros name a category of {reading.key.name!r} that was not declared; use the declared ones.",
            column=reading.key.name,
        )
    return found


def place_of(labels: Sequence[Any], value: Any) -> int | None:
    """Where a category is among labels, of which the last may be of missing values."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return len(labels) - 1 if pd.isna(labels[-1]) else None
    return list(labels).index(value) if value in labels else None


def check_synthetic(rows: pd.DataFrame) -> None:
    """Refuse what does not say of itself that it is synthetic, as it may be somebody's."""
    if owner_of(rows) is not None or (label_of(rows) or {}).get("kind") != "synthetic":
        raise NotProtected(
            "distance compares the data with rows of nobody, and these do not say that they were drawn from a "
            "synthesis; give the synthesis itself, or what its sample() gave."
        )
    if not rows.columns.is_unique:
        raise UnsupportedArgument("two columns of the rows share a name; rename one.")
    if not len(rows):
        raise UnsupportedArgument("distance was given no rows; draw some from the synthesis.")


def counts_of_public(rows: pd.DataFrame, counted: CountedTables) -> np.ndarray[Any, Any]:
    """How many of them are in each cell of each table."""
    check_synthetic(rows)
    fold = CountsOfTables(counted)
    return fold.finish(fold.read(Part.whole(rows, None)))
