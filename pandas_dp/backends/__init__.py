"""The only room that touches rows: it adds them up, or puts them in order, as a tally asks."""

from ..tally import Rows
from .known import KnownIds
from .pandas_rows import PandasRows

__all__ = ["KnownIds", "PandasRows", "Rows"]
