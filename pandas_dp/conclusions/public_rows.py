"""Predictions are of public rows: a prediction for a protected row would show the row."""

from __future__ import annotations

from typing import Any

from ..errors import UnsupportedArgument
from ..release.protected_rows import is_name_of_people, shows_protected_rows


def refuse_protected(rows: Any) -> None:
    """Refuse a protected table, and what was made of one, also as columns of a mapping."""
    if shows_protected_rows(rows, is_name_of_people):
        raise UnsupportedArgument(
            "predict takes rows that are public, as a prediction for each protected row would show the row; make a "
            "table of the values that you want to compare."
        )
