"""What a row brings to a test: a whole number from its values, the same whatever other rows there are."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from ..dataclass import dataclass
from ..domain.fingerprint import said
from .cells import Variable
from .row_means import Numbers

TOP = 2**30  # the greatest score; its square is exact in int64
BINS = 24  # in which values are counted to learn scores
NEAR = 2  # a difference of two columns is rounded twice, so this much is none


class Score(Protocol):
    """A whole number in [-TOP, TOP] for each row that has all values it reads."""

    @property
    def variables(self) -> tuple[Variable, ...]: ...

    def of(self, codes: list[Numbers]) -> Numbers: ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Linear:
    """The value itself: the ends of the declared range are -TOP and TOP."""

    variable: Variable

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    @property
    def half(self) -> float:
        """What TOP is worth in the variable's unit."""
        return float(self.variable.grid.code_step) * self.variable.grid.half

    @property
    def centre(self) -> float:
        return float(self.variable.grid.centre)

    def of(self, codes: list[Numbers]) -> Numbers:
        return _rounded(codes[0] * (TOP / max(1, self.variable.grid.half)))

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(score="linear", of=self.variable.to_json())


@dataclass(frozen=True)
class Gap:
    """The second value less the first, of the same row; TOP is the farthest from nothing that the ranges allow."""

    first: Variable
    second: Variable

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.first, self.second

    @property
    def half(self) -> float:
        """What TOP is worth, in the unit of both."""
        lows = [float(each.grid.lower) for each in self.variables]
        highs = [float(each.grid.upper) for each in self.variables]
        return max(highs[1] - lows[0], highs[0] - lows[1], 1e-300)

    @property
    def centre(self) -> float:
        return 0.0

    def of(self, codes: list[Numbers]) -> Numbers:
        steps = [self._steps(variable, each) for variable, each in zip(self.variables, codes, strict=True)]
        apart = steps[1] - steps[0]
        return np.where(np.abs(apart) <= NEAR, 0, np.clip(apart, -TOP, TOP))

    def _steps(self, variable: Variable, codes: Numbers) -> Numbers:
        step, centre = float(variable.grid.code_step), float(variable.grid.centre)
        return np.rint((codes * step + centre) * (TOP / self.half)).astype(np.int64)

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(score="gap", of=[variable.to_json() for variable in self.variables])


Plain = Linear | Gap


@dataclass(frozen=True)
class Learned:
    """The height of the bin in which a plain score lies; where `signed`, of its distance from nothing, with its sign.

    Whatever the heights are, the score is in [-TOP, TOP].
    """

    plain: Plain
    heights: tuple[int, ...]
    signed: bool = False

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.plain.variables

    def of(self, codes: list[Numbers]) -> Numbers:
        plain = self.plain.of(codes)
        heights = np.array([max(-TOP, min(TOP, height)) for height in self.heights], dtype=np.int64)
        found: Numbers = heights[bins_of(plain, self.signed)]
        return np.sign(plain) * found if self.signed else found

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(score="learned", of=self.plain.to_json(), signed=self.signed)


@dataclass(frozen=True)
class Placed:
    """The height of the bin in which a value lies, in [-TOP, TOP] whatever the heights are. Bins end at `ends`, rising
    steps above the lower end of the column's grid, the last of which is its upper end."""

    variable: Variable
    ends: tuple[int, ...]
    heights: tuple[int, ...]

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def of(self, codes: list[Numbers]) -> Numbers:
        grid = self.variable.grid
        steps = np.floor((codes[0] + grid.half) / grid.factor)  # a middle between two steps is at the lower one
        places = np.searchsorted(np.array(self.ends, np.int64), steps)
        heights = np.array([max(-TOP, min(TOP, height)) for height in self.heights], dtype=np.int64)
        found: Numbers = heights[np.minimum(places, len(heights) - 1)]
        return found

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(score="placed", of=self.variable.to_json())


def bins_of(plain: Numbers, signed: bool) -> Numbers:
    """The bin of each score, or of its distance from nothing."""
    places = np.abs(plain) * BINS // TOP if signed else (plain + TOP) * BINS // (2 * TOP)
    return np.minimum(places, BINS - 1)


def heights_of(counts: list[int], signed: bool) -> tuple[int, ...]:
    """The share of rows in lower bins and in half of the own one, from noisy numbers of rows in each: from -TOP to TOP,
    or where `signed` from 0. Whatever the counts are, the heights rise."""
    below = [sum(counts[:place]) for place in range(len(counts) + 1)]
    rising = [max(below[: place + 1]) for place in range(len(below))]
    falling = [min(below[place:]) for place in range(len(below))]
    ends = [max(0, up + down) for up, down in zip(rising, falling, strict=True)]  # twice their average
    total = max(1, ends[-1])
    middles = [min(low + high, 2 * total) for low, high in pairwise(ends)]
    return tuple(TOP * each // (2 * total) if signed else TOP * (each - total) // total for each in middles)


def _rounded(numbers: Any) -> Numbers:
    found: Numbers = np.clip(np.rint(numbers), -TOP, TOP).astype(np.int64)
    return found
