"""Promises that are weaker than dp because their scale is private: one statistic at a time, noise found by looking."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...neighbours import Setting
from ...statistics import Estimator, RankedValue
from ...tally import Rows
from .facts import Column, Facts, Scaled, Stretch
from .finals import Final
from .plan import asked_of, steps_of
from .portions import Portions
from .promise import FLOOR, NTH, Asked, Surroundings, Weaker
from .reading import facts_of
from .statistics import finals_of, told_of


def exact_of(statistic: Estimator, setting: Setting, rows: Rows) -> np.ndarray[Any, Any]:
    """The number of each cell without noise, in the column's unit: for the custodian's eyes alone."""
    statistic = statistic.single if isinstance(statistic, RankedValue) else statistic
    finals = finals_of(statistic, setting)
    if not finals:
        return np.asarray(statistic.conclude((), setting).estimate, dtype=float)
    exact = told_of(statistic, tuple(final.numbers(facts_of(rows, final, 1)) for final in finals), setting)
    return np.asarray(exact.estimate, dtype=float)


__all__ = [
    "FLOOR",
    "NTH",
    "Asked",
    "Column",
    "Facts",
    "Final",
    "Portions",
    "Scaled",
    "Stretch",
    "Surroundings",
    "Weaker",
    "asked_of",
    "exact_of",
    "facts_of",
    "finals_of",
    "steps_of",
    "told_of",
]
