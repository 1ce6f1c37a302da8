"""The only room that touches rows: it adds them up, or puts them in order, as a tally asks."""

from __future__ import annotations

from typing import Protocol

from ..tally import Additive, Facts, Final, Ranks
from ..tally.ranks import Ladder
from ..tally.sums import Table
from .known import KnownIds
from .pandas_rows import PandasRows

__all__ = ["KnownIds", "PandasRows", "Rows"]


class Rows(Protocol):
    """Rows that can be tallied. Nothing here raises, warns or branches visibly because of what they hold."""

    def fold(self, tally: Additive) -> Table:
        """The tally's exact integers, one row per cell, one column per coordinate."""
        ...

    def ladders(self, tally: Ranks, depth: int) -> list[Ladder]:
        """For each cell, the rows whose ranks are within `depth` of the wanted one, in order."""
        ...

    def facts(self, tally: Final, many: int) -> Facts:
        """Of each cell what a promise with a private scale has to know, with so many rows at either end."""
        ...
