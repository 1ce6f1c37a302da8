"""Predictions are of public rows: a prediction for a protected row would show the row."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..errors import UnsupportedArgument
from ..release import label_of


def refuse_protected(rows: Any) -> None:
    """Refuse a protected table, and what was made of one."""
    said = label_of(rows) if isinstance(rows, pd.DataFrame | pd.Series) else None
    if said is not None and said.get("kind") == "protected":
        raise UnsupportedArgument(
            "predict takes rows that are public, as a prediction for each protected row would show the row; make a "
            "table of the values that you want to compare."
        )
