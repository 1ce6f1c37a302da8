"""A declared range, and the public grid on which its values are counted."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Literal

from ...dataclass import dataclass
from ...errors import BadBounds
from .categories import ByFields

Kind = Literal["float", "integer", "datetime", "timedelta", "name"]

FLOAT_STEPS = 2**20  # a float range is cut into about so many steps, where ranks are asked for
FINE_STEPS = 2**46  # and where sums are: blocks of them stay in int64
INTEGER_BITS = 46  # wider integer ranges are counted in powers of two, so that block sums stay in int64


@dataclass(frozen=True)
class Grid:
    """The multiples of `step` from `low` to `high`; every value of a column is rounded to one of them.

    Arithmetic runs on *codes*: integers `factor·k - offset`, centred, so that they lie in [-half, half].
    """

    step: Fraction
    low: int
    high: int

    @cached_property
    def points(self) -> int:
        """How many there are."""
        return self.high - self.low + 1

    @cached_property
    def factor(self) -> int:
        """2 where the middle of the grid lies between two of its points, otherwise 1."""
        return 1 if (self.high - self.low) % 2 == 0 else 2

    @cached_property
    def offset(self) -> int:
        return self.factor * (self.low + self.high) // 2

    @cached_property
    def half(self) -> int:
        return self.factor * (self.high - self.low) // 2

    @cached_property
    def code_step(self) -> Fraction:
        """How much of the column's unit one code is worth."""
        return self.step / self.factor

    @cached_property
    def centre(self) -> Fraction:
        return self.step * (self.low + self.high) / 2

    @cached_property
    def lower(self) -> Fraction:
        return self.step * self.low

    @cached_property
    def upper(self) -> Fraction:
        return self.step * self.high


@dataclass(frozen=True)
class Interval(ByFields):
    """A declared range of a column. Times are counted in nanoseconds (since 1970 for datetimes).

    Examples
    --------
    >>> Interval(Fraction(0), Fraction(10), "integer").grid
    Grid(step=Fraction(1, 1), low=0, high=10)
    """

    lower: Fraction
    upper: Fraction
    kind: Kind = "float"
    nullable: bool = False
    resolution: Fraction | None = None
    tz: str | None = None  # of a datetime column
    fine: bool = False  # floats are counted as finely as sums of them allow
    unbounded: bool = False  # nobody declared the ends, which are as far apart as sums of the resolution allow
    words: ClassVar = {"tz": "zone"}

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise BadBounds(
                f"bounds must rise, but {float(self.lower):g} is not below {float(self.upper):g}; "
                "give them as (lower, upper).",
                lower=float(self.lower),
                upper=float(self.upper),
            )

    @cached_property
    def for_sums(self) -> Interval:
        """The same on the grid of sums: of floats without a declared resolution as fine as sums of them allow, so that
        a range may be declared far too wide and no sum loses what lies between the steps."""
        coarse = self.kind == "float" and self.resolution is None
        return replace(self, fine=True) if coarse and not self.fine else self

    @cached_property
    def least(self) -> Fraction:
        """What one row is taken to vary by at least, under promises whose noise follows the data: the declared
        resolution; of whole numbers and times a step; of floats the step of ranks, however fine sums are."""
        return replace(self, fine=False).grid.step if self.fine else self.grid.step

    @cached_property
    def grid(self) -> Grid:
        """The grid, from the declaration alone; bounds are snapped outward to it."""
        step = self._step()
        low = self.lower.__floor__() if step == 1 else (self.lower / step).__floor__()
        high = (self.upper / step).__ceil__()
        if self.kind == "float" and (high - low) % 2:
            high += 1  # an even width keeps float codes whole numbers of steps
        return Grid(step, low, high)

    def _step(self) -> Fraction:
        if self.resolution is not None:
            return self.resolution
        width = self.upper - self.lower
        if self.kind == "float":
            magnitude = max(abs(self.lower), abs(self.upper))
            steps, digits = (FINE_STEPS, 51) if self.fine else (FLOAT_STEPS, 52)
            return max(power_of_two_above(width / steps), power_of_two_above(magnitude / 2**digits))
        if self.kind == "integer":
            return max(Fraction(1), power_of_two_above(width / 2**INTEGER_BITS))
        return _clock_step(width)


def power_of_two_above(x: Fraction) -> Fraction:
    """The least power of two that is at least x."""
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    power = Fraction(2) ** (exponent - 1)
    return next(p for p in (power, 2 * power, 4 * power) if p >= x)


_CLOCK = [Fraction(n) for n in (86_400 * 10**9, 3_600 * 10**9, 60 * 10**9, 10**9, 10**6, 10**3, 1)]


def _clock_step(width: Fraction) -> Fraction:
    """The longest of day, hour, minute, second, ... that still cuts the range into a million steps or so."""
    return next((step for step in _CLOCK if width / step >= FLOAT_STEPS), _CLOCK[-1])
