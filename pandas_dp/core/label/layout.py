"""How the numbers of a release are laid out in its table, in the column's own type; and a released table read back.

Times are counted in nanoseconds inside the house. A table is read once a conclusion, and whoever concludes is handed
what was read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from ...errors import ChangedRelease, NotConcluded
from ..arrays import Array
from ..evidence.evidence import WHOLE, Evidence, SharesNoise, evidence_from_json
from ..measure.measurement import Noisy
from ..schema.values import Kind
from .label import DAMAGED, Label, in_numbers, label_name, label_read, refuse_sizes
from .part import ReleasePart
from .release import Release, digest, is_release, label_of, publish, with_index


def in_unit(numbers: Array, kind: Kind, measure: str = "") -> Array:
    """Timestamps for points in time, Timedeltas for lengths; other numbers as they are."""
    if kind not in ("datetime", "timedelta"):
        return numbers
    nanoseconds = np.asarray(numbers, dtype=float)
    missing = ~np.isfinite(nanoseconds)
    whole = np.where(missing, 0, np.clip(nanoseconds, -(2.0**62), 2.0**62)).astype(np.int64)
    point = kind == "datetime" and measure != "std_error"
    times = whole.astype("datetime64[ns]" if point else "timedelta64[ns]")
    times[missing] = np.array("NaT", dtype=times.dtype)
    return times


def in_zone(table: pd.DataFrame, zone: str | None) -> pd.DataFrame:
    """The same points in time on the clocks of a time zone."""
    if zone is None:
        return table
    return table.apply(lambda column: _in_zone(column, zone))


def _in_zone(column: pd.Series[Any], zone: str) -> pd.Series[Any]:
    if column.dtype.kind == "M":
        return column.dt.tz_localize("UTC").dt.tz_convert(zone)
    if column.dtype == object:
        moved = [v.tz_localize("UTC").tz_convert(zone) if isinstance(v, pd.Timestamp) else v for v in column]
        return pd.Series(moved, index=column.index, dtype=object)
    return column


def joined(arrays: Sequence[Array]) -> Array:
    """One column of several arrays; of objects, as in pandas, where only some are times."""
    kinds = {array.dtype.kind if array.dtype.kind in "mMO" else "number" for array in arrays}
    if len(kinds) > 1:
        arrays = [pd.Series(array).astype(object).to_numpy() for array in arrays]
    return np.concatenate(arrays)


Style = Literal["measures", "estimates"]
Place = tuple[int, int]  # an item of a release, and a cell of it


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

    def after(self, answers: Sequence[Noisy]) -> Layout:
        """Itself, as its labels were known before; a table of found keys has them of the answers."""
        return self

    def frame(self, items: Sequence[Item], level: float) -> tuple[pd.DataFrame, dict[str, Any]]:
        """The table that a release shows, and what a reader needs to find its estimates."""
        if self.style == "estimates":
            arrays = [in_unit(i.evidence.estimate, i.kind) for i in items]
            return self._rectangle(arrays), {"layout": "cells", "shows": None}
        found = [i.evidence.measures(level, i.evidence.default_target) for i in items]
        shown = [
            {name: in_unit(numbers, item.kind, name) for name, numbers in measures.items()}
            for item, measures in zip(items, found, strict=True)
        ]
        by_item = self.columns is None and len(items) > 1
        place = {"layout": "items" if by_item else "cells", "shows": tuple(len(measures) for measures in shown)}
        return self._measured(items, shown), place

    @classmethod
    def read(cls, frame: pd.DataFrame, shows: Sequence[int] | None, by_item: bool) -> Layout:
        """What laid out a table: the labels of its estimates, without the columns beside them."""
        if shows is None:
            return cls(frame.index, frame.columns, "estimates")
        if by_item or frame.columns.nlevels == 1:
            return cls(frame.index, None, "measures")
        return cls(frame.index, frame.columns[_firsts(shows)].droplevel(-1), "measures")  # type: ignore[arg-type]

    def estimates(self, frame: pd.DataFrame, shows: Sequence[int] | None, items: int) -> list[Array]:
        """The numbers of each item, from where `frame` put them."""
        if shows is None:
            columns = [in_numbers(frame.iloc[:, place].to_numpy()) for place in range(frame.shape[1])]
            cells = np.column_stack(columns).reshape(-1, items)
            return [cells[:, place] for place in range(items)]
        if self.columns is None and items > 1:
            return [in_numbers(frame.iloc[[place], 0].to_numpy()) for place in range(items)]
        return [in_numbers(frame.iloc[:, place].to_numpy()) for place in _firsts(shows)]

    def grid(self, frame: pd.DataFrame, shows: Sequence[int] | None) -> pd.DataFrame:
        """The estimates of `frame` alone, in their places."""
        if shows is None:
            return frame
        if self.columns is None:
            return frame.iloc[:, :1]
        return frame.iloc[:, _firsts(shows)].set_axis(self.columns, axis=1)

    def places(self, items: int) -> list[list[Place]]:
        """Which number is where, row by row."""
        rows = range(len(self.rows))
        if self.style == "estimates":
            width = 1 if self.columns is None else len(self.columns)
            return [[((row * width + at) % items, (row * width + at) // items) for at in range(width)] for row in rows]
        if self.columns is None and items > 1:
            return [[(item, 0)] for item in range(items)]
        return [[(item, cell) for item in range(items)] for cell in rows]

    def spread(self, found: Sequence[Sequence[Array]], names: Sequence[str]) -> pd.DataFrame:
        """A table of other measures of the same numbers: of each item, an array for each name."""
        if self.style == "estimates":  # each column becomes as many as there are names
            columns = pd.RangeIndex(1) if self.columns is None else self.columns
            width, stood = len(columns), range(len(columns))
            sides = [
                _in_column([each[side] for each in found], at, width) for at in stood for side in range(len(names))
            ]
            table = pd.DataFrame(dict(enumerate(sides)), index=self.rows)
            table.columns = grown(columns, [names] * width)
            return table
        if self.columns is None:
            joint = {name: joined([each[side] for each in found]) for side, name in enumerate(names)}
            return pd.DataFrame(joint, self.rows)
        table = pd.concat([pd.DataFrame(dict(zip(names, each, strict=True)), self.rows) for each in found], axis=1)
        table.columns = grown(self.columns, [names] * len(found))
        return table

    def _rectangle(self, arrays: Sequence[Array]) -> pd.DataFrame:
        columns = pd.RangeIndex(1) if self.columns is None else self.columns
        if len(arrays) == 1:  # the cells of one item
            return pd.DataFrame(arrays[0].reshape(len(self.rows), len(columns)), index=self.rows, columns=columns)
        sides = [_in_column(arrays, at, len(columns)) for at in range(len(columns))]
        frame = pd.DataFrame(dict(enumerate(sides)), index=self.rows)
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


def _firsts(shows: Sequence[int]) -> Array:
    """The column that holds the estimates of each item."""
    return np.cumsum([0, *shows[:-1]])


def _in_column(arrays: Sequence[Array], at: int, width: int) -> Array:
    """The numbers of one column: of every so many cells of an item, or of every so many items."""
    many = len(arrays)
    return arrays[at % many][at // many :: width // many] if width % many == 0 else joined(arrays[at::width])


def measure_names(shown: Sequence[Mapping[str, Array]]) -> list[str]:
    """The estimate under its own name where all items share it, and whatever any of them has beside it."""
    firsts = list(dict.fromkeys(next(iter(measures)) for measures in shown))
    rest = dict.fromkeys(name for measures in sorted(shown, key=len, reverse=True) for name in list(measures)[1:])
    return [firsts[0] if len(firsts) == 1 else "estimate", *rest]


def _aligned(item: Item, measures: Mapping[str, Array], names: Sequence[str]) -> list[Array]:
    estimate = next(iter(measures.values()))
    missing = np.full(len(estimate), np.nan)
    blank = {name: in_unit(missing, item.kind, name) for name in names[1:] if name not in measures}
    return [estimate, *({**blank, **measures}[name] for name in names[1:])]


def grown(columns: pd.Index, measures: Sequence[Sequence[str]]) -> pd.MultiIndex:
    """Column labels with a last level for measures."""
    tuples = [
        (*(label if isinstance(label, tuple) else (label,)), name)
        for label, names in zip(columns, measures, strict=True)
        for name in names
    ]
    return pd.MultiIndex.from_tuples(tuples, names=[*columns.names, None])


@dataclass(frozen=True)
class Released:
    """A table that holds the very numbers it was released with."""

    frame: pd.DataFrame  # without its label, which pandas would copy for every column that it takes out
    label: Label
    part: ReleasePart | None = None  # which of its cells the table holds, where they are not all in their places
    shown: pd.DataFrame = field(default_factory=pd.DataFrame, compare=False)  # the table as it is held

    @classmethod
    def of(cls, table: Released | pd.DataFrame, parts: bool = False) -> Self | Released:
        """Read a table; refused where it carries no label, or one that no longer describes its numbers.

        With `parts` also one that holds some cells of a release, or all in other places: then `frame` is the release.
        """
        if isinstance(table, Released):
            return table._checked(parts)
        said = label_of(table)
        if said is None or not is_release(table):
            raise NotConcluded("this table carries no label of a release.")
        if said.get("digest") != digest(table):
            found = next((each for each in with_index(table) if said.get("digest") == digest(each)), None)
            if found is None:
                raise ChangedRelease(
                    "this table was changed since its release, so its label no longer describes the numbers; "
                    "conclude from the release itself and change the conclusion.",
                    release=label_name(said),
                )
            table = found
        frame = pd.DataFrame(table)
        frame.attrs = {}
        with label_read(label_name(said)):
            label = Label.from_json(said)
            if label.selected is None:
                return cls(frame, label, None, frame)
            part = ReleasePart.from_json(label.selected)
            whole = part.whole()
        return cls(whole, label, part, frame)._checked(parts)

    def _checked(self, parts: bool) -> Self:
        if self.part is not None and not parts:
            raise NotConcluded(
                "this table was sorted, selected or turned since its release; its guarantee, intervals, contrasts, "
                "pictures and exports stay, all else is concluded from the release itself.",
                release=self.label.id,
            )
        return self

    @cached_property
    def layout(self) -> Layout:
        """How its numbers are laid out."""
        with label_read(self.label.id):
            return Layout.read(self.frame, self.label.shows, self.label.layout == "items")

    def published(self) -> Release:
        """The table with its label."""
        return publish(self.frame, self.label)

    @property
    def is_rectangle(self) -> bool:
        """Whether it shows estimates alone."""
        return self.label.shows is None

    @cached_property
    def evidence(self) -> list[Evidence]:
        """Item by item, in the order in which the table shows them."""
        facts = self.label.evidence
        with label_read(self.label.id):
            refuse_sizes(facts, self.frame.size)
            estimates = self.layout.estimates(self.frame, self.label.shows, len(facts))
            return [evidence_from_json(each, values) for each, values in zip(facts, estimates, strict=True)]

    @cached_property
    def before(self) -> list[Evidence]:
        """The same of counts as they were before they were adjusted, each the nearest that there can be."""
        (facts,), numbers = self.label.evidence, np.array(self.label.before)
        with label_read(self.label.id):
            if len(numbers) != self.frame.size or not np.isfinite(numbers).all():
                raise NotConcluded(DAMAGED, release=self.label.id)
            counts = evidence_from_json(facts, numbers)
            public = self.label.size if self.label.unit is None and self.label.rows == "whole" else None
            return (
                [counts.nearest(np.inf if public is None else public)] if isinstance(counts, SharesNoise) else [counts]
            )

    @cached_property
    def items(self) -> list[Item]:
        """Each with its column and the type of its numbers."""
        pairs = zip(self.label.evidence, self.evidence, strict=True)
        with label_read(self.label.id):
            return [Item(facts["column"], each.statistic, facts["type"], each) for facts, each in pairs]

    @property
    def offers(self) -> frozenset[str]:
        """The conclusions that may be drawn from it: of several statistics, what each takes for itself."""
        with label_read(self.label.id):
            each = [one.offers for one in self.evidence]
            return frozenset().union(*each) - (frozenset() if len(each) == 1 else WHOLE)

    @property
    def estimates(self) -> pd.DataFrame:
        """The estimates alone, as the table shows them."""
        with label_read(self.label.id):
            return self.layout.grid(self.frame, self.label.shows)

    @property
    def held(self) -> pd.DataFrame:
        """The estimates alone, in the places that they have in a table that holds some of them."""
        if self.part is None:
            return self.estimates
        with label_read(self.label.id):
            places = pd.DataFrame([range(self.frame.shape[1])], columns=self.frame.columns)
            first = set(self.layout.grid(places, self.label.shows).iloc[0])
        kept = [place for place, column in enumerate(self.part.columns) if column in first]
        return self.shown.iloc[kept] if self.part.turned else self.shown.iloc[:, kept]
