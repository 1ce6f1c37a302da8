"""The most likely mean of one Poisson count behind noise, cell by cell: what any model is compared with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .masses import Masses
from .posterior import LEAST_MEAN, Posterior

Floats = npt.NDArray[np.float64]

NEAR_ENOUGH = 1e-6  # of a mean, in standard deviations
STEPS = 100
CELLS_AT_ONCE = 8_192


def saturated(tables: Floats, masses: Masses) -> tuple[Floats, Floats]:
    """The means, zero where no count above zero is more likely, and the log likelihood of each cell.

    As the noise falls away from zero, the likelihood has one peak, at zero if the released number is not positive.
    """
    values, back = np.unique(tables, return_inverse=True)
    mean, likely = np.zeros_like(values), masses.log(values)
    above = np.flatnonzero(values > 0)
    for at in range(0, len(above), CELLS_AT_ONCE):
        some = above[at : at + CELLS_AT_ONCE]
        mean[some], likely[some] = _peak(values[some], masses)
    return mean[back].reshape(tables.shape), likely[back].reshape(tables.shape)


def _peak(values: Floats, masses: Masses) -> tuple[Floats, Floats]:
    """Newton's steps in the logarithm, kept between a mean that is too small and one that is too large."""
    low, high = np.full_like(values, LEAST_MEAN), np.full_like(values, np.inf)
    mean, posterior = values.copy(), Posterior(values, values, masses)
    for _ in range(STEPS):
        average, likely, spread = posterior.at(mean, spread=True)
        rises = average - mean  # the slope of the log likelihood in log mean
        low, high = np.where(rises > 0, mean, low), np.where(rises > 0, high, mean)
        if np.all(np.abs(rises) <= NEAR_ENOUGH * np.sqrt(mean)):
            break
        step = np.where(spread < mean, rises / np.maximum(mean - spread, 1e-9 * mean), np.sign(rises))
        wanted = mean * np.exp(np.clip(step, -1.0, 1.0))
        middle = np.where(np.isfinite(high), (low + high) / 2, 2 * mean)
        mean = np.where((wanted > low) & (wanted < high), wanted, middle)
    return mean, likely
