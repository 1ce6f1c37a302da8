"""Every stream of random bytes, one after the other, and what a sampler makes of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from fractions import Fraction

import mpmath
import numpy as np
from scipy.special import chdtrc

from pandas_dp.core.noise.samplers import bits

LUCK = 1e-7  # chance that one sampling test fails though the sampler is right

mpmath.mp.dps = 60


class ExhaustedError(Exception):
    """The sampler asks for more bytes than the stream has."""


class Script:
    """A source that reads out the given bytes."""

    def __init__(self, stream: bytes) -> None:
        self.left = stream

    def __call__(self, count: int) -> bytes:
        if len(self.left) < count:
            raise ExhaustedError
        head, self.left = self.left[:count], self.left[count:]
        return head


def masses(sample: Callable[[], Hashable], depth: int) -> tuple[dict[Hashable, Fraction], dict[bytes, None], Fraction]:
    """Mass of each outcome over all streams of at most `depth` bytes, the open streams, and their mass."""
    found: dict[Hashable, Fraction] = defaultdict(Fraction)
    open_streams: dict[bytes, None] = {}
    stack = [b""]
    while stack:
        stream = stack.pop()
        script = Script(stream)
        try:
            with bits.replaced(script):
                outcome = sample()
        except ExhaustedError:
            if len(stream) == depth:
                open_streams[stream] = None
            else:
                stack.extend(stream + bytes([byte]) for byte in range(256))
        else:
            assert not script.left
            found[outcome] += Fraction(1, 256 ** len(stream))
    return found, open_streams, len(open_streams) * Fraction(1, 256**depth)


def exact(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def laplace_mass(scale: Fraction, k: int) -> mpmath.mpf:
    a = mpmath.exp(-1 / exact(scale))
    return (1 - a) / (1 + a) * a ** abs(k)


def chi_square_luck(observed: np.ndarray, probabilities: np.ndarray) -> float:
    """The chance of a fit as bad, over cells with at least 10 expected draws; the rest is one cell."""
    total = observed.sum()
    common = probabilities * total >= 10
    seen, meant = observed[common], total * probabilities[common]
    rest = total - meant.sum()
    if rest >= 10:
        seen, meant = np.append(seen, total - seen.sum()), np.append(meant, rest)
    return float(chdtrc(len(seen) - 1, ((seen - meant) ** 2 / meant).sum()))
