"""Rows drawn from a model as a plain frame: columns, order and dtypes as declared, and checked by the schema."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded
from ...margins import Drawn, Model
from .described import Described
from .label import row_label
from .schema import failing, reduced

ROUNDS = 20  # in which rows that fail a check of the schema are drawn anew
MOST_ROWS = 10**8


def drawn_rows(
    of: Described, many: int | None, where: Mapping[Hashable, Sequence[Any]], rng: np.random.Generator, drawn: Drawn
) -> pd.DataFrame:
    """So many rows, or as many as the model holds."""
    model = of.among(where)
    rows = round(model.rows) if many is None else many
    frame = _frame(of, model, rows, rng, drawn)
    if of.schema is not None:
        frame = _valid(of, model, frame, rng, drawn)
    frame.attrs = {"dp": row_label(of, rows, drawn, where)}
    return frame


def _frame(of: Described, model: Model, rows: int, rng: np.random.Generator, drawn: Drawn) -> pd.DataFrame:
    codes = model.sample(rows, rng, drawn)
    found = {}
    for column, key in zip(of.columns, of.shown, strict=True):
        mine = codes[:, key.place]
        found[column.name] = column.values(mine if key.level is None else key.level[mine], rng)
    return pd.DataFrame(found)


def _valid(of: Described, model: Model, frame: pd.DataFrame, rng: np.random.Generator, drawn: Drawn) -> pd.DataFrame:
    """Rows that fail a check of the schema are drawn anew."""
    schema = reduced(of.schema, list(frame.columns))
    for _ in range(ROUNDS):
        bad = failing(schema, frame)
        if not bad.any():
            return frame
        anew = _frame(of, model, int(bad.sum()), rng, drawn)
        frame = pd.concat([frame[~bad], anew], ignore_index=True)
    bad = failing(schema, frame)
    if bad.any():
        raise NotConcluded(
            f"rows fail a check of the schema in {ROUNDS} draws in a row; the tables do not know of it. Declare the "
            "cells that cannot be by structural_zeros= where the tables are released, or leave the schema out."
        )
    return frame
