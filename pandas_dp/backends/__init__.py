"""The only room that touches rows: it adds them up, or puts them in order, as a tally asks."""

from ..tally import Rows
from .batch import Batch, Whose
from .beside import beside
from .blocks import Blocks, Sorting
from .counted import CountsOfTables
from .fold import Engine, Fold
from .known import KnownIds, KnownRows
from .maps import Curve, Cut, Encoded, Filled, RowMap, Scaled, with_columns
from .pandas_rows import PandasRows, RowsOfPeople
from .part import Part
from .row_steps import OneRow, as_frame, batch_of_frame
from .rows import FoldedRows
from .running import Call, CannotLoadError, NoProcessError, Told
from .scan import Elsewhere, Scan, Scanned, Seen, Several

__all__ = [
    "Batch",
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
    "NoProcessError",
    "OneRow",
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
    "Whose",
    "as_frame",
    "batch_of_frame",
    "beside",
    "with_columns",
]
