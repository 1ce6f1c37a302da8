"""The exact law of what is shown of a tiny table, and the exact distance of two such laws."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from pandas_dp.core.engine.row_ids import KnownIds
from pandas_dp.core.engine.rows import PandasRows
from pandas_dp.core.noise.bounded import Bounded
from pandas_dp.core.noise.mechanism import Law
from pandas_dp.keys.measure import Occurred, Occurring
from pandas_dp.keys.run import Showing
from pandas_dp.keys.schema import Unknown

Outcome = tuple[Any, ...]
Probabilities = dict[Outcome, float]
TEXTS = Unknown("string")
SIGMAS = 18


def weights_of(table: Occurred) -> dict[Any, int]:
    return dict(zip(table.keys, table.weights.tolist(), strict=True))


def seen(values: list[Any], key: Unknown = TEXTS, known: KnownIds | None = None) -> Occurred:
    """What an engine finds in a column of objects."""
    data = pd.Series(values, dtype=object, name="k")
    return PandasRows(data, known).found("keys.fold:Occurs", Occurring("k", key))


def noise_of(law: Law) -> dict[int, float]:
    """All values of the noise that matter, and their probabilities."""
    far = law.m if isinstance(law, Bounded) else int(SIGMAS * law.sd) + 2
    values = np.arange(-far, far + 1)
    return dict(zip(values.tolist(), np.asarray(law.pmf(values), dtype=float).tolist(), strict=True))


def shown(showing: Showing, table: Occurred, keys: list[Any], threshold: int | None = None) -> Probabilities:
    """The joint law of the numbers of these keys, None where one is not shown, and of the number of rows.

    A key that no row has is never shown. Order and rank follow from the numbers.
    """
    weights = weights_of(table)
    above = showing.threshold if threshold is None else threshold
    outcomes: Probabilities = {(): 1.0}
    for key in keys:
        one: dict[Any, float] = {}
        for by, p in noise_of(showing.law).items():
            number = weights.get(key, 0) + by
            number = number if key in weights and number > above else None
            one[number] = one.get(number, 0.0) + p
        outcomes = {(*each, number): p * q for each, p in outcomes.items() for number, q in one.items()}
    if showing.rows is None:
        return outcomes
    rows = noise_of(showing.rows)
    return {(*each, table.rows + by): p * q for each, p in outcomes.items() for by, q in rows.items()}


def hockey_stick(one: Probabilities, other: Probabilities, epsilon: float) -> float:
    """The least delta at which the first keeps epsilon from the second."""
    factor = np.exp(epsilon)
    return float(sum(max(0.0, p - factor * other.get(outcome, 0.0)) for outcome, p in one.items()))


def neighbours(values: list[Any], most: int, relation: str, derived: bool) -> Iterator[tuple[list[Any], list[Any]]]:
    """All pairs of tables with at most so many rows that differ in one row."""
    for size in range(most + 1):
        for rows in product(values, repeat=size):
            if relation == "add_remove" or derived:
                for value in values:
                    yield list(rows), [*rows, value]
            if relation == "replace" and size:
                for value in values:
                    if repr(value) > repr(rows[-1]):
                        yield list(rows), [*rows[:-1], value]
