"""What a way of adding noise has to say for the corridor to use it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

from ..cost import Cost
from ..laws import Law
from ..tally import Norm, Table


class Additive(Protocol):
    """Adds independent whole numbers to exact whole numbers."""

    @property
    def name(self) -> str: ...

    @property
    def norm(self) -> Norm:
        """The norm in which it needs the reach."""

    def spends(self, cost: Cost) -> bool:
        """Whether it can be calibrated to this kind of cost."""

    def law(self, weight: Fraction, reach: Fraction, cost: Cost) -> Law:
        """The noise on a coordinate of this weight that keeps the cost, when the weighted reach is this."""

    def blur(self, exact: Table, laws: tuple[Law, ...]) -> Table: ...


def noisy(exact: Table, noise: Sequence[Table]) -> Table:
    """Exact whole numbers with a column of noise on each of their columns, in Python's own integers."""
    assert len(noise) == exact.shape[1], "each coordinate has noise of its own"
    return exact.astype(object) + np.column_stack([column.astype(object) for column in noise])


def rounded_up(scale: Fraction) -> Fraction:
    """A scale with a denominator that samplers handle fast, never smaller."""
    if scale.denominator <= 2**24:
        return scale
    bits = max(0, 64 - scale.numerator.bit_length() + scale.denominator.bit_length())
    return Fraction(-((-scale.numerator << bits) // scale.denominator), 1 << bits)
