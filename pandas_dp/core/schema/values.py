"""The values that a column may have: categories, or a declared range and the public grid on which it is counted; and
what a fingerprint takes of what was declared and asked."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd

from ...errors import BadBounds, type_of

_EXAMPLES = {
    "float": ("0", "500_000"),
    "integer": ("0", "500_000"),
    "datetime": ('"2020-01-01"', '"2029-12-31"'),
    "timedelta": ('"0h"', '"24h"'),
}
_LISTS = {"integer": "[1, 2, 3]", "datetime": "[pd.Timestamp(...), ...]", "timedelta": "[pd.Timedelta(...), ...]"}

Spelling = Literal["NFC", "casefold"]
FORMS: dict[str, Callable[[str], str]] = {
    "NFC": lambda text: unicodedata.normalize("NFC", text),
    "casefold": lambda text: unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()),
}


def called(column: Hashable) -> str:
    """The subject of a sentence about a column; a Series may have no name."""
    return "this Series" if column is None else f"column {column!r}"


def how_to_bound(column: Hashable, kind: str, undeclared: bool = False) -> str:
    """What to do about a column without bounds."""
    lower, upper = _EXAMPLES[kind]
    declare = "name it and declare" if column is None else "declare"
    passed = f"({lower}, {upper})"
    times = ", of times as pd.Timestamp or pd.Timedelta" if undeclared else ""
    return f"{declare} them in the schema, e.g. Field(ge={lower}, le={upper}), or pass bounds={passed}{times}"


def how_to_list(column: Hashable, kind: str | None) -> str:
    """What to do about a key without categories."""
    declare = "name it and declare" if column is None else "declare"
    examples = _LISTS.get(kind or "", '["north", "south"]')
    of_kind = examples if kind in _LISTS else "[...]"
    passed = examples if column is None else f"{{{column!r}: {of_kind}}}"
    each = "" if kind in _LISTS or column is None else ", every label to the letter, of a yes or no [False, True]"
    return f"{declare} them in the schema, e.g. Field(isin={examples}), or pass categories={passed}{each}"


def said(**facts: Any) -> dict[str, Any]:
    """What was said, as JSON; an option that is left out is not among it, so that new ones leave old fingerprints
    alone."""
    found = {}
    for name, fact in facts.items():
        if fact is None or fact is False:
            continue
        plain = fact if isinstance(fact, str | int | float | list) else _as_json(fact)
        if plain != []:
            found[name] = plain
    return found


def _as_json(fact: Any) -> Any:
    if isinstance(fact, tuple):
        return [each if isinstance(each, str | int | float) else _as_json(each) for each in fact]
    return str(fact) if isinstance(fact, Fraction) else fact.to_json() if hasattr(fact, "to_json") else fact


def named(label: object) -> list[str]:
    """A name or a category as JSON: 1 and "1" are two."""
    return [type(label).__name__, str(label)]


class ByFields:
    """What a fingerprint takes field by field: a question says its statistic beside.

    `words` are what fields are called there, which stays when they are renamed; None leaves one out. A field that
    somebody adds is taken unless they say otherwise, so that no two questions are ever the same by an oversight.
    """

    words: ClassVar[Mapping[str, str | None]] = {}

    def to_json(self) -> dict[str, Any]:
        """What was declared or asked, as a fingerprint takes it."""
        cls: Any = type(self)
        facts = {}
        for name, word, kind in _words(cls):
            fact = getattr(self, name)
            facts[word] = fact if kind is None else named(fact) if kind == "Hashable" else list(map(named, fact))
        return said(**facts)


USUAL: Mapping[str, str | None] = {"variable": "of", "variables": "of", "most": "max_rows", "norm": None, "inner": None}


@cache
def _words(cls: Any) -> list[tuple[str, str, str | None]]:
    """The fields that are said, their words, and of names and categories that they are such."""
    words = {**USUAL, **cls.words}
    kinds: dict[str, Any] = {"statistic": None} if hasattr(cls, "statistic") else {}
    kinds |= {each.name: each.type if "Hashable" in str(each.type) else None for each in fields(cls)}
    return [(name, word, kind) for name, kind in kinds.items() if (word := words.get(name, name)) is not None]


def fingerprint(facts: Any) -> str:
    """Sixteen hexadecimal digits of the SHA-256 of what was said."""
    text = json.dumps(facts, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Categories(ByFields):
    """The values that a key can take, in the order in which a table shows them."""

    values: tuple[Hashable, ...]
    ordered: bool = False
    spelling: Spelling | None = None  # by which texts were made alike, and are before they are looked up

    def __post_init__(self) -> None:
        if not self.values:
            raise BadBounds("categories must name at least one value.")
        if len(set(self.values)) < len(self.values):
            raise BadBounds("categories must be distinct.")


@dataclass(frozen=True)
class Breaks(ByFields):
    """Bins of a numeric key: edges rise; a value belongs to [edge, next edge), the last bin is closed."""

    edges: tuple[float, ...]


def read_categories(given: object, column: Hashable) -> Categories:
    """The categories that somebody typed: a list, tuple, range, 1-D array, Index or CategoricalDtype.

    Examples
    --------
    >>> read_categories(["low", "high"], "risk").values
    ('low', 'high')
    """
    if isinstance(given, Categories):
        return given
    values = tuple(plain(value) for value in _listed(given, column))
    subject = f"categories of {called(column)}"
    for value in values:
        if not pd.api.types.is_hashable(value):
            given_type = type(value).__name__
            raise BadBounds(f"{subject} must be single values, but a {given_type} is among them.", column=column)
    if any(is_missing(value) for value in values):
        raise BadBounds(f"{subject} must not hold missing values; Field(nullable=True) declares them.", column=column)
    if not all(map(is_text, values)):
        raise BadBounds(
            f"{subject} must be valid text; one of them contains a lone surrogate, which UTF-8 cannot encode.",
            column=column,
        )
    if not values:
        raise BadBounds(f"{subject} must name at least one value.", column=column)
    if len(set(values)) < len(values):
        raise BadBounds(f"{subject} must be distinct.", column=column)
    return Categories(values, ordered=isinstance(given, pd.CategoricalDtype) and bool(given.ordered))


def _listed(given: object, column: Hashable) -> Iterable[Any]:
    if isinstance(given, pd.CategoricalDtype) and given.categories is not None:
        return list(given.categories)
    flat = isinstance(given, np.ndarray) and given.ndim == 1
    if isinstance(given, list | tuple | range | pd.Index) or flat:
        return list(given)  # type: ignore[call-overload]
    raise BadBounds(
        f"categories of {called(column)} must be a list in the order to show, but {type_of(given)} was given.",
        column=column,
    )


def plain(value: Any) -> Any:
    """A numpy scalar as the Python or pandas value that it represents."""
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: object) -> bool:
    """Whether a category means a missing value."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))  # type: ignore[call-overload]


def is_text(value: object) -> bool:
    """Whether a string can be written; half of a pair of surrogates cannot."""
    return not isinstance(value, str) or not any("\ud800" <= letter <= "\udfff" for letter in value)


def spelt(text: str, spelling: Spelling | None) -> str:
    """A text in its normal form: a function of the text alone.

    Examples
    --------
    >>> spelt("Flu", "casefold"), spelt("Flu", None)
    ('flu', 'Flu')
    """
    return text if spelling is None else FORMS[spelling](text)


Kind = Literal["float", "integer", "datetime", "timedelta", "name"]

FLOAT_STEPS = 2**20  # a float range is cut into about so many steps, where ranks are asked for
FINE_STEPS = 2**46  # and where sums are: blocks of them stay in int64
INTEGER_BITS = 46  # wider integer ranges are counted in powers of two, so that block sums stay in int64


@dataclass(frozen=True)
class Grid:
    """The multiples of `step` from `low` to `high`; every value of a column is rounded to one of them.

    Arithmetic runs on *codes*: integers `factor·k - offset`, centred, so that they lie in [-half, half].
    """

    step: Fraction
    low: int
    high: int

    @cached_property
    def points(self) -> int:
        """How many there are."""
        return self.high - self.low + 1

    @cached_property
    def factor(self) -> int:
        """2 where the middle of the grid lies between two of its points, otherwise 1."""
        return 1 if (self.high - self.low) % 2 == 0 else 2

    @cached_property
    def offset(self) -> int:
        return self.factor * (self.low + self.high) // 2

    @cached_property
    def half(self) -> int:
        return self.factor * (self.high - self.low) // 2

    @cached_property
    def code_step(self) -> Fraction:
        """How much of the column's unit one code is worth."""
        return self.step / self.factor

    @cached_property
    def centre(self) -> Fraction:
        return self.step * (self.low + self.high) / 2

    @cached_property
    def lower(self) -> Fraction:
        return self.step * self.low

    @cached_property
    def upper(self) -> Fraction:
        return self.step * self.high


@dataclass(frozen=True)
class Interval(ByFields):
    """A declared range of a column. Times are counted in nanoseconds (since 1970 for datetimes).

    Examples
    --------
    >>> Interval(Fraction(0), Fraction(10), "integer").grid
    Grid(step=Fraction(1, 1), low=0, high=10)
    """

    lower: Fraction
    upper: Fraction
    kind: Kind = "float"
    nullable: bool = False
    resolution: Fraction | None = None
    tz: str | None = None  # of a datetime column
    fine: bool = False  # floats are counted as finely as sums of them allow
    unbounded: bool = False  # nobody declared the ends, which are as far apart as sums of the resolution allow
    words: ClassVar = {"tz": "zone"}

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise BadBounds(
                f"bounds must rise, but {float(self.lower):g} is not below {float(self.upper):g}; "
                "give them as (lower, upper).",
                lower=float(self.lower),
                upper=float(self.upper),
            )

    @cached_property
    def for_sums(self) -> Interval:
        """The same on the grid of sums: of floats without a declared resolution as fine as sums of them allow, so that
        a range may be declared far too wide and no sum loses what lies between the steps."""
        coarse = self.kind == "float" and self.resolution is None
        return replace(self, fine=True) if coarse and not self.fine else self

    @cached_property
    def least(self) -> Fraction:
        """What one row is taken to vary by at least, under promises whose noise follows the data: the declared
        resolution; of whole numbers and times a step; of floats the step of ranks, however fine sums are."""
        return replace(self, fine=False).grid.step if self.fine else self.grid.step

    @cached_property
    def grid(self) -> Grid:
        """The grid, from the declaration alone; bounds are snapped outward to it."""
        step = self._step()
        low = self.lower.__floor__() if step == 1 else (self.lower / step).__floor__()
        high = (self.upper / step).__ceil__()
        if self.kind == "float" and (high - low) % 2:
            high += 1  # an even width keeps float codes whole numbers of steps
        return Grid(step, low, high)

    def _step(self) -> Fraction:
        if self.resolution is not None:
            return self.resolution
        width = self.upper - self.lower
        if self.kind == "float":
            magnitude = max(abs(self.lower), abs(self.upper))
            steps, digits = (FINE_STEPS, 51) if self.fine else (FLOAT_STEPS, 52)
            return max(power_of_two_above(width / steps), power_of_two_above(magnitude / 2**digits))
        if self.kind == "integer":
            return max(Fraction(1), power_of_two_above(width / 2**INTEGER_BITS))
        return _clock_step(width)


def power_of_two_above(x: Fraction) -> Fraction:
    """The least power of two that is at least x."""
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    power = Fraction(2) ** (exponent - 1)
    return next(p for p in (power, 2 * power, 4 * power) if p >= x)


_CLOCK = [Fraction(n) for n in (86_400 * 10**9, 3_600 * 10**9, 60 * 10**9, 10**9, 10**6, 10**3, 1)]


def _clock_step(width: Fraction) -> Fraction:
    """The longest of day, hour, minute, second, ... that still cuts the range into a million steps or so."""
    return next((step for step in _CLOCK if width / step >= FLOAT_STEPS), _CLOCK[-1])


@dataclass(frozen=True)
class Tie(ByFields):
    """Places of keys, and for each category of the column they read, its category in each of them."""

    places: tuple[int, ...]
    together: tuple[tuple[int, ...], ...]

    def implied_by(self, margin: Collection[int]) -> tuple[int, ...]:
        """The keys whose category follows from those of the keys kept."""
        here = [at for at, place in enumerate(self.places) if place in margin]
        found = []
        for at, place in enumerate(self.places):
            seen: dict[tuple[int, ...], int] = {}
            if here and all(seen.setdefault(tuple(c[i] for i in here), c[at]) == c[at] for c in self.together):
                found.append(place)
        return tuple(found)


def ties_of(columns: Sequence[Hashable], categories: Sequence[Sequence[int]]) -> tuple[Tie, ...]:
    """Keys that read one column; of each key, its category for every category of the column that it reads."""
    found = []
    for column in dict.fromkeys(columns):
        places = tuple(place for place, name in enumerate(columns) if name == column)
        if len(places) > 1:
            each = [categories[place] for place in places]
            found.append(Tie(places, tuple(dict.fromkeys(zip(*each, strict=True)))))
    return tuple(found)
