"""The model of tables that were found worth measuring, with what the question knew beside them."""

from __future__ import annotations

import pandas as pd

from ...statistics import TablesForSynthesis
from .described import Described, Known, described


def looked(release: pd.DataFrame, part: TablesForSynthesis, size: int | None) -> Described:
    """Of the release that answers it; `size` is the number of rows where that is public."""
    domain, schema = part.known
    _, state, _ = part.kept[-1]
    rows, public = state.measured.rows(size), part.public
    rows = rows if public.rows is None else public.rows
    levels = frozenset(reading.key.name for reading in part.counted.readings if reading.key.level is not None)
    sure = rows == size or public.rows is not None
    known = Known(domain, part.impossible.zeros, rows, sure, part.model, levels, public.told, part.parts)
    return described(release, schema, known)
