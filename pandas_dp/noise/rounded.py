"""A continuous variable around a whole number, rounded to whole numbers between two ends: exactly."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from ..dataclass import dataclass
from . import bits
from .shapes import Shape
from .uniform import Uniform

MARGIN = 2.0**-40  # error of one float64 evaluation and of U as a float; proved in exact-noise.md
FARTHEST = 1 << 100  # beyond, float64 is not asked


def rounded_draw(shape: Shape, centre: int, scale: Fraction, low: int, high: int, *, word: int = 64) -> int:
    """centre + scale·Z rounded to the nearest whole number, and to `low` or `high` where it lies beyond them.

    Parameters
    ----------
    shape : Shape
        The law of Z.
    centre, low, high : int
        Any whole numbers, low <= high.
    scale : Fraction
        Any positive rational. Zero is refused: a mechanism without noise is not one.

    Examples
    --------
    >>> from .shapes import Student
    >>> 0 <= rounded_draw(Student(1), 50, Fraction(3, 2), 0, 100) <= 100
    True
    """
    if scale <= 0 or low > high:
        raise ValueError(f"rounded noise needs a positive scale and ends in order, not {scale!r}, {low}, {high}.")
    drawn = Rounded(shape, centre, scale, low, high)
    uniform = Uniform(bits.integer(word), word)
    while (least := drawn.first(uniform, 1)) < drawn.first(uniform, 0):
        uniform = uniform.refined(word)
    return least


@dataclass(frozen=True)
class Rounded:
    """X = the rounded variable, as the first k with P(X <= k) >= U."""

    shape: Shape
    centre: int
    scale: Fraction
    low: int
    high: int

    def first(self, uniform: Uniform, side: int) -> int:
        """For no U in its box is X lower (side 1); for none is it higher (side 0)."""
        end = Fraction(uniform.leading + 1 - side, 1 << uniform.known)
        about = float(end)

        def reaches(k: int) -> bool:
            z = (2 * (k - self.centre) + 1) / (2 * self.scale)
            if abs(z) < FARTHEST and abs(lead := self.shape.about(float(z)) - about) > MARGIN:
                return lead > 0
            return self.shape.below(z, uniform.digits)[side] >= end

        return self.low + bisect_left(range(self.low, self.high), True, key=reaches)
