"""A look at the scores of a regression, around coefficients that a released moment matrix gave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from ...core.measure.cells import GRAIN as GRAIN_OF_ROWS
from ...core.measure.cells import ONE_CELL, Cells, Norm, Variable
from ...core.measure.measurement import Noisy
from ...core.neighbours import Adjacency
from ...core.noise.mechanism import Law
from ...people.measure import NewtonSumsOfPeople, Weighted
from ..measure import Gram, Term, half_range
from ..moments.solve import MomentMatrix
from .measure_newton import (
    BAND_ENDS,
    BANDS_PER_TWO,
    FARTHEST,
    FINE,
    ONE,
    LinearLink,
    Link,
    Logit,
    NewtonSums,
    Poisson,
    ResidualSizes,
)
from .solve_pilots import Pilot
from .solve_score_step import ScoreStep, score_step

Family = Literal["logit", "poisson", "linear"]
GRAIN = 2**10  # clips are multiples of 1/GRAIN
CLIP = 4.0  # standard deviations
MOST = 2.0  # half-ranges
SEEN = 3.0  # standard deviations of noise
WINDOWS = (1, 2, 4, 8, 16)  # of bands that are added up
MANY = 10.0  # times as many as are just seen
MANY_HIDDEN = 20.0  # rows: as far again where so many may be hidden
NEAREST, FURTHEST, MOST_POWER = 1.2, 4.0, 1.5
LEAST_CLIP = 5.0  # standard deviations
COUNTS = 3.0  # beside these: a rare count is not cut off


@dataclass(frozen=True)
class StagePoint:
    """Coefficients in parts of 1/FINE, one a column, and where residuals and weights are cut off: of yes or no as they
    are, of numbers in half-ranges."""

    coefficients: tuple[int, ...]
    clip: float
    top: float = 0.25


@dataclass(frozen=True)
class NewtonStage:
    """Scores of a regression of the response on the columns `places`, of which the first is the constant.

    The pilot holds the terms, the response and the exposure, in this order.
    """

    family: Family
    pilot: Gram
    terms: tuple[Term, ...]
    response: Variable
    exposure: Variable | None
    places: tuple[int, ...]
    size: int | None = None  # where the pilot does not count
    uncut: bool = False  # residuals of a linear family: up to two half-ranges, which all of a yes or no are
    earlier: NewtonStage | None = None  # a step of Newton from it leads here
    most: int | None = None  # of rows of people: as so many rows hers weigh at most
    sizes: SizesStage | None = None  # of residuals, which tell where they are cut off
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def after(self) -> tuple[Gram | Weighted | NewtonStage | SizesStage, ...]:
        between = self.sizes if self.earlier is None else self.earlier
        return (self.asked_first,) if between is None else (self.asked_first, between)

    @property
    def asked_first(self) -> Gram | Weighted:
        """The pilot, whoever's rows it is asked of."""
        return self.pilot if self.most is None else Weighted(self.pilot, self.most)

    @cached_property
    def columns(self) -> int:
        return 1 + sum(len(term.columns) for term in self.terms)

    @cached_property
    def unit(self) -> float:
        """What one of a count's half-ranges is; of yes or no, one."""
        return half_range(self.response) if self.family == "poisson" else 1.0

    @cached_property
    def shape(self) -> NewtonSums:
        """What is asked, wherever it looks: weights and sensitivity are the same everywhere."""
        return self.at(self.nothing)

    @property
    def nothing(self) -> StagePoint:
        return StagePoint((0,) * self.columns, 1.0)

    def weights(self, norm: Norm, adjacency: Adjacency) -> Any:
        return self.shape.weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Any:
        return self.shape.sensitivity(norm, adjacency)

    def parameter(self, earlier: tuple[Noisy, ...]) -> StagePoint:
        """The coefficients; the same every time, which decompositions of matrices alone do not promise."""
        return _around_of(self, tuple((tuple(map(int, each.table[0])), each.laws) for each in earlier))

    def at(self, parameter: StagePoint) -> NewtonSums:
        link = self._link(parameter)
        asked = self.terms, self.response, self.exposure, link, parameter.coefficients
        return NewtonSums(*asked) if self.most is None else NewtonSumsOfPeople(*asked, self.most)

    def say(self, parameter: StagePoint) -> dict[str, Any]:
        """In half-ranges of the columns."""
        top = {} if self.family == "linear" else {"top": parameter.top}
        return {"coef": [each / FINE for each in parameter.coefficients], "clip": parameter.clip, **top}

    def _link(self, point: StagePoint) -> Link:
        if self.family == "logit":
            return Logit(point.top)
        if self.family == "linear":
            return LinearLink(point.clip)
        return Poisson(_around(self.response), point.clip * self.unit, point.top * self.unit, self._exposures)

    def first(self, pilot: Pilot) -> StagePoint:
        """What a released matrix says."""
        if self.family == "logit":
            return self._of(pilot.logit(), 1.0, pilot)
        if self.family == "linear":
            spread = pilot.around_variance if self.most is None else pilot.around_variance_at_most
            clip = MOST if self.uncut else _clip(CLIP * np.sqrt(spread), MOST)
            return self._of(pilot.linear(), clip, pilot)
        centre, half = _around(self.response)
        mean = max(centre + half * pilot.mean, 0.0)
        spread = max(pilot.variance * half**2, mean)  # counts vary as much as their mean at least
        clip = _clip(max(CLIP * np.sqrt(spread) + COUNTS, mean + CLIP * np.sqrt(spread - mean)) / half, MOST)
        return self._of(pilot.poisson(centre, half, self._exposures), clip, pilot)

    @property
    def _exposures(self) -> tuple[float, float] | None:
        return None if self.exposure is None else _around(self.exposure)

    def matrix_of(self, answer: Noisy) -> MomentMatrix:
        """What the pilot released."""
        (matrix,) = self.pilot.matrices(answer, self.size, 1 if self.most is None else GRAIN_OF_ROWS)
        return matrix

    def pilot_of(self, answer: Noisy) -> Pilot:
        matrix = self.matrix_of(answer)
        places = list(self.places) if self.exposure is None else [*self.places, self.columns + 1]
        return Pilot(matrix, places, self.columns)

    def step(self, answer: Noisy, point: StagePoint) -> ScoreStep:
        """From where it looked, in the response's own unit."""
        assert self.family != "linear"
        asked, size, unit = self.shape, self.columns, self.unit
        units = np.array(asked.units)
        numbers = answer.table[0].astype(float) * units
        released = np.concatenate([numbers[:size], numbers[asked.second :]])
        off = min(asked.second + 1, len(numbers) - 1)
        variances = answer.laws[0].variance * units[0] ** 2, answer.laws[off].variance * units[off] ** 2
        around = np.array(point.coefficients) / FINE
        columns, cut = self.pilot.sums.columns[:size], (point.clip * unit, point.top * unit)
        return score_step(self.family, columns, self.places, around, released, variances, *cut)

    def _of(self, found: Any, clip: float, pilot: Pilot) -> StagePoint:
        """Coefficients, and from them what rows weigh at most."""
        kept = np.clip(np.nan_to_num(found), -FARTHEST, FARTHEST)
        numbers = np.rint(kept * FINE).astype(int)
        every = np.zeros(self.columns, int)
        every[list(self.places)] = numbers
        if self.family == "linear":
            return StagePoint(tuple(every.tolist()), clip)
        most = 0.25 if self.family == "logit" else clip
        top = pilot.weights(self.family, kept, self._exposures) / self.unit
        return StagePoint(tuple(every.tolist()), clip, _clip(top, most))


@dataclass(frozen=True)
class SizesStage:
    """How long residuals are around what the pilot of `look` says: where to cut them off so that hardly any is cut."""

    stage: NewtonStage
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def after(self) -> tuple[Gram | Weighted, ...]:
        return (self.stage.asked_first,)

    @cached_property
    def shape(self) -> ResidualSizes:
        """What is asked, wherever it looks."""
        return self.at(self.stage.nothing)

    def weights(self, norm: Norm, adjacency: Adjacency) -> Any:
        return self.shape.weights(norm, adjacency)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Any:
        return self.shape.sensitivity(norm, adjacency)

    def parameter(self, earlier: tuple[Noisy, ...]) -> StagePoint:
        return self.stage.parameter(earlier)

    def at(self, parameter: StagePoint) -> ResidualSizes:
        stage, link = self.stage, LinearLink(MOST)
        return ResidualSizes(stage.terms, stage.response, None, link, parameter.coefficients, stage.most)

    def say(self, parameter: StagePoint) -> dict[str, Any]:
        """In half-ranges of the columns."""
        return {"coef": [each / FINE for each in parameter.coefficients]}

    def clip(self, answer: Noisy, pilot: Pilot) -> float:
        """Where so few are longer that they would not be seen, and so much farther as sizes thin out there."""
        unit = self.shape.units[0]
        counts = np.array([float(each) for each in answer.table[0]]) * unit
        noise = float(np.sqrt(float(answer.laws[0].variance))) * unit
        found = longest(counts, noise, 1)
        if found is None:  # nothing is seen of any
            return _clip(CLIP * np.sqrt(pilot.around_variance_at_most), MOST)
        band, hidden = found
        beyond = float(counts[:band].sum()) + noise * np.sqrt(band)  # too few in each band to be seen, and not in all
        hidden = max(hidden, beyond)
        many = longest(counts, noise, MANY)
        apart = FURTHEST if many is None else 2.0 ** ((many[0] - band) / BANDS_PER_TWO)
        power = min(float(np.log1p(hidden) / np.log(MANY_HIDDEN)), MOST_POWER)
        seen = MOST * -float(BAND_ENDS[band]) / ONE
        far = seen * float(np.clip(apart, NEAREST, FURTHEST)) ** power
        return _clip(max(far, LEAST_CLIP * np.sqrt(pilot.around_variance_at_least)), MOST)


def longest(counts: Any, noise: float, times: float) -> tuple[int, float] | None:
    """The first band of the longest with which so many are counted together that it is no noise, some times over; and
    how many would not have been seen."""
    sums = np.concatenate([[0.0], np.cumsum(counts)])
    for last in range(1, len(counts) + 1):
        for many in WINDOWS:
            seen = SEEN * noise * np.sqrt(many)
            if many <= last and sums[last] - sums[last - many] > seen * times:
                return last - 1, seen
    return None


def _around(variable: Variable) -> tuple[float, float]:
    """The middle of a range, and its half."""
    return float(variable.grid.centre), half_range(variable)


def _clip(requested: float, most: float) -> float:
    return float(np.clip(np.ceil(np.nan_to_num(requested, nan=most, posinf=most) * GRAIN) / GRAIN, 1 / GRAIN, most))


@lru_cache(maxsize=64)
def _around_of(form: NewtonStage, answers: tuple[tuple[tuple[int, ...], tuple[Law, ...]], ...]) -> StagePoint:
    first, *later = (Noisy(np.array([numbers], dtype=object), laws) for numbers, laws in answers)
    with np.errstate(all="ignore"):
        pilot = form.pilot_of(first)
        if form.sizes is not None:
            return replace(form.first(pilot), clip=form.sizes.clip(later[0], pilot))
        if form.earlier is None:
            return form.first(pilot)
        before = form.earlier.parameter((first,))
        return form._of(form.earlier.step(later[0], before).estimate, before.clip, pilot)
