"""Every person of a few rows over a tiny world, and how far one of them can move an exact answer."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.neighbours import Adjacency

REPLACE = Adjacency(swap=True, vanish=True)
ADD_REMOVE = Adjacency(swap=False, vanish=True)
RELATIONS = {"replace": REPLACE, "add_remove": ADD_REMOVE}

Rows = tuple[tuple[Any, Any], ...]
"""A person: (value, key) of each of her rows; nobody where there is none."""


@cache
def people(values: tuple[Any, ...], keys: tuple[Any, ...], most: int) -> list[Rows]:
    """Everyone with so many rows at most."""
    rows = list(product(values, keys))
    return [each for many in range(most + 1) for each in combinations_with_replacement(rows, many)]


def read(persons: list[Rows], measurements: Any = (), numbers: int | None = None) -> RowsOfPeople:
    """A table of these people, their rows one after the other; of so many numbers that people could have."""
    rows = [row for person in persons for row in person]
    owner = np.array([place for place, person in enumerate(persons) for _ in person], np.int32)
    frame = pd.DataFrame({"x": [x for x, _ in rows], "k": pd.Series([k for _, k in rows], dtype=object)})
    return RowsOfPeople(frame, owner, numbers or len(persons), measurements)


def brought(measurement: Any, persons: list[Rows]) -> np.ndarray[Any, Any]:
    """What each adds to the exact answer: person × cell × coordinate."""
    return np.array([read([person]).fold(measurement) for person in persons]).astype(object)


def moved(measurement: Any, norm: int, adjacency: Adjacency, exact: np.ndarray[Any, Any]) -> tuple[float, Fraction]:
    """How far apart neighbours are at most over all that people bring, in the measurement's weights; and what it
    says."""
    weights = np.array([float(each) for each in measurement.weights(norm, adjacency)])
    found = (exact / weights).astype(float)
    apart = found[:, None] - (found[None, :] if adjacency.swap else 0)  # from another person, or from nobody
    return float((np.abs(apart) ** norm).sum(axis=(2, 3)).max()), measurement.sensitivity(norm, adjacency)
