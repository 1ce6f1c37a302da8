"""Which numbers of a release a picture shows, and their intervals."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..core.arrays import Array, Floats
from ..core.conclude.confint import confint, items_of
from ..core.conclude.digits import as_text
from ..core.evidence.evidence import Evidence
from ..core.label.layout import Released
from ..core.label.part import ReleasePart
from ..core.label.release import guarantee
from ..errors import NotConcluded
from ..tables.evidence import Tables
from ..tables.evidence_table_means import TableMeans
from ..tables.planning.margins import with_implied
from .labels import short_labels
from .lines import about_ends

FEWEST, MOST = 3, 6  # points of a line, lines of a picture


@dataclass(frozen=True)
class Lines:
    """Numbers in the order of time: one array of points, and for each line its numbers and their ends."""

    points: npt.NDArray[np.object_]  # Timestamps
    curves: list[tuple[Floats, Floats, Floats]]  # numbers, lower and upper ends; NaN where there is none
    names: list[str]
    key: str  # what the points are called
    others: str  # what the lines are called


def lines_of(rows: pd.Index, columns: pd.Index, values: Floats, ends: Floats | None) -> Lines | None:
    """None where no key is time, or lines would be too many or too short to be compared."""
    level = next((at for at in range(rows.nlevels) if _is_time(rows.get_level_values(at))), None)
    if level is None:
        return None
    times = [
        each.start_time if isinstance(each, pd.Period) else pd.Timestamp(each) for each in rows.get_level_values(level)
    ]
    points = sorted(set(times))
    others = _without(rows, level)
    names = [_named(other, column) for other in dict.fromkeys(others) for column in columns]
    if len(columns) == 1:
        names = [_named(other) for other in dict.fromkeys(others)]
    if len(points) < FEWEST or len(names) > MOST or len(rows) != len(set(zip(times, others, strict=True))):
        return None
    both = np.full((*values.shape, 2), np.nan) if ends is None else np.where(np.isfinite(ends), ends, np.nan)
    place = {time: at for at, time in enumerate(points)}
    curves = []
    for other in dict.fromkeys(others):
        mine = [row for row, each in enumerate(others) if each == other]
        at = [place[times[row]] for row in mine]
        for column in range(values.shape[1]):
            three = np.full((3, len(points)), np.nan)
            three[0, at], three[1:, at] = values[mine, column], both[mine, column].T
            curves.append((three[0], three[1], three[2]))
    beside = [rows.names[at] for at in range(rows.nlevels) if at != level] + (list(columns.names) * (len(columns) > 1))
    called = ", ".join(str(name) for name in beside if name is not None)
    name = rows.names[level]
    return Lines(np.array(points, dtype=object), curves, names, "" if name is None else str(name), called)


def _is_time(labels: pd.Index) -> bool:
    if isinstance(labels, pd.DatetimeIndex | pd.PeriodIndex):
        return True
    return labels.dtype == object and len(labels) > 0 and all(isinstance(each, dt.date | pd.Period) for each in labels)


def _without(rows: pd.Index, level: int) -> list[tuple[Any, ...]]:
    """Of each row the keys that are no time."""
    if rows.nlevels == 1:
        return [()] * len(rows)
    return [tuple(key for at, key in enumerate(label) if at != level) for label in rows]


def _named(keys: tuple[Any, ...], column: Any = None) -> str:
    parts = [*keys, *(column if isinstance(column, tuple) else [] if column is None else [column])]
    return ", ".join(map(str, parts))


COUNTS = ("count", "size")
EVEN = 0.1  # of half an interval, by which its middle may be off the number and ± is still said


@dataclass(frozen=True)
class Picture:
    """Estimates as rows × columns, their ends as rows × columns × 2 where they have any, and the words around them."""

    values: Floats
    ends: Floats | None
    rows: list[str]
    columns: list[str]
    names: tuple[str, str]
    statistic: str
    foot: str
    edges: Array | None  # of the bins that the rows are, one behind the other: numbers, or times
    lines: Lines | None  # the same over time, where the rows are

    def texts(self) -> list[list[str]]:
        """Each number to the digits that its interval supports; below, half of that, or its ends if it lies askew."""
        ends = np.full((*self.values.shape, 2), np.nan) if self.ends is None else self.ends
        whole = self.is_count and bool(np.all(self.values == np.round(self.values)))
        return [
            [_cell(float(value), float(low), float(high), whole) for value, (low, high) in zip(*row, strict=True)]
            for row in zip(self.values, ends, strict=True)
        ]

    def as_one_column(self) -> tuple[list[str], Floats, Floats | None]:
        """Labels, values and ends, row by row."""
        labels = self.rows
        if len(self.columns) > 1:
            labels = [f"{row}, {column}" for row in self.rows for column in self.columns]
        return labels, self.values.ravel(), None if self.ends is None else self.ends.reshape(-1, 2)

    def ordered(self, sort: str | None, top: int | None) -> Picture:
        """One column, of its largest numbers alone, from the largest or from the smallest on; the foot says how many
        others there are."""
        labels, values, ends = self.as_one_column()
        falling = np.argsort(-values, kind="stable")  # NaN last
        kept = falling[:top]
        left = len(values) - len(kept)
        order = {None: np.sort(kept), "descending": kept, "ascending": kept[::-1]}[sort]
        others = f"{left:,} {'is' if left == 1 else 'are'} left out"
        some = f" The {len(kept):,} largest of {len(values):,} numbers are shown, {others}." if left else ""
        return replace(
            self,
            values=values[order][:, np.newaxis],
            ends=None if ends is None else ends[order][:, np.newaxis],
            rows=[labels[at] for at in order],
            columns=[""],
            names=(", ".join(filter(None, self.names)), ""),
            foot=self.foot + some,
            edges=None,
            lines=None,
        )

    @property
    def is_count(self) -> bool:
        return self.statistic in COUNTS

    @property
    def most(self) -> float | None:
        """Of numbers to both sides of zero, how far they can be from it."""
        return 1.0 if self.statistic == "corr" else None


def picture_of(table: Released | pd.DataFrame, confidence: float) -> Picture:
    """The numbers of one statistic, margins left out."""
    released = Released.of(table, parts=True)
    label, evidence, shown = released.label, released.evidence, _estimates(released)
    if len({each.statistic for each in evidence}) > 1 or any(
        f["type"] not in ("integer", "float") for f in label.evidence
    ):
        raise NotConcluded(
            "plot draws the numbers of one statistic; this release holds several, or times. Ask for each statistic by "
            "itself, or draw its columns by pandas: pd.DataFrame(release).plot()."
        )
    rows, columns = shown.index, shown.columns
    try:
        ends = confint(released, confidence, None).to_numpy(dtype=np.float64).reshape(len(rows), -1, 2)
    except NotConcluded:
        ends = None
    values = shown.to_numpy(dtype=np.float64)
    if released.part is not None:
        if not released.is_rectangle and released.part.turned:
            raise NotConcluded(
                "this table was turned, and holds measures beside its numbers; turn it back by .T first."
            )
        kept = _without_totals(released, released.part, shown)
        values, ends = values[np.ix_(*kept)], None if ends is None else ends[np.ix_(*kept)]
        fewer = sum(map(len, kept)) < sum(shown.shape)
        return _picture(released, values, ends, rows[kept[0]], columns[kept[1]], fewer, confidence)
    one, rows, totals = _finest(evidence[0], rows)
    values, ends = values[one], None if ends is None else ends[one]
    row, column = evidence[0].has_totals
    down, across = values.shape[0] - row, values.shape[1] - column
    values, ends = values[:down, :across], None if ends is None else ends[:down, :across]
    rows, columns = rows[:down], columns[:across]
    return _picture(released, values, ends, rows, columns, bool(totals or row or column), confidence)


def _picture(
    released: Released,
    values: Floats,
    ends: Floats | None,
    rows: pd.Index,
    columns: pd.Index,
    totals: bool,
    confidence: float,
) -> Picture:
    evidence = released.evidence
    about = _about(evidence[0].statistic, [facts["column"] for facts in released.label.evidence])
    if about == "coef" and len(rows) > 1 and rows[0] == "Intercept":  # its scale is not that of the others
        values, ends, rows = values[1:], None if ends is None else ends[1:], rows[1:]
    said = "" if ends is None else f" Intervals: {100 * confidence:g} %, {about_ends(released)}."
    return Picture(
        values,
        ends,
        label_texts(rows),
        label_texts(columns),
        (_name(rows), _name(columns)),
        about,
        guarantee(released.label) + said + (" Totals are left out." if totals else ""),
        _edges(rows) if values.shape[1] == 1 else None,
        lines_of(rows, columns, values, ends),
    )


def _estimates(released: Released) -> pd.DataFrame:
    """The estimates alone, under the labels of the table."""
    if released.part is None or released.is_rectangle:
        return released.shown if released.is_rectangle else released.estimates
    shown, part = released.shown, released.part
    if part.turned:
        return shown
    _, firsts = items_of(part, released, len(released.evidence) if released.label.layout == "cells" else 1)
    kept = shown.iloc[:, firsts]
    return kept if shown.columns.nlevels == 1 else kept.droplevel(-1, axis=1)


def _without_totals(released: Released, part: ReleasePart, shown: pd.DataFrame) -> tuple[list[int], list[int]]:
    """The rows and columns that are no totals of the table that they were taken from."""
    down, across = list(range(shown.shape[0])), list(range(shown.shape[1]))
    if not released.is_rectangle:
        return down, across
    row, column = released.evidence[0].has_totals
    last = released.frame.shape[0] - 1 if row else -1, released.frame.shape[1] - 1 if column else -1
    rows = [at for at, place in enumerate(part.rows) if place != last[0]]
    columns = [at for at, place in enumerate(part.columns) if place != last[1]]
    return (columns, rows) if part.turned else (rows, columns)


def _about(statistic: str, columns: list[Any]) -> str:
    one = len(set(columns)) == 1 and columns[0] is not None
    return f"{statistic} of {columns[0]}" if one and statistic not in COUNTS else statistic


def _edges(rows: pd.Index) -> Array | None:
    """The bounds of intervals that meet."""
    bins = list(rows)
    if not bins or not all(
        isinstance(each, pd.Interval) and isinstance(each.left, float | pd.Timestamp) for each in bins
    ):
        return None
    meet = all(one.right == other.left for one, other in pairwise(bins))
    return np.array([bins[0].left, *(each.right for each in bins)]) if meet else None


def _finest(evidence: Evidence, rows: pd.Index) -> tuple[slice, pd.Index, bool]:
    """The one of several tables from which all others are added up, its labels, whether others are left."""
    if not isinstance(evidence, Tables | TableMeans) or not evidence.is_stack:
        return slice(None), rows, False
    lattice = evidence.lattice
    tables = lattice.shown
    implied = [set(with_implied(kept, lattice.ties)) for kept in tables]
    finest = next((place for place, keys in enumerate(implied) if all(keys >= other for other in implied)), None)
    if finest is None:
        raise NotConcluded(
            "plot draws one table, and of those in this release none holds all others; draw one by "
            "release.dp.margin(keys).dp.plot()."
        )
    sizes = [lattice.cells(kept) for kept in tables]
    one = slice(sum(sizes[:finest]), sum(sizes[: finest + 1]))
    rows = rows[one]
    if isinstance(rows, pd.MultiIndex) and len(tables) > 1:
        beside = [level for level in range(rows.nlevels) if level not in tables[finest]]
        rows = rows.droplevel(beside) if tables[finest] else rows
    return one, rows, len(tables) > 1


def _cell(value: float, low: float, high: float, whole: bool) -> str:
    if np.isnan(value):
        return "–"
    half = (high - low) / 2
    if not half < np.inf or value == low == high:
        return as_text(value)
    known = half or abs(value - low)
    shown = as_text(value, known, 0, whole)
    if abs((low + high) / 2 - value) <= EVEN * half:
        return f"{shown}\n±{as_text(max(high - value, value - low), known, 0, whole)}"
    return f"{shown}\n{as_text(low, known, -1, whole)} to {as_text(high, known, 1, whole)}"


def label_texts(labels: pd.Index) -> list[str]:
    return [", ".join(map(str, each)) if isinstance(each, tuple) else str(each) for each in short_labels(labels)]


def _name(labels: pd.Index) -> str:
    return ", ".join(str(name) for name in labels.names if name is not None)
