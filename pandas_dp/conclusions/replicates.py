"""The replicates of a bootstrap, as a table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..errors import NotConcluded
from ..evidence import Means, PopulationSums, Replicates, Spreads
from ..release import in_unit, in_zone
from .evidence import checked_label, evidence_of


def replicates(frame: pd.DataFrame) -> pd.DataFrame:
    """A row for each replicate, a column for each number of the release."""
    label = checked_label(frame)
    if label.get("bootstrap") is None:
        raise NotConcluded("this release has no replicates; ask the question with bootstrap=.")
    rng = np.random.default_rng(int(label["digest"], 16))  # public: what was released decides
    columns = []
    for evidence, facts in zip(evidence_of(frame), label["evidence"], strict=True):
        assert isinstance(evidence, Means | PopulationSums | Spreads | Replicates)
        columns += [in_unit(drawn, facts["type"], evidence.statistic) for drawn in evidence.replicates(rng).T]
    table = pd.DataFrame(dict(enumerate(columns)))
    table.columns = _titles(frame, len(label["evidence"]), len(columns), label)
    table.index = pd.RangeIndex(1, len(table) + 1, name="replicate")
    return in_zone(table, label.get("zone"))


def _titles(frame: pd.DataFrame, items: int, columns: int, label: dict[str, object]) -> pd.Index:
    """The rows of the release, below the items where there are several of them in a row."""
    if columns == len(frame):
        return frame.index
    shows = label["shows"]
    assert isinstance(shows, list)
    firsts = np.cumsum([0, *shows[:-1]])
    outer = frame.columns[firsts].droplevel(-1)  # type: ignore[arg-type]  # the stubs know flat labels only
    pairs = [(*_tuple(item), *_tuple(row)) for item in outer for row in frame.index]
    return pd.MultiIndex.from_tuples(pairs, names=[*outer.names, *frame.index.names])


def _tuple(label: object) -> tuple[object, ...]:
    return label if isinstance(label, tuple) else (label,)
