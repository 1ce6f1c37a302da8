"""The replicates of a bootstrap, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import NotConcluded
from ..release import Layout, Released, in_unit, in_zone


def replicates(table: Released | pd.DataFrame) -> pd.DataFrame:
    """A row for each replicate, a column for each number of the release."""
    released = Released.of(table)
    label = released.label
    if label.bootstrap is None:
        raise NotConcluded("this release has no replicates; ask the question with bootstrap=.")
    rng = np.random.default_rng(int(label.digest, 16))  # public: what was released decides
    columns = []
    for item in released.items:
        columns += [in_unit(drawn, item.kind) for drawn in item.evidence.replicates(rng).T]
    found = pd.DataFrame(dict(enumerate(columns)))
    found.columns = _titles(released.layout, len(columns))
    found.index = pd.RangeIndex(1, len(found) + 1, name="replicate")
    return in_zone(found, label.zone)


def _titles(layout: Layout, columns: int) -> pd.Index:
    """The rows of the release, below the items where there are several of them in a row."""
    rows, outer = layout.rows, layout.columns
    if columns == len(rows):
        return rows
    assert outer is not None  # several items, a row for each cell
    pairs = [(*_tuple(item), *_tuple(row)) for item in outer for row in rows]
    return pd.MultiIndex.from_tuples(pairs, names=[*outer.names, *rows.names])


def _tuple(label: object) -> tuple[object, ...]:
    return label if isinstance(label, tuple) else (label,)
