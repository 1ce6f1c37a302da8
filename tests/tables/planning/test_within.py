"""Sums of a table over sets of its keys, and what is added up the same way back."""

from __future__ import annotations

import numpy as np
import pytest

from pandas_dp.synthetic.model.fit import Within
from pandas_dp.tables.planning.margins import Margin

SIZES = (3, 1, 4, 2, 5)
WHOLE: Margin = (0, 2, 3, 4)
SETS: list[list[Margin]] = [
    [],
    [WHOLE],
    [()],
    [(2,), (0, 3), (2, 4), (0, 2, 3)],
    [WHOLE, (0,), (2,), (3,), (4,), (0, 2), (0, 3), (0, 4), (2, 3), (2, 4), (3, 4)],
]


def added(table: np.ndarray, margin: Margin) -> np.ndarray:
    return table.sum(axis=tuple(axis for axis, place in enumerate(WHOLE) if place not in margin))


@pytest.mark.parametrize("requested", SETS)
def test_all_sums_are_those_of_the_table(requested: list[Margin]) -> None:
    table = np.random.default_rng(1).integers(0, 100, [SIZES[place] for place in WHOLE]).astype(float)
    found = Within.of(WHOLE, requested, SIZES).summed(table)
    for margin in requested:
        np.testing.assert_array_equal(found[margin], added(table, margin))


@pytest.mark.parametrize("requested", SETS)
def test_parts_are_spread_over_the_cells_that_they_are_sums_of(requested: list[Margin]) -> None:
    r = np.random.default_rng(2)
    parts = {margin: r.integers(0, 100, [SIZES[place] for place in margin]).astype(float) for margin in requested}
    table, start = r.integers(0, 9, (2, *(SIZES[place] for place in WHOLE))).astype(float)
    spread = Within.of(WHOLE, requested, SIZES).spread(parts, np.array(start))
    expected = (start * table).sum() + sum((part * added(table, margin)).sum() for margin, part in parts.items())
    assert (spread * table).sum() == pytest.approx(expected, rel=1e-12)


def test_large_tables_are_read_at_most_once_a_key() -> None:
    steps = Within.of(WHOLE, SETS[-1], SIZES).steps
    assert sum(source == WHOLE for source, _ in steps) <= len(WHOLE)
