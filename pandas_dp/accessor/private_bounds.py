"""`bounds="private"`: a share of the cost chooses bounds inside of those that are declared, far too wide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ..errors import NoBounds, UnsupportedArgument
from ..statistics import Mean, MeanInChosenBounds

if TYPE_CHECKING:
    from .asking import Asking

PRIVATE = "private"


def is_private(bounds: Any) -> bool:
    return isinstance(bounds, str) and bounds == PRIVATE


def check_private(asking: Asking, keys: int) -> None:
    """Refuses what cannot be asked within bounds that are chosen on the way."""
    if asking.statistic != "mean":
        raise _not_so(f"bounds='private' is for mean; ask {asking.statistic} within bounds that are released first, "
                      "column.dp.choose_bounds(among=...), by giving that release as bounds=.")  # fmt: skip
    if keys or not isinstance(asking.data, pd.Series):
        raise _not_so("bounds='private' is for the mean of one column, df[column].dp.mean(bounds='private'); elsewhere "
                      "give what column.dp.choose_bounds(among=...) released as bounds=.")  # fmt: skip
    request = asking.read.request
    if request.model != "dp" or asking.sampling is not None or asking.over_rows is not None:
        raise _not_so("bounds='private' is offered with model='dp', without weights, and for one row of each person; "
                      "elsewhere say which bounds, bounds=(lower, upper).")  # fmt: skip
    if request.mechanism != "auto":
        raise _not_so("bounds='private' needs several mechanisms, which it chooses itself; leave mechanism= out.")
    column = asking.columns[0]
    if not asking.domain.is_measured(column):
        raise NoBounds(
            f"column {column!r} has no declared bounds, among which bounds='private' could choose; declare some in the "
            "schema, as wide as need be, or ask column.dp.choose_bounds(among=...) and give what it releases as "
            "bounds=.",
            column=column,
        )


def within_chosen_bounds(mean: Mean) -> MeanInChosenBounds:
    return MeanInChosenBounds(mean.variable)


def _not_so(sentence: str) -> UnsupportedArgument:
    return UnsupportedArgument(sentence, argument="bounds")
