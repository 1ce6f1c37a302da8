"""How far a weighted sum of independent noises may be off."""

from __future__ import annotations

from functools import lru_cache
from math import inf, isfinite, sqrt

import numpy as np

from .total import Term

POINTS = 2**15  # of the grid on which the distribution function is computed
RANGE = 20.0  # standard deviations on either side; beyond lies less than 10^-11 even of one Laplace variable
SMOOTH = 2.0  # grid steps, the standard deviation of a normal variable added so that the sum has a density
AWAY = 6.5  # of its standard deviations, which it exceeds with less than 10^-10


@lru_cache(maxsize=256)
def half_width_of_mixed(terms: tuple[Term, ...], level: float) -> float:
    """The sum stays within this with probability `level` or more; too wide by 2 in 100 standard deviations.

    Its characteristic function, times that of a narrow normal variable, is turned into a density on a grid. Both
    together stay within w where the sum stays within w less what the normal variable can add.
    """
    sd = sqrt(sum(draws * (worth * law.sd) ** 2 for law, worth, draws in terms))
    if not sd or not isfinite(sd):
        return 0.0 if not sd else inf
    step = 2 * RANGE * sd / POINTS
    angle = 2 * np.pi * np.arange(POINTS // 2 + 1) / (POINTS * step)
    spectrum = np.exp(-((SMOOTH * step * angle) ** 2) / 2)
    for law, worth, draws in terms:
        if worth:
            spectrum *= law.cf(angle * abs(worth)) ** draws
    masses = np.maximum(np.fft.irfft(spectrum, POINTS), 0)
    inside = (masses[0] + 2 * np.cumsum(masses[1 : POINTS // 2])) / (masses[0] + 2 * masses[1 : POINTS // 2].sum())
    return float(step * (1.5 + np.searchsorted(inside, level + 1e-9) + SMOOTH * AWAY))
