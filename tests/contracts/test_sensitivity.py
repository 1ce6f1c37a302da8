"""Contract 1 again, over tables of anything: objects, infinities, times, texts, whatever a cell can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pandas_dp.audit import WORLDS, World, distances, weights
from pandas_dp.audit.sensitivity import answer_of
from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from tests.contracts.cases import measurements

from .questions import ODDITIES

COLUMNS = ["x", "y", "z", "k", "j", "i", "w", "h", "e"]
MEASUREMENTS = list(measurements().items())
ORDINARY: list[Any] = [0, 1, 2, 3, 5, 10, -2, 0.25, 1.5, "a", "b"]

cell = st.one_of(
    st.integers(0, len(ODDITIES) - 1).map(lambda place: ODDITIES[place]),
    st.integers(0, len(ORDINARY) - 1).map(lambda place: ORDINARY[place]),
    st.integers(),
    st.floats(),
)
row = st.tuples(*[cell] * len(COLUMNS))


def frame_of(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    made = {}
    for place, name in enumerate(COLUMNS):
        column = np.empty(len(rows), dtype=object)
        for at, each in enumerate(rows):
            column[at] = each[place]
        made[name] = pd.Series(column, dtype=object)
    return pd.DataFrame(made)


def read(rows: list[tuple[Any, ...]], world: World, ids: list[int]) -> PandasRows:
    frame = frame_of(rows)
    return PandasRows(frame, None) if world.whole else PandasRows(frame.set_axis(ids), KnownIds(9))


@pytest.mark.slow
@settings(max_examples=600, deadline=None, derandomize=True)
@given(
    asked=st.integers(0, len(MEASUREMENTS) - 1),
    others=st.lists(row, max_size=4),
    here=row,
    there=row,
    swap=st.booleans(),
    copies=st.integers(0, 2),
    pick=st.integers(0, 3),
)
def test_one_row_of_anything_stays_within_reach(
    asked: int,
    others: list[tuple[Any, ...]],
    here: tuple[Any, ...],
    there: tuple[Any, ...],
    swap: bool,
    copies: int,
    pick: int,
) -> None:
    """In a derived frame a row may also stand several times, with whatever values."""
    measurement, (_, worlds) = MEASUREMENTS[asked]
    world = worlds[pick % len(worlds)]
    swap = world.swaps and (swap or not world.vanishes)
    many = 1 if world.whole else 1 + copies
    ids = [*range(len(others)), *[8] * many]
    one = read([*others, *[here] * many], world, ids)
    two = read([*others, *[there, here][:many], *[there] * max(0, many - 2)] if swap else others, world,
               ids if swap else ids[: len(others)])  # fmt: skip
    found = np.stack([answer_of(measurement, one), answer_of(measurement, two)])
    adjacency = world.relation.adjacency(world.whole)
    for norm in (1, 2):
        (apart,) = distances(measurement, found, np.array([[0, 1]]), norm, weights(measurement, norm, world))  # type: ignore[arg-type]
        assert apart <= float(measurement.sensitivity(norm, adjacency)) * (1 + 1e-9)  # type: ignore[arg-type]


def test_rows_of_anything_have_the_columns_of_every_question() -> None:
    for measurement, (_, worlds) in MEASUREMENTS:
        answer_of(measurement, read([], worlds[0], []))


def test_all_worlds_were_tried() -> None:
    assert {world for _, (_, worlds) in MEASUREMENTS for world in worlds} == set(WORLDS)
