"""The door: `.dp` on DataFrames and Series. A released table gets the accessor of a release, any other the
questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ..evidence.evidence import Evidence, kind_of_evidence
from ..label.release import RELEASED, kind_of, label_of
from ..lazy_import import named
from .hints import advise_where_groups_are_asked

if TYPE_CHECKING:
    from .frame import FrameAccessor
    from .released import ReleaseAccessor
    from .series import SeriesAccessor


@pd.api.extensions.register_dataframe_accessor("dp")  # type: ignore[type-var]  # it calls whatever it is given
def _frame_accessor(frame: pd.DataFrame) -> FrameAccessor | ReleaseAccessor:
    """Questions about a table that a session answers for, or conclusions from a table that was released."""
    other = _other(frame)
    questions: FrameAccessor = named("core.door.frame:FrameAccessor")(frame) if other is None else other
    return questions


@pd.api.extensions.register_series_accessor("dp")  # type: ignore[type-var]
def _series_accessor(series: pd.Series) -> SeriesAccessor | ReleaseAccessor:
    """Questions about a column that a session answers for."""
    other = _other(series)
    questions: SeriesAccessor = named("core.door.series:SeriesAccessor")(series) if other is None else other
    return questions


def _other(table: pd.DataFrame | pd.Series) -> Any:
    """The accessor of what is no data; None of data."""
    kind = kind_of(table)
    if kind in RELEASED:
        return _released(table)
    return named("synthetic.ask_synthesis:SyntheticAccessor")(table) if kind == "synthetic" else None


def _released(table: pd.DataFrame | pd.Series) -> ReleaseAccessor:
    """With what all kinds in it have in common: the conclusions of its one kind, or those that all share."""
    evidence = (label_of(table) or {}).get("evidence")
    parts = evidence if isinstance(evidence, list | tuple) else []  # the accessor says what is wrong
    found = {_concluded_by(facts) if isinstance(facts, dict) else Evidence.accessor for facts in parts}
    made: ReleaseAccessor = named(found.pop() if len(found) == 1 else Evidence.accessor)(table)
    return made


def _concluded_by(facts: dict[str, Any]) -> str:
    word = facts.get("kind")
    kind = kind_of_evidence(word) if isinstance(word, str) else None
    return Evidence.accessor if kind is None else kind.concluded_by(facts)


advise_where_groups_are_asked()
