"""Expressions as graphs: what is made alike is one node, and each node is evaluated once per block of rows.

Every node is a function of one row, or of the rows of one person, and of public facts; nothing raises, whatever a row
holds. Proof: docs/proofs/language/language.md.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import get_annotations
from threading import Lock
from typing import Any, ClassVar, Literal, Protocol
from weakref import WeakValueDictionary

import numpy as np

from ..core.arrays import Array, Block, Column
from ..core.forks import brief
from ..errors import NotFollowed, type_of

Kind = Literal["number", "condition", "text", "time", "span", "any"]
"""What the values of a node are: floats; true or false; texts; points in time; lengths of time; whatever a source
holds, each value to be read by the operator that needs it."""


class Readable(Protocol):
    """Rows whose columns can be read by name."""

    def __len__(self) -> int: ...

    def column(self, name: Any) -> Column: ...


class _OfOneMaking(type):
    """Two nodes made alike are one object, so that graphs are compared, and evaluated, node by node."""

    known: ClassVar[WeakValueDictionary[Any, Any]] = WeakValueDictionary()
    lock: ClassVar[Any] = brief(Lock())

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if cls.reads_plain_facts:  # type: ignore[attr-defined]
            given, named = tuple(map(plain, given)), {name: plain(each) for name, each in named.items()}
        made = super().__call__(*given, **named)
        key = cls, *(_key(getattr(made, name)) for name in cls.facts)  # type: ignore[attr-defined]
        with _OfOneMaking.lock:
            return _OfOneMaking.known.setdefault(key, made)


def plain(fact: Any) -> Any:
    """A fact without code of anybody else's, which would be called beside rows, and could keep or count them."""
    kind = type(fact)
    if kind in _PLAIN or isinstance(fact, Node):
        return fact
    if issubclass(kind, tuple):
        return tuple(map(plain, fact))
    if issubclass(kind, np.number | np.bool_) and issubclass(type(fact.item()), bool | int | float):
        return plain(fact.item())
    base = next((base for base in (str, int, float) if issubclass(kind, base)), None)
    if base is None:
        raise NotFollowed(f"what is written beside rows is a number, a text or a time, not {type_of(fact)}.")
    return _READ_PLAIN[base](fact)


_PLAIN = (type(None), bool, int, float, str)
_READ_PLAIN: Mapping[type, Callable[[Any], Any]] = {str: str.__str__, int: int.__int__, float: float.__float__}


def _key(fact: Any) -> Hashable:
    """Tells facts apart that Python takes for equal: 0.0 and -0.0, 1 and True; and finds NaN again."""
    if isinstance(fact, Node):
        return fact
    if isinstance(fact, float):
        return struct.pack("d", fact)
    if isinstance(fact, tuple):
        return tuple(map(_key, fact))
    if isinstance(fact, np.ndarray):
        return fact.dtype.str, fact.shape, fact.tobytes()
    if isinstance(fact, Mapping):
        return tuple((_key(name), _key(each)) for name, each in fact.items())
    return type(fact), fact


@dataclass(frozen=True, eq=False)
class Node(metaclass=_OfOneMaking):
    """`inner` are the nodes that it is made of; `of` makes its values on some rows from theirs. One that is `read` is
    asked of the rows, as a column of theirs is."""

    inner: tuple[Node, ...]
    kind: ClassVar[Kind]
    facts: ClassVar[tuple[str, ...]] = ("inner",)
    reads_plain_facts: ClassVar[bool] = True
    is_read: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = (name for name in get_annotations(cls) if name not in cls.facts)
        cls.facts = (*cls.facts, *(name for name in own if name not in NO_FACTS))

    def of(self, rows: Readable, *given: Any) -> Any:
        raise NotImplementedError

    def asked(self) -> Hashable:
        """By which name it is asked of the rows."""
        return self

    def __reduce__(self) -> Any:
        return _together, (Program.of([self]).flat(),)


NO_FACTS = ("kind", "facts", "reads_plain_facts", "is_read")


def _together(flat: Flat) -> Node:
    return Program.from_flat(flat).nodes[-1]


Flat = list[tuple[type[Node], tuple[int, ...], tuple[Any, ...]]]
"""Of each node its class, the places of those that it is made of, and its other facts."""


@dataclass(frozen=True, eq=False)
class Program:
    """Nodes, each behind those that it is made of; `inner` has the places of these. However deep a graph is, nothing
    here calls itself."""

    nodes: tuple[Node, ...]
    inner: tuple[tuple[int, ...], ...]
    wanted: tuple[int, ...]

    @classmethod
    def of(cls, wanted: Sequence[Node]) -> Program:
        places: dict[Node, int] = {}
        waiting = [(node, False) for node in reversed(wanted)]
        while waiting:
            node, ready = waiting.pop()
            if node in places:
                continue
            if ready:
                places[node] = len(places)
            else:
                waiting += [(node, True), *((each, False) for each in node.inner if each not in places)]
        nodes = tuple(places)
        inner = tuple(tuple(places[each] for each in node.inner) for node in nodes)
        return cls(nodes, inner, tuple(places[node] for node in wanted))

    def flat(self) -> Flat:
        return [
            (type(node), inner, tuple(getattr(node, name) for name in node.facts if name != "inner"))
            for node, inner in zip(self.nodes, self.inner, strict=True)
        ]

    @classmethod
    def from_flat(cls, flat: Flat, wanted: tuple[int, ...] = ()) -> Program:
        nodes: list[Node] = []
        for kind, inner, facts in flat:
            nodes.append(kind(tuple(nodes[place] for place in inner), *facts))
        return cls(tuple(nodes), tuple(inner for _, inner, _ in flat), wanted)

    def __reduce__(self) -> Any:
        return Program.from_flat, (self.flat(), self.wanted)

    def run(self, rows: Readable) -> list[Any]:
        """The values of the wanted nodes; those of others are let go once nobody needs them."""
        left = self._uses()
        made: list[Any] = [None] * len(self.nodes)
        with np.errstate(all="ignore"):
            for place, node in enumerate(self.nodes):
                if not left[place]:
                    continue
                inner = self._given(place)
                made[place] = node.of(rows, *(made[each] for each in inner))
                for each in inner:
                    left[each] -= 1
                    if not left[each]:
                        made[each] = None
        return [made[place] for place in self.wanted]

    def _given(self, place: int) -> tuple[int, ...]:
        """Whose values a node is made of here: of none, if the rows make it."""
        return () if self.nodes[place].is_read else self.inner[place]

    def _uses(self) -> list[int]:
        """How often the values of each node are used."""
        uses = [0] * len(self.nodes)
        for place in self.wanted:
            uses[place] += 1
        for place in reversed(range(len(self.nodes))):
            for each in self._given(place) if uses[place] else ():
                uses[each] += 1
        return uses

    def reads(self) -> list[Hashable]:
        """What it asks of the rows: columns of the source, and what these make of all rows of a person."""
        used = zip(self.nodes, self._uses(), strict=True)
        return [node.asked() for node, uses in used if uses and node.is_read]


@dataclass(frozen=True, eq=False)
class SourceColumn(Node):
    """A column as its source holds it."""

    column: Hashable
    kind: ClassVar[Kind] = "any"
    reads_plain_facts: ClassVar[bool] = False  # names are what the table has
    is_read: ClassVar[bool] = True

    def asked(self) -> Hashable:
        return self.column

    def of(self, rows: Readable, *given: Any) -> Column:
        return rows.column(self.column)


def source_column(name: Hashable) -> SourceColumn:
    return SourceColumn((), name)


@dataclass(frozen=True, eq=False)
class Constant(Node):
    """One number for all rows: an array without an axis, which goes with any."""

    value: float
    kind: ClassVar[Kind] = "number"

    def of(self, rows: Readable, *given: Any) -> Array:
        return np.asarray(self.value)


@dataclass(frozen=True, eq=False)
class Always(Node):
    """True for all rows, or for none."""

    value: bool
    kind: ClassVar[Kind] = "condition"

    def of(self, rows: Readable, *given: Any) -> Array:
        return np.asarray(self.value)


def constant(value: float) -> Constant:
    return Constant((), float("nan") if value != value else float(value))  # of NaNs there is one


def always(value: bool) -> Always:
    return Always((), value)


MISSING = constant(float("nan"))


Sort = Literal["number", "text", "time", "span"]
"""As what a value of any kind may be read."""


class Mixed(Node):
    """Values of any kind that were made: as which sort they are read is said when they are used."""

    kind: ClassVar[Kind] = "any"

    def read_as(self, sort: Sort) -> Node:
        """What it is to whoever reads it so; missing where a value is of another sort."""
        raise NotImplementedError


class SomeOf:
    """Rows of a column that stand next to each other, as a column."""

    def __init__(self, column: Column, rows: slice) -> None:
        self.column, self.rows = column, rows
        self.size, self.levels = rows.stop - rows.start, column.levels

    def block(self, rows: slice) -> Block:
        return self.column.block(self._moved(rows))

    def _moved(self, rows: slice) -> slice:
        return slice(self.rows.start + rows.start, self.rows.start + rows.stop)

    def __getattr__(self, name: str) -> Any:
        if name not in ("encode", "find"):  # what Arrow's texts can do besides
            raise AttributeError(name)
        able: Callable[..., Any] = getattr(self.column, name)
        return lambda rows, *given: able(self._moved(rows), *given)


class SomeRows:
    """Rows of a source that stand next to each other."""

    def __init__(self, source: Readable, rows: slice) -> None:
        self.source, self.rows = source, rows

    def __len__(self) -> int:
        return self.rows.stop - self.rows.start

    def column(self, name: Any) -> Column:
        return SomeOf(self.source.column(name), self.rows)


BLOCK = 2**16  # rows


def blocks(rows: int) -> Iterable[slice]:
    """What is evaluated at a time; also of no rows one, so that what is read is heard of."""
    return [slice(first, min(first + BLOCK, rows)) for first in range(0, max(rows, 1), BLOCK)]
