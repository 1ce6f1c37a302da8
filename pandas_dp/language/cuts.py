"""Cuts of one table, one behind the other: the rows on which either condition holds, each once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from math import inf

from ..errors import NotFollowed
from .arithmetic import AmongNumbers, Applied, applied, joined
from .graph import Constant, Node
from .refusals import not_these_rows
from .rows import RowSet
from .table import LazyTable
from .texts import Said, Says, TextsCompared
from .times import ComparedWith

Reach = tuple[Node, float, bool, float, bool]
"""Of what; from where to where, and whether each end belongs to it."""


def one_behind_the_other(cuts: Sequence[LazyTable]) -> LazyTable:
    """Where, by the form of their conditions, no row can be in two of them: pandas would show it twice."""
    rows = _common([each._rows for each in cuts])
    own = [each._rows.conditions[len(rows.conditions) :] for each in cuts]
    if not all(_apart(*both) for both in combinations(own, 2)):
        raise NotFollowed(
            "concat may hold a row twice; cut by conditions of which everyone sees that both never hold, such as c and "
            "~c, or write df[a | b]."
        )
    if len({tuple(each.keys()) for each in cuts}) != 1:
        raise NotFollowed("concat puts cuts of the same columns one behind the other.")
    conditions = [joined("and", each, nothing=True) for each in own]
    first, *others = cuts
    found = first._with(first._columns, rows.where(joined("or", conditions, nothing=False)).sorted(None))
    for cut, condition in zip(others, conditions[1:], strict=True):
        for name, column in cut._columns.items():
            if column.node is not found._columns[name].node:
                other = cut._with(cut._columns, found._rows)
                found[name] = found[name].mask(found._any().made(condition), other[name])
    return found


def _common(rows: Sequence[RowSet]) -> RowSet:
    """The last rows of which all of these are cut."""
    found: RowSet | None = rows[0]
    while found is not None and not all(found.begins(each) for each in rows):
        found = found.before
    if found is None:
        raise not_these_rows()
    return found


def _apart(one: Sequence[Node], other: Sequence[Node]) -> bool:
    """Whether one of these and one of those never hold together."""
    return any(_never_both(a, b) for each in one for a in _parts(each) for those in other for b in _parts(those))


def _parts(condition: Node) -> list[Node]:
    """All that must hold."""
    if isinstance(condition, Applied) and condition.operator == "and":
        return [part for each in condition.inner for part in _parts(each)]
    return [condition]


def _never_both(one: Node, other: Node) -> bool:
    if one is applied("not", other) or other is applied("not", one):
        return True
    values, others = _values(one), _values(other)
    if values is not None and others is not None and values[0] is others[0]:
        return values[1].isdisjoint(others[1])
    reach, beside = _reach(one), _reach(other)
    if reach is None or beside is None or reach[0] is not beside[0]:
        return False
    return _ends_before(reach, beside) or _ends_before(beside, reach)


def _values(condition: Node) -> tuple[Node, set[Hashable]] | None:
    """Of what it says that it is one of some values."""
    if isinstance(condition, TextsCompared) and condition.comparison == "==":
        node, said = condition.inner
        return (node, {said.said}) if isinstance(said, Said) else None
    if isinstance(condition, Says) and condition.trial == "is":
        return condition.inner[0], set(condition.given[0])
    if isinstance(condition, AmongNumbers):
        return condition.inner[0], set(condition.listed)
    reach = _reach(condition)
    return None if reach is None or reach[1] != reach[3] else (reach[0], {reach[1]})


def _reach(condition: Node) -> Reach | None:
    if isinstance(condition, ComparedWith):
        return _between(condition.inner[0], condition.comparison, condition.nanoseconds)
    if isinstance(condition, Applied) and condition.operator in ("<", "<=", ">", ">=", "=="):
        node, end = condition.inner
        return _between(node, condition.operator, end.value) if isinstance(end, Constant) else None
    return None


def _between(node: Node, how: str, end: float) -> Reach | None:
    low, high = {"<": (-inf, end), ">": (end, inf), "=": (end, end)}.get(how[0], (inf, -inf))
    return None if how == "!=" else (node, low, how != ">", high, how != "<")


def _ends_before(one: Reach, other: Reach) -> bool:
    return one[3] < other[1] or (one[3] == other[1] and not (one[4] and other[2]))
