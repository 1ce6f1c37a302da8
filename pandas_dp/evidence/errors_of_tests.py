"""How likely a statistic as large is where nothing is there to be found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import stdtr

from .noise import Floats, Noise, critical, student_over_normal

LEAST = 1e-12  # smaller p values are not distinguished
MEASURES = ("estimate", "std_error", "lower", "upper", "statistic", "p_value")


def error_of(statistic: float, noises: tuple[Noise, ...], share: float, freedom: float) -> float:
    """The least error at which |statistic| standard deviations are too many, where noise has this share of the
    variance; Student's law where it is normal."""
    if np.isnan(statistic):
        return float("nan")
    if all(noise.gaussian for noise in noises):
        return float(max(LEAST, 2 * stdtr(max(freedom, 1.0), -abs(statistic))))

    def holds(level: Floats) -> Any:
        return critical(level, noises, share) * student_over_normal(level, np.asarray(freedom)) >= abs(statistic)

    return float(least_error(holds))


def least_error(holds: Callable[[Floats], Any]) -> float:
    """The greatest error at which the interval still holds what is tested, by bisection of its logarithm."""
    low, high = np.log(LEAST), np.log(1 - 1e-9)
    for _ in range(45):
        middle = (low + high) / 2
        inside = bool(holds(np.asarray(-np.expm1(middle))))
        low, high = (middle, high) if inside else (low, middle)
    return LEAST if low == np.log(LEAST) else float(np.exp(high))


def one_row(*numbers: float) -> dict[str, Floats]:
    """The columns of a test."""
    return {name: np.array([number], dtype=float) for name, number in zip(MEASURES, numbers, strict=True)}
