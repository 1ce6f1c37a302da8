"""A population with the ages of California in the census of 2000, from which the coverage tests draw their samples."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.schema.values import Interval

SHARES = {  # per cent by age in years, from and to
    (0, 4): 7.3,
    (5, 9): 8.0,
    (10, 14): 7.6,
    (15, 19): 7.2,
    (20, 24): 7.0,
    (25, 34): 15.4,
    (35, 44): 16.2,
    (45, 54): 12.8,
    (55, 59): 4.3,
    (60, 64): 3.4,
    (65, 74): 5.6,
    (75, 84): 3.8,
    (85, 99): 1.3,
}
YEARS = np.arange(100)
PROBABILITIES = np.array(
    [sum(w / (high - low + 1) for (low, high), w in SHARES.items() if low <= year <= high) for year in YEARS]
)
PROBABILITIES = PROBABILITIES / PROBABILITIES.sum()
MEAN = float(YEARS @ PROBABILITIES)
SD = float(np.sqrt((YEARS - MEAN) ** 2 @ PROBABILITIES))
AGE = Variable("x", Interval(Fraction(0), Fraction(100), "float"))


def samples(count: int, n: int, seed: int) -> np.ndarray:
    """One line, one simple random sample."""
    return np.random.default_rng(seed).choice(YEARS, (count, n), p=PROBABILITIES).astype(float)
