"""One mean against a number, pairs against each other, several groups against each other: by values or by ranks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, ByNorm, Cells, Key, Norm, SharesAddUp, Variable
from ..core.measure.measurement import Form, Measurement, Noisy
from ..core.neighbours import PublicFacts
from ..core.schema.values import ByFields, Categories, Kind
from ..numeric.evidence_moments import MomentSums
from ..numeric.measure import Counts, Moments
from ..numeric.statistic_means import OfMoments
from ..quantiles.measure import AroundAndEven, Ranks
from ..tables.planning.prefixes import Prefixes
from .evidence_differences import Difference
from .evidence_groups import Against, ManyGroups, Path
from .measure import (
    PARTS_OF_ROW,
    TOP,
    Gap,
    LearnedRanks,
    LearnedScores,
    LinearScore,
    ScoreHistogram,
    ScoreMoments,
    SignedSums,
    TopOfPath,
)

LEARNING = Fraction(1, 5)  # of the cost, for the scores of pairs
LEARNING_RANKS = (Fraction(1, 20), Fraction(3, 20), Fraction(4, 5))  # a value in the middle, counts around it, and sums
RANK_BINS: dict[Norm, int] = {1: 64, 2: 128}
COUNTING = Fraction(1, 6)  # of that of a distance, for how many rows are in a group
ENOUGH = 5  # rows, in standard deviations of the noise of their number


@dataclass(frozen=True)
class TwoMeans(ByFields):
    """The mean of a variable in the second group less that in the first."""

    variable: Variable
    group: Key
    spread: Literal["equal", "own"] = "equal"
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "t_test"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[SignedSums, ...]:
        return (SignedSums(LinearScore(self.variable), self.group),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Difference:
        return _difference(self.statistic, answers[0], LinearScore(self.variable).half, self.spread, False)


@dataclass(frozen=True)
class TwoRanks(ByFields, SharesAddUp, ByNorm):
    """How often values of the second group are greater than those of the first, by ranks that earlier stages learn."""

    variable: Variable
    group: Key
    norm: Norm = 2  # of the noise that will be used
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "rank_test"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        return learned_ranks(self.variable, SignedSums(LinearScore(self.variable), self.group), self.norm, public)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return LEARNING_RANKS

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Difference:
        found = _difference(self.statistic, answers[-1], 1.0, "equal", True)
        return replace(found, tied=tied(self.measurements(public, ())[-1], answers[:-1]))


@dataclass(frozen=True)
class TwoDistributions(ByFields, SharesAddUp):
    """The greatest distance of two distribution functions. What is measured has the shares of both groups as factors,
    so a part of the cost measures these: of a `complete` table, of which each row has a value and a group, the rows of
    one group are counted; elsewhere the number of rows that count is private too."""

    variable: Variable
    group: Key
    complete: bool = False
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "ks_test"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[TopOfPath | Counts, ...]:
        if not self.complete:
            return (TopOfPath(self.variable, self.group),)
        labels = self.group.labels
        assert isinstance(labels, Categories)
        second = replace(self.group, labels=replace(labels, values=labels.values[1:]))
        return TopOfPath(self.variable, self.group, public.size or 0), Counts(Cells((second,)))

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return (1 - COUNTING, COUNTING) if self.complete else (Fraction(1),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Path:
        if self.complete:
            (top, second), size = answers, public.size or 0
            step = 1 / max(1, size)
            noises = Noise(top.laws[0], step), Noise(second.laws[0])
            return Path(self.statistic, float(top.table[0, 0]) * step, float(second.table[0, 0]), *noises, size)
        (facts,) = answers
        away, worth = (float(each) / PARTS_OF_ROW for each in facts.table[0])
        of_top, of_worth = (Noise(law, 1 / PARTS_OF_ROW) for law in facts.laws)
        return Path(self.statistic, away, worth, of_top, of_worth)


def learned_ranks(
    variable: Variable, sums: SignedSums | ScoreMoments, norm: Norm, public: PublicFacts
) -> tuple[Ranks, AroundAndEven, LearnedRanks]:
    """A value near the middle, counts in bins around it, and sums of the ranks that these tell."""
    middle = Ranks(variable, Fraction(1, 2))
    size = public.size if public.counts_public(ONE_CELL, [variable]) else None
    bins, known = min(RANK_BINS[norm], variable.grid.points), size is not None
    counts = AroundAndEven((middle,), Prefixes.planned(bins, norm, public.adjacency.swap and not known, known))
    return middle, counts, LearnedRanks(counts, sums, size)


def tied(form: Measurement | Form, earlier: tuple[Noisy, ...]) -> float | None:
    """Which share of pairs of rows are in the same bin, as noisy counts have it: without the bias that noise has in
    squares, and 0 where rows are too few to tell. None where the bins are no coarser than the grid, which is public."""
    assert isinstance(form, LearnedRanks)
    if form.counts.variable.grid.points <= form.counts.strategy.bins:
        return None
    _, curve = form.curve(earlier)
    counts = np.diff(curve.below, prepend=0.0)
    each = np.diff(np.diff(curve.covariance, axis=0, prepend=0.0), axis=1, prepend=0.0).diagonal()
    return share_of_ties(counts, each, float(curve.rows))


def share_of_ties(counts: np.ndarray[Any, Any], variances: Any, rows: float) -> float:
    """The same of noisy numbers of rows in bins, with the variance of the noise of each."""
    each = np.broadcast_to(variances, counts.shape)
    if not rows >= max(1.0, ENOUGH * float(each.sum()) ** 0.5):
        return 0.0
    return float(min(max((counts**2 - each).sum() / rows**2, 0.0), 1.0))


def _difference(statistic: str, answer: Noisy, half: float, spread: Literal["equal", "own"], ranks: bool) -> Difference:
    worth = (1.0, 1.0, 1 / TOP, 1 / TOP, 1 / TOP**2, 1 / TOP**2)
    released = answer.table[0].astype(float) * worth
    noises = tuple(Noise(law, step) for law, step in zip(answer.laws, worth, strict=True))
    return Difference(statistic, released, noises, half, spread, ranks)


@dataclass(frozen=True)
class MeanAgainst(OfMoments, ByFields):
    """The mean of a variable, and whether it is a given value."""

    variable: Variable
    value: float
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "t_test"

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Against:
        return Against(self.statistic, self.sums(answers, public), self.value)


@dataclass(frozen=True)
class PairedMeans(ByFields):
    """The mean of the second column less the first, row by row, and whether it is nothing."""

    gap: Gap
    value: float = 0.0
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "t_test"
    words: ClassVar = {"gap": "of"}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[ScoreMoments, ...]:
        return (ScoreMoments(self.gap, ONE_CELL, counted(self.gap.variables, ONE_CELL, public)),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Against:
        return Against(self.statistic, sums_of(answers[0], public, self.gap.half), self.value)


@dataclass(frozen=True)
class SignedRanks(ByFields, SharesAddUp):
    """Whether the second column is as often and as far above the first as below, by ranks that a first stage learns."""

    gap: Gap
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "rank_test"
    words: ClassVar = {"gap": "of"}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        first = ScoreHistogram(self.gap)
        sums = ScoreMoments(self.gap, ONE_CELL, counted(self.gap.variables, ONE_CELL, public))
        return first, LearnedScores(first, sums)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return LEARNING, 1 - LEARNING

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Against:
        counts, law = answers[0].table[0].astype(float), answers[0].laws[0]
        tied = share_of_ties(counts, Noise(law).var, counts.sum())
        return Against(self.statistic, sums_of(answers[1], public, 1.0), 0.0, tied)


@dataclass(frozen=True)
class ManyRanks(ByFields, SharesAddUp, ByNorm):
    """Whether several groups have the same distribution, by ranks that earlier stages learn: Kruskal and Wallis."""

    variable: Variable
    groups: Cells
    norm: Norm = 2  # of the noise that will be used
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "rank_test"
    cells: ClassVar[Cells] = ONE_CELL  # the answer is one row

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        sums = ScoreMoments(LinearScore(self.variable), self.groups, counted=True)
        return learned_ranks(self.variable, sums, self.norm, public)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return LEARNING_RANKS

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> ManyGroups:
        form = self.measurements(public, ())[-1]
        return ManyGroups(self.statistic, sums_of(answers[-1], public, 1.0), tied(form, answers[:-1]))


def counted(variables: Sequence[Variable], cells: Cells, public: PublicFacts) -> bool:
    """Whether the number of rows is released, as it is private."""
    return not public.counts_public(cells, variables)


def sums_of(answer: Noisy, public: PublicFacts, half: float) -> MomentSums:
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
        size=None if has_count else public.size,
        count=table[:, 0] if has_count else None,
        count_noise=Noise(laws[0]) if has_count else None,
    )
