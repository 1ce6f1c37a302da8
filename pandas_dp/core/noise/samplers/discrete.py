"""The discrete Laplace and Gaussian samplers: exact, at any rational scale."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import numpy.typing as npt

from . import bits
from .bits import ONE, Uniform, exp_coin, falls_below_exp
from .enclose import Interval, exp_bounds

Integers = npt.NDArray[Any]  # int64, or object where it holds Python ints

BLOCK = 1 << 14  # draws at a time: the buffers stay in the cache
LAPLACE_MARGIN = 2.0**-42  # error of one float64 evaluation, in units of scale + 1; proved in exact-noise.md
COARSE = 20  # above 2^(COARSE + 4) the low digits are drawn apart, so that the rest is about 2^COARSE
SAFE = 1 << 27  # no float64 evaluation is larger; a settled one almost never is


def discrete_laplace(scale: Fraction, size: int) -> Integers:
    """`size` independent integers with P(k) proportional to exp(−|k|/scale), exactly.

    Parameters
    ----------
    scale : Fraction
        Any positive rational. Zero is refused: a mechanism without noise is not one.
    size : int
        How many.

    Returns
    -------
    numpy.ndarray
        int64; of Python ints where the scale is above about 2^56, or where a draw does not fit.

    Examples
    --------
    >>> discrete_laplace(Fraction(7, 2), 1000).dtype
    dtype('int64')
    """
    return laplace_draws(positive(scale, "scale"), size)


def positive(value: Fraction, name: str) -> Fraction:
    """The value as a Fraction; refused unless it is a positive rational."""
    if not isinstance(value, Rational) or value <= 0:
        raise ValueError(f"the {name} of noise must be a positive rational, not {value!r}.")
    return Fraction(int(value.numerator), int(value.denominator))


def laplace_draws(scale: Fraction, size: int, *, word: int | None = None, coarse: int = COARSE) -> Integers:
    """Discrete Laplace draws, in blocks; `word` and `coarse` are the tests' way to every bit stream."""
    fine = scale < 1 << (coarse + 4)
    width = word or (32 if scale < 1 << 11 else 64)
    out: Integers = np.empty(size, dtype=np.int64)
    for start in range(0, size, BLOCK):
        count = min(BLOCK, size - start)
        block = _whole(scale, count, width) if fine else _split(scale, count, word, coarse)
        if block.dtype == object and out.dtype != object:
            out = out.astype(object)
        out[start : start + count] = block
    return out


def _whole(scale: Fraction, count: int, word: int) -> Integers:
    """|X| = floor(scale·(E + ln(2/(1 + a)))), a = exp(−1/scale), for P(|X| >= k) = 2a^k/(1 + a)."""
    s = max(float(scale), 2.0**-900)
    words = bits.words(count, word, signed=True)
    draws, unsure = _floors(words, s, s * math.log1p(math.tanh(0.5 / s)))
    values: Integers = np.copysign(draws, words).astype(np.int64)
    for at in unsure:
        uniform, negative = _split_sign(int(words[at]), word)
        magnitude = settled(scale, uniform, word, symmetric=True)
        values = placed(values, at, -magnitude if negative else magnitude, 1 << 62)
    return values


def _split(scale: Fraction, count: int, word: int | None, coarse: int) -> Integers:
    """X = ±(high·2^shift + low): high geometric at about 2^coarse, P(low = l) ∝ exp(−l/scale)."""
    shift = scale.numerator.bit_length() - scale.denominator.bit_length() - coarse
    values = np.empty(0, dtype=np.int64)
    while len(values) < count:  # one pass, but for about one draw in 2^25
        high, signs = _signed_geometric(scale / (1 << shift), count - len(values), word or 64)
        low = _low_digits(scale, shift, len(high), word or 32)
        if SAFE << shift > 1 << 62:
            high = high.astype(object)
        magnitudes = high * (1 << shift) + low
        kept = (magnitudes != 0) | (signs > 0)  # zero has one sign, not two
        values = np.concatenate([values, (magnitudes * signs)[kept]])
    return values


def _signed_geometric(scale: Fraction, count: int, word: int) -> tuple[Integers, npt.NDArray[np.int64]]:
    """floor(scale·E), which is geometric, and an independent fair sign."""
    words = bits.words(count, word, signed=True)
    draws, unsure = _floors(words, float(scale), 0.0)
    values: Integers = draws.astype(np.int64)
    for at in unsure:
        uniform, _ = _split_sign(int(words[at]), word)
        values = placed(values, at, settled(scale, uniform, word, symmetric=False), SAFE)
    return values, np.where(words < 0, -1, 1)


def _low_digits(scale: Fraction, shift: int, count: int, word: int) -> Integers:
    """Integers l below 2^shift with P(l) ∝ exp(−l/scale): uniform ones, each kept with that probability."""
    width = next((w for w in (8, 16, 32, 64) if w > shift), 0)  # a bit to spare, so that int64 holds it
    low: Integers
    if width:
        low = (bits.words(count, width) >> (width - shift)).astype(np.int64)
    else:
        low = np.array(bits.integers(count, shift), dtype=object)
    coins = bits.words(count, word)
    never = float(Fraction(1 << shift) / scale)  # exceeds every 1 − exp(−l/scale) by more than rounding
    for at in np.flatnonzero(coins >= math.floor((1 - 2 * never) * 2**word)):
        uniform, value = Uniform(int(coins[at]), word), int(low[at])
        if not falls_below_exp(uniform, value / scale, word=word):
            low[at] = _low_digit(scale, shift, word)
    return low


def _low_digit(scale: Fraction, shift: int, word: int) -> int:
    while not exp_coin((value := bits.integer(shift)) / scale, word=word):
        pass
    return value


def _floors(words: Integers, s: float, offset: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """floor(s·E + offset) for each signed word, and the places where float64 cannot decide.

    A word w gives U in [v, v + 1] / 2^n, with v = w or −1 − w: |w + 1/2| is v + 1/2, the sign a fair coin.
    ln U varies by at most 0.75/(v + 1/2) in that interval where v >= 1; v = 0 is never certain.
    """
    n = 8 * words.itemsize - 1
    point = words.astype(np.float64)
    point += 0.5
    np.abs(point, out=point)
    low = np.log(point)
    low *= -s
    low += s * (n * math.log(2)) + offset
    np.divide(0.75 * max(s, 1.0), point, out=point)
    point += (s + 1) * LAPLACE_MARGIN
    high = low + point
    low -= point
    np.trunc(low, out=low)
    np.trunc(high, out=high)
    return low, np.flatnonzero(low != high)


def _split_sign(word: int, width: int) -> tuple[Uniform, bool]:
    return Uniform(word if word >= 0 else ~word, width - 1), word < 0


def settled(scale: Fraction, uniform: Uniform, word: int, *, symmetric: bool) -> int:
    """floor(scale·E), or with `symmetric` floor(scale·(E + ln(2/(1 + a)))), with as many bits as it takes."""
    while True:
        if uniform.leading:
            low, high = uniform.energy(_half_of_one_plus_ratio(scale, uniform.digits) if symmetric else ONE)
            floor = math.floor(scale * high)
            if max(0, math.floor(scale * low)) == floor:
                return floor
        uniform = uniform.refined(word)


def _half_of_one_plus_ratio(scale: Fraction, digits: int) -> Interval:
    low, high = exp_bounds(1 / scale, digits)
    return (1 + low) / 2, (1 + high) / 2


def placed(values: Integers, at: int, value: int, limit: int) -> Integers:
    """The array with `value` at `at`; of Python ints if the value is beyond `limit`."""
    if abs(value) > limit and values.dtype != object:
        values = values.astype(object)
    values[at] = value
    return values


GAUSSIAN_MARGIN = 2.0**-40  # error of one float64 evaluation of exp(−g); proved in exact-noise.md
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
    for at in np.flatnonzero(np.abs(distance) <= 2.0 ** -(width + 1) + GAUSSIAN_MARGIN):
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
