"""Rows of nobody, which anyone may see: they are counted as the data are, without noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..core.engine.fold import Part
from ..core.label.release import label_of
from ..core.protect.active import owner_of
from ..errors import NotProtected, UnsupportedArgument
from .fold import CountsOfTables
from .measure import CountedTables


def check_synthetic(rows: pd.DataFrame) -> None:
    """Refuse what does not say of itself that it is synthetic, as it may be somebody's."""
    if owner_of(rows) is not None or (label_of(rows) or {}).get("kind") != "synthetic":
        raise NotProtected(
            "distance compares the data with rows of nobody, and these do not say that they were drawn from a "
            "synthesis; give the synthesis itself, or what its sample() gave."
        )
    if not rows.columns.is_unique:
        raise UnsupportedArgument("two columns of the rows share a name; rename one.")
    if not len(rows):
        raise UnsupportedArgument("distance was given no rows; draw some from the synthesis.")


def counts_of_public(rows: pd.DataFrame, counted: CountedTables) -> np.ndarray[Any, Any]:
    """How many of them are in each cell of each table."""
    check_synthetic(rows)
    fold = CountsOfTables(counted)
    return fold.finish(fold.read(Part.whole(rows, None)))
