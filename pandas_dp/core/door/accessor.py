"""The door: `.dp` on DataFrames and Series. A released table gets the released face, any other the questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ..label.release import is_release, is_synthetic
from .frame import FrameFace
from .hints import tell_where_groups_are_asked
from .series import SeriesFace

if TYPE_CHECKING:
    from .released import ReleasedFace


@pd.api.extensions.register_dataframe_accessor("dp")  # type: ignore[type-var]  # it calls whatever it is given
def _frame_face(frame: pd.DataFrame) -> FrameFace | ReleasedFace:
    """Questions about a table that a session answers for, or conclusions from a table that was released."""
    other = _other(frame)
    return FrameFace(frame) if other is None else other


@pd.api.extensions.register_series_accessor("dp")  # type: ignore[type-var]
def _series_face(series: pd.Series) -> SeriesFace | ReleasedFace:
    """Questions about a column that a session answers for."""
    other = _other(series)
    return SeriesFace(series) if other is None else other


def _other(table: pd.DataFrame | pd.Series) -> Any:
    """The face of what is no data; None of data."""
    if is_release(table):
        return _released(table)
    if not is_synthetic(table):
        return None
    from ...synthetic.ask_synthesis import SyntheticFace  # late: seldom needed

    return SyntheticFace(table)


def _released(table: pd.DataFrame | pd.Series) -> ReleasedFace:
    from .faces import face_of  # late: all that a release supports takes a while to import

    return face_of(table)


tell_where_groups_are_asked()
