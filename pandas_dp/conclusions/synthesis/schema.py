"""The checks of a pandera schema, on rows that nobody is: what fails is public."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...errors import BadSchema, NotConcluded, type_of


def read_schema(schema: Any) -> Any:
    """A DataFrameSchema, of a model class too."""
    whole = schema.to_schema() if hasattr(schema, "to_schema") else schema
    if not isinstance(getattr(whole, "columns", None), dict):
        raise BadSchema(f"schema must be a pandera DataFrameSchema or DataFrameModel, not {type_of(schema)}.")
    return whole


def reduced(schema: Any, columns: Sequence[Hashable]) -> Any:
    """The schema of these columns alone; checks of whole rows stay where all of its columns are there."""
    whole = read_schema(schema)
    known = {name: column for name, column in whole.columns.items() if name in columns}
    found = copy.copy(whole)
    found.columns, found.index, found.ordered = known, None, False
    if found.strict:
        found.strict = False
    if len(known) < len(whole.columns):
        found.checks = []
    found.unique = None
    return found


def ordered(schema: Any, columns: Sequence[Hashable]) -> list[Hashable]:
    """The columns in the order of the schema, others behind."""
    whole = read_schema(schema)
    declared = [name for name in whole.columns if name in columns]
    return [*declared, *(name for name in columns if name not in declared)]


def check_unique(schema: Any, columns: Sequence[Hashable]) -> None:
    """Refuse a column whose values differ from row to row: a table of counts knows nothing of that."""
    whole = read_schema(schema)
    unique = [name for name, column in whole.columns.items() if column.unique and name in columns]
    if unique:
        raise NotConcluded(
            f"column {unique[0]!r} is declared unique, and rows drawn from a model repeat values; leave it out of the "
            "tables."
        )


def failing(schema: Any, frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Which rows fail a check; a failure of the whole frame is refused."""
    from pandera.errors import SchemaErrors

    try:
        schema.validate(frame, lazy=True)
    except SchemaErrors as error:
        cases = error.failure_cases
        at = cases["index"]
        if at.isna().any():
            first = cases[at.isna()].iloc[0]
            raise NotConcluded(
                f"rows drawn from this model do not meet the check {first['check']!r} of the schema, which is about "
                "the whole table; leave schema= out, or take that check out of it."
            ) from None
        return np.isin(np.arange(len(frame)), at.to_numpy(dtype=np.int64))
    return np.zeros(len(frame), dtype=bool)
