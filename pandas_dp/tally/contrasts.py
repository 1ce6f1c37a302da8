"""Sums of scores: of two groups told apart by a sign, of any number of groups, and how many rows have which score.

Theorems: docs/proofs/tests.md.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..domain import Interval
from ..margins import Curve
from ..neighbours import Moves
from .blurred import Blurred
from .cells import ONE_CELL, Cells, Key, Variable
from .moments import Moments
from .quantile_looks import AroundAndEven, curve_told
from .ranks import Ranks
from .reach import Norm, farthest
from .row_means import Numbers
from .scores import BINS, TOP, Learned, Placed, Score, bins_of, heights_of
from .sums import Table

COUNT_2 = Fraction(6031, 10000)  # a little more than the root of 4/11
COUNT_1 = Fraction(8, 9)


@dataclass(frozen=True)
class SignedSums:
    """Of rows in two groups, with s = -1 in the first and 1 in the second and a the score over TOP: their number, Σs,
    Σa, Σsa, Σ(1 - a²) and Σs(1 - a²). A row in neither group does not count.

    What a Welch test needs costs no more than a difference (theorem T1), and the number of rows nothing where rows can
    be swapped.
    """

    score: Score
    group: Key

    @property
    def cells(self) -> Cells:
        return ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.score.variables

    @property
    def sorted_into(self) -> Cells:
        return Cells((self.group,))

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        if norm == 2:
            shares = [COUNT_2 if moves.swap else Fraction(2), *map(Fraction, (2, 2, 1, 1, 1))]
        else:
            shares = [COUNT_1 if moves.swap else Fraction(4), *map(Fraction, (2, 2, 1, 4, 4))]
        tops = [1, 1, TOP, TOP, TOP**2, TOP**2]
        return tuple(share * top for share, top in zip(shares, tops, strict=True))

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """What a row that comes or goes moves is at most that of a swap, by the weight of the count."""
        if norm == 2:
            return Fraction(5) if moves.swap else Fraction(5, 2)
        return Fraction(25, 8) if moves.swap else Fraction(9, 4)

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What a row brings to its group."""
        return _powers(self.score.of(codes))

    def arrange(self, sums: Table) -> Table:
        first, second = sums
        both, apart = second + first, second - first
        return np.array([[both[0], apart[0], both[1], apart[1], both[2], apart[2]]], dtype=object)


@dataclass(frozen=True)
class ScoreMoments:
    """Theorem 1 for scores: Σa and Σa² in each cell; with `counted` the number of rows, Σa and Σ(1 - a²)."""

    score: Score
    cells: Cells = ONE_CELL
    counted: bool = False

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.score.variables

    @property
    def sorted_into(self) -> Cells:
        return self.cells

    @cached_property
    def moments(self) -> Moments:
        """Of a column that held the scores over TOP."""
        nullable = any(variable.nullable for variable in self.variables)
        column = Variable(None, Interval(Fraction(-1), Fraction(1), "integer", nullable))
        return Moments(column, self.cells, self.counted)

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        *count, total, square = self.moments.weights(norm, moves)
        return (*count, TOP * total, TOP**2 * square)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return self.moments.reach(norm, moves)

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """What a row brings to its cell."""
        return _powers(self.score.of(codes))

    def arrange(self, sums: Table) -> Table:
        if self.counted:
            return sums
        return np.column_stack([sums[:, 1], TOP**2 * sums[:, 0] - sums[:, 2]])


@dataclass(frozen=True)
class ScoreHistogram:
    """How many rows have a score in each of BINS equal bins, or where `signed` how many are so far from nothing."""

    score: Score
    signed: bool = False

    @property
    def cells(self) -> Cells:
        return ONE_CELL

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.score.variables

    @property
    def sorted_into(self) -> Cells:
        return ONE_CELL

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return (Fraction(1),) * BINS

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return farthest(moves, ONE_CELL, self.variables, within=2, alone=1)

    def numbers(self, codes: list[Numbers]) -> list[Numbers]:
        """A row is in one bin."""
        places = bins_of(self.score.of(codes), self.signed)
        return [(places == place).astype(np.int64) for place in range(BINS)]

    def arrange(self, sums: Table) -> Table:
        return sums


Scored = SignedSums | ScoreMoments | ScoreHistogram


@dataclass(frozen=True)
class LearnedScores:
    """Sums of scores that a first look learns: about how many rows are below each value.

    Scores are in [-TOP, TOP] whatever they are, so reach and weights are those of the sums with any other score.
    """

    first: ScoreHistogram
    sums: SignedSums | ScoreMoments  # of the plain score

    @property
    def after(self) -> tuple[ScoreHistogram, ...]:
        return (self.first,)

    @property
    def cells(self) -> Cells:
        return self.sums.cells

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.sums.weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return self.sums.reach(norm, moves)

    def parameter(self, told: tuple[Blurred, ...]) -> tuple[int, ...]:
        """The heights of the bins."""
        return heights_of([int(count) for count in told[0].table[0]], self.first.signed)

    def at(self, parameter: tuple[int, ...]) -> SignedSums | ScoreMoments:
        score = Learned(self.first.score, parameter, self.first.signed)  # type: ignore[arg-type]
        return replace(self.sums, score=score)

    def say(self, parameter: tuple[int, ...]) -> Any:
        return [round(height / TOP, 6) for height in parameter]


@dataclass(frozen=True)
class LearnedRanks:
    """The same of a column, whose ranks two looks learn: a value near the middle, and counts in bins that are narrow
    around it, so that they tell ranks also where the range is declared far too wide."""

    counts: AroundAndEven
    sums: SignedSums | ScoreMoments  # of the plain score
    size: int | None  # how many rows are counted, where that is public

    @property
    def after(self) -> tuple[Ranks | AroundAndEven, ...]:
        return (*self.counts.ranks, self.counts)

    @property
    def cells(self) -> Cells:
        return self.sums.cells

    def weights(self, norm: Norm, moves: Moves) -> tuple[Fraction, ...]:
        return self.sums.weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        return self.sums.reach(norm, moves)

    def curve(self, told: tuple[Blurred, ...]) -> tuple[tuple[int, ...], Curve]:
        """Where bins end, and how many rows seem to lie up to there."""
        *chosen, counted = told
        ends = self.counts.parameter(tuple(chosen))
        return ends[0], curve_told([(self.counts.at(ends), counted)], 0, self.size)

    def parameter(self, told: tuple[Blurred, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Where bins end, and their heights: the share of rows in lower bins and in half of the own one."""
        ends, curve = self.curve(told)
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


def _powers(scores: Numbers) -> list[Numbers]:
    return [np.ones(len(scores), np.int64), scores, TOP**2 - scores * scores]
