"""What a row brings to a test: a whole number from its values, the same whatever other rows there are."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from ..dataclass import dataclass
from ..domain.fingerprint import said
from .cells import Variable
from .row_means import Numbers

TOP = 2**30  # the greatest score; its square is exact in int64
BINS = 88  # in which the distances of pairs are counted to learn scores
OCTAVES = 32  # from the farthest distance down to the first bin: a range may be declared a billion times too wide
OF_OCTAVE, FAR = 4, 12  # bins of each octave of the farthest; below them there are half as many
SLACK = 2.0**-50  # of values: beyond what floats round them by
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

    @property
    def for_ranks(self) -> Gap:
        """The same in steps as fine as those of sums, of which differences have no sums."""
        return Gap(self.first.for_sums, self.second.for_sums)

    def places(self, codes: list[Numbers]) -> tuple[Numbers, Numbers]:
        """Which way the second value lies from the first, -1, 0 or 1, and the bin of their distance. Bins are narrow
        near nothing: each ends at the same multiple of where the one before ends."""
        first, second = (
            each * float(variable.grid.code_step) + float(variable.grid.centre)
            for variable, each in zip(self.variables, codes, strict=True)
        )
        apart = second - first
        far = np.abs(apart)
        ways = np.where(far <= self._none, 0, np.sign(apart)).astype(np.int64)
        return ways, np.searchsorted(self._ends, far).astype(np.int64)

    @cached_property
    def _none(self) -> float:
        """A distance that equal values may have as each was rounded to the steps of its own column."""
        steps = {variable.grid.step for variable in self.variables}
        floats = [each for each in self.variables if each.interval.kind == "float" and each.interval.resolution is None]
        rounded = [each.grid.step / 2 for each in floats]
        magnitude = max(abs(float(end)) for each in self.variables for end in (each.grid.lower, each.grid.upper))
        return max(float(sum(rounded)) if len(steps) > 1 else 0.0, magnitude * SLACK)

    @cached_property
    def _ends(self) -> Any:
        """Of all bins but the last."""
        step = float(min(variable.grid.step for variable in self.variables))
        octaves = min(float(np.log2(self.half) - np.log2(step / 2)), OCTAVES)
        far = OF_OCTAVE * FAR
        knots = [0, BINS] if octaves * OF_OCTAVE <= BINS else [0, far, BINS]
        down = np.interp(np.arange(BINS - 1, 0, -1), knots, [0.0, octaves] if len(knots) == 2 else [0.0, FAR, octaves])
        return self.half * 0.5**down

    def _steps(self, variable: Variable, codes: Numbers) -> Numbers:
        step, centre = float(variable.grid.code_step), float(variable.grid.centre)
        return np.rint((codes * step + centre) * (TOP / self.half)).astype(np.int64)

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(score="gap", of=[variable.to_json() for variable in self.variables])


Plain = Linear | Gap


@dataclass(frozen=True)
class Learned:
    """The height of the bin in which the distance of a pair lies, with the sign of the difference.

    Whatever the heights are, the score is in [-TOP, TOP].
    """

    gap: Gap
    heights: tuple[int, ...]

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.gap.variables

    def of(self, codes: list[Numbers]) -> Numbers:
        ways, places = self.gap.places(codes)
        heights = np.array([max(-TOP, min(TOP, height)) for height in self.heights], dtype=np.int64)
        found: Numbers = ways * heights[places]
        return found

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(score="learned", of=self.gap.to_json())


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


def heights_of(counts: list[int]) -> tuple[int, ...]:
    """The share of rows in lower bins and in half of the own one, from noisy numbers of rows in each: from 0 to TOP.
    Whatever the counts are, the heights rise."""
    below = [sum(counts[:place]) for place in range(len(counts) + 1)]
    rising = [max(below[: place + 1]) for place in range(len(below))]
    falling = [min(below[place:]) for place in range(len(below))]
    ends = [max(0, up + down) for up, down in zip(rising, falling, strict=True)]  # twice their average
    total = max(1, ends[-1])
    return tuple(TOP * min(low + high, 2 * total) // (2 * total) for low, high in pairwise(ends))


def _rounded(numbers: Any) -> Numbers:
    found: Numbers = np.clip(np.rint(numbers), -TOP, TOP).astype(np.int64)
    return found
