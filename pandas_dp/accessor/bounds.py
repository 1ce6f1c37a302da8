"""What `bounds=` takes: pairs as they are typed, or what a choice of bounds released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..errors import BadBounds
from ..release import is_release, label_of

COLUMNS = {"choose_bound": ["bound"], "choose_bounds": ["lower", "upper"]}


def is_private(bounds: Any) -> bool:
    """Whether a share of the cost chooses them."""
    return isinstance(bounds, str) and bounds == "private"


def as_typed(bounds: Any) -> Any:
    """Bounds as they are typed, where what was released by a choice of bounds stands for them."""
    if isinstance(bounds, Mapping):
        return {column: _as_pair(each) for column, each in bounds.items()}
    return _as_pair(bounds)


def _as_pair(given: Any) -> Any:
    if not isinstance(given, pd.DataFrame) or not is_release(given):
        return given
    statistic = (label_of(given) or {}).get("statistic")
    if list(given.columns) != COLUMNS.get(str(statistic)) or len(given) != 1:
        raise BadBounds(
            f"bounds= takes a pair (lower, upper), or what choose_bound or choose_bounds released, not a release of "
            f"{statistic!r}."
        )
    ends = [float(end) for end in given.iloc[0]]
    return (0.0, *ends) if len(ends) == 1 else tuple(ends)
