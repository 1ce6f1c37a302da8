"""What a moment matrix would hold on average, where numbers have supposed spreads and nothing depends on anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from .moment_matrix import Column, Floats


def supposed_products(columns: Sequence[Column], spreads: Mapping[Hashable, float]) -> Floats:
    """The mean of each product of two columns, in half-ranges: numbers vary around the middle of their ranges, all
    levels are equally frequent."""
    many = Counter(column.term for column in columns if column.sort == "level")
    for column in columns:
        if column.sort == "slope" and isinstance(column.term, tuple) and column.term[0] not in many:
            many[column.term[0]] = sum(1 for each in columns if each.sort == "slope" and each.term == column.term)
    halves = {column.term: column.half for column in columns if column.sort == "number"}
    squares = {name: (spread / halves[name]) ** 2 for name, spread in spreads.items() if name in halves}
    found = [[_product(one, other, many, squares) for other in columns] for one in columns]
    return np.array(found)


def _product(one: Column, other: Column, many: Mapping[Hashable, int], squares: Mapping[Hashable, float]) -> float:
    levels: dict[Hashable, Hashable] = {}
    for key, level in (*_levels(one), *_levels(other)):
        if levels.setdefault(key, level) != level:
            return 0.0
    found = 1.0
    for key in levels:
        found /= many[key]
    for name, power in Counter((*_numbers(one), *_numbers(other))).items():
        found *= {2: 1.0, 4: 3.0}.get(power, 0.0) * squares[name] ** (power / 2)
    return found


def _levels(column: Column) -> list[tuple[Hashable, Hashable]]:
    if column.sort == "level":
        return [(column.term, column.level)]
    return [(column.term[0], column.level)] if column.sort == "slope" and isinstance(column.term, tuple) else []


def _numbers(column: Column) -> list[Hashable]:
    if column.sort == "number":
        return [column.term]
    if column.sort == "product" and isinstance(column.term, tuple):
        return list(column.term)
    return [column.term[1]] if column.sort == "slope" and isinstance(column.term, tuple) else []
