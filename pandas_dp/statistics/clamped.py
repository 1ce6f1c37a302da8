"""The sums of values that were clamped to two released ends, in the column's unit."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ..evidence import Noise
from ..tally import Blurred, Variable
from ..tally.locations import WHOLE


class Clamped(NamedTuple):
    """Both ends; how many values there are, the sum of u and that of 1 - u², u from -1 at one end to 1 at the other."""

    ends: tuple[float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]


def clamped(variable: Variable, codes: tuple[int, int], answer: Blurred) -> Clamped:
    """What `answer` tells of values clamped to `codes`."""
    grid, (low, high) = variable.grid, codes
    middle, half = Fraction(low + high, 2), Fraction(max(1, high - low), 2)
    count, total, squares = (float(each) for each in answer.table[0])
    count_noise, total_noise, squares_noise = answer.laws
    return Clamped(
        ends=(
            float(grid.centre + (middle - half) * grid.code_step),
            float(grid.centre + (middle + half) * grid.code_step),
        ),
        released=(count, total / WHOLE, squares / WHOLE**2),
        noises=(Noise(count_noise), Noise(total_noise, 1 / WHOLE), Noise(squares_noise, 1 / WHOLE**2)),
    )
