"""Plans in which the largest variance of all tables is least: those of a sum, with the weights that make them even."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

Plan = TypeVar("Plan")
ROUNDS = 100
NEAR = 1e-3  # how far, in parts, the largest variance may be above what no plan can be below


def of_least_largest(many: int, planned: Callable[[tuple[float, ...]], tuple[Plan, Sequence[float]]]) -> Plan:
    """The plan of least largest variance, by `planned`, which makes that of a weighted sum and says its variances.

    A weighted mean of variances that is least is below the largest of any plan. So weights move to tables whose
    variance is above the mean, until the largest is hardly more than the mean.
    """
    weights = np.full(many, 1 / many)
    tried: list[tuple[float, Plan]] = []
    for _ in range(ROUNDS):
        found, each = planned(tuple(weights.tolist()))
        variances = np.array(each)
        tried.append((float(variances.max()), found))
        mean = float(weights @ variances)
        if variances.max() <= mean * (1 + NEAR):
            break
        weights = np.maximum(weights * (variances / mean) ** 2, 1e-12)
        weights = weights / weights.sum()
    return min(tried, key=lambda each: each[0])[1]
