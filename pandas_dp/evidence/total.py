"""The law of a sum of independent noises: on a lattice, every error on the safe side. See docs/proofs/intervals.md."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..dataclass import dataclass
from ..laws import Law

Floats = npt.NDArray[np.float64]
MOST_STEPS = 1 << 17  # lattice points on each side of zero, at most
COARSE_STEPS = 1 << 16  # and as many where the lattice is not that of the noise
BEYOND = 1e-13  # the probability that a sum lies beyond its lattice, by Chernoff's bound
ERROR = 1e-12  # that and the rounding errors of the transform, whose terms are 1 at most

Term = tuple[Law, float, int]  # a law of whole numbers, what a step is worth, and how many such draws are added


@dataclass(frozen=True)
class Total:
    """A symmetric sum S of noises: |S - step·K| <= slack for a whole number K with these tails."""

    step: float
    slack: float
    beyond: Floats  # P(|K| >= k) for k = 0, 1, ...
    error: float

    def half_width(self, level: float) -> float:
        """|S| stays within this with probability `level` or more; the least such step where there is no slack."""
        enough = np.flatnonzero(self.beyond <= 1 - level - self.error)
        first = int(enough[0]) if len(enough) else len(self.beyond)  # beyond the lattice lies hardly anything
        return self.step * (first - 1) + self.slack

    def tail(self, distance: npt.ArrayLike) -> Floats:
        """P(|S| >= distance), never below the truth, and above it by 10^-12 and the slack."""
        steps = (np.asarray(distance, dtype=float) - self.slack) / self.step
        at = np.ceil(steps - 1e-9 * (1 + np.abs(steps)))
        known = self.beyond[np.clip(np.nan_to_num(at), 0, len(self.beyond) - 1).astype(np.int64)]
        return np.where(np.isnan(steps), np.nan, np.minimum(known + self.error, 1.0))


@lru_cache(maxsize=256)
def total_of(terms: tuple[Term, ...]) -> Total:
    """The law of the sum of all draws of all terms."""
    assert all(worth > 0 for _, worth, _ in terms)
    worths = {worth for _, worth, _ in terms}
    farthest, draws = _farthest(terms), sum(times for _, _, times in terms)
    own = worths.pop()
    if not worths and farthest / own <= MOST_STEPS:
        step, slack = own, 0.0
    else:  # each draw moves by half a step at most, and all together as Hoeffding says
        step = farthest / COARSE_STEPS
        slack = step * min(draws / 2, sqrt(draws * log(2 / BEYOND) / 2))
    size = 2 * (ceil(farthest / step) + 1)
    product: Any = 1.0
    for law, worth, times in terms:
        product = product * np.fft.rfft(_masses(law, step / worth, size)) ** times
    masses = np.maximum(np.fft.irfft(product, size), 0.0)[1 : size // 2]
    beyond = np.array([1.0, *np.minimum(2 * np.cumsum(masses[::-1])[::-1], 1.0), 0.0])
    return Total(step, slack, beyond, ERROR + 2.0**-50 * draws)


def _masses(law: Law, ratio: float, size: int) -> Floats:
    """P(round(X / ratio) = j) for j = 0, 1, ..., -1, as a transform wants it."""
    half = size // 2
    above = np.asarray(law.sf(np.floor((np.arange(half + 1) + 0.5) * ratio)))  # beyond j + 1/2
    right = above[:-1] - above[1:]  # j = 1, 2, ..., half
    masses = np.zeros(size)
    masses[0] = 1 - 2 * above[0]
    masses[1 : half + 1] += right
    masses[-half:] += right[::-1]
    return masses


def _farthest(terms: tuple[Term, ...]) -> float:
    """|S| and each draw stay within this, but for a probability of BEYOND and 2^-50 a draw."""
    alone = [worth * (law.half_width(1 - 2.0**-50) + 1) for law, worth, _ in terms]
    together = sum(reach * times for reach, (_, _, times) in zip(alone, terms, strict=True))
    sd = sqrt(sum(law.variance * worth**2 * times for law, worth, times in terms)) or together
    rates = np.geomspace(1e-3, 1e3, 400) / sd
    exponents = sum(times * law.log_moment(rates * worth) for law, worth, times in terms)
    chernoff = float(np.min((exponents + log(2 / BEYOND)) / rates))
    return max([*alone, min(together, chernoff)])
