"""The model of tables that were found worth measuring, with what the question knew beside them."""

from __future__ import annotations

import pandas as pd

from ...statistics import TablesForSynthesis
from .described import Described, Known, described


def looked(release: pd.DataFrame, part: TablesForSynthesis, size: int | None) -> Described:
    """Of the release that answers it; `size` is the number of rows where that is public."""
    domain, schema = part.known
    _, state, _ = part.kept[-1]
    rows = state.measured.rows(size)
    levels = frozenset(reading.key.name for reading in part.counted.readings if reading.key.level is not None)
    return described(release, schema, Known(domain, part.impossible.zeros, rows, rows == size, part.model, levels))
