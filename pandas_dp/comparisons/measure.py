"""Sums of scores: of two groups told apart by a sign, of any number of groups, and how many rows have which score.

Theorems: docs/proofs/comparisons/tests.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from ..core.arrays import Table
from ..core.measure.cells import ONE_CELL, Cells, Key, Norm, OfVariable, Variable, farthest
from ..core.measure.measurement import Noisy
from ..core.neighbours import Adjacency
from ..core.schema.values import Interval, said
from ..numeric.measure import Moments
from ..people.measure import Numbers
from ..quantiles.measure import AroundAndEven, Ranks, curve_from
from ..quantiles.solve import Curve

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


@dataclass(frozen=True)
class LinearScore:
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


@dataclass(frozen=True)
class Gap:
    """The second value less the first, of the same row; TOP is the farthest from nothing that the ranges allow."""

    first: Variable
    second: Variable
    centre: ClassVar[float] = 0.0

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.first, self.second

    @property
    def half(self) -> float:
        """What TOP is worth, in the unit of both."""
        lows = [float(each.grid.lower) for each in self.variables]
        highs = [float(each.grid.upper) for each in self.variables]
        return max(highs[1] - lows[0], highs[0] - lows[1], 1e-300)

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
        return said(score="gap", of=self.variables)


Plain = LinearScore | Gap


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


COUNT_2 = Fraction(6031, 10000)  # a little more than the root of 4/11
COUNT_1 = Fraction(8, 9)


class OfScores:
    """Sums over rows of what each brings by its score, in each cell."""

    fold: ClassVar[str] = "core.engine.sweep:SumsOfNumbers.scored"

    if TYPE_CHECKING:  # fields

        @property
        def score(self) -> Score: ...

        @property
        def cells(self) -> Cells: ...

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.score.variables

    @property
    def sorted_into(self) -> Cells:
        return self.cells

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What a row brings to its cell: itself, its score and what is left of a square."""
        scores = self.score.of(codes)
        return [np.ones(len(scores), np.int64), scores, TOP**2 - scores * scores]

    def arrange(self, sums: Table) -> Table:
        return sums


@dataclass(frozen=True)
class SignedSums(OfScores):
    """Of rows in two groups, with s = -1 in the first and 1 in the second and a the score over TOP: their number, Σs,
    Σa, Σsa, Σ(1 - a²) and Σs(1 - a²). A row in neither group does not count.

    What a Welch test needs costs no more than a difference (theorem T1), and the number of rows nothing where rows can
    be swapped.
    """

    score: Score
    group: Key
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def sorted_into(self) -> Cells:
        return Cells((self.group,))

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        if norm == 2:
            shares = [COUNT_2 if adjacency.swap else Fraction(2), *map(Fraction, (2, 2, 1, 1, 1))]
        else:
            shares = [COUNT_1 if adjacency.swap else Fraction(4), *map(Fraction, (2, 2, 1, 4, 4))]
        tops = [1, 1, TOP, TOP, TOP**2, TOP**2]
        return tuple(share * top for share, top in zip(shares, tops, strict=True))

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """What a row that comes or goes moves is at most that of a swap, by the weight of the count."""
        if norm == 2:
            return Fraction(5) if adjacency.swap else Fraction(5, 2)
        return Fraction(25, 8) if adjacency.swap else Fraction(9, 4)

    def arrange(self, sums: Table) -> Table:
        first, second = sums
        both, apart = second + first, second - first
        return np.array([[both[0], apart[0], both[1], apart[1], both[2], apart[2]]], dtype=object)


@dataclass(frozen=True)
class ScoreMoments(OfScores):
    """Theorem 1 for scores: Σa and Σa² in each cell; with `counted` the number of rows, Σa and Σ(1 - a²)."""

    score: Score
    cells: Cells = ONE_CELL
    counted: bool = False

    @cached_property
    def moments(self) -> Moments:
        """Of a column that held the scores over TOP."""
        nullable = any(variable.nullable for variable in self.variables)
        column = Variable(None, Interval(Fraction(-1), Fraction(1), "integer", nullable))
        return Moments(column, self.cells, self.counted)

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        *count, total, square = self.moments.weights(norm, adjacency)
        return (*count, TOP * total, TOP**2 * square)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return self.moments.sensitivity(norm, adjacency)

    def arrange(self, sums: Table) -> Table:
        if self.counted:
            return sums
        return np.column_stack([sums[:, 1], TOP**2 * sums[:, 0] - sums[:, 2]])


@dataclass(frozen=True)
class ScoreHistogram(OfScores):
    """How many pairs are so far apart, in each of BINS bins."""

    score: Gap
    cells: ClassVar[Cells] = ONE_CELL

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return (Fraction(1),) * BINS

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return farthest(adjacency, ONE_CELL, self.variables, within=2, alone=1)

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """A row is in one bin."""
        _, places = self.score.places(codes)
        return [(places == place).astype(np.int64) for place in range(BINS)]


class LearnedSums:
    """Sums of scores that earlier stages learn. These are in [-TOP, TOP] whatever they are, so sensitivity and weights
    are those of the sums with any other score."""

    if TYPE_CHECKING:  # a field

        @property
        def sums(self) -> SignedSums | ScoreMoments: ...

    @property
    def cells(self) -> Cells:
        return self.sums.cells

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        return self.sums.weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        return self.sums.sensitivity(norm, adjacency)


@dataclass(frozen=True)
class LearnedScores(LearnedSums):
    """Sums of scores that a first stage learns: about how many pairs are less far apart."""

    first: ScoreHistogram
    sums: ScoreMoments  # of the plain score

    @property
    def after(self) -> tuple[ScoreHistogram, ...]:
        return (self.first,)

    def parameter(self, earlier: tuple[Noisy, ...]) -> tuple[int, ...]:
        """The heights of the bins."""
        return heights_of([int(count) for count in earlier[0].table[0]])

    def at(self, parameter: tuple[int, ...]) -> ScoreMoments:
        return replace(self.sums, score=Learned(self.first.score, parameter))

    def say(self, parameter: tuple[int, ...]) -> Any:
        return [round(height / TOP, 6) for height in parameter]


@dataclass(frozen=True)
class LearnedRanks(LearnedSums):
    """The same of a column, whose ranks two stages learn: a value near the middle, and counts in bins that are narrow
    around it, so that they tell ranks also where the range is declared far too wide."""

    counts: AroundAndEven
    sums: SignedSums | ScoreMoments  # of the plain score
    size: int | None  # how many rows are counted, where that is public

    @property
    def after(self) -> tuple[Ranks | AroundAndEven, ...]:
        return (*self.counts.ranks, self.counts)

    def curve(self, earlier: tuple[Noisy, ...]) -> tuple[tuple[int, ...], Curve]:
        """Where bins end, and how many rows seem to lie up to there."""
        *chosen, counted = earlier
        ends = self.counts.parameter(tuple(chosen))
        return ends[0], curve_from([(self.counts.at(ends), counted)], 0, self.size)

    def parameter(self, earlier: tuple[Noisy, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where bins end, and their heights: the share of rows in lower bins and in half of the own one."""
        ends, curve = self.curve(earlier)
        shares = np.append(0.0, curve.rising() / max(curve.rows, 1.0))
        heights = np.nan_to_num(TOP * (shares[:-1] + shares[1:] - 1.0))
        return ends, tuple(int(height) for height in np.clip(np.rint(heights), -TOP, TOP))

    def at(self, parameter: tuple[tuple[int, ...], tuple[int, ...]]) -> SignedSums | ScoreMoments:
        return replace(self.sums, score=Placed(self.counts.variable, *parameter))

    def say(self, parameter: tuple[tuple[int, ...], tuple[int, ...]]) -> Any:
        grid, (ends, heights) = self.counts.variable.grid, parameter
        return {
            "ends": [float(grid.step * (grid.low + end)) for end in ends],
            "heights": [round(height / TOP, 6) for height in heights],
        }


PARTS_OF_ROW = 2**12  # steps of one row, where the number of rows is private
APART: dict[Norm, tuple[Fraction, Fraction]] = {
    1: (Fraction(6, 5), Fraction(6)),
    2: (Fraction(11, 10), Fraction(12, 5)),
}
"""Noise on the distance and on the worth of the groups: five sixths of the cost, about, are for the first."""


@dataclass(frozen=True)
class TopOfPath(OfVariable):
    """The greatest |N₁(t) - n₁/n·N(t)| over all t: of n rows, N(t) have a value up to t, N₁(t) of them in the second
    group, in which n₁ are.

    Where `size` says n, which is public, it is in n-ths of a row, and a row that is not in the second group is in the
    first. No row moves it by more than one, however large the groups are (theorem T3).

    Elsewhere rows without a value, or in neither group, are left out, and their number is private. Then it is in whole
    steps, PARTS_OF_ROW of which are a row, rounded down, and beside it is what the groups are worth, n₁(n - n₁)/n, in
    the same steps: no row moves either by more than one (theorem T3 too).
    """

    variable: Variable
    group: Key
    size: int | None = None
    cells: ClassVar[Cells] = ONE_CELL
    fold: ClassVar[str] = "comparisons.fold:PathOf"

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        if self.size is not None:
            return (Fraction(max(1, self.size)),)
        return tuple(PARTS_OF_ROW * each for each in APART[norm])

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        if self.size is not None:
            assert adjacency == Adjacency(swap=True, vanish=False), "of a table whose number of rows is public"
            return Fraction(1)
        return sum((1 / each**norm for each in APART[norm]), Fraction(0))

    def released(self, top: int, rows: int, second: int) -> list[int]:
        """What is released of the greatest |n·N₁(t) - n₁·N(t)|, and of n and n₁."""
        if self.size is not None:
            return [top]
        n = max(1, rows)
        return [PARTS_OF_ROW * top // n, PARTS_OF_ROW * second * (rows - second) // n]
