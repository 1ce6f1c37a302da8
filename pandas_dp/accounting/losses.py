"""The privacy loss of one noisy answer, and of many independent ones, bounded from above on a grid.

Proof and rounding: docs/proofs/resampling.md.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..dataclass import dataclass

Floats = npt.NDArray[np.float64]

OUTSIDE = 2.0**-36  # how much of a tilted sum may lie outside of the window; it is added to delta
ROUNDING = 2.0**-42  # what transforms in floats may lose of it, for each term and root of the length; added too
SHORT = 2**17  # so short a transform is cheaper than a bound on what lies outside of a shorter one
HUGE = 700.0  # beyond it e^loss would not be a float; a lower power moves more to the far side


@dataclass(frozen=True, eq=False)
class Losses:
    """The law of a privacy loss under the first of two hypotheses: multiples of a step, and infinity.

    Attributes
    ----------
    first
        The lowest loss, in steps.
    masses
        The probability of each loss from there on.
    endless
        The probability of an infinite loss.

    Examples
    --------
    >>> answer = Losses.mirrored(0.5, np.array([0.6, 0.3, 0.0]), np.array([0.2, 0.1, 0.0]))
    >>> answer.masses.round(3).tolist()
    [0.11, 0.182, 0.2, 0.3, 0.3]
    """

    step: float
    first: int
    masses: Floats
    endless: float

    @classmethod
    def mirrored(cls, step: float, above: Floats, other: Floats) -> Losses:
        """A loss whose negative has, under the second hypothesis, the law that it has under the first.

        Parameters
        ----------
        above, other
            The probabilities, under either hypothesis, that the loss exceeds 0, 1, 2, … steps.

        Notes
        -----
        What lies between two points of the grid is moved to both so that neither probability changes. This
        draws chords over the profile delta(e^epsilon), which is convex, so that the grid's is nowhere lower.
        """
        at = step * np.arange(len(above))
        between, as_other = -np.diff(above), -np.diff(other)
        raised = as_other * np.exp(np.minimum(at[:-1], HUGE))
        far = np.clip((between - raised) / -math.expm1(-step), 0, between)
        right = np.append(between - far, 0.0) + np.append(0.0, far)
        left = right * np.exp(-at)
        left[-1] += other[-1]
        middle = right[:1] + left[:1] + max(0.0, 1 - above[0] - other[0])
        masses = np.concatenate([left[:0:-1], middle, right[1:]])
        return cls(step, 1 - len(above), masses, float(above[-1]))

    def delta(self, epsilon: float, times: int = 1) -> float:
        """The mean of (1 − e^(epsilon − L))₊, rounded up, where L is the sum of so many independent losses.

        The sum is taken under a tilt that makes losses of about epsilon likely, so that the error of a
        transform in floats is small beside what is sought, however small that is.
        """
        endless = -math.expm1(times * math.log1p(-self.endless))
        if epsilon >= times * self._at[-1]:
            return endless
        tilted = self._about(epsilon / times)
        size, outside = self._window(tilted, times)
        folded = np.bincount(self._places % size, tilted.weights, minlength=size)
        sums = np.fft.irfft(np.fft.rfft(folded) ** times, size)
        start = max(round(times * tilted.mean / self.step) - size // 2, math.floor(epsilon / self.step) + 1)
        stop = round(times * tilted.mean / self.step) + size // 2
        over = np.arange(start, stop) * self.step - epsilon
        likely = np.maximum(sums.take(np.arange(start, stop), mode="wrap"), 0.0)
        excess = likely * -np.expm1(-over) * np.exp(-tilted.tilt * over)
        scale = math.exp(times * tilted.cumulant - tilted.tilt * epsilon)
        return endless + scale * (float(excess.sum()) + outside + times * math.sqrt(size) * ROUNDING)

    @cached_property
    def _places(self) -> npt.NDArray[np.int64]:
        """Where there is any mass, in steps."""
        return np.asarray(self.first + np.flatnonzero(self.masses > 0))

    @cached_property
    def _at(self) -> Floats:
        return np.asarray(self._places * self.step, dtype=np.float64)

    @cached_property
    def _logs(self) -> Floats:
        return np.asarray(np.log(self.masses[self._places - self.first]))

    def _tilted(self, tilt: float) -> Tilted:
        exponents = tilt * self._at + self._logs
        top = float(exponents.max())
        weights = np.exp(exponents - top)
        total = float(weights.sum())
        weights /= total
        return Tilted(tilt, top + math.log(total), float(weights @ self._at), weights)

    def _about(self, wanted: float) -> Tilted:
        """The tilt, not below 0, under which the mean is about what is wanted; any tilt gives a valid bound."""
        plain = self._tilted(0.0)
        return plain if plain.mean >= wanted else self._moved(plain, wanted)

    def _moved(self, start: Tilted, wanted: float) -> Tilted:
        """A tilt nearer to that under which the mean is what is wanted, and not beyond it."""
        up, near, step = wanted > start.mean, start, 1.0
        far = self._tilted(near.tilt + (step if up else -step))
        while (far.mean < wanted) is up and step < 2.0**40:
            near, step = far, 2 * step
            far = self._tilted(near.tilt + (step if up else -step))
        for _ in range(6):
            middle = self._tilted((near.tilt + far.tilt) / 2)
            near, far = (middle, far) if (middle.mean < wanted) is up else (near, middle)
        return near

    def _window(self, tilted: Tilted, times: int) -> tuple[int, float]:
        """The length of a transform, and how much of the tilted sum may lie outside of it around its mean."""
        spread = times * float(tilted.weights @ (self._at - tilted.mean) ** 2)
        whole = times * (int(self._places[-1] - self._places[0]) + 1)
        size = 1 << math.ceil(math.log2(2 + 12 * math.sqrt(spread) / self.step))
        if 2 * whole <= SHORT:
            return 1 << math.ceil(math.log2(2 * whole)), 0.0
        while size < 2 * whole:
            width = (size // 2 - 1) * self.step
            outside = self._beyond(tilted, times, width) + self._beyond(tilted, times, -width)
            if outside <= OUTSIDE:
                return size, outside
            size *= 2
        return size, 0.0

    def _beyond(self, tilted: Tilted, times: int, width: float) -> float:
        """Chernoff's bound on the tilted sum's being further than this from its mean, on the same side."""
        limit = tilted.mean + width / times
        if not self._at[0] <= limit <= self._at[-1]:
            return 0.0
        moved = self._moved(tilted, limit)
        growth, more = moved.cumulant - tilted.cumulant, moved.tilt - tilted.tilt
        return math.exp(min(0.0, times * (growth - more * tilted.mean) - more * width))


@dataclass(frozen=True, eq=False)
class Tilted:
    """A loss whose probabilities were multiplied by e^(tilt·L) and made to sum to one.

    Attributes
    ----------
    cumulant
        The logarithm of what they summed to.
    """

    tilt: float
    cumulant: float
    mean: float
    weights: Floats
