"""What is made of all rows of one person, at each of these rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..core.arrays import Column
from .graph import Kind, Node, Program, Readable, always

STATISTICS = ("sum", "mean", "median", "min", "max", "count", "nunique", "any", "all", "std", "var", "prod", "quantile")
"""Each a number of a person, which all of their rows have."""
PLACED = ("first", "last", "nth")
"""The value of one of their rows, which all of them have."""
EACH_ROW = ("shift", "ffill", "bfill", "cumsum", "cumprod", "cummax", "cummin", "cumcount", "cumcount from the last")
"""What each row has, by its place among them."""


@dataclass(frozen=True, eq=False)
class OfPerson(Node):
    """What is made of the rows of a person on which a condition holds, or of those of them that have the same keys.

    Made of a node, the condition, keys, and of what orders the rows, of which `rises` says how. Rows that know whose
    they are make it, of all rows of a person together.
    """

    how: str
    by: int = 0  # so many keys
    rises: tuple[bool, ...] = ()
    lost_first: tuple[bool, ...] = ()  # whether rows without what orders them are the first
    lost_keys: bool = False  # whether a missing key is one as well
    given: tuple[float, ...] = ()
    kind: ClassVar[Kind] = "any"
    is_read: ClassVar[bool] = True

    def of(self, rows: Readable, *given: Any) -> Column:
        return rows.column(self)

    @property
    def is_same_for_all(self) -> bool:
        """Whether all rows of a person, with the same keys, have one value."""
        return self.how not in EACH_ROW

    @property
    def key_nodes(self) -> tuple[Node, ...]:
        return self.inner[2 : 2 + self.by]

    @property
    def order_nodes(self) -> tuple[Node, ...]:
        return self.inner[2 + self.by :]


def of_person(how: str, node: Node, among: Node | None = None) -> OfPerson:
    """A statistic of what a node is in all rows of a person."""
    return OfPerson((node, always(True) if among is None else among), how)


def is_of_person(node: Node, unit: Node, keys: Sequence[Node] = ()) -> bool:
    """Whether all rows of a person, with these keys, have one value, as follows from what it is made of."""
    program = Program.of([node])
    known = [False] * len(program.nodes)
    for place, each in enumerate(program.nodes):
        if each is unit or each in keys:
            known[place] = True
        elif isinstance(each, OfPerson):
            known[place] = each.is_same_for_all and set(each.key_nodes) <= set(keys)
        else:
            known[place] = not each.is_read and all(known[inner] for inner in program.inner[place])
    return known[program.wanted[0]]
