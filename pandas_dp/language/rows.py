"""Which rows of a source a column or a table has, and in which order they were numbered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .evaluation import Selected
from .graph import Node


@dataclass(frozen=True, eq=False)
class RowSet:
    """The rows of a source on which all conditions hold. `numbering` is None while they are numbered as in the source;
    numbered anew they go with nothing that was numbered otherwise."""

    _source: Any  # no name that anybody may read leads from a column to its rows
    conditions: tuple[Node, ...] = ()
    numbering: object = None
    is_sorted: bool = False
    before: RowSet | None = None  # the last condition

    def where(self, condition: Node) -> RowSet:
        return replace(self, conditions=(*self.conditions, condition), before=self)

    @cached_property
    def _read(self) -> Any:
        """Where they are read; what conditions find there is kept as long as this."""
        if self.before is None:
            return self._source.scanned
        return self.before._read.then(Selected(self.conditions[-1], {}))

    def sorted(self) -> RowSet:
        return replace(self, is_sorted=True)

    def renumbered(self) -> RowSet:
        """From 0, as they stand: as in the source, if all of them stand there."""
        return self if self.numbering is None and not self.conditions and not self.is_sorted else self.named()

    def named(self) -> RowSet:
        """By something else than their numbers."""
        return replace(self, numbering=object())

    def same(self, other: RowSet) -> bool:
        """Whether rows of the same number are the same rows, and there are no others."""
        return self.begins(other) and len(self.conditions) == len(other.conditions)

    def begins(self, other: RowSet) -> bool:
        """Whether the other's were cut from these, and kept their numbers."""
        same = self._source is other._source and self.numbering is other.numbering
        return same and self.conditions == other.conditions[: len(self.conditions)]
