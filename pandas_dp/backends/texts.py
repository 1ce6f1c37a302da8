"""Expressions of texts, each value of one value alone: nothing raises, and what is no text is missing."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal, Protocol

import numpy as np

from ..dataclass import dataclass
from .columns import Array, Column
from .expressions import Readable, Sort
from .values import text

Spelled = tuple[Array, list[str | None]]
"""A number for each row, -1 where it has no text; and the text of each number, None where that is none."""


class Texts(Protocol):
    """An expression that is a text for each row."""

    def spelled(self, rows: Readable) -> Spelled: ...


@dataclass(frozen=True)
class TextOf:
    """A column, as texts."""

    column: Hashable

    def spelled(self, rows: Readable) -> Spelled:
        return spelled(rows.column(self.column))


CHANGES: Mapping[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "strip": str.strip}


@dataclass(frozen=True)
class Changed:
    """Each text changed by itself."""

    change: str
    inner: Texts

    def spelled(self, rows: Readable) -> Spelled:
        codes, texts = self.inner.spelled(rows)
        return codes, [None if each is None else CHANGES[self.change](each) for each in texts]


TRIALS: Mapping[str, Callable[[str, tuple[str, ...]], bool]] = {
    "is": lambda each, given: each in given,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "contains": lambda each, given: any(part in each for part in given),
}


@dataclass(frozen=True)
class Says:
    """Whether each is one of some texts, or starts with, ends with or contains one; a missing one does not."""

    trial: str
    inner: Texts
    given: tuple[str, ...]
    sort: Literal["condition"] = "condition"

    def of(self, rows: Readable) -> Array:
        codes, texts = self.inner.spelled(rows)
        found = [each is not None and TRIALS[self.trial](each, self.given) for each in texts]
        return np.array([*found, False])[codes]  # the last place is also at -1


@dataclass(frozen=True)
class LengthOf:
    """How many characters each has."""

    inner: Texts
    sort: Sort = "number"

    def of(self, rows: Readable) -> Array:
        codes, texts = self.inner.spelled(rows)
        return np.array([*(np.nan if each is None else float(len(each)) for each in texts), np.nan])[codes]


def spelled(column: Column) -> Spelled:
    """The texts of a column, each different one once where the column itself knows which are the same."""
    every = slice(0, column.size)
    if column.levels is not None:
        inner, texts = spelled(column.levels)
        places, _ = column.block(every)
        return np.append(inner, -1)[places], texts
    encode = getattr(column, "encode", None)  # Arrow's strings
    if encode is not None:
        codes, words = encode(every)
        return codes, list(words)
    values, missing = column.block(every)
    if values.dtype.kind != "O":
        return np.full(column.size, -1), []
    texts = [text(value) for value in values.tolist()]
    there = np.ones(len(texts), bool) if missing is None else ~missing
    return np.where(there, np.arange(len(texts)), -1), texts


def as_objects(texts: list[str | None]) -> Array:
    found: Any = np.empty(len(texts), dtype=object)
    found[:] = texts
    return np.asarray(found)
