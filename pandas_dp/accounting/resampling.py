"""The privacy of replicates: answers from secret samples, each with discrete Gaussian noise of its own.

Proof: docs/proofs/resampling.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, lru_cache

import numpy as np
from scipy.optimize import brentq

from ..cost import Approximate
from ..errors import BadCost
from ..laws import DiscreteGaussian
from .losses import Floats, Losses
from .samples import Sample

FINENESS = 20  # steps of the grid in a standard deviation of one replicate's loss
MOST_STEPS = 2**15
TAIL = 2.0**-70  # the probability that is counted as an infinite loss
LEAST_DELTA = Fraction(1, 10**15)  # far above TAIL
MARGIN = Fraction(101, 100)  # on the variance, for what floats may have lost
NEAR = 5e-4  # how near the search comes, in the logarithm of the variance


@cache
def least_variance(cost: Approximate, replicates: int, sample: Sample, reach: int) -> Fraction:
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
    reach
        How far replacing one member of a sample can move the statistic, in whole steps.

    Examples
    --------
    >>> from pandas_dp.accounting import subset
    >>> cost = Approximate(Fraction(3), Fraction(1, 10**6))
    >>> float(round(least_variance(cost, 50, subset(250, 500), reach=1000) / 1000**2, 1))
    32.7
    """
    if replicates < 1 or reach < 1:
        raise ValueError(f"replicates and reach are whole numbers above zero, not {replicates} and {reach}.")
    if cost.delta < LEAST_DELTA:
        raise BadCost(f"{cost}: replicates from secret samples need a delta of at least {float(LEAST_DELTA)}.")
    epsilon, delta = float(cost.epsilon) * (1 - 2.0**-50), float(cost.delta) * (1 - 2.0**-50)

    def excess(log: float) -> float:
        law = DiscreteGaussian(Fraction(math.exp(log)))
        return math.log(max(delta_of(law, replicates, sample, reach, epsilon), TAIL)) - math.log(delta)

    def fits(variance: Fraction) -> bool:
        return delta_of(DiscreteGaussian(variance), replicates, sample, reach, epsilon) <= delta

    low = high = math.log(replicates * (sample.mean * reach) ** 2 / (2 * float(cost.concentrated().rho)))
    while excess(low) <= 0:
        low -= 0.5
    while excess(high) > 0:
        high += 0.5
    found = Fraction(math.exp(brentq(excess, low, high, xtol=NEAR) + NEAR))
    while not (fits(found) and fits(rounded_up(found * MARGIN))):
        found *= Fraction(1001, 1000)
    return rounded_up(found * MARGIN)


def delta_of(law: DiscreteGaussian, replicates: int, sample: Sample, reach: int, epsilon: float) -> float:
    """A delta, rounded up, for which the replicates together are (epsilon, delta)-DP.

    Examples
    --------
    >>> from pandas_dp.accounting import subset
    >>> noise = DiscreteGaussian(Fraction(33 * 1000**2))
    >>> delta_of(noise, 50, subset(250, 500), reach=1000, epsilon=3.0) < 1e-6
    True
    """
    return _losses(law, sample, reach).delta(epsilon, replicates)


def epsilon_of(law: DiscreteGaussian, replicates: int, sample: Sample, reach: int, delta: float) -> float:
    """An epsilon, rounded up, for which the replicates together are (epsilon, delta)-DP; infinite if there is none.

    Examples
    --------
    >>> from pandas_dp.accounting import subset
    >>> noise = DiscreteGaussian(Fraction(33 * 1000**2))
    >>> epsilon_of(noise, 50, subset(250, 500), reach=1000, delta=1e-6) < 3
    True
    """
    losses = _losses(law, sample, reach)
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
def _losses(law: DiscreteGaussian, sample: Sample, reach: int) -> Losses:
    """The loss of one replicate, between the worst pair of neighbours that there could be, in both directions."""
    scale = min(1.0, sample.mean * reach / math.sqrt(law.sigma_squared))
    ends = np.geomspace(8 * scale, 8e8 * scale, 84)
    most = float(ends[np.argmax(_above(law, sample, reach, ends)[0] <= TAIL + sample.rest)])
    step = max(scale / FINENESS, most / MOST_STEPS)
    above, other = _above(law, sample, reach, np.arange(math.ceil(most / step) + 1) * np.float64(step))
    return Losses.mirrored(step, above, other)


def _above(law: DiscreteGaussian, sample: Sample, reach: int, losses: Floats) -> tuple[Floats, Floats]:
    """The probabilities, under either hypothesis, that the loss exceeds each of these, none of which is below 0."""
    outside = (1 - sample.inside) / sample.inside
    ratio = losses + np.log1p(outside * -np.expm1(-losses))  # the loss of those inside: γ = 1 + (e^loss − 1)/inside
    far, near = np.zeros_like(losses), np.zeros_like(losses)
    for number, chance in sample.copies:
        shift = number * reach
        last = np.floor(float(law.sigma_squared / shift) * ratio + shift / 2)
        far += chance * law.sf(last - shift)
        near += chance * law.sf(last)
    return far + outside * near + sample.rest, near / sample.inside
