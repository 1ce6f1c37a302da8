"""Declared categories of a key: the cells of a table, known before the data is seen."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from ..errors import BadBounds


@dataclass(frozen=True)
class Categories:
    """The values that a key can take, in the order in which a table shows them."""

    values: tuple[Hashable, ...]
    ordered: bool = False
    nullable: bool = False

    def __post_init__(self) -> None:
        if not self.values:
            raise BadBounds("categories must name at least one value.")
        if len(set(self.values)) < len(self.values):
            raise BadBounds("categories must be distinct.")


@dataclass(frozen=True)
class Breaks:
    """Bins of a numeric key: edges rise; a value belongs to [edge, next edge), the last bin is closed."""

    edges: tuple[float, ...]
