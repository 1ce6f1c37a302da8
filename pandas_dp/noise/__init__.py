"""Exact samplers and nothing else: integers with the stated law, from the operating system's bits.

Every sampler follows one rule: evaluate in float64 with a rigorous margin, keep what is certain, and settle
what is not with more random bits and more digits. `docs/proofs/exact-noise.md` has the proof.
"""

from __future__ import annotations

from .bounded import bounded
from .coin import exp_coin
from .far import Far
from .gaussian import discrete_gaussian
from .hellinger import hellinger
from .laplace import discrete_laplace
from .race import exponential_race
from .rounded import rounded_draw
from .shapes import Exponentials, Shape, Student
from .staircase import staircase
from .uniform import permutation, uniform_below, uniform_integers

__all__ = [
    "Exponentials",
    "Far",
    "Shape",
    "Student",
    "bounded",
    "discrete_gaussian",
    "discrete_laplace",
    "exp_coin",
    "exponential_race",
    "hellinger",
    "permutation",
    "rounded_draw",
    "staircase",
    "uniform_below",
    "uniform_integers",
]
