"""Coarser levels of keys, declared as mappings from categories to groups: names that tables may use as keys."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..core.door.asking import Asking, Data
from ..core.label.label import OTHER
from ..core.measure.cells import Cells, Key, Level
from ..core.schema.values import Categories, is_missing, is_text
from ..errors import BadBounds, UnsupportedArgument
from .planning.margins import Margin, is_spare

EXAMPLE = 'e.g. {"age": {"band": {"0-4": "0-14", "5-14": "0-14", "15-64": "15+", "65+": "15+"}}}'


@dataclass(frozen=True)
class Hierarchies:
    """For each level its column, and the group of each category."""

    levels: Mapping[Hashable, tuple[Hashable, Mapping[Any, Any]]]

    @classmethod
    def read(cls, given: Any, data: Data) -> Hierarchies:
        """The levels from a mapping of columns to levels, each a mapping (or a Series) from categories to groups."""
        if given is None:
            return cls({})
        whole = isinstance(given, Mapping) and all(isinstance(levels, Mapping) for levels in given.values())
        if not whole or not all(
            isinstance(e, Mapping | pd.Series) for levels in given.values() for e in levels.values()
        ):
            raise UnsupportedArgument(
                "hierarchies must map columns to levels, and levels from categories to groups: the column first, then "
                f"its level, {EXAMPLE}.",
                argument="hierarchies",
            )
        found: dict[Hashable, tuple[Hashable, Mapping[Any, Any]]] = {}
        for column, levels in given.items():
            if isinstance(data, pd.DataFrame) and column not in data.columns:
                raise UnsupportedArgument(
                    f"hierarchies name what is no column: the column comes first, then its level, {EXAMPLE}.",
                    argument="hierarchies",
                )
            for name, groups in levels.items():
                if name in found or (isinstance(data, pd.DataFrame) and name in data.columns):
                    raise UnsupportedArgument(
                        f"hierarchies name the level {name!r}, which is a column or a level already; rename it.",
                        argument="hierarchies",
                    )
                found[name] = (column, groups.to_dict() if isinstance(groups, pd.Series) else groups)
        return cls(found)

    def column(self, name: Hashable) -> Hashable:
        """What a key reads."""
        return self.levels[name][0] if _known(name, self.levels) else name

    def check_apart(self, statistic: str, names: Sequence[Hashable]) -> None:
        """Refuse a key beside a level of it, or two levels: across each other most of their cells cannot be."""
        for name in names:
            other = next((e for e in names if e is not name and self.column(e) == self.column(name) != e), None)
            if other is not None:
                raise UnsupportedArgument(
                    f"{statistic} was given {other!r}, a level of {self.column(other)!r}, beside {name!r}: both "
                    "read that column, so most cells could not be; ask for both by marginals, a table for each.",
                    argument="hierarchies",
                )

    def columns(self, names: Sequence[Hashable]) -> list[Hashable]:
        return list(dict.fromkeys(map(self.column, names)))

    def key(self, asking: Asking, name: Hashable) -> Key:
        """A column as it is, or one of its levels."""
        key = asking.key(self.column(name))
        if not _known(name, self.levels):
            return key
        assert isinstance(key.labels, Categories)
        groups = self.levels[name][1]
        odd = _odd_group(groups, key.labels.values)
        if odd is not None:
            raise BadBounds(
                f"the level {name!r} must give each declared category of {key.column!r} a group, and no other: {odd}; "
                f"hierarchies map categories to groups, {EXAMPLE}.",
                column=key.column,
            )
        if not all(map(is_text, groups.values())):
            raise BadBounds(
                f"groups of the level {name!r} must be valid text; one of them contains a lone surrogate, which UTF-8 "
                "cannot encode.",
                column=key.column,
            )
        order = tuple(dict.fromkeys(groups[value] for value in key.labels.values))
        if key.other and OTHER in order:
            raise BadBounds(
                f"the level {name!r} already has a group {OTHER!r}, which other=True would add; rename it.",
                column=key.column,
            )
        return replace(key, level=Level(name, order, tuple(order.index(groups[value]) for value in key.labels.values)))


def _odd_group(groups: Mapping[Any, Any], categories: Sequence[Any]) -> str | None:
    """Which category has no group, or is none."""
    for number, category in enumerate(categories, 1):
        if category not in groups or is_missing(groups[category]):
            return f"number {number} of them has none"
    return None if len(groups) == len(categories) else "it has one for what is no category"


def check_spare(cells: Cells, margins: Sequence[Margin]) -> None:
    """A table over a key and a coarser level of it is the table over the key."""
    for margin in margins:
        spare = is_spare(margin, cells.ties)
        if spare is not None:
            raise UnsupportedArgument(
                f"the key {cells.keys[spare].name!r} is determined by the other keys of its table; request it "
                "in a separate table."
            )


def _known(name: Hashable, levels: Mapping[Hashable, Any]) -> bool:
    try:
        return name in levels
    except TypeError:
        return False
