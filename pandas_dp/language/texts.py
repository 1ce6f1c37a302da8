"""Texts: a number for each row and the text of each number, so that each different one is looked at once."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..core.arrays import Array, Column
from ..core.engine.values import text
from .graph import Kind, Mixed, Node, Readable

LONGEST = 2**20  # characters; a text that would be longer is missing, so that no expression exhausts a machine
Texts = tuple[Array, list[str | None]]
"""A number for each row, -1 where it has no text; and the text of each number, None where that is none."""


@dataclass(frozen=True, eq=False)
class ReadText(Node):
    """Values of whatever kind, each as the text that it is; missing where it is none."""

    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        return texts(given[0])


@dataclass(frozen=True, eq=False)
class Said(Node):
    """One text for all rows; None is none."""

    said: str | None
    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        return np.full(len(rows), -1 if self.said is None else 0), [self.said]


NO_TEXT = Said((), None)


def as_text(node: Node) -> Node:
    """The node, as texts, missing where a value is none."""
    if node.kind == "text":
        return node
    if node.kind != "any":
        return NO_TEXT
    return node.read("text") if isinstance(node, Mixed) else ReadText((node,))


def texts(column: Column) -> Texts:
    """The texts of a column, each different one once where the column itself knows which are the same."""
    every = slice(0, column.size)
    if column.levels is not None:
        inner, found = texts(column.levels)
        places, _ = column.block(every)
        return np.append(inner, -1)[places], found
    encode = getattr(column, "encode", None)  # Arrow's strings
    if encode is not None:
        codes, words = encode(every)
        return codes, list(words)
    values, missing = column.block(every)
    if values.dtype.kind != "O":
        return np.full(column.size, -1), []
    numbers: dict[str | None, int] = {}
    codes = np.empty(len(values), np.intp)
    for place, value in enumerate(values.tolist()):
        codes[place] = numbers.setdefault(text(value), len(numbers))
    if missing is not None:
        codes[missing] = -1
    return codes, list(numbers)


def as_objects(found: list[Any]) -> Array:
    """An array of them; a list among them stays one."""
    whole: Any = np.empty(len(found), dtype=object)
    whole[:] = found
    return np.asarray(whole)


def _sliced(each: str, start: int | None, stop: int | None, step: int | None) -> str:
    return each[slice(start, stop, step)]


def _got(each: str, place: int) -> str | None:
    return each[place] if -len(each) <= place < len(each) else None


def _replaced(each: str, pattern: str, other: str, many: int, flags: int, regex: bool) -> str | None:
    if not regex:
        longer = each.count(pattern) * max(len(other) - len(pattern), 0)
        return each.replace(pattern, other, many) if len(each) + longer <= LONGEST else None
    compiled, groups = _pattern(pattern, flags), other.count("\\")
    if len(each) + (len(each) + 1) * (len(other) + groups * len(each)) <= LONGEST:
        return compiled.sub(other, each, count=max(many, 0))
    return _replaced_in_parts(compiled, other, groups, each, many)


def _replaced_in_parts(compiled: re.Pattern[str], other: str, groups: int, each: str, many: int) -> str | None:
    """The same, and missing as soon as it is seen to be too long."""
    parts, at, length = list[str](), 0, len(each)
    for place, match in enumerate(compiled.finditer(each)):
        if 0 < many <= place:
            break
        widest = max(len(found or "") for found in (match[0], *match.groups()))
        if len(other) + groups * widest > 16 * LONGEST:
            return None
        parts += each[at : match.start()], match.expand(other)
        at, length = match.end(), length + len(parts[-1]) - len(match[0])
        if length > LONGEST:
            return None
    return "".join((*parts, each[at:]))


def _part(each: str, separator: str | None, many: int, from_right: bool, place: int) -> str | None:
    """One of the parts into which it is split."""
    parts = each.rsplit(separator, many) if from_right else each.split(separator, many)
    return parts[place] if -len(parts) <= place < len(parts) else None


def _extracted(each: str, pattern: str, flags: int, group: int) -> str | None:
    found = _pattern(pattern, flags).search(each)
    return None if found is None else found.group(group)


def _padded(each: str, width: int, side: str, filling: str) -> str:
    if side == "both":
        return each.center(width, filling)
    return each.rjust(width, filling) if side == "left" else each.ljust(width, filling)


def _partitioned(each: str, separator: str, from_right: bool, place: int) -> str:
    return (each.rpartition(separator) if from_right else each.partition(separator))[place]


@lru_cache(maxsize=64)
def _pattern(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


CHANGES: Mapping[str, Callable[..., str | None]] = {
    **{name: getattr(str, name) for name in ("lower", "upper", "title", "capitalize", "swapcase", "casefold")},
    **{name: getattr(str, name) for name in ("strip", "lstrip", "rstrip", "zfill", "removeprefix", "removesuffix")},
    "slice": _sliced,
    "get": _got,
    "replace": _replaced,
    "part": _part,
    "extract": _extracted,
    "pad": _padded,
    "partition": _partitioned,
    "repeat": lambda each, times: each * times if len(each) * times <= LONGEST else None,
}
"""A text of a text: each is called with it and with public arguments."""


@dataclass(frozen=True, eq=False)
class Changed(Node):
    """Each text changed by itself."""

    change: str
    given: tuple[Any, ...] = ()
    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        codes, found = given[0]
        return codes, [None if each is None else self.changed(each) for each in found]

    def changed(self, each: str) -> str | None:
        """What becomes of one text."""
        return CHANGES[self.change](each, *self.given)


TRIALS: Mapping[str, Callable[..., bool]] = {
    "is": lambda each, listed: each in listed,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "contains": lambda each, listed: any(part in each for part in listed),
    "search": lambda each, pattern, flags: _pattern(pattern, flags).search(each) is not None,
    "match": lambda each, pattern, flags: _pattern(pattern, flags).match(each) is not None,
    "fullmatch": lambda each, pattern, flags: _pattern(pattern, flags).fullmatch(each) is not None,
    **{name: getattr(str, name) for name in ("isalnum", "isalpha", "isdigit", "isspace", "islower", "isupper")},
    **{name: getattr(str, name) for name in ("istitle", "isnumeric", "isdecimal")},
}


@dataclass(frozen=True, eq=False)
class Says(Node):
    """Whether each passes a trial, e.g. is one of some texts; a missing one does not."""

    trial: str
    given: tuple[Any, ...] = ()
    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        codes, found = given[0]
        trial = TRIALS[self.trial]
        passed = [each is not None and bool(trial(each, *self.given)) for each in found]
        return np.array([*passed, False])[codes]  # the last place is also at -1


def among_texts(node: Node, listed: tuple[str, ...]) -> Node:
    return Says((node,), "is", (listed,))


COUNTS: Mapping[str, Callable[..., float | None]] = {
    "len": len,
    "count": lambda each, pattern, flags: len(_pattern(pattern, flags).findall(each)),
    "find": str.find,
    "rfind": str.rfind,
    "parts": lambda each, separator, many: len(each.split(separator, many)),
    "number": lambda each: _read_number(each),
}


def _read_number(each: str) -> float | None:
    try:
        return float(each)
    except ValueError:
        return None


@dataclass(frozen=True, eq=False)
class Counted(Node):
    """A number for each text."""

    count: str
    given: tuple[Any, ...] = ()
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        codes, found = given[0]
        count = COUNTS[self.count]
        numbers = [None if each is None else count(each, *self.given) for each in found]
        return np.array([*(np.nan if each is None else float(each) for each in numbers), np.nan])[codes]


@dataclass(frozen=True, eq=False)
class LookedUpText(Node):
    """What a public table says of a text: a number; missing where it says nothing."""

    keys: tuple[str, ...]
    values: tuple[float, ...]
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        codes, found = given[0]
        table = dict(zip(self.keys, self.values, strict=True))
        return np.array([*(np.nan if each is None else table.get(each, np.nan) for each in found), np.nan])[codes]


@dataclass(frozen=True, eq=False)
class TextAt(Node):
    """The text at the place that a number is, of a public list; none where it is missing."""

    listed: tuple[str | None, ...]
    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        x = np.broadcast_to(given[0], len(rows))
        return np.where(np.isnan(x), -1, x).astype(np.intp), list(self.listed)


@dataclass(frozen=True, eq=False)
class TextChosen(Node):
    """One of two texts, row by row."""

    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        condition, (one, first), (other, second) = given
        return np.where(condition, one, np.where(other < 0, -1, other + len(first))), [*first, *second]


@dataclass(frozen=True, eq=False)
class JoinedTexts(Node):
    """Texts one behind the other; none where one of them is none."""

    between: str = ""
    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        (_, first), (_, second) = given
        pairs, codes = _pairs(given[0], given[1])
        return codes, [None if a < 0 or b < 0 else _put_together(first[a], self.between, second[b]) for a, b in pairs]


def _put_together(one: str | None, between: str, other: str | None) -> str | None:
    if one is None or other is None or len(one) + len(between) + len(other) > LONGEST:
        return None
    return f"{one}{between}{other}"


def _pairs(one: Texts, other: Texts, few: int = 0) -> tuple[list[tuple[int, int]], Array]:
    """The pairs of texts that occur, or all where they are so few, and which of them each row has."""
    width = len(other[1]) + 1
    codes = (one[0].astype(np.int64) + 1) * width + other[0] + 1
    different: Sequence[int] = range((len(one[1]) + 1) * width)
    if len(different) > few:
        there, codes = np.unique(codes, return_inverse=True)
        different = there.tolist()
    return [(each // width - 1, each % width - 1) for each in different], codes


FEW = 2**10  # pairs of texts that are compared, also where none has them
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}


@dataclass(frozen=True, eq=False)
class TextsCompared(Node):
    """How two texts compare, by the numbers of their characters; false where one is missing."""

    comparison: str
    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        (_, first), (_, second) = given
        if not first or not second:
            return np.zeros(len(rows), bool)
        compare = COMPARISONS[self.comparison]
        pairs, codes = _pairs(given[0], given[1], FEW)
        found = [
            a >= 0 and b >= 0 and first[a] is not None and second[b] is not None and compare(first[a], second[b])
            for a, b in pairs
        ]
        return np.array(found, bool)[codes]


@dataclass(frozen=True, eq=False)
class NoText(Node):
    """Whether there is no text."""

    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        codes, found = given[0]
        return np.array([*(each is None for each in found), True])[codes]


@dataclass(frozen=True, eq=False)
class WrittenOut(Node):
    """A number or a condition, as text: whole numbers without a point."""

    kind: ClassVar[Kind] = "text"

    def of(self, rows: Readable, *given: Any) -> Texts:
        x = np.broadcast_to(given[0], len(rows))
        different, codes = np.unique(x, return_inverse=True)
        return codes, [_written(each) for each in different.tolist()]


def _written(value: float | bool) -> str | None:
    if isinstance(value, bool):
        return str(value)
    if value != value:
        return None
    return str(int(value)) if abs(value) < 2**53 and value == int(value) else str(value)
