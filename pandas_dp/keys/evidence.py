"""Released numbers of keys that nobody declared: known because they were shown, which their intervals allow for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import Evidence, Seen
from ..core.evidence.noise import Noise
from ..core.schema.values import Spelling

SURE = 1 - 1e-9  # of a tail in floats, which is good to eleven digits


@dataclass(frozen=True)
class KeyNumbers(Evidence):
    """Numbers of keys that are shown where noise brought them above the threshold, most first.

    With `other` the last number is what is left of all rows: `size` of them, as noisy as `rows` says (None: public).
    An interval holds all true numbers to which what is shown, given that it is shown, is no surprise.
    """

    statistic: str
    values: Seen
    noise: Noise
    threshold: int  # in steps of the noise
    least: int  # steps that a key has at least
    other: bool = False
    rows: Noise | None = None
    spelling: Spelling | None = None  # how texts were made alike
    kind: ClassVar[str] = "found"

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Of other rows: of all rows less the keys shown, each at a level at which all hold together."""
        shown = self.values[:-1] if self.other else self.values
        low, high = self._behind(shown, level)
        if not self.other:
            return low, high
        total = float(self.values.sum())
        one = 1 - (1 - level) / (len(shown) + (self.rows is not None)) if len(self.values) > 1 or self.rows else level
        least, most = self._behind(shown, one)
        half = 0.0 if self.rows is None else self.rows.half_width(one)
        left = total - half - most.sum(), total + half - least.sum()
        return np.append(low, max(left[0], 0.0)), np.append(high, max(left[1], 0.0))

    def _behind(self, shown: Array, level: float) -> tuple[Floats, Floats]:
        """The least and greatest true number to which a number shown is no surprise on either side.

        Given that it is shown, a number is the less often large the smaller the true number is, as the noise is
        log-concave, so each end is found by halving.
        """
        step, tail = self.noise.step, (1 - level) / 2
        steps = np.rint(np.asarray(shown, dtype=float) / step)
        far = self.noise.law.quantile(1 - tail / 2) + 1.0
        floor = np.full(len(steps), float(self.least))
        low = _first(lambda n: self._tails(steps, n)[0] > tail * SURE, floor, np.maximum(steps, floor))
        high = _first(lambda n: self._tails(steps, n)[1] <= tail * SURE, floor, np.maximum(steps, floor) + far)
        return low * step, np.maximum(high - 1, low) * step

    def _tails(self, shown: Floats, true: Floats) -> tuple[Floats, Floats]:
        """P(Y >= y) and P(Y <= y), given that Y is above the threshold."""
        law = self.noise.law
        with np.errstate(invalid="ignore", divide="ignore"):
            all_shown = law.sf(self.threshold - true)
            return law.sf(shown - true - 1) / all_shown, (all_shown - law.sf(shown - true)) / all_shown


def _first(holds: Callable[[Floats], Array], low: Floats, high: Floats) -> Floats:
    """The least whole number from `low` on for which it holds, for each; it stays true, and is at `high`."""
    low, high = low.copy(), high.copy()
    while np.any(low < high):
        middle = np.floor((low + high) / 2)
        there = holds(middle)
        low, high = np.where(there | (low >= high), low, middle + 1), np.where(there & (low < high), middle, high)
    return high
