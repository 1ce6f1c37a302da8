"""Means within chosen bounds, locations and trimmed means, and the choice of bounds."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ..core.evidence.no_interval import Unsaid
from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, ByNorm, Cells, Norm, SharesAddUp, Variable
from ..core.measure.measurement import Form, Measurement, Noisy
from ..core.neighbours import PublicFacts
from ..core.schema.bounds import preferred
from ..core.schema.values import ByFields, Kind, named, said
from ..errors import CostNotOffered
from ..quantiles.measure import AroundChosen, Ranks
from ..tables.planning.prefixes import Prefixes
from .evidence_location import Location, MeanWithin, TrimmedMeanEstimate
from .measure import Moments
from .measure_location import CLIP, WHOLE, Candidates, End, HuberStage, Narrowing, Trimming


class Clamped(NamedTuple):
    """Both ends; how many values there are, the sum of u and that of 1 - u², u from -1 at one end to 1 at the other."""

    ends: tuple[float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]


def clamped(variable: Variable, codes: tuple[int, int], answer: Noisy) -> Clamped:
    """What `answer` tells of values clamped to `codes`."""
    grid, (low, high) = variable.grid, codes
    middle, half = Fraction(low + high, 2), Fraction(max(1, high - low), 2)
    count, total, squares = (float(each) for each in answer.table[0])
    count_noise, total_noise, squares_noise = answer.laws
    return Clamped(
        ends=(
            float(grid.centre + (middle - half) * grid.code_step),
            float(grid.centre + (middle + half) * grid.code_step),
        ),
        released=(count, total / WHOLE, squares / WHOLE**2),
        noises=(Noise(count_noise), Noise(total_noise, 1 / WHOLE), Noise(squares_noise, 1 / WHOLE**2)),
    )


BINS: dict[Norm, int] = {1: 40, 2: 128}
SDS: dict[Norm, int] = {1: 3, 2: 2}  # sums of Laplace noise are far off more often
SHARES: dict[Norm, tuple[Fraction, Fraction, Fraction]] = {  # for a middle, counts around it, and the mean
    1: (Fraction(4, 100), Fraction(26, 100), Fraction(70, 100)),
    2: (Fraction(5, 100), Fraction(15, 100), Fraction(80, 100)),
}


@dataclass(frozen=True)
class MeanInChosenBounds(ByFields, SharesAddUp, ByNorm):
    """The mean of the values, clamped to bounds outside of which hardly any seem to lie."""

    variable: Variable
    norm: Norm = 2  # of the noise that will be used
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "mean"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "bounds": "private"}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        middle, size = (Ranks(self.variable, Fraction(1, 2)),), self._size(public)
        bins, known = min(BINS[self.norm], self.variable.grid.points), size is not None
        strategy = Prefixes.planned(bins, self.norm, public.adjacency.swap and not known, known)
        counts = AroundChosen(middle, strategy)
        return *middle, counts, Narrowing(counts, SDS[self.norm], size)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return SHARES[self.norm]

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> MeanWithin:
        form = self.measurements(public, ())[-1]
        assert isinstance(form, Narrowing)
        return MeanWithin(*clamped(self.variable, form.parameter(answers[:-1]), answers[-1]), size=self._size(public))

    def _size(self, public: PublicFacts) -> int | None:
        return public.size if public.counts_public(self.cells, [self.variable]) else None


FIRST = Fraction(1, 4)  # of the price of a location, for quantiles
QUANTILES = Fraction(1, 2)  # of the price of a trimmed mean
QUARTER = Fraction(1, 4)


class TwoStageEstimate(SharesAddUp):
    """An estimator whose later stages have Gaussian noise, whose parts are paid in rho and add up."""

    kind: ClassVar[Kind] = "float"
    needs_delta: ClassVar[bool] = True

    if TYPE_CHECKING:  # a field of some, a property of others

        @property
        def statistic(self) -> str: ...

    def decided(self, public: PublicFacts, norm: Norm) -> Any:
        if norm == 1:
            raise CostNotOffered(
                f"{self.statistic} looks at rows again after its own first answers, with Gaussian noise, which epsilon "
                "alone does not buy; ask with rho=, or with epsilon= and delta=, in a session that has a delta or "
                "counts rho.",
                statistic=self.statistic,
            )
        return self


@dataclass(frozen=True)
class HuberLocation(TwoStageEstimate, ByFields):
    """The m at which clip((x - m)/s, -1.5, 1.5) is zero on average, s a released scale: two steps from a median."""

    variable: Variable
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "location"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        lower, median, upper = (Ranks(self.variable, quarter * QUARTER) for quarter in (1, 2, 3))
        first = HuberStage((lower, median, upper))
        return lower, median, upper, first, HuberStage(first.ranks, first)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return FIRST / 3, FIRST / 3, FIRST / 3, Fraction(1, 4), Fraction(1, 2)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Location:
        form, grid = self.measurements(public, ())[-1], self.variable.grid
        assert isinstance(form, HuberStage)
        centre, width = form.parameter(answers[:-1])
        clipped_score, squares, inside = (float(each) for each in answers[-1].table[0])
        score_noise, square_noise, inside_noise = answers[-1].laws
        return Location(
            around=(
                float(grid.centre + centre * grid.code_step),
                float(width * grid.code_step / CLIP),
                float(width * grid.code_step),
            ),
            released=(clipped_score / WHOLE, squares / WHOLE**2, inside),
            noises=(Noise(score_noise, 1 / WHOLE), Noise(square_noise, 1 / WHOLE**2), Noise(inside_noise)),
            bounds=(float(grid.lower), float(grid.upper)),
        )


@dataclass(frozen=True)
class TrimmedMean(TwoStageEstimate, ByFields):
    """The mean without a `proportion` of the values at either end, of values clamped to two released quantiles."""

    variable: Variable
    proportion: Fraction
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "trimmed_mean"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        ends = Ranks(self.variable, self.proportion), Ranks(self.variable, 1 - self.proportion)
        return (*ends, Trimming(ends))

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return QUANTILES / 2, QUANTILES / 2, 1 - QUANTILES

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> TrimmedMeanEstimate:
        *_, form = self.measurements(public, ())
        assert isinstance(form, Trimming)
        ends, released, noises = clamped(self.variable, form.parameter(answers[:-1]), answers[-1])
        return TrimmedMeanEstimate(ends, float(self.proportion), released, noises, step=float(self.variable.grid.step))


LATER = 4  # a choice is taken to be a fifth of what it and the question that follows cost together
STEEP = 3  # a candidate takes part as often as its distance from zero, to this power, is smaller than the farthest
AT_ZERO = 64  # times as often as the candidates next to it: most ranges begin there


@dataclass(frozen=True)
class ChosenBound:
    """An end of a range, one of a few public candidates; `ends` are those that are chosen together."""

    column: Hashable
    smallest: Fraction
    largest: Fraction
    end: End = "upper"
    ends: tuple[End, ...] = ("upper",)
    kind: ClassVar[Kind] = "float"
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def statistic(self) -> str:
        return "choose_bound" if len(self.ends) == 1 else "choose_bounds"

    def to_json(self) -> dict[str, Any]:
        among = (self.smallest, self.largest)
        return said(statistic=self.statistic, column=named(self.column), among=among, end=self.end)

    @property
    def candidates(self) -> tuple[Fraction, ...]:
        """Rising; of two ends that are chosen, on both sides of zero."""
        above = preferred(self.smallest, self.largest)
        return above if len(self.ends) == 1 else (*(-c for c in reversed(above)), Fraction(0), *above)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Candidates, ...]:
        found, later = self.candidates, LATER * len(self.ends)
        points, prior = tuple(map(float, found)), tuple(map(self._prior, found))
        return tuple(Candidates(self.column, points, prior, end, later) for end in self.ends)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Unsaid:
        """Ends that met, or came in the wrong order, are the least range around both."""
        places = sorted(int(answer.table[0, 0]) for answer in answers)
        low, high = places[0], places[-1]
        if len(places) == 2 and low == high:
            low, high = (low, high + 1) if high + 1 < len(self.candidates) else (low - 1, high)
        chosen = self.candidates[low if self.end == "lower" else high]
        return Unsaid(self.statistic, np.array([float(chosen)]), "range")

    def _prior(self, candidate: Fraction) -> int:
        if not candidate:
            return AT_ZERO * self._prior(self.smallest)
        return int((self.largest / abs(candidate)) ** STEEP)
