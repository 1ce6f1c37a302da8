"""Continuous laws as their distribution functions, enclosed as narrowly as wanted."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Protocol

from ..dataclass import dataclass
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
