"""A pandas frame, as rows to be tallied."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import pandas as pd

from .columns import Array
from .fold import Engine
from .known import KnownIds
from .memory import InMemory
from .part import Part
from .rows import FoldedRows


class PandasRows(FoldedRows):
    """Rows of a frame, or of a series taken as a frame of one column; a derived one where `known` is given."""

    engine: ClassVar[Callable[[Part], Engine]] = InMemory

    def __init__(
        self, data: pd.DataFrame | pd.Series[Any], known: KnownIds | None, tallies: Iterable[Any] = ()
    ) -> None:
        kept = None if known is None else known.kept(data.index)
        super().__init__(type(self).engine(Part.whole(data, kept)), tallies)


class RowsOfPeople(FoldedRows):
    """Rows of which each person may have many: `person` has the number of hers for each row, below `people`, and -1
    for nobody's."""

    def __init__(
        self, data: pd.DataFrame | pd.Series[Any], person: Array, people: int, tallies: Iterable[Any] = ()
    ) -> None:
        super().__init__(PandasRows.engine(Part.of_people(data, person, people)), tallies)
