"""Whether rows of nobody can meet a schema at all: tried before paying, on rows that are as even as can be."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..domain import Domain
from ..errors import NotConcluded, UnsupportedArgument
from ..margins import fit_model
from ..release import reading_labels
from ..statistics import Impossible
from ..tally import Reading

ROWS = 200
MOST_FAILING = 0.95


def check_rows(schema: Any, domain: Domain, readings: Sequence[Reading], impossible: Impossible) -> None:
    """Refuse a schema that hardly any row meets, or that is about the whole table."""
    from ..conclusions.synthesis.columns import Column, check_missing  # late: seldom needed
    from ..conclusions.synthesis.schema import failing, reduced

    sizes = [reading.size for reading in readings]
    rng = np.random.default_rng(0)
    codes = fit_model(sizes, [], ROWS, impossible.zeros).sample(ROWS, rng, "random")
    found: dict[Hashable, Any] = {}
    for at, reading in enumerate(readings):
        if reading.key.level is not None:
            continue  # rows have the column, and no levels of it
        labels, name = reading_labels(reading), reading.key.name
        known = labels[: len(labels) - reading.missing]
        column = Column.of(name, known, domain.said_of(name), reading.missing)
        check_missing(column)
        found[name] = column.values(codes[:, at], rng)
    rows = pd.DataFrame(found)
    try:
        bad = failing(reduced(schema, list(rows.columns)), rows).mean()
    except NotConcluded:
        raise UnsupportedArgument(
            "the schema has a check of the whole table, which rows that are drawn cannot be made to meet; take it out "
            "of the schema, or leave out a column by columns=[...], as checks of rows are run where all columns are."
        ) from None
    if bad > MOST_FAILING:
        raise UnsupportedArgument(
            f"of rows drawn at random {bad:.0%} fail a check of the schema; say which combinations cannot be by "
            "structural_zeros=, or leave out a column by columns=[...]."
        )
