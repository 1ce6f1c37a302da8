"""One mean against a number, pairs against each other, several groups against each other: by values or by ranks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Against, ManyGroups, MomentSums, Noise
from ..neighbours import Setting
from ..tally import (
    ONE_CELL,
    TOP,
    Blurred,
    Cells,
    Form,
    Gap,
    LearnedScores,
    Linear,
    Moments,
    Norm,
    ScoreHistogram,
    ScoreMoments,
    Tally,
    Variable,
)
from .moments import in_units, moments
from .two_groups import LEARNING, LEARNING_RANKS, learned_ranks, share_of_ties, tied


@dataclass(frozen=True)
class MeanAgainst:
    """The mean of a variable, and whether it is a given value."""

    variable: Variable
    value: float
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "t_test"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.statistic, of=self.variable.to_json(), value=self.value)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, ONE_CELL, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Against:
        (answer,) = answers
        return Against(self.statistic, in_units(moments(self.variable, ONE_CELL, setting), answer, setting), self.value)


@dataclass(frozen=True)
class PairedMeans:
    """The mean of the second column less the first, row by row, and whether it is nothing."""

    gap: Gap
    value: float = 0.0
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "t_test"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.statistic, of=self.gap.to_json(), value=self.value)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[ScoreMoments, ...]:
        return (ScoreMoments(self.gap, ONE_CELL, counted(self.gap.variables, ONE_CELL, setting)),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Against:
        return Against(self.statistic, sums_of(answers[0], setting, self.gap.half), self.value)


@dataclass(frozen=True)
class SignedRanks:
    """Whether the second column is as often and as far above the first as below, by ranks that a first look learns."""

    gap: Gap
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "rank_test"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.statistic, of=self.gap.to_json())

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]:
        first = ScoreHistogram(self.gap)
        sums = ScoreMoments(self.gap, ONE_CELL, counted(self.gap.variables, ONE_CELL, setting))
        return first, LearnedScores(first, sums)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return LEARNING, 1 - LEARNING

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        return sum(parts, Fraction(0))

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Against:
        counts, law = answers[0].table[0].astype(float), answers[0].laws[0]
        tied = share_of_ties(counts, Noise(law).var, counts.sum())
        return Against(self.statistic, sums_of(answers[1], setting, 1.0), 0.0, tied)


@dataclass(frozen=True)
class ManyRanks:
    """Whether several groups have the same distribution, by ranks that earlier looks learn: Kruskal and Wallis."""

    variable: Variable
    groups: Cells
    norm: Norm = 2  # of the noise that will be used
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "rank_test"
    cells: ClassVar[Cells] = ONE_CELL  # the answer is one row

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.statistic, of=self.variable.to_json(), groups=self.groups.to_json())

    def decided(self, setting: Setting, norm: Norm) -> ManyRanks:
        return replace(self, norm=norm)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]:
        sums = ScoreMoments(Linear(self.variable), self.groups, counted=True)
        return learned_ranks(self.variable, sums, self.norm, setting)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return LEARNING_RANKS

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        return sum(parts, Fraction(0))

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> ManyGroups:
        form = self.tallies(setting, ())[-1]
        return ManyGroups(self.statistic, sums_of(answers[-1], setting, 1.0), tied(form, answers[:-1]))


def counted(variables: Sequence[Variable], cells: Cells, setting: Setting) -> bool:
    """Whether the number of rows is released, as it is private."""
    return not setting.counts_public(cells, variables)


def sums_of(answer: Blurred, setting: Setting, half: float) -> MomentSums:
    """Sums of scores, of which TOP is worth `half`, around 0."""
    table, laws, step = answer.table.astype(float), answer.laws, half / TOP
    has_count = len(laws) == 3
    return MomentSums(
        centre=0.0,
        half=half,
        total=table[:, -2] * step,
        squares=table[:, -1] * step**2,
        total_noise=Noise(laws[-2], step),
        squares_noise=Noise(laws[-1], step**2),
        size=None if has_count else setting.size,
        count=table[:, 0] if has_count else None,
        count_noise=Noise(laws[0]) if has_count else None,
    )
