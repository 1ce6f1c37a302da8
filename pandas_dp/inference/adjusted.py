"""Released counts made fit to print: not negative, whole, rounded to a base, small ones withheld.

Post-processing of what was released: it costs nothing and takes nothing from the guarantee. What it does to the numbers
stands in the label; intervals that it would falsify are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded
from ..evidence import Amounts, Tables
from ..release import Label, Release, publish
from .evidence import checked_label, evidence_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Cells:
    """A table of released counts over all its keys, and how to put a changed one back among its margins."""

    evidence: Amounts | Tables

    @property
    def table(self) -> Array:
        """The cells, without margins, as an array over the keys."""
        if isinstance(self.evidence, Tables):
            every = tuple(range(len(self.evidence.sizes)))
            if every not in self.evidence.shown:
                raise NotConcluded(
                    "this release does not show the table over all its keys, from which margins that agree could be "
                    "added up; ask for it too."
                )
            return np.asarray(self.evidence.parts(self.evidence.values)[every], dtype=float)
        rows, columns = self.evidence.margins or (len(self.evidence.values), 1)
        shape = (rows + 1, columns + 1) if self.evidence.margins else (rows, columns)
        return np.asarray(self.evidence.values.reshape(shape)[:rows, :columns], dtype=float)

    @property
    def possible(self) -> Array:
        """Which cells were not declared impossible."""
        there = np.ones(self.table.size, dtype=bool)
        if isinstance(self.evidence, Tables):
            there[list(self.evidence.zeros)] = False
        return there.reshape(self.table.shape)

    def with_margins(self, table: Array) -> Array:
        """The numbers as they stand in the release, margins added up from these cells."""
        if isinstance(self.evidence, Tables):
            places = range(table.ndim)
            dropped = [tuple(p for p in places if p not in kept) for kept in self.evidence.shown]
            return self.evidence.in_order([np.asarray(table.sum(axis=axes)) for axes in dropped])
        if self.evidence.margins is None:
            return table.ravel()
        wide = np.column_stack([table, table.sum(axis=1)])
        return np.vstack([wide, wide.sum(axis=0)]).ravel()


def nonnegative(frame: pd.DataFrame, whole: bool) -> Release:
    """The nearest table without negative cells that has the same total, margins added up from it; whole on request."""
    label = checked_label(frame)
    cells = Cells(counts_of(frame))
    found, there = np.zeros(cells.table.shape), cells.possible
    found[there] = onto_simplex(cells.table[there], max(0.0, float(cells.table.sum())))
    done = ["no cell negative and the total kept, margins added up"]
    if whole:
        found = whole_cells(found).astype(np.int64)
        done.append("made whole numbers, the total kept to the nearest")
    return _published(frame, label, cells.with_margins(found), {"adjusted": [*label.get("adjusted", ()), *done]})


def rounded_to(frame: pd.DataFrame, base: int) -> Release:
    """Each number as the nearest multiple of a base; intervals allow for it."""
    label = checked_label(frame)
    values = base * np.rint(counts_of(frame).estimate.astype(float) / base)
    values = values.astype(np.int64) if np.all(np.abs(values) < 2**62) else values
    return _published(frame, label, values, {"bases": [*label.get("bases", ()), base]})


def suppressed(frame: pd.DataFrame, below: float | None, sparse: float | None) -> Release:
    """Numbers below a limit withheld; the whole table where its mean cell lies below another."""
    label = checked_label(frame)
    evidence = counts_of(frame)
    values = evidence.estimate.astype(float)
    done = []
    if below is not None:
        values = np.where(values < below, np.nan, values)
        done.append(f"numbers below {below:g} withheld")
    if sparse is not None:
        mean = float(Cells(evidence).table.mean())
        values = np.full(len(values), np.nan) if mean < sparse else values
        done.append(f"withheld as a whole if its mean cell is below {sparse:g}")
    return _published(frame, label, values, {"adjusted": [*label.get("adjusted", ()), *done]})


def onto_simplex(values: Array, total: float) -> Array:
    """The nearest point, in squares, without negative entries and with this sum: all lowered by as much, cut at 0."""
    falling = np.sort(values)[::-1]
    lowered = (np.cumsum(falling) - total) / np.arange(1, len(falling) + 1)
    kept = np.flatnonzero(falling > lowered)
    return np.maximum(values - (lowered[kept[-1]] if len(kept) else falling[0]), 0.0)


def whole_cells(table: Array) -> Array:
    """Whole numbers that add up to the whole total, each within one of its cell.

    Key by key: what the keys so far have got is shared out among the categories of the next, by their whole parts and
    one more for those with the largest rests. So sums over the last keys stay within one too.
    """
    given = np.array([np.rint(table.sum())])
    for axis in range(table.ndim):
        parts = table.sum(axis=tuple(range(axis + 1, table.ndim))).reshape(-1, table.shape[axis])
        least = np.floor(parts + 1e-9)
        rank = np.argsort(np.argsort(least - parts, axis=1, kind="stable"), axis=1, kind="stable")
        given = (least + (rank < (given - least.sum(axis=1))[:, None])).ravel()
    return given.reshape(table.shape)


def counts_of(frame: pd.DataFrame) -> Amounts | Tables:
    """What a table of counts released; any other is refused."""
    evidence = evidence_of(frame)
    if len(evidence) == 1 and isinstance(evidence[0], Amounts | Tables) and evidence[0].statistic == "count":
        if not np.isfinite(evidence[0].estimate.astype(float)).all():
            raise NotConcluded("numbers of this table are withheld; adjust the release that it was made from.")
        return evidence[0]
    raise NotConcluded("only a table of counts can be adjusted; this release is none.")


def _published(frame: pd.DataFrame, label: Label, values: Array, done: Label) -> Release:
    if label["shows"] is None:
        table = pd.DataFrame(values.reshape(frame.shape), index=frame.index, columns=frame.columns)
    else:  # its standard errors and ends describe the numbers before
        table = pd.DataFrame({frame.columns[0]: values}, index=frame.index)
    return publish(table, {**label, "rows": "cells", "shows": None, **done})
