"""Exact samplers and nothing else: integers with the stated law, from the operating system's bits.

Every sampler follows one rule: evaluate in float64 with a rigorous margin, keep what is certain, and settle
what is not with more random bits and more digits. `docs/proofs/exact-noise.md` has the proof.
"""

from __future__ import annotations

from .far import Far
from .gaussian import discrete_gaussian
from .laplace import discrete_laplace
from .race import exponential_race
from .uniform import permutation, uniform_below, uniform_integers

__all__ = [
    "Far",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential_race",
    "permutation",
    "uniform_below",
    "uniform_integers",
]
