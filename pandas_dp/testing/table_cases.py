"""Several tables over the same rows, over universes as small as a proof allows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..domain import Breaks, Categories
from ..statistics import DistanceOfTables
from ..tally import CountedTables, Distances, Key, Reading
from .case import GRIDS, LETTERS, Case, universe

TWO = Key("j", Categories((1, 2)))
ONE = Key("j", Categories((1,)))
BINS = Key("x", Breaks((0.0, 5.0, 10.0)), clamp=GRIDS["even"])
TABLES: dict[str, CountedTables] = {
    "one": CountedTables((Reading(LETTERS),), ((0,),)),
    "one, missing": CountedTables((Reading(LETTERS, missing=True),), ((0,),)),
    "each alone": CountedTables((Reading(LETTERS), Reading(TWO)), ((0,), (1,))),
    "pairs": CountedTables((Reading(LETTERS), Reading(TWO, missing=True), Reading(BINS)), ((0, 1), (0, 2), (1, 2))),
    "all": CountedTables((Reading(LETTERS), Reading(TWO)), ((0,), (1,), (0, 1), (1, 0))),
    "of one category": CountedTables((Reading(LETTERS), Reading(ONE)), ((0,), (1,))),
    "of one category alone": CountedTables((Reading(ONE),), ((0,),)),
}
VALUES: dict[str, list[Any]] = {"k": ["a", "b", "zzz", None], "j": [1, 2, None], "x": [0.0, 10.0]}


def distance_cases() -> list[Case]:
    """Distances from tables whose rows are all in the last cells.

    Examples
    --------
    >>> distance_cases()[0].estimator.tally.public.tolist()
    [0, 2]
    """
    found = []
    for name, counted in TABLES.items():
        against = np.zeros(counted.starts[-1], np.int64)
        against[np.array(counted.starts[1:]) - 1] = 2
        columns = {str(each.key.column): VALUES[str(each.key.column)] for each in counted.readings}
        part = DistanceOfTables(Distances(counted, against.tobytes()))
        found.append(Case(f"DistanceOfTables: {name}, wide", part, universe(columns, 2 if len(columns) < 3 else 1)))
    return found
