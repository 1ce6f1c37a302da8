"""Any part of a release of several tables, as a release: asked for as often as one likes, at no cost."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ...core.arguments import is_number
from ...core.evidence.evidence import Evidence
from ...core.label.label import TOTAL, Label
from ...core.label.layout import Item, Layout, Released, in_zone
from ...core.label.release import Release, cost_text
from ...core.schema.values import plain
from ...errors import NotConcluded, UnsupportedArgument, wrong_value
from ..evidence import Tables
from ..evidence_table_means import TableMeans
from ..planning.margins import Margin


def margin(table: Released | pd.DataFrame, keys: Any, where: Any = None) -> Release:
    """The table over these keys, [] for the total, of the rows whose keys have the categories that `where` names."""
    released = Released.of(table)
    label = released.label
    if label.relabelled:
        raise NotConcluded("this release was relabelled; take margins out of it as it was, and relabel those.")
    adjusted = label.is_reworked and not label.rounded  # then estimates alone are shown
    if not (adjusted or can_be_parted(released)) or not _is_stack(released):
        raise NotConcluded(
            f"only a release of `marginals` has margins to take out, and this one is of {label.statistic!r}"
            f"{', or a part already' if label.statistic == 'marginals' else ''}."
        )
    if label.rounded:
        raise NotConcluded("this release was rounded by .dp.round; take margins out of it as it was, and round those.")
    held = HeldTables(released)
    by = ", ".join(map(repr, held.by))
    if not is_key_list(keys) or not all(key in held.by for key in keys):
        raise wrong_value("keys", f"be a list of keys of this release, of {by}", keys)
    found = held.table(keys, read_where(where))
    if found is None:
        raise NotConcluded(
            f"this release shows no table that contains those keys together; it shows {held.contents}. Publish one "
            "that does."
        )
    return found.published()


def can_be_parted(released: Released) -> bool:
    """Whether it is a release of several tables, one below the other, as it was published."""
    return not released.is_rectangle and _is_stack(released)


def _is_stack(released: Released) -> bool:
    return all(each.is_stack for each in released.evidence)


def is_key_list(keys: object) -> bool:
    return isinstance(keys, list | tuple) and all(map(pd.api.types.is_hashable, keys)) and len(set(keys)) == len(keys)


Chosen = list[Any] | slice
"""Categories of a key, or a run of ordered ones."""
Where = Mapping[Hashable, Sequence[Any]] | Mapping[Hashable, Chosen]


def read_where(where: Any) -> dict[Hashable, Chosen]:
    """Categories by key, each a list, or a slice of ordered ones."""
    if where is None:
        return {}
    if not isinstance(where, Mapping):
        raise wrong_value("where", 'name categories by key, e.g. {"sex": ["f"]}', where)
    found = {key: values if isinstance(values, slice) else _listed(key, values) for key, values in where.items()}
    for values in (each for each in found.values() if not isinstance(each, slice)):
        if not values or not all(map(pd.api.types.is_hashable, values)) or len(set(values)) < len(values):
            raise UnsupportedArgument(
                "where= must name categories of each of its keys, one at least and each once.", argument="where"
            )
    return found


def _listed(key: Hashable, values: Any) -> list[Any]:
    """Categories from whatever lists them; text and other single values are one."""
    if isinstance(values, Mapping):
        raise UnsupportedArgument(
            f"where= lists the categories of {key!r}, and takes no {type(values).__name__}; name them one by one.",
            argument="where",
        )
    listed = list(values) if pd.api.types.is_list_like(values) else [values]
    return [plain(value) for value in listed]


@dataclass(frozen=True)
class HeldTables:
    """A release of several tables, read once to answer from. Of an adjusted one the numbers alone are shown.

    `name` is that of the question in a folder.
    """

    released: Released
    name: str | None = None

    @property
    def label(self) -> Label:
        return self.released.label

    @property
    def by(self) -> list[Hashable]:
        return list(self.label.by)

    @property
    def items(self) -> list[tuple[Any, str]]:
        """Column and statistic of each."""
        return [(item.column, item.statistic) for item in self.released.items]

    @property
    def evidence(self) -> list[Tables | TableMeans]:
        found: list[Any] = self.released.evidence
        return found

    @property
    def agrees(self) -> bool:
        """Whether its tables add up to each other."""
        first = self.evidence[0]
        return (first.counts if isinstance(first, TableMeans) else first).fitted

    @property
    def cost(self) -> str:
        return cost_text(vars(self.label))

    @property
    def shown(self) -> tuple[Margin, ...]:
        return self.evidence[0].lattice.shown

    @property
    def contents(self) -> str:
        return ", ".join(map(self.name_of, self.shown))

    def name_of(self, places: Margin) -> str:
        return " × ".join(str(self.by[place]) for place in places) or TOTAL

    def can_determine(self, keys: Sequence[Hashable]) -> bool:
        """Whether some table has all these keys."""
        return all(key in self.by for key in keys) and self.evidence[0].can_determine(tuple(map(self.by.index, keys)))

    def table(self, keys: Sequence[Hashable], where: Where, only: Collection[Any] | None = None) -> Released | None:
        """The part over these keys; None where no table contains them all. `only` names items."""
        if not self.can_determine([*keys, *where]):
            return None
        places = tuple(self.by.index(key) for key in keys)
        chosen = {self.by.index(key): self._places(key, values) for key, values in where.items()}
        chosen = self._with_tied(places, chosen)
        at = [place for place, item in enumerate(self.items) if only is None or item in only]
        parts = [self.evidence[place].part(places, chosen) for place in at]
        axes = [self.axes[place].take(chosen[place]) if place in chosen else self.axes[place] for place in places]
        rows = pd.Index([TOTAL]) if not axes else axes[0] if len(axes) == 1 else pd.MultiIndex.from_product(axes)
        label = replace(
            self.label,
            by=tuple(keys),
            where={str(key): [str(v) for v in self._named(key, values)] for key, values in where.items()},
            stored=self.name,
        )
        if label.is_reworked:
            label = replace(label, adjusted=(*label.adjusted, "a part of the tables so adjusted"), before=None)
        return self._estimated(at, parts, rows, label)

    def _with_tied(self, places: Margin, chosen: dict[int, list[int]]) -> dict[int, list[int]]:
        """The categories of a shown key that go with those chosen of another level of it."""
        found = dict(chosen)
        for tie in self.evidence[0].lattice.ties:
            named = [(at, set(chosen[place])) for at, place in enumerate(tie.places) if place in chosen]
            able = [each for each in tie.together if all(each[at] in some for at, some in named)]
            for at, place in enumerate(tie.places):
                if named and able and place in places and place not in chosen:
                    found[place] = sorted({each[at] for each in able})
        return found

    def _estimated(self, at: Sequence[int], parts: Sequence[Evidence], rows: pd.Index, label: Label) -> Released:
        said = [{name: label.evidence[place][name] for name in ("column", "type")} for place in at]
        items = [Item(f["column"], part.statistic, f["type"], part) for f, part in zip(said, parts, strict=True)]
        layout = self.released.layout
        columns = layout.columns
        if columns is not None and layout.style == "measures":
            columns = columns.take(list(at))
        with np.errstate(all="ignore"):
            table, place = Layout(rows, columns, layout.style).frame(items, label.confidence)
        evidence = tuple({**f, **part.to_json()} for f, part in zip(said, parts, strict=True))
        return Released(in_zone(table, label.zone), replace(label, **place, evidence=evidence))

    def _named(self, key: Hashable, values: Sequence[Any] | slice) -> Sequence[Any]:
        """The categories, those of a run too."""
        if not isinstance(values, slice):
            return values
        there = self.axes[self.by.index(key)].tolist()
        return [there[place] for place in self._places(key, values)]

    def _places(self, key: Hashable, values: Sequence[Any] | slice) -> list[int]:
        there = self.axes[self.by.index(key)].tolist()
        if isinstance(values, slice):
            return run_of(key, there, values, self._is_ordered(key))
        if not all(value in there for value in values):
            raise UnsupportedArgument(
                f"where= names a category of {key!r} that these tables do not have; they have {_some(there)}.",
                argument="where",
                column=key if isinstance(key, str | int) else str(key),
            )
        return [there.index(value) for value in values]

    def _is_ordered(self, key: Hashable) -> bool:
        """Whether runs of the key were wanted, whatever its categories are."""
        first = self.evidence[0]
        return isinstance(first, Tables) and first.shows_runs and first.requested[self.by.index(key)] != "cells"

    @cached_property
    def axes(self) -> list[pd.Index]:
        """The categories of each key, read off the rows of a table that has it."""
        return [self._axis(place) for place in range(len(self.by))]

    def _axis(self, place: int) -> pd.Index:
        lattice = self.evidence[0].lattice
        number = next(at for at, places in enumerate(self.shown) if place in places)
        source, start = self.shown[number], sum(lattice.cells(places) for places in self.shown[:number])
        cells = start + np.arange(lattice.cells(source)).reshape(lattice.shape(source))
        rows = self.released.frame.index[cells[tuple(slice(None) if each == place else 0 for each in source)].ravel()]
        labels = rows.get_level_values(place).tolist()
        return pd.Index(labels, name=self.released.frame.index.names[place], tupleize_cols=False)


def _some(labels: Sequence[Any]) -> str:
    return ", ".join(map(repr, labels[:8])) + (", …" if len(labels) > 8 else "")


BIN = re.compile(r"\[(?P<low>[^,]+), (?P<high>[^,]+)\)")
Bin = tuple[float, float]


def run_of(key: Hashable, labels: Sequence[Any], run: slice, ordered: bool) -> list[int]:
    """The places from one end of a slice to the other.

    An end is a category; among numbers that rise any number; among bins any number in one.
    """
    bins = _bins(labels)
    numbers = all(map(is_number, labels)) and all(a < b for a, b in pairwise(labels))
    if run.step is not None or not (ordered or bins or numbers):
        raise UnsupportedArgument(
            f"where= takes a slice of ordered categories, without a step: numbers, bins, or a key with ranges=; list "
            f"the categories of {key!r} one by one.",
            argument="where",
        )
    first = 0 if run.start is None else _place_of_end(key, labels, run.start, bins, numbers, first=True)
    last = len(labels) - 1 if run.stop is None else _place_of_end(key, labels, run.stop, bins, numbers, first=False)
    if last < first:
        raise UnsupportedArgument(
            f"where= names a slice of {key!r} that holds no category; its first end comes first.", argument="where"
        )
    return list(range(first, last + 1))


def _place_of_end(key: Hashable, labels: Sequence[Any], end: Any, bins: list[Bin], numbers: bool, first: bool) -> int:
    if any(type(end) is type(label) and end == label for label in labels):
        return labels.index(end)
    if is_number(end) and numbers:
        beyond = sum(label < end for label in labels)
        return beyond if first else beyond - 1 + (end in labels)
    if is_number(end):
        held = [at for at, (low, high) in enumerate(bins) if low <= end < high or end == high == bins[-1][1]]
        if held:
            return held[-1]
    raise UnsupportedArgument(
        f"where= names an end of a slice of {key!r} that is none of its categories and lies in none of its bins; they "
        f"run from {labels[0]!r} to {labels[-1]!r}.",
        argument="where",
    )


def _bins(labels: Sequence[Any]) -> list[Bin]:
    """The ends of bins of numbers, from their names; none where they are others."""
    found = [BIN.fullmatch(str(label)) if isinstance(label, str | pd.Interval) else None for label in labels]
    try:
        return [(float(each["low"]), float(each["high"])) for each in found if each] if all(found) else []
    except ValueError:  # of times
        return []
