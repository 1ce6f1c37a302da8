"""The door: `.dp` on DataFrames and Series. A released table gets the accessor of a release, any other the
questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ..label.release import RELEASED, kind_of
from .frame import FrameAccessor
from .hints import advise_where_groups_are_asked
from .series import SeriesAccessor

if TYPE_CHECKING:
    from .released import ReleaseAccessor


@pd.api.extensions.register_dataframe_accessor("dp")  # type: ignore[type-var]  # it calls whatever it is given
def _frame_accessor(frame: pd.DataFrame) -> FrameAccessor | ReleaseAccessor:
    """Questions about a table that a session answers for, or conclusions from a table that was released."""
    other = _other(frame)
    return FrameAccessor(frame) if other is None else other


@pd.api.extensions.register_series_accessor("dp")  # type: ignore[type-var]
def _series_accessor(series: pd.Series) -> SeriesAccessor | ReleaseAccessor:
    """Questions about a column that a session answers for."""
    other = _other(series)
    return SeriesAccessor(series) if other is None else other


def _other(table: pd.DataFrame | pd.Series) -> Any:
    """The accessor of what is no data; None of data."""
    kind = kind_of(table)
    if kind in RELEASED:
        return _released(table)
    if kind != "synthetic":
        return None
    from ...synthetic.ask_synthesis import SyntheticAccessor  # late: seldom needed

    return SyntheticAccessor(table)


def _released(table: pd.DataFrame | pd.Series) -> ReleaseAccessor:
    from .accessors import accessor_of  # late: all that a release supports takes a while to import

    return accessor_of(table)


advise_where_groups_are_asked()
