"""How a sentence names a column, and what it advises for one that lacks bounds or categories."""

from __future__ import annotations

from collections.abc import Hashable

_EXAMPLES = {
    "float": ("0", "500_000"),
    "integer": ("0", "500_000"),
    "datetime": ('"2020-01-01"', '"2029-12-31"'),
    "timedelta": ('"0h"', '"24h"'),
}
_LISTS = {"integer": "[1, 2, 3]", "datetime": "[pd.Timestamp(...), ...]", "timedelta": "[pd.Timedelta(...), ...]"}


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
