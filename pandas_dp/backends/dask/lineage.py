"""What a collection is made of, read off its expression before anything is paid: whole or not, row by row or not."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd
from dask._expr import Expr

from ...dataclass import dataclass
from ...errors import NotProtected, NotRowwise
from .protected import Protected
from .refused import called, refusal
from .rules import FEWER_ROWS, rule_for

UNMATCHED = (
    "{name} takes columns of one set of rows, and these are of several, such as ddf['x'] and a column of rows that "
    "were filtered; make the columns first and filter last."
)
NOT_PROTECTED = "this collection is not protected; write ddf = session.protect(ddf) first."


@dataclass(frozen=True)
class Lineage:
    """The name under which its rows are protected, and whether they are all of them, with columns by name alone."""

    name: str
    whole: bool


def lineage(expr: Any) -> Lineage:
    """Of a collection that is made of one protected frame, row by row; any other is refused."""
    found: dict[str, Hashable] = {}
    names = {node.operand("name") for node in nodes(expr) if isinstance(node, Protected)}
    _check_leaves(expr, names)
    for node in nodes(expr):
        if isinstance(node, Protected):
            found[node._name] = node.operand("name")
            continue
        check_node(node)
        found[node._name] = _rows_of(node, [found[each._name] for each in _columns(node)])
    return Lineage(names.pop(), _is_whole(expr))


def nodes(expr: Any) -> list[Any]:
    """From the protected frames up to the expression itself: each after what it is made of."""
    seen: dict[str, Any] = {}
    waiting: list[tuple[Any, bool]] = [(expr, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            seen[node._name] = node
        elif node._name not in seen:
            waiting.append((node, True))
            waiting += [(each, False) for each in _columns(node)]
    return list(seen.values())


def check_node(node: Any) -> None:
    """Refused, by its name, where it is not row by row."""
    rule = rule_for(type(node))
    if rule is None:
        raise NotRowwise(refusal(type(node)))
    wrong = rule(node)
    if wrong is not None:
        said = called(type(node))
        raise NotRowwise(f"{said[0].lower()}{said[1:]} {wrong}.")


def _columns(node: Any) -> list[Any]:
    """What a node is made of, but for values that were written out."""
    if isinstance(node, Protected):
        return []
    return [each for each in node.dependencies() if type(each).__name__ != "_DelayedExpr"]


def _check_leaves(expr: Any, names: set[str]) -> None:
    if len(names) > 1:
        raise NotRowwise(
            "this is made of two protected collections, whose rows do not go with each other; join them before protect."
        )
    for node in nodes(expr):
        if isinstance(node, Protected) or _columns(node):
            continue
        index = getattr(getattr(node, "_meta", None), "index", None)
        if isinstance(index, pd.Index) and str(index.name).startswith("dp_row_"):
            raise NotRowwise(
                "this collection was computed or persisted after it was protected, so nobody knows what its rows are; "
                "persist comes first: ddf = session.protect(ddf.persist())."
            )
        if not names:
            raise NotProtected(NOT_PROTECTED)
        raise NotRowwise(refusal(type(node)))


def _rows_of(node: Any, sources: list[Hashable]) -> Hashable:
    """Which rows a node has: those of its columns, or fewer. `assign` looks up a column of others by unique ids."""
    if len(set(sources)) > 1 and type(node).__name__ != "Assign":
        raise NotRowwise(UNMATCHED.format(name=called(type(node))))
    return node._name if type(node).__name__ in FEWER_ROWS else sources[0]


def _is_whole(expr: Expr) -> bool:
    while type(expr).__name__ == "Projection" and rule_for(type(expr)):
        expr = expr.frame
    return isinstance(expr, Protected)
