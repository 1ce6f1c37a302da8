"""The keywords that belong to promises with a private scale, read once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..errors import BadArgument, shown, wrong_value
from ..session import Options

MOST_TOGETHER = 100  # rows in a group; the scale of a larger one would take long to find
SCALES = ("auto", "i", "ii", "iii", "iv")


def read_options(given: dict[str, Any]) -> Options:
    """Takes its own keywords out of those that were given."""
    scale = _scale(given.pop("scale", "auto"))
    further_rows = given.pop("further_rows", None)
    if further_rows is not None and not isinstance(further_rows, pd.DataFrame | pd.Series):
        raise wrong_value("further_rows", "be a DataFrame of further rows", further_rows)
    return Options(
        _group(given.pop("group", 1)), _floored(given.pop("floor", None)), _cells(given.pop("cells", "private")),
        scale, further_rows,
    )  # fmt: skip


def _group(group: object) -> int:
    if isinstance(group, bool) or not isinstance(group, int | np.integer) or not 1 <= group <= MOST_TOGETHER:
        raise wrong_value("group", f"be a whole number of rows from 1 to {MOST_TOGETHER}", group)
    return int(group)


def _floored(floor: object) -> bool:
    if floor is not None and (isinstance(floor, bool) or not isinstance(floor, int | float) or floor != 0):
        raise BadArgument(
            f"floor can only be 0, which lets the noise vanish, not {shown(floor)}; leave it out.", argument="floor"
        )
    return floor is None


def _scale(scale: object) -> str:
    if not isinstance(scale, str) or scale not in SCALES:
        raise wrong_value("scale", f"be one of {', '.join(map(repr, SCALES))}", scale)
    return scale


def _cells(cells: object) -> str:
    if not isinstance(cells, str) or cells not in ("private", "public"):
        raise wrong_value("cells", "be 'private' or 'public'", cells)
    return cells
