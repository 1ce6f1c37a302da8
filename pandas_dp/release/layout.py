"""A rectangle of estimates, and how it grows columns for standard errors and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ..domain import Kind
from ..evidence import Evidence
from .units import in_unit, joined

Array = np.ndarray[Any, Any]
Style = Literal["measures", "estimates"]


@dataclass(frozen=True)
class Item:
    """One statistic of one column, with a number for each cell."""

    column: Any
    statistic: str
    kind: Kind
    evidence: Evidence


@dataclass(frozen=True)
class Layout:
    """The labels of the rectangle, and what it shows: estimates alone, or each with its measures beside it.

    The numbers of all items, a column for each item and a row for each cell, fill the rectangle row by row.
    """

    rows: pd.Index
    columns: pd.Index | None  # None: one column without a name of its own
    style: Style

    def frame(self, items: Sequence[Item], level: float) -> tuple[pd.DataFrame, dict[str, Any]]:
        """The table that a release shows, and what tells a reader where its estimates stand."""
        if self.style == "estimates":
            arrays = [in_unit(i.evidence.estimate, i.kind, i.statistic) for i in items]
            return self._rectangle(arrays), {"rows": "cells", "shows": None}
        found = [i.evidence.measures(level, i.evidence.default_target) for i in items]
        shown = [
            {name: in_unit(numbers, item.kind, item.statistic, name) for name, numbers in measures.items()}
            for item, measures in zip(items, found, strict=True)
        ]
        by_item = self.columns is None and len(items) > 1
        place = {"rows": "items" if by_item else "cells", "shows": [len(measures) for measures in shown]}
        return self._measured(items, shown), place

    def _rectangle(self, arrays: Sequence[Array]) -> pd.DataFrame:
        columns = pd.RangeIndex(1) if self.columns is None else self.columns
        if len(arrays) == 1:  # the cells of one item
            return pd.DataFrame(arrays[0].reshape(len(self.rows), -1), index=self.rows, columns=columns)
        frame = pd.DataFrame({j: joined(arrays[j :: len(columns)]) for j in range(len(columns))}, index=self.rows)
        frame.columns = columns
        return frame

    def _measured(self, items: Sequence[Item], shown: Sequence[Mapping[str, Array]]) -> pd.DataFrame:
        if self.columns is not None:  # a row for each cell, a group of columns for each item
            parts = [pd.DataFrame(dict(measures), index=self.rows) for measures in shown]
            frame = pd.concat(parts, axis=1)
            frame.columns = grown(self.columns, [list(measures) for measures in shown])
            return frame
        if len(shown) == 1:  # a row for each cell, of one item
            return pd.DataFrame(dict(shown[0]), index=self.rows)
        names = measure_names(shown)  # a row for each item
        aligned = [_aligned(item, measures, names) for item, measures in zip(items, shown, strict=True)]
        return pd.DataFrame(
            {name: joined([each[place] for each in aligned]) for place, name in enumerate(names)}, index=self.rows
        )


def measure_names(shown: Sequence[Mapping[str, Array]]) -> list[str]:
    """The estimate under its own name where all items share it, and whatever any of them has beside it."""
    firsts = list(dict.fromkeys(next(iter(measures)) for measures in shown))
    rest = dict.fromkeys(name for measures in shown for name in list(measures)[1:])
    return [firsts[0] if len(firsts) == 1 else "estimate", *rest]


def _aligned(item: Item, measures: Mapping[str, Array], names: Sequence[str]) -> list[Array]:
    estimate = next(iter(measures.values()))
    missing = np.full(len(estimate), np.nan)
    blank = {name: in_unit(missing, item.kind, item.statistic, name) for name in names[1:] if name not in measures}
    return [estimate, *({**blank, **measures}[name] for name in names[1:])]


def grown(columns: pd.Index, measures: Sequence[Sequence[str]]) -> pd.MultiIndex:
    """Column labels with a last level for measures."""
    tuples = [
        (*(label if isinstance(label, tuple) else (label,)), name)
        for label, names in zip(columns, measures, strict=True)
        for name in names
    ]
    return pd.MultiIndex.from_tuples(tuples, names=[*columns.names, None])
