"""What a schema says of one column, as values: its ends, its categories, whether it has gaps."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from ...errors import BadBounds, NoBounds, NoCategories, UnsupportedType, type_of
from .bounds import (
    LARGEST,
    NARROWEST,
    NO_LIMITS,
    Limits,
    as_time,
    divides,
    kind_of,
    pair,
    read_bounds,
    read_resolution,
    too_rough,
)
from .values import (
    INTEGER_BITS,
    ByFields,
    Categories,
    Interval,
    Kind,
    called,
    how_to_bound,
    how_to_list,
    read_categories,
)

WHOLE_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
OPEN = ("without a dtype", "object")  # which leave open what the values are
FEW = 1_000  # an integer range of so many values also serves as categories


@dataclass(frozen=True)
class Declared:
    """What the schema says of one column. `kind` is None where its values cannot be measured.

    With `nullable` gaps are expected, and a category of their own; `complete` says that every row has a value, so that
    nobody has to count those that have one, and what lacks one all the same counts as the middle of the range. Where
    neither is said, which is pandera's default, a row without a value drops out.
    """

    kind: Kind | None = "float"
    limits: Limits = NO_LIMITS
    listed: Categories | None = None
    nullable: bool = False
    complete: bool = False
    dtype: str = "without a dtype"  # for messages only
    resolution: Fraction | None = None
    tz: str | None = None
    stamped: bool = False  # categories are Timestamps or Timedeltas, not dates
    made: bool = False  # by an expression; for messages only
    written: bool = False  # it has labels that a program wrote after it was shown rows; for messages only
    of_a_row: bool = False  # its limits were declared of a row, and rows of a person are asked about together

    @cached_property
    def interval(self) -> Interval | None:
        """The declared range, if both ends are declared and differ."""
        lower, upper = self.limits.lower, self.limits.upper
        if self.kind is None or lower is None or upper is None or not lower < upper:
            return None
        return Interval(lower, upper, self.kind, not self.complete, self.resolution, self.tz)

    @cached_property
    def categories(self) -> Categories | None:
        """The declared values; a short range of integers lists itself."""
        return self.listed or self._range()

    def _range(self) -> Categories | None:
        lower, upper = self.limits.lower, self.limits.upper
        if self.kind != "integer" or lower is None or upper is None or upper - lower >= FEW:
            return None
        return Categories(tuple(range(int(lower), int(upper) + 1)))

    def measured(self, column: Hashable, what: str) -> Interval:
        """The range of the column, or a refusal that says what is missing."""
        if self.kind is None:
            raise UnsupportedType(
                f"{called(column)} is declared {self.dtype}; {what} needs a number or a time with bounds.",
                column=column,
                dtype=self.dtype,
            )
        if self.interval is None:
            raise self._no_interval(column)
        return self.interval

    def unbounded(self, column: Hashable, what: str, whole: bool, model: str, where: str) -> Interval:
        """The range of a column for a promise whose noise follows the values: where an end is lacking, 2**45 steps of
        the resolution to either side of 0, or of the end that there is. That is as far as sums are exact.

        Whole numbers have steps of 1, but only those of `whole` columns: what was made of them may keep the name.
        """
        numbers = self.kind in ("float", "integer") and not self.of_a_row
        if not numbers or None not in (self.limits.lower, self.limits.upper):
            return self.measured(column, what)
        assert self.kind is not None
        step = self.resolution or (Fraction(1) if whole and self.kind == "integer" else None)
        if step is None:
            raise NoBounds(
                f"{called(column)} has no declared bounds, and model={model!r} needs none{where} if it is known how "
                "fine values are; pass resolution=, e.g. resolution=0.01, or 1 for whole numbers, or declare it in the "
                "schema.",
                column=column,
                missing="both",
            )
        if not NARROWEST <= step <= LARGEST / 2**INTEGER_BITS:
            raise BadBounds(
                f"the resolution of {called(column)}, which has no bounds, must be from 1e-50 to 1e36; rescale the "
                "column.",
                column=column,
            )
        middle = step * round((self.limits.lower or self.limits.upper or 0) / step)
        sensitivity = step * 2 ** (INTEGER_BITS - 1)
        ends = Limits(middle - sensitivity, middle + sensitivity)
        interval = replace(self, limits=ends, resolution=step).interval
        assert interval is not None
        return replace(interval, unbounded=True)

    def of_a_person(self) -> Declared:
        """Of a number that was made of several rows of a person: her sum has other limits than a row, or none."""
        bounded = self.kind is not None and self.limits != NO_LIMITS
        return replace(self, limits=NO_LIMITS, nullable=True, complete=False, resolution=None, of_a_row=bounded)

    def averaged(self) -> Declared:
        """Of a mean of such values: it lies where they lie, and between them."""
        kind: Kind | None = "float" if self.kind == "integer" else self.kind
        return replace(self, kind=kind, listed=None, resolution=None)

    def _no_interval(self, column: Hashable) -> NoBounds | BadBounds:
        if self.of_a_row:
            return NoBounds(
                f"{called(column)} holds a number of a person, and what is declared of one row says nothing of several "
                "together; say what one person's number may be, e.g. bounds=(0, 5_000).",
                column=column,
                missing="both",
            )
        kind, lower, upper = self.kind or "float", self.limits.lower, self.limits.upper
        if self.made and lower is None and upper is None:
            return NoBounds(
                f"{called(column)} was made by an expression, whose bounds do not follow from what is declared; pass "
                "bounds=(lower, upper) of what it makes.",
                column=column,
                missing="both",
            )
        if lower is not None and upper is not None:
            return BadBounds(
                f"{called(column)} is declared to hold a single value, and bounds must rise; "
                "widen them in the schema or pass bounds=(lower, upper).",
                column=column,
            )
        missing = "both" if lower is None and upper is None else "lower" if lower is None else "upper"
        there = {
            "both": "no declared bounds",
            "lower": "no declared lower bound",
            "upper": "no declared upper bound",
        }
        return NoBounds(
            f"{called(column)} has {there[missing]}; {how_to_bound(column, kind, self == UNDECLARED)}.",
            column=column,
            missing=missing,
        )

    def sorted_into(self, column: Hashable) -> Categories:
        """The categories of the column, or a refusal."""
        if self.categories is None and self.written:
            raise NoCategories(
                f"the labels of {called(column)} were written in a session that had shown rows, and may be values of "
                f"rows; where they are not, pass categories={{{column!r}: [...]}}, every label to the letter.",
                column=column,
            )
        if self.categories is None:
            advice = how_to_list(column, self.kind)
            raise NoCategories(f"{called(column)} has no declared categories; {advice}.", column=column)
        return self.categories

    def with_bounds(self, given: object, column: Hashable, whole: bool = False) -> Declared:
        """The same column with the bounds of one question, which also say what is measured."""
        kind = self._kind_with(pair(given, column), column)
        if whole and kind == "float" and self.kind == "integer" and self.dtype not in OPEN:
            kind = "integer"  # whatever the bounds are, the values are whole
        if whole and self.dtype not in OPEN and _sort(kind) != _sort(self.kind):
            raise BadBounds(
                f"{called(column)} is declared {self.dtype}, and bounds of {_sort(kind)} do not fit it; "
                "of a derived column, derive it first.",
                column=column,
            )
        tz = self.tz if kind == "datetime" and self.kind == "datetime" else _zone_of(given, kind)
        limits = read_bounds(given, kind, column, tz)
        changed = replace(
            self,
            kind=kind,
            limits=limits,
            resolution=None,
            tz=tz,
            stamped=self.stamped and kind == self.kind,
            of_a_row=False,
        )
        fits = self.resolution is not None and kind == self.kind and divides(self.resolution, limits)
        return replace(changed, resolution=self.resolution) if fits else changed

    def with_resolution(self, given: object, column: Hashable) -> Declared:
        """The same column told apart in the steps of one question."""
        if self.kind is None:
            raise BadBounds(f"{called(column)} is declared {self.dtype}, which has no resolution.", column=column)
        resolution = read_resolution(given, self.kind, column, declared=False)
        if not divides(resolution, self.limits):
            raise too_rough(column, given, declared=False)
        return replace(self, resolution=resolution)

    def _kind_with(self, ends: tuple[object, object], column: Hashable) -> Kind:
        """Numbers measure numbers, whole or not, as a derived column may keep the name; strings are read as times
        where the schema declares them."""
        kind = kind_of(ends)
        if kind is None and self.kind in ("datetime", "timedelta"):
            return self.kind
        return kind or "float"

    def with_categories(self, given: object, column: Hashable) -> Declared:
        """The same column with the categories of one question."""
        read = read_categories(given, column)
        ordered = read.ordered or (self.listed is not None and self.listed.ordered)
        values = tuple(self._as_stored(value, column) for value in read.values)
        return replace(self, listed=Categories(values, ordered, read.spelling))

    def _as_stored(self, value: Hashable, column: Hashable) -> Hashable:
        if not self.stamped or self.kind is None:
            return value
        try:
            if isinstance(value, str) and self.kind == "datetime" and not WHOLE_DAY.match(value):
                raise BadBounds("a part of a date")  # which pandas would fill up
            return as_time(value, self.kind, column, self.tz)
        except BadBounds:
            raise BadBounds(
                f"{called(column)} is declared {self.dtype}, but {type_of(value)} is among the "
                "categories given. If the column was derived, rename it first.",
                column=column,
            ) from None


def _sort(kind: Kind | None) -> str:
    return {None: "text", "datetime": "points in time", "timedelta": "lengths of time"}.get(kind, "numbers")


# Nothing was said, so a value may be missing: such rows are dropped, as pandas does, and the size is private.
UNDECLARED = Declared(nullable=True)


def _zone_of(ends: object, kind: Kind) -> str | None:
    """The time zone in which a pair of datetimes was typed, where the schema has none."""
    first = ends[0] if kind == "datetime" else None  # type: ignore[index]
    tz = getattr(first, "tzinfo", None)
    return None if tz is None else str(tz)


@dataclass(frozen=True)
class States(ByFields):
    """Each value is in one of them, or there is nothing wrong with it; which one depends on that value alone.

    Missing: no value. Unreadable: not of the declared kind, so that it counts as missing elsewhere. Outside: beyond the
    declared bounds, so that it is clamped, or none of the declared categories, so that it is in no cell.
    """

    kind: Kind | None = None  # that values are read as; None where any will do
    interval: Interval | None = None
    listed: Categories | None = None
    values: ClassVar[tuple[str, ...]] = ("missing", "unreadable", "outside")

    @classmethod
    def of(cls, declared: Declared | None) -> States:
        """What can be wrong where this was declared; of a column that was declared nowhere, only that it is missing."""
        if declared is None or declared == UNDECLARED:
            return cls()
        interval, listed = declared.interval, declared.listed
        says_kind = interval is not None or declared.dtype not in OPEN
        return cls(declared.kind if says_kind else None, None if listed else interval, listed)

    def to_json(self) -> dict[str, Any]:
        """What was declared, as a fingerprint takes it."""
        return {"states": list(self.values), **super().to_json()}
