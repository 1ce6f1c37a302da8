"""Means, shares and totals of a survey: weighted, with errors by its design."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal

from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, Cells, Key, Presence, SharesAddUp, Variable
from ..core.measure.measurement import Noisy
from ..core.neighbours import PublicFacts
from ..core.schema.values import ByFields, Kind
from ..numeric.measure import Moments
from .evidence import Surveyed, SurveyedCounts
from .evidence_strata import Clusters, SimplexSums, Strata, WeightStrata
from .measure import WeighedCounts, WeighedMeans, WeighedTotals, Weight, WeightTotals

ESTIMATE = Fraction(3, 4)  # of the cost, where strata are measured beside, for their variance
OF_CLUSTERS = Fraction(1, 2)  # where clusters are: their squares need more


@dataclass(frozen=True)
class Survey(ByFields):
    """How the rows of a table were sampled: all of it public but the values of the columns it names.

    `sizes` and `population` of strata are in the order of the key's categories. Clusters come stratum by stratum,
    `nested` says how many there are in each.
    """

    weight: Weight | None = None
    strata: Key | None = None
    sizes: tuple[int, ...] | None = None
    population: float | tuple[float, ...] | None = None
    total_weight: float | None = None
    lonely: Literal["adjust", "certainty"] | None = None
    clusters: Key | None = None
    nested: tuple[int, ...] | None = None

    @property
    def columns(self) -> list[Any]:
        """Those that say how rows were sampled."""
        keys = [key and key.column for key in (self.strata, self.clusters)]
        return [each for each in (self.weight and self.weight.variable.column, *keys) if each is not None]

    def described(self) -> dict[str, Any]:
        """What a label says of it."""
        weight = None if self.weight is None else self.weight.variable
        return {
            "column": None if weight is None else str(weight.column),
            "lower": None if weight is None else float(weight.interval.lower),
            "upper": None if weight is None else float(weight.interval.upper),
            "strata": None if self.strata is None else str(self.strata.column),
            "sizes": self.sizes and list(self.sizes),
            "fpc": list(self.population) if isinstance(self.population, tuple) else self.population,
            "total_weight": self.total_weight,
            "lonely": self.lonely,
            **(
                {}
                if self.clusters is None
                else {"clusters": str(self.clusters.column), "nested": self.nested and list(self.nested)}
            ),
        }

    @property
    def beside(self) -> Key | None:
        """What the error is told from, apart from the estimate: clusters, or strata."""
        return self.strata if self.clusters is None else self.clusters

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Of the cost, for the estimate and for what tells its error."""
        if self.clusters is not None:
            return OF_CLUSTERS, 1 - OF_CLUSTERS
        return (Fraction(1),) if self.strata is None else (ESTIMATE, 1 - ESTIMATE)

    @property
    def populations(self) -> tuple[float, ...] | None:
        """How many people each stratum has that they were sampled from, where it was said."""
        return self.population if isinstance(self.population, tuple) else None

    def clustered(self, answer: Noisy, scale: float = 1.0) -> Clusters:
        """The sums by sampling unit, as they were released."""
        assert self.nested is not None
        noises = tuple(Noise(law, 1 / scale) for law in answer.laws)
        return Clusters(answer.table.T.astype(float) / scale, noises, self.nested, self.lonely)

    @property
    def greatest(self) -> float:
        """The weight that counts as 1."""
        return 1.0 if self.weight is None else self.weight.greatest


@dataclass(frozen=True)
class SurveyEstimate(ByFields, SharesAddUp):
    """The weighted mean, share or total of a variable, in each cell."""

    variable: Variable
    survey: Survey
    says: Literal["mean", "share", "sum"]
    cells: Cells = ONE_CELL
    words: ClassVar = {"says": None}

    @property
    def statistic(self) -> str:
        return self.says

    @property
    def kind(self) -> Kind:
        kind = self.variable.interval.kind
        return kind if kind in ("datetime", "timedelta") else "float"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[WeighedMeans, ...]:
        whole = WeighedMeans.of(self.variable, self.survey.weight, self.cells)
        if self.survey.clusters is not None:
            cells = Cells((*self.cells.keys, self.survey.clusters))
            return whole, WeighedTotals.of(self.variable, self.survey.weight, cells)
        if self.survey.strata is None:
            return (whole,)
        cells, counted = Cells((*self.cells.keys, self.survey.strata)), self.survey.sizes is None
        return whole, WeighedMeans.of(self.variable, self.survey.weight, cells, counted)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        """Most of the cost is for the estimate; the strata, or the clusters, tell its error."""
        return self.survey.shares

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Surveyed:
        measurements = self.measurements(public, ())
        sums, strata = sums_of(measurements[0], answers[0]), None
        survey, grid = self.survey, self.variable.grid
        derived = public.size is None or bool(self.cells.keys)
        if survey.strata is not None:
            strata = self._strata(measurements[1], answers[1], public)
        return Surveyed(
            self.says,
            float(grid.centre),
            float(grid.code_step) * grid.half,
            survey.greatest,
            sums,
            people=public.most,
            population=survey.population if isinstance(survey.population, float) else None,
            total_weight=None if derived else survey.total_weight,
            strata=strata,
            clusters=None if survey.clusters is None else survey.clustered(answers[1], float(measurements[1].scale)),
        )

    def _strata(self, measurement: WeighedMeans, answer: Noisy, public: PublicFacts) -> Strata:
        survey = self.survey
        partial = public.size is None or bool(self.cells.keys) or self.variable.nullable
        assert survey.strata is not None
        count = answer.table[:, 0].astype(float) if measurement.counted else None
        noise = Noise(answer.laws[0]) if measurement.counted else None
        sums, many = sums_of(measurement, answer), survey.strata.size
        return Strata(sums, many, survey.sizes, count, noise, survey.populations, survey.lonely, partial)


@dataclass(frozen=True)
class SurveyCount(ByFields, SharesAddUp):
    """The sum of the weights in each cell: how many people of the population are in it."""

    survey: Survey
    cells: Cells = ONE_CELL
    present: Variable | Presence | None = None
    statistic: ClassVar[str] = "count"
    kind: ClassVar[Kind] = "float"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[WeighedCounts, ...]:
        apart = self._apart
        if apart is None:
            return (self._of(WeighedCounts, self.cells),)
        measurement = WeighedCounts if self.survey.clusters is None else WeightTotals
        return self._of(WeighedCounts, self.cells), self._of(measurement, Cells((*self.cells.keys, apart)))

    def _of(self, measurement: type[WeighedCounts], cells: Cells) -> WeighedCounts:
        assert self.survey.weight is not None
        return measurement(self.survey.weight, cells, self.present)

    @property
    def _apart(self) -> Key | None:
        """Strata whose sizes are not public are left out, which is conservative: a cell does not tell how many others
        they have."""
        survey = self.survey
        return None if survey.clusters is None and survey.sizes is None else survey.beside

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        """Most of the cost is for the estimate; the strata, or the clusters, tell its error."""
        return (Fraction(1),) if self._apart is None else self.survey.shares

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> SurveyedCounts:
        survey = self.survey
        assert survey.weight is not None
        most, worth = survey.weight.most, survey.greatest
        population = survey.population if isinstance(survey.population, float) else None
        strata = clusters = None
        if survey.clusters is not None:
            clusters = survey.clustered(answers[1], most / worth)
        elif survey.sizes is not None:
            total, rest, noise, _ = self._in_units(answers[1])
            strata = WeightStrata(total, rest, noise, survey.sizes, survey.populations, survey.lonely)
        total, rest, *noises = self._in_units(answers[0])
        return SurveyedCounts(
            total, rest, worth, noises[0], noises[1], public.most, population, strata=strata, clusters=clusters
        )

    def _in_units(self, answer: Noisy) -> tuple[Any, Any, Noise, Noise]:
        """Σw and Σw(g - w), with their noise."""
        weight, worth = self.survey.weight, self.survey.greatest
        assert weight is not None
        first, second = (answer.table[:, place].astype(float) for place in (0, 1))
        steps = worth / weight.most
        noises = Noise(answer.laws[0], steps), Noise(answer.laws[1], steps**2)
        return first * steps, second * steps**2, *noises


def sums_of(measurement: WeighedMeans, answer: Noisy) -> SimplexSums:
    """Whole steps as parts of the greatest weight."""
    scale = float(measurement.scale)
    table, laws = answer.table[:, int(measurement.counted) :].astype(float), answer.laws[int(measurement.counted) :]
    product = 2.0**measurement.shift / scale**2
    noises = Noise(laws[0], 1 / scale), Noise(laws[1], 1 / scale), Noise(laws[2], product)
    return SimplexSums(table[:, 0] / scale, table[:, 1] / scale, table[:, 2:].T * product, *noises)
