"""What a declared dtype says of the values: what they measure, their time zone, their categories."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import chain
from math import isinf
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...errors import BadBounds, BadSchema, shown
from .bounds import (
    NO_LIMITS,
    Limits,
    as_time,
    divides,
    exact,
    fitted,
    kind_of,
    pair,
    read_bounds,
    read_resolution,
    too_rough,
)
from .declared import Declared
from .values import Categories, Kind, called, is_missing, plain, read_categories

_KINDS: dict[str, Kind] = {
    "b": "integer",
    "i": "integer",
    "u": "integer",
    "f": "float",
    "M": "datetime",
    "m": "timedelta",
}


@dataclass(frozen=True)
class Storage:
    """A declared dtype. `kind` is None where values cannot be measured, or where the dtype leaves it open."""

    name: str
    kind: Kind | None = None
    open: bool = False  # no dtype, or object: the bounds say what it holds
    boolean: bool = False
    stamped: bool = False  # values are Timestamps or Timedeltas, not dates
    tz: str | None = None
    categories: pd.CategoricalDtype | None = None

    @classmethod
    def of(cls, dtype: Any) -> Storage:
        """What a pandera dtype says; None says nothing."""
        if dtype is None:
            return cls("without a dtype", open=True)
        native = getattr(dtype, "type", None)
        if isinstance(native, pd.CategoricalDtype):
            return cls("categorical", categories=native if native.categories is not None else None)
        code = str(getattr(native, "kind", "O"))
        kind = _KINDS.get(code) or _kind_of_objects(dtype)
        open_ = kind is None and str(native) == "object"
        return cls(_shown(dtype), kind, open_, code == "b", _is_stamped(native, code), _zone(native))


def _kind_of_objects(dtype: Any) -> Kind | None:
    from pandera import dtypes

    if isinstance(dtype, dtypes.Decimal):
        return "float"
    return "datetime" if isinstance(dtype, dtypes.Date) else None


def _shown(dtype: Any) -> str:
    from pandera import dtypes

    return "str" if isinstance(dtype, dtypes.String) else str(dtype)


def _is_stamped(native: Any, code: str) -> bool:
    return code in "Mm" and "date" not in str(native).removeprefix("datetime64")


def _zone(native: Any) -> str | None:
    tz = getattr(native, "tz", None) or getattr(getattr(native, "pyarrow_dtype", None), "tz", None)
    return None if tz is None else str(tz)


@dataclass(frozen=True)
class End:
    """One end of a range, as it was typed; a strict one lies outside the range."""

    side: Literal["lower", "upper"]
    value: object
    strict: bool = False


@dataclass(frozen=True)
class Listed:
    """The only values that a column may hold, as they were typed."""

    values: Any


Said = End | Listed


def said_by(checks: Iterable[Any]) -> list[Said]:
    """All ends and lists that the built-in checks declare."""
    return [said for check in checks for said in _READERS.get(_name(check), _nothing)(check.statistics)]


def _name(check: Any) -> str:
    """The built-in function that a check runs; its own `name` is free text. Empty for a custom one."""
    from pandera.api.checks import Check

    function = getattr(check, "_check_fn", None)
    name = str(getattr(function, "__name__", ""))
    built_in = Check.CHECK_FUNCTION_REGISTRY.get(name)  # fields hold copies of it, so compare the types
    return name if built_in is not None and type(function) is type(built_in) else ""


def _nothing(facts: Mapping[str, Any]) -> list[Said]:
    return []


def _in_range(facts: Mapping[str, Any]) -> list[Said]:
    lower = End("lower", facts["min_value"], strict=not facts.get("include_min", True))
    return [lower, End("upper", facts["max_value"], strict=not facts.get("include_max", True))]


_READERS: dict[str, Callable[[Mapping[str, Any]], list[Said]]] = {
    "in_range": _in_range,
    "greater_than_or_equal_to": lambda facts: [End("lower", facts["min_value"])],
    "greater_than": lambda facts: [End("lower", facts["min_value"], strict=True)],
    "less_than_or_equal_to": lambda facts: [End("upper", facts["max_value"])],
    "less_than": lambda facts: [End("upper", facts["max_value"], strict=True)],
    "equal_to": lambda facts: [Listed([facts["value"]])],
    "isin": lambda facts: [Listed(facts["allowed_values"])],
}


KNOWN = ("bounds", "categories", "complete", "resolution")  # the keys of metadata={"dp": {...}}


def read_column(column: Any, name: Hashable, dtype: Any = None) -> Declared:
    """What a pandera column declares; a dtype of the whole schema takes precedence over its own.

    Examples
    --------
    >>> import pandera.pandas as pa
    >>> read_column(pa.Column(int, pa.Check.gt(0)), "age").limits
    Limits(lower=Fraction(1, 1), upper=None)
    """
    said = said_by(column.checks)
    ends = [end for end in said if isinstance(end, End)]
    lists = [listed.values for listed in said if isinstance(listed, Listed)]
    storage = Storage.of(column.dtype if dtype is None else dtype)
    return _Reading(name, storage, bool(column.nullable), ends, lists, _added(column, name)).declared()


def _added(column: Any, name: Hashable) -> Mapping[str, Any]:
    """What the column's metadata says under "dp"."""
    given = column.metadata or {}
    stray = next((key for key in given if key in KNOWN or (key != "dp" and _alike(key) in ("dp", "pandasdp"))), None)
    if stray is not None:
        meant = f"{{{stray!r}: ...}}" if stray in KNOWN else "{...}"
        raise BadSchema(
            f"the metadata of {called(name)} have the key {stray!r}, which nothing reads; "
            f'write metadata={{"dp": {meant}}}, with the keys {", ".join(KNOWN)}.',
            column=name,
        )
    added = given.get("dp", {})
    if not isinstance(added, Mapping):
        raise BadSchema(
            f'metadata["dp"] of {called(name)} must be a mapping of {", ".join(KNOWN)}, but {shown(added)} was given.',
            column=name,
        )
    unknown = next((key for key in added if key not in KNOWN), None)
    if unknown is not None:
        raise BadSchema(
            f'metadata["dp"] of {called(name)} has no key {unknown!r}; it knows {", ".join(KNOWN)}.',
            column=name,
        )
    return added


def _alike(key: object) -> str:
    return re.sub(r"[\W_]", "", str(key)).lower()


@dataclass(frozen=True)
class _Reading:
    """Everything that was said of a column, on its way to one declaration. Metadata wins over checks."""

    name: Hashable
    storage: Storage
    nullable: bool
    ends: list[End]
    lists: list[Any]
    added: Mapping[str, Any]

    def declared(self) -> Declared:
        limits = self._limits()
        listed = self._categories(limits)
        if "bounds" in self.added and self._measures() is not None:
            limits = read_bounds(self.added["bounds"], self._measures() or "float", self.name, self._tz)
        kind = (self._measures() or "float") if self.storage.open else self.storage.kind
        said = Declared(
            kind,
            limits,
            listed,
            self.nullable,
            self._complete(),
            self.storage.name,
            tz=self._tz,
            stamped=self.storage.stamped,
        )
        return self._resolved(said)

    def _measures(self) -> Kind | None:
        """What the values are; where the dtype leaves it open, what the ends and lists are."""
        if not self.storage.open:
            return self.storage.kind
        return kind_of(self._typed)

    @cached_property
    def _typed(self) -> list[object]:
        """The ends as typed, or else the listed values."""
        if "bounds" in self.added:
            return list(pair(self.added["bounds"], self.name))
        return [end.value for end in self.ends] or list(chain.from_iterable(self._listed))

    @cached_property
    def _tz(self) -> str | None:
        if not self.storage.open or self._measures() != "datetime":
            return self.storage.tz
        tz = getattr(self._typed[0], "tzinfo", None)
        return None if tz is None else str(tz)

    def _limits(self) -> Limits:
        """What the checks leave of the line."""
        kind = self._measures()
        if kind is None:
            self._refuse_measures()
            return NO_LIMITS
        if self.storage.boolean:
            return Limits(Fraction(0), Fraction(1))
        said = [self._end(end, kind) for end in self.ends] + [
            self._sensitivity(values, kind) for values in self._listed
        ]
        limits = fitted(reduce(Limits.meet, said, NO_LIMITS), kind, self.name)
        if limits.lower is not None and limits.upper is not None and limits.lower > limits.upper:
            raise self._contradiction()
        return limits

    def _refuse_measures(self) -> None:
        for key in ("bounds", "resolution"):
            if key in self.added and not self.storage.open:
                raise BadSchema(
                    f"{called(self.name)} is declared {self.storage.name}, which has no {key}; "
                    f'take {key!r} out of its metadata["dp"] or change its dtype.',
                    column=self.name,
                )
        if "bounds" in self.added:
            read_bounds(self.added["bounds"], "float", self.name)  # says what is wrong with them

    def _end(self, end: End, kind: Kind) -> Limits:
        endless = isinstance(end.value, float | np.floating) and isinf(end.value)
        if endless and (end.value < 0) == (end.side == "lower"):  # type: ignore[operator]
            return NO_LIMITS
        value = exact(end.value, kind, self.name, self._tz)
        if end.strict and kind in ("integer", "datetime"):  # the next one, in nanoseconds; else the end itself
            value = Fraction(value.__floor__() + 1 if end.side == "lower" else value.__ceil__() - 1)
        return Limits(**{end.side: value})

    def _sensitivity(self, values: Iterable[object], kind: Kind) -> Limits:
        numbers = [self._counted(value, kind) for value in values]
        return Limits(min(numbers), max(numbers))

    def _counted(self, value: object, kind: Kind) -> Fraction:
        try:
            return exact(value, kind, self.name, self._tz)
        except BadBounds:
            raise self._misfit(value) from None

    @cached_property
    def _chosen(self) -> Categories | None:
        """The categories that the metadata give."""
        return read_categories(self.added["categories"], self.name) if "categories" in self.added else None

    @cached_property
    def _listed(self) -> list[list[Any]]:
        """Every list of the only values allowed."""
        if self._chosen is not None:
            return [[self._as_stored(value) for value in self._chosen.values]]
        of_dtype = [] if self.storage.categories is None else [list(self.storage.categories.categories)]
        of_dtype += [[False, True]] if self.storage.boolean else []
        return of_dtype + [self._in_order(values) for values in self.lists]

    def _in_order(self, values: Any) -> list[Any]:
        """A list of a check: distinct, without missing values, in the order typed; a set is sorted."""
        if isinstance(values, str):
            raise BadSchema(
                f"isin of {called(self.name)} must be a list, but the string {values!r} was given.",
                column=self.name,
            )
        typed = _sorted(values) if isinstance(values, set | frozenset) else list(values)
        kept = dict.fromkeys(self._as_stored(plain(value)) for value in typed if not is_missing(value))
        if not kept:
            raise BadSchema(f"isin of {called(self.name)} lists no value.", column=self.name)
        return list(kept)

    def _as_stored(self, value: Any) -> Any:
        """Times are looked up as pandas holds them."""
        if not self.storage.stamped or self.storage.kind is None:
            return value
        try:
            return as_time(value, self.storage.kind, self.name, self.storage.tz)
        except BadBounds:
            raise self._misfit(value) from None

    def _categories(self, limits: Limits) -> Categories | None:
        """The values that every list allows and the limits hold, in the order of the first list."""
        if not self._listed:
            return None
        first, *others = self._listed
        common = set(first).intersection(*others)
        values = [value for value in first if value in common]
        kind = self._measures()
        if kind is not None and not self.storage.boolean and self._chosen is None:
            values = [value for value in values if limits.hold(self._counted(value, kind))]
        if not values:
            raise self._contradiction()
        return Categories(tuple(values), self._ordered())

    def _ordered(self) -> bool:
        by_dtype = self.storage.categories is not None and bool(self.storage.categories.ordered)
        return by_dtype or (self._chosen is not None and self._chosen.ordered)

    def _complete(self) -> bool:
        """Said in so many words: pandera's own word for it is its default, and nobody checks it."""
        said = self.added.get("complete", False)
        if not isinstance(said, bool):
            raise BadSchema(
                f'"complete" in metadata["dp"] of {called(self.name)} must be True or False, but {shown(said)} was '
                "given.",
                column=self.name,
            )
        if said and self.nullable:
            raise BadSchema(
                f"{called(self.name)} contradicts itself: it is declared complete, and nullable=True; take one of them "
                "out of the schema.",
                column=self.name,
            )
        return said

    def _resolved(self, said: Declared) -> Declared:
        if "resolution" not in self.added or said.kind is None:
            return said
        resolution = read_resolution(self.added["resolution"], said.kind, self.name)
        if not divides(resolution, said.limits):
            raise too_rough(self.name, self.added["resolution"])
        return replace(said, resolution=resolution)

    def _misfit(self, value: object) -> BadSchema:
        return BadSchema(
            f"{called(self.name)} is declared {self.storage.name}, but {value!r} is among its listed values.",
            column=self.name,
        )

    def _contradiction(self) -> BadSchema:
        return BadSchema(
            f"{called(self.name)} contradicts itself: its checks leave no value; loosen them in the schema.",
            column=self.name,
        )


def _sorted(values: Iterable[Any]) -> list[Any]:
    """A set in an order that does not change from run to run."""
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=repr)
