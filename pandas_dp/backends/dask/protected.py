"""The node that `protect` puts into a collection's expression: its rows, each with an id of its own."""

from __future__ import annotations

from typing import Any

import pandas as pd
from dask.dataframe.dask_expr._expr import Elemwise


def with_ids(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of a partition, numbered, under the name by which the session knows them."""
    return frame.set_axis(pd.RangeIndex(len(frame), name=name))


class Protected(Elemwise):  # type: ignore[misc]  # Dask has no types
    """A frame as a session answers for it. Columns that nobody asks for are not read; conditions stay above it."""

    _parameters = ["frame", "name"]  # noqa: RUF012 - as Dask asks for them
    _projection_passthrough = True
    operation = staticmethod(with_ids)

    def _divisions(self) -> tuple[Any, ...]:
        return (None,) * (self.frame.npartitions + 1)
