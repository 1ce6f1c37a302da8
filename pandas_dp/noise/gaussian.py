"""The discrete Gaussian sampler: P(k) ∝ exp(−k²/(2·variance)), exactly, at any rational variance."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from . import bits
from .coin import falls_below_exp
from .laplace import BLOCK, Integers, laplace_draws, positive
from .uniform import Uniform

MARGIN = 2.0**-40  # error of one float64 evaluation of exp(−g); proved in exact-noise.md
DIGITS = 58  # leading bits of a huge proposal that enter the float64 evaluation


def discrete_gaussian(variance: Fraction, size: int) -> Integers:
    """`size` independent integers with P(k) proportional to exp(−k²/(2·variance)), exactly.

    Discrete Laplace proposals y of scale t near the standard deviation are kept with probability
    exp(−(|y| − variance/t)²/(2·variance)) (Canonne, Kamath and Steinke 2020).

    Parameters
    ----------
    variance : Fraction
        Any positive rational σ². Zero is refused: a mechanism without noise is not one.
    size : int
        How many.

    Returns
    -------
    numpy.ndarray
        int64; of Python ints where σ is above about 2^56, or where a proposal does not fit.

    Examples
    --------
    >>> discrete_gaussian(Fraction(9), 1000).dtype
    dtype('int64')
    """
    variance = positive(variance, "variance")
    out: Integers = np.empty(size, dtype=np.int64)
    done = 0
    while done < size:
        tries = min(BLOCK, int(1.4 * (size - done)) + 8)
        proposals, kept = attempts(variance, tries)
        block = proposals[kept][: size - done]
        if block.dtype == object and out.dtype != object:
            out = out.astype(object)
        out[done : done + len(block)] = block
        done += len(block)
    return out


def proposal_scale(variance: Fraction) -> int:
    """t = floor(σ) + 1."""
    return math.isqrt(math.floor(variance)) + 1


def attempts(variance: Fraction, count: int, *, word: int | None = None) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """`count` independent pairs of a discrete Laplace proposal and whether it is kept."""
    width, scale = word or 16, proposal_scale(variance)
    proposals = laplace_draws(Fraction(scale), count, word=word)
    words = bits.words(count, width)
    distance = np.exp(-_exponents(proposals, variance, scale))
    distance -= (words + 0.5) * 2.0**-width
    kept = distance > 0
    for at in np.flatnonzero(np.abs(distance) <= 2.0 ** -(width + 1) + MARGIN):
        exponent = (abs(int(proposals[at])) - variance / scale) ** 2 / (2 * variance)
        kept[at] = falls_below_exp(Uniform(int(words[at]), width), exponent, word=width)
    return proposals, kept


def _exponents(proposals: Integers, variance: Fraction, scale: int) -> npt.NDArray[np.float64]:
    """(|y| − σ²/t)²/(2σ²) in float64, from |y|·α − β; where y is huge, from its leading digits."""
    shift = max(0, scale.bit_length() - DIGITS)
    if proposals.dtype == object:
        size = np.array([float(min(abs(y) >> shift, 1 << 200)) for y in proposals], dtype=np.float64)
    else:
        size = np.abs(proposals).astype(np.float64)
    spread = math.sqrt(2 * max(variance, Fraction(1, 1 << 60)) / (1 << 2 * shift))
    size *= 1 / spread
    size -= spread / (2 * float(Fraction(scale, 1 << shift)))
    size *= size
    return size
