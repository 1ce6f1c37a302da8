"""Frames whose columns were made by what was released: their rows are derived, and their new ranges are public."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from ..core.label.release import DERIVED, Release
from ..core.protect.mark import source_of
from ..core.schema.bounds import Limits
from ..core.schema.declared import Declared
from ..core.schema.schema import Domain
from ..core.schema.values import Categories
from ..errors import PrivacyError
from ..language.column import LazyColumn
from ..language.known import Known
from ..recording.frames import shown
from ..recording.record import bare, why_not
from .fold import CurveMap, CutMap, Encoded, Filled, RowMap, ScaleMap, with_columns

Data = pd.DataFrame | pd.Series


@dataclass(frozen=True)
class DerivedColumn:
    """A column that was made of another by public numbers, and what everyone knows of it."""

    name: Any
    source: Any
    how: RowMap
    nullable: bool
    bounds: tuple[float, float] | None = None
    categories: tuple[Any, ...] | None = None

    def to_json(self) -> dict[str, Any]:
        bounds = None if self.bounds is None else list(self.bounds)
        listed = None if self.categories is None else list(self.categories)
        return {"column": self.name, "bounds": bounds, "categories": listed, "nullable": self.nullable}


def derived_by(
    release: Release, data: pd.DataFrame, made: Sequence[DerivedColumn], counted: str | None
) -> pd.DataFrame:
    """The frame with these columns; the release and what is known of them stand in its `attrs`."""
    frame = with_columns(bare(data), {each.name: (each.source, each.how) for each in made})
    label = dict(data.attrs.get("dp") or {})
    new = {str(each.name): {**each.to_json(), "counted": counted} for each in made}
    columns = [fact for fact in _listed(label, "columns") if str(fact["column"]) not in new]
    label[DERIVED] = {
        "columns": [*columns, *new.values()],
        "releases": [*_listed(label, "releases"), as_facts(release)],
    }
    frame.attrs = {**data.attrs, "dp": label}
    return as_followed(frame, data, made)


def as_followed(frame: pd.DataFrame, data: Any, made: Sequence[DerivedColumn]) -> pd.DataFrame:
    """The frame as a program has it, whose columns the language makes, too."""
    if source_of(data) is None:
        return frame
    table = data._dp_made.copy()
    for each in made:
        try:
            column = in_language(each.how, table[each.source])
        except (
            PrivacyError
        ) as error:  # what was released is paid for: the column is there, and no question is asked of it
            column = table[each.source].made(why_not("column", str(error)))
        public = all(isinstance(label, int) for label in each.categories or ())  # 1, 2, … are nobody's
        known = Known(each.bounds, each.categories, ordered=True, are_categories=True, public=public)
        table[each.name] = replace(column, known=known)
    found: pd.DataFrame = shown(frame, table)
    return found


def in_language(how: RowMap, column: LazyColumn) -> LazyColumn:
    """What becomes of a column of the language."""
    x = column.made(column.number()) if column.kind in ("number", "any") else column
    if isinstance(how, ScaleMap):
        return ((x.clip(*how.within) - how.shift) / how.scale).clip(*how.bounds)
    if isinstance(how, Filled):
        return x.fillna(how.value)
    if isinstance(how, CutMap):
        search: Any = np.searchsorted
        place: LazyColumn = search(how.edges, x)
        return place.where(x.notna()).map(dict(enumerate(how.labels)))
    if isinstance(how, CurveMap):
        curve: Any = np.interp
        found: LazyColumn = curve(x, how.x, how.y)
        return found
    assert isinstance(how, Encoded)
    key, numbers = how.key, np.array(how.numbers)[list(how.key.places)].tolist()
    assert isinstance(key.labels, Categories)
    means = column.map(dict(zip(key.labels.values, numbers, strict=False)))
    return means.fillna(how.numbers[-1]) if key.other else means


def as_facts(release: Release) -> dict[str, Any]:
    """A released table and its label as plain values: `pd.DataFrame(**facts["table"])` is the table."""
    plain = pd.DataFrame(release)
    rows, columns = ([str(label) if isinstance(label, pd.Interval) else label for label in axis] for axis in plain.axes)
    table = {"data": plain.to_numpy().tolist(), "index": rows, "columns": columns}
    return {"table": table, "label": dict(release.attrs["dp"])}


def with_known_ranges(domain: Domain, data: Data, counted: str | None) -> Domain:
    """The domain with what a frame carries of its derived columns, if what is counted of a person is still the same."""
    found = dict(_known(data, counted))
    return domain.declaring(found) if found else domain


def _known(data: Data, counted: str | None) -> Iterator[tuple[Any, Declared]]:
    for fact in _listed(data.attrs.get("dp"), "columns"):
        with suppress(
            KeyError, TypeError, ValueError, ArithmeticError, PrivacyError
        ):  # what somebody else wrote there says nothing
            if fact["counted"] == counted:
                yield fact["column"], _declared(fact)


def _declared(fact: Mapping[str, Any]) -> Declared:
    nullable = bool(fact["nullable"])
    if fact["categories"] is not None:
        listed = Categories(tuple(fact["categories"]), ordered=True)
        return Declared(None, listed=listed, nullable=nullable, dtype="category")
    lower, upper = (Fraction(float(end)) for end in fact["bounds"])
    return Declared(limits=Limits(lower, upper), nullable=nullable)


def _listed(label: object, what: str) -> list[dict[str, Any]]:
    """What `derived_by` wrote; of anything else as much as has its form."""
    said = label.get(DERIVED) if isinstance(label, dict) else None
    found = said.get(what) if isinstance(said, dict) else None
    form = {"columns": "column", "releases": "label"}[what]
    return [fact for fact in found if isinstance(fact, dict) and form in fact] if isinstance(found, list) else []
