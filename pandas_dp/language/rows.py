"""Which rows of a source a column or a table has, how they are numbered, and in which order they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .arithmetic import joined
from .evaluation import Selected, made_along
from .graph import Node
from .persons import OfPerson

PEOPLE, NUMBERED_PEOPLE = "by whose they are", "people, numbered from 0"


@dataclass(frozen=True)
class Order:
    """By what rows were sorted, of each whether it rises and whether rows without it are the first; of equals as they
    stand in the source."""

    nodes: tuple[Node, ...] = ()
    rises: tuple[bool, ...] = ()
    lost_first: tuple[bool, ...] = ()


AS_IN_THE_SOURCE = Order()


@dataclass(frozen=True)
class Grouped:
    """A row for each person, or for each with the same keys, of those on which so many conditions hold."""

    keys: tuple[Node, ...]
    conditions: int
    lost_keys: bool = False  # whether a missing key is one as well

    def made(self, how: str, node: Node, among: Node, order: Order | None = None, *given: float) -> OfPerson:
        """What is made of the rows of a person with the same keys, among those on which a condition holds."""
        by = AS_IN_THE_SOURCE if order is None else order
        inner = node, among, *self.keys, *by.nodes
        return OfPerson(inner, how, len(self.keys), by.rises, by.lost_first, self.lost_keys, given)


@dataclass(frozen=True, eq=False)
class RowSet:
    """The rows of a source on which all conditions hold. `numbering` is None while they are numbered as in the source;
    numbered anew they go with nothing that was numbered otherwise. `levels` are columns by which they are named."""

    _source: Any  # no name that anybody may read leads from a column to its rows
    conditions: tuple[Node, ...] = ()
    numbering: object = None
    order: Order | None = AS_IN_THE_SOURCE  # None: nobody recorded it
    before: RowSet | None = None  # the last condition
    grouped: Grouped | None = None
    levels: Mapping[Any, Any] = field(default_factory=dict)
    most: int | None = None  # rows of one person

    def where(self, condition: Node) -> RowSet:
        return replace(self, conditions=(*self.conditions, condition), before=self)

    @property
    def condition(self) -> Node:
        """All of them in one."""
        return joined("and", self.conditions, nothing=True)

    @property
    def _read(self) -> Any:
        """Where they are read; what conditions find there is kept as long as this."""
        return made_along(self, RowSet._next)

    def _next(self, before: Any) -> Any:
        return self._source.gathered if before is None else before.then(Selected(self.conditions[-1], {}))

    def sorted(self, order: Order | None) -> RowSet:
        return replace(self, order=order)

    def sorted_back(self, rises: bool) -> RowSet:
        """By their numbers, or names."""
        return self.sorted(AS_IN_THE_SOURCE if rises and self.numbering is None else None)

    def renumbered(self) -> RowSet:
        """From 0, as they stand: as in the source, if all of them stand there."""
        if self.numbering is None and not self.conditions and self.order == AS_IN_THE_SOURCE:
            return self
        people = self.grouped is not None and self.grouped.conditions + 1 == len(self.conditions)
        if people and self.numbering in (PEOPLE, NUMBERED_PEOPLE) and self.order == self.order_of_keys:
            return replace(self, numbering=NUMBERED_PEOPLE, levels={})
        return self.named()

    @property
    def order_of_keys(self) -> Order:
        """In which the rows of people stand when they are made."""
        keys = () if self.grouped is None else self.grouped.keys
        return Order(keys, (True,) * len(keys), (False,) * len(keys))

    def named(self, levels: Mapping[Any, Any] | None = None) -> RowSet:
        """By something else than their numbers."""
        return replace(self, numbering=object(), levels=levels or {})

    def same(self, other: RowSet) -> bool:
        """Whether rows of the same number are the same rows, and there are no others."""
        return self.begins(other) and len(self.conditions) == len(other.conditions)

    def begins(self, other: RowSet) -> bool:
        """Whether the other's were cut from these, and kept their numbers."""
        same = self._source is other._source and self.numbering == other.numbering
        return same and self.conditions == other.conditions[: len(self.conditions)]
