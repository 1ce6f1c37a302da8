"""Secret samples of rows: how often one row is in a sample, which is all that a bound on its privacy needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from ..core.arrays import Floats
from ..core.budget.cost import Approximate
from ..core.noise.gaussian import DiscreteGaussian
from ..errors import BadCost

__all__ = ["Losses", "Sample", "delta_of", "epsilon_of", "least_variance", "resample", "subset"]


NEVER = 2.0**-70  # a chance that is given up, as if the answer then revealed everything


@dataclass(frozen=True)
class Sample:
    """A sample that nobody sees, drawn afresh for each replicate, from a public number of rows.

    Attributes
    ----------
    inside
        The probability that a given row is in the sample at all.
    copies
        The probability of each number of copies, 1 and more.
    rest
        The probability of more copies than are listed.

    Examples
    --------
    >>> Sample(0.5, ((1, 0.25), (2, 0.25)))
    Sample(inside=0.5, copies=((1, 0.25), (2, 0.25)), rest=0.0)
    """

    inside: float
    copies: tuple[tuple[int, float], ...]
    rest: float = 0.0

    @property
    def mean(self) -> float:
        """The expected number of copies.

        Examples
        --------
        >>> Sample(0.5, ((1, 0.25), (2, 0.25))).mean
        0.75
        """
        return sum(number * chance for number, chance in self.copies)


def subset(size: int, rows: int) -> Sample:
    """A uniformly random subset of so many rows: `subset(rows // 2, rows)` is a half-sample.

    Examples
    --------
    >>> subset(250, 500)
    Sample(inside=0.5, copies=((1, 0.5),), rest=0.0)
    """
    if not 0 < size <= rows:
        raise ValueError(f"a subset of {rows} rows has from 1 to {rows} of them, not {size}.")
    share = float(Fraction(size, rows))
    return Sample(share, ((1, share),))


def resample(rows: int) -> Sample:
    """As many draws with replacement as there are rows: the bootstrap's own resample.

    Examples
    --------
    >>> [round(chance, 4) for _, chance in resample(1000).copies[:3]]
    [0.3681, 0.184, 0.0613]
    """
    if rows < 1:
        raise ValueError(f"a resample needs a row, not {rows}.")
    if rows == 1:
        return Sample(1.0, ((1, 1.0),))
    chance = math.exp(rows * math.log1p(-1 / rows))  # of no copy; of one more each time around
    inside = -math.expm1(rows * math.log1p(-1 / rows))
    copies: list[tuple[int, float]] = []
    for number in range(1, rows + 1):
        chance *= (rows - number + 1) / (number * (rows - 1))
        if chance < NEVER:
            return Sample(inside, tuple(copies), 2 * chance)  # each further chance is less than half of the one before
        copies.append((number, chance))
    return Sample(inside, tuple(copies))


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

    def _about(self, requested: float) -> Tilted:
        """The tilt, not below 0, under which the mean is about what is wanted; any tilt gives a valid bound."""
        plain = self._tilted(0.0)
        return plain if plain.mean >= requested else self._moved(plain, requested)

    def _moved(self, start: Tilted, requested: float) -> Tilted:
        """A tilt nearer to that under which the mean is what is wanted, and not beyond it."""
        up, near, step = requested > start.mean, start, 1.0
        far = self._tilted(near.tilt + (step if up else -step))
        while (far.mean < requested) is up and step < 2.0**40:
            near, step = far, 2 * step
            far = self._tilted(near.tilt + (step if up else -step))
        for _ in range(6):
            middle = self._tilted((near.tilt + far.tilt) / 2)
            near, far = (middle, far) if (middle.mean < requested) is up else (near, middle)
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


FINENESS = 20  # steps of the grid in a standard deviation of one replicate's loss
MOST_STEPS = 2**15
TAIL = 2.0**-70  # the probability that is counted as an infinite loss
LEAST_DELTA = Fraction(1, 10**15)  # far above TAIL
MARGIN = Fraction(101, 100)  # on the variance, for what floats may have lost
NEAR = 5e-4  # how near the search comes, in the logarithm of the variance


@cache
def least_variance(cost: Approximate, replicates: int, sample: Sample, sensitivity: int) -> Fraction:
    """The σ² of the discrete Gaussian noise on each replicate with which all together keep the cost.

    A replicate is a whole number that a statistic takes on a secret sample. This is the least such σ², but for
    a margin of one hundredth. Use it as it is: where σ is a few steps, more noise may reveal more.

    Parameters
    ----------
    cost
        What all replicates together cost.
    replicates
        How many.
    sample
        How each sample is drawn, independently of all others.
    sensitivity
        How far replacing one member of a sample can move the statistic, in whole steps.

    Examples
    --------
    >>> from pandas_dp.numeric.accounting_bootstrap import subset
    >>> cost = Approximate(Fraction(3), Fraction(1, 10**6))
    >>> float(round(least_variance(cost, 50, subset(250, 500), sensitivity=1000) / 1000**2, 1))
    32.7
    """
    if replicates < 1 or sensitivity < 1:
        raise ValueError(
            f"replicates and sensitivity are whole numbers above zero, not {replicates} and {sensitivity}."
        )
    if cost.delta < LEAST_DELTA:
        raise BadCost(f"{cost}: replicates from secret samples need a delta of at least {float(LEAST_DELTA)}.")
    epsilon, delta = float(cost.epsilon) * (1 - 2.0**-50), float(cost.delta) * (1 - 2.0**-50)

    def excess(log: float) -> float:
        law = DiscreteGaussian(Fraction(math.exp(log)))
        return math.log(max(delta_of(law, replicates, sample, sensitivity, epsilon), TAIL)) - math.log(delta)

    def fits(variance: Fraction) -> bool:
        return delta_of(DiscreteGaussian(variance), replicates, sample, sensitivity, epsilon) <= delta

    low = high = math.log(replicates * (sample.mean * sensitivity) ** 2 / (2 * float(cost.concentrated().rho)))
    while excess(low) <= 0:
        low -= 0.5
    while excess(high) > 0:
        high += 0.5
    found = Fraction(math.exp(brentq(excess, low, high, xtol=NEAR) + NEAR))
    while not (fits(found) and fits(rounded_up(found * MARGIN))):
        found *= Fraction(1001, 1000)
    return rounded_up(found * MARGIN)


def delta_of(law: DiscreteGaussian, replicates: int, sample: Sample, sensitivity: int, epsilon: float) -> float:
    """A delta, rounded up, for which the replicates together are (epsilon, delta)-DP.

    Examples
    --------
    >>> from pandas_dp.numeric.accounting_bootstrap import subset
    >>> noise = DiscreteGaussian(Fraction(33 * 1000**2))
    >>> delta_of(noise, 50, subset(250, 500), sensitivity=1000, epsilon=3.0) < 1e-6
    True
    """
    return _losses(law, sample, sensitivity).delta(epsilon, replicates)


def epsilon_of(law: DiscreteGaussian, replicates: int, sample: Sample, sensitivity: int, delta: float) -> float:
    """An epsilon, rounded up, for which the replicates together are (epsilon, delta)-DP; infinite if there is none.

    Examples
    --------
    >>> from pandas_dp.numeric.accounting_bootstrap import subset
    >>> noise = DiscreteGaussian(Fraction(33 * 1000**2))
    >>> epsilon_of(noise, 50, subset(250, 500), sensitivity=1000, delta=1e-6) < 3
    True
    """
    losses = _losses(law, sample, sensitivity)
    low, high = 0.0, 1.0
    if losses.delta(low, replicates) <= delta:
        return low
    while losses.delta(high, replicates) > delta:
        low, high = high, 2 * high
        if high > 2.0**20:
            return math.inf
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if losses.delta(middle, replicates) > delta else (low, middle)
    return high


def rounded_up(value: Fraction) -> Fraction:
    """To thirty binary digits."""
    shift = 30 - value.numerator.bit_length() + value.denominator.bit_length()
    return Fraction(math.ceil(value * Fraction(2) ** shift)) / Fraction(2) ** shift


@lru_cache(maxsize=16)
def _losses(law: DiscreteGaussian, sample: Sample, sensitivity: int) -> Losses:
    """The loss of one replicate, between the worst pair of neighbours that there could be, in both directions."""
    scale = min(1.0, sample.mean * sensitivity / math.sqrt(law.sigma_squared))
    ends = np.geomspace(8 * scale, 8e8 * scale, 84)
    most = float(ends[np.argmax(_above(law, sample, sensitivity, ends)[0] <= TAIL + sample.rest)])
    step = max(scale / FINENESS, most / MOST_STEPS)
    above, other = _above(law, sample, sensitivity, np.arange(math.ceil(most / step) + 1) * np.float64(step))
    return Losses.mirrored(step, above, other)


def _above(law: DiscreteGaussian, sample: Sample, sensitivity: int, losses: Floats) -> tuple[Floats, Floats]:
    """The probabilities, under either hypothesis, that the loss exceeds each of these, none of which is below 0."""
    outside = (1 - sample.inside) / sample.inside
    ratio = losses + np.log1p(outside * -np.expm1(-losses))  # the loss of those inside: γ = 1 + (e^loss − 1)/inside
    far, near = np.zeros_like(losses), np.zeros_like(losses)
    for number, chance in sample.copies:
        shift = number * sensitivity
        last = np.floor(float(law.sigma_squared / shift) * ratio + shift / 2)
        far += chance * law.sf(last - shift)
        near += chance * law.sf(last)
    return far + outside * near + sample.rest, near / sample.inside
