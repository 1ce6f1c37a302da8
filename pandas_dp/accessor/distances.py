"""`distance`: how far synthetic rows are from the data, table by table."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..errors import UnknownColumn, UnsupportedArgument, UnsupportedType, shown
from ..release import Layout, Release
from ..session import Asked, check_synthetic, counts_of_public
from ..statistics import DistanceOfTables
from ..tally import CountedTables, Distances
from .asking import Asking
from .bins import read_bins
from .compared_models import ComparedModel
from .counted_learning import check_plain
from .keywords import Keywords
from .margins import read_tables
from .readings import reading_of

MOST_TABLES = 1_000
MOST_CELLS = 10**7  # of all tables together
OF_SIZE = {"pairs": 2, "triples": 3}


def release(frame: pd.DataFrame, of: object, tables: object, bins: Any, keywords: Keywords) -> Release:
    """The distance of each table, and their mean."""
    if hasattr(of, "_described"):
        return of_model(frame, ComparedModel(of._described), tables, bins, keywords)
    rows = public_rows(of)
    names, wanted = read_wanted("distance", tables, [name for name in rows.columns if name in frame.columns])
    lacking = next((name for name in names if name not in rows.columns), None)
    if lacking is not None:
        raise UnknownColumn(f"distance was asked about column {lacking!r}, which the rows do not have.", column=lacking)
    asking = Asking(frame, "distance", keywords, columns=names, keys=names, counts_keys=True)
    check_plain(asking)
    how = read_bins("distance", bins, names)
    counted = CountedTables(tuple(reading_of(asking, name, how.get(name)) for name in names), wanted)
    check_cells("distance", counted)
    public = scaled(counts_of_public(rows, counted), counted, asking.setting.size)
    part = DistanceOfTables(Distances(counted, public.tobytes()), "rows")
    return asking.release([Asked(None, part)], Layout(labels_of(names, wanted), None, "measures"))


def of_model(frame: pd.DataFrame, model: ComparedModel, tables: object, bins: Any, keywords: Keywords) -> Release:
    """The distance of what a synthesis makes of each table."""
    if bins is not None:
        raise UnsupportedArgument("a synthesis has its own bins; leave bins= out.", argument="bins")
    names, wanted = read_wanted("distance", tables, [name for name in model.names if name in frame.columns])
    lacking = next((name for name in names if name not in model.names), None)
    if lacking is not None:
        raise UnknownColumn(
            f"distance was asked about {lacking!r}, which is no column of the synthesis; its columns are "
            f"{', '.join(map(repr, model.names))}.",
            column=lacking,
        )
    asking = Asking(frame, "distance", keywords, columns=names, keys=names, counts_keys=True)
    check_plain(asking)
    counted = CountedTables(tuple(model.reading(asking, name) for name in names), wanted)
    check_cells("distance", counted)
    public = model.counts(names, counted)
    part = DistanceOfTables(Distances(counted, public.tobytes()), "synthesis", model.digest)
    return asking.release([Asked(None, part)], Layout(labels_of(names, wanted), None, "measures"))


def public_rows(of: object) -> pd.DataFrame:
    """Rows that say of themselves that they are synthetic; refused otherwise."""
    if not isinstance(of, pd.DataFrame):
        raise UnsupportedType(f"distance takes a synthesis, or rows that were drawn from one, not {shown(of)}.")
    check_synthetic(of)
    return of


def read_wanted(
    statistic: str, tables: object, columns: Sequence[Hashable]
) -> tuple[tuple[Hashable, ...], tuple[tuple[int, ...], ...]]:
    """The keys, and which of them each table has: lists of keys, or all tables over two or three of the columns."""
    if not isinstance(tables, str):
        names, wanted = read_tables(statistic, tables)
        if not all(wanted):
            raise UnsupportedArgument(f"{statistic} takes tables with a key; [] has none.", argument="tables")
        return names, wanted
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


def labels_of(names: Sequence[Hashable], wanted: Sequence[Sequence[int]]) -> pd.Index:
    """A name for each table, and one for their mean where there are several."""
    tables = [" × ".join(str(names[place]) for place in table) for table in wanted]
    return pd.Index([*tables, *(["mean"] if len(tables) > 1 else [])], name="table")
