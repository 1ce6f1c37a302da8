"""A continuous variable around a whole number, rounded to whole numbers between two ends: exactly."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from . import bits
from .bits import Uniform
from .enclose import Interval, arctan_bounds, exp_bounds, root_bounds

HALF = Fraction(1, 2)


class Shape(Protocol):
    """A symmetric law around zero."""

    def below(self, z: Fraction, digits: int) -> Interval:
        """An interval around P(Z <= z) of a width that falls by ten with each digit."""

    def about(self, z: float) -> float:
        """P(Z <= z) in float64, for |z| up to 2^100."""


@dataclass(frozen=True)
class Student:
    """A density proportional to (1 + z²)^(−(freedom + 1)/2): Student's t over the root of its degrees of freedom.

    With one degree this is Cauchy's law. Up to three are offered.

    Examples
    --------
    >>> low, high = Student(1).below(Fraction(1), 20)
    >>> low < Fraction(3, 4) < high
    True
    """

    freedom: int

    def __post_init__(self) -> None:
        if self.freedom not in (1, 2, 3):
            raise ValueError(f"Student's law is drawn for 1, 2 or 3 degrees of freedom, not {self.freedom}.")

    def below(self, z: Fraction, digits: int) -> Interval:
        if self.freedom == 2:  # 1/2 + z/(2·sqrt(1 + z²))
            low, high = root_bounds(z * z / (1 + z * z), digits)
            return (HALF + low / 2, HALF + high / 2) if z >= 0 else (HALF - high / 2, HALF - low / 2)
        area = z / (1 + z * z) if self.freedom == 3 else Fraction(0)
        low, high = arctan_bounds(z, digits)
        quarter = arctan_bounds(Fraction(1), digits)  # 1/2 + (arctan z + area)/pi
        ends = [(angle + area) / (4 * pi) for angle in (low, high) for pi in quarter]
        return HALF + min(ends), HALF + max(ends)

    def about(self, z: float) -> float:
        if self.freedom == 2:
            return 0.5 + 0.5 * z / math.sqrt(1 + z * z)
        area = z / (1 + z * z) if self.freedom == 3 else 0.0
        return 0.5 + (math.atan(z) + area) / math.pi


@dataclass(frozen=True)
class Exponentials:
    """Laplace's law: a density of exp(−|z|)/2.

    Examples
    --------
    >>> low, high = Exponentials().below(Fraction(0), 20)
    >>> low <= Fraction(1, 2) <= high
    True
    """

    def below(self, z: Fraction, digits: int) -> Interval:
        low, high = exp_bounds(abs(z), digits)
        return (1 - high / 2, 1 - low / 2) if z >= 0 else (low / 2, high / 2)

    def about(self, z: float) -> float:
        half = 0.5 * math.exp(-abs(z))
        return 1 - half if z >= 0 else half


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

        def sensitivities(k: int) -> bool:
            z = (2 * (k - self.centre) + 1) / (2 * self.scale)
            if abs(z) < FARTHEST and abs(lead := self.shape.about(float(z)) - about) > MARGIN:
                return lead > 0
            return self.shape.below(z, uniform.digits)[side] >= end

        return self.low + bisect_left(range(self.low, self.high), True, key=sensitivities)
