"""The only room that touches rows: it adds them up, or puts them in order, as a tally asks."""

from ..tally import Rows
from .beside import beside
from .blocks import Blocks, Sorting
from .counted import CountsOfTables
from .fold import Engine, Fold
from .known import KnownIds, KnownRows
from .maps import Curve, Cut, Encoded, Filled, RowMap, Scaled, with_columns
from .pandas_rows import PandasRows, RowsOfPeople
from .part import Part
from .rows import FoldedRows
from .running import Call, CannotLoadError, Told
from .scan import Elsewhere, Scan, Scanned, Seen, Several

__all__ = [
    "Blocks",
    "Call",
    "CannotLoadError",
    "CountsOfTables",
    "Curve",
    "Cut",
    "Elsewhere",
    "Encoded",
    "Engine",
    "Filled",
    "Fold",
    "FoldedRows",
    "KnownIds",
    "KnownRows",
    "PandasRows",
    "Part",
    "RowMap",
    "Rows",
    "RowsOfPeople",
    "Scaled",
    "Scan",
    "Scanned",
    "Seen",
    "Several",
    "Sorting",
    "Told",
    "beside",
    "with_columns",
]
