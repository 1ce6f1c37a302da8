"""Weighted counts, means, shares and sums, and their margins, with the error that the design of a survey gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import CALIBRATED, Errors, Evidence, Json, Seen
from ..core.evidence.noise import (
    RELEASED,
    SAME,
    AddedUp,
    Ends,
    LessShare,
    Linear,
    Noise,
    critical,
    fieller,
    in_range,
    student_over_normal,
)
from ..errors import NotConcluded
from ..numeric.evidence_ratios import Of
from .evidence_strata import Clusters, SimplexSums, Strata, WeightStrata, corrected, left_of


@dataclass(frozen=True)
class SurveyedCounts(Evidence):
    """Σw in each cell, and Σw(g - w), g being the greatest weight: how many people of the population are in it."""

    values: Seen
    rest: Floats
    greatest: float
    noise: Noise
    rest_noise: Noise
    people: int | None = None
    population: float | None = None
    strata: WeightStrata | None = None
    clusters: Clusters | None = None
    kind: ClassVar[str] = "surveyed counts"
    statistic: ClassVar[str] = "count"
    default_target: ClassVar[str] = "population"
    lower: ClassVar[float] = 0.0
    not_combined: ClassVar[str] = "weighted counts are not combined; ask once with the whole cost."

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | {"shares"} | (CALIBRATED if len(self.values) > 1 else frozenset())

    @property
    def estimate(self) -> Floats:
        return np.asarray(self.values, float)

    @property
    def squares(self) -> Floats:
        """Σw², no less than its noise, which may have hidden it."""
        found = self.greatest * self.estimate - self.rest
        return np.maximum(found, np.hypot(self.greatest * self.noise.sd, self.rest_noise.sd))

    @property
    def left(self) -> float:
        return left_of(self.population, self.people)

    def _sampling_var(self, target: str) -> Floats:
        """As of a total of ones; where the number of people is private, as if it varied too."""
        if target != "population":
            return np.zeros(len(self.estimate))
        if self.designed:
            return self.by_design(SAME)
        if self.people is None:
            return self.squares
        around = np.maximum(self.estimate**2 - self.noise.var, 0.0) / max(self.people, 1)
        squares = self.squares
        return np.asarray(self.left * corrected(self.people, squares) * np.maximum(squares - around, 0.0))

    @property
    def designed(self) -> bool:
        """Whether strata or clusters tell the error."""
        return self.strata is not None or self.clusters is not None

    def by_design(self, by: Linear) -> Floats:
        """The variances that strata or clusters give to what is made of the cells."""
        if self.strata is not None:
            return self.strata.variance(self.greatest, by)
        assert self.clusters is not None
        return self.clusters.variance(np.ones(len(self.values)), by=by)

    def student(self, level: float) -> Any:
        """How much longer intervals are as few clusters tell the error."""
        return 1.0 if self.clusters is None else student_over_normal(level, np.array(float(self.clusters.freedom)))

    def std_error(self, target: str) -> Floats:
        return np.asarray(np.sqrt(self.noise.var + self._sampling_var(target)))

    def interval(self, level: float, target: str) -> Ends:
        if target == "sample":
            low, high = self.noise.around(self.estimate, level)
        else:
            var = self._sampling_var(target)
            quantile = critical(level, (self.noise,), self.noise.var / (self.noise.var + var)) * self.student(level)
            half = quantile * self.std_error(target)
            low, high = self.estimate - half, self.estimate + half
        return np.maximum(low, 0.0), np.maximum(high, 0.0)

    @property
    def apart(self) -> bool:
        return not self.designed

    def errors(self) -> Errors | None:
        if len(self.values) < 2:
            return None
        if self.designed:
            return Errors(self.noise, self.by_design, inf if self.clusters is None else self.clusters.freedom)
        if self.people is None:
            return Errors.of(self.noise, self.squares, np.zeros(len(self.values)))
        left = self.left * corrected(self.people, self.squares)
        return Errors.of(self.noise, left * self.squares, np.sqrt(left / max(self.people, 1)) * self.estimate)

    def added_up(self, by: AddedUp) -> SurveyedCounts:
        """Of several cells together: all that was measured adds up, whatever the design."""
        return replace(
            self,
            values=by.sums(self.estimate),
            rest=by.sums(self.rest),
            noise=by.noise(self.noise),
            rest_noise=by.noise(self.rest_noise),
            strata=None if self.strata is None else self.strata.added_up(by),
            clusters=None if self.clusters is None else self.clusters.added_up(by),
        )

    def own_noise(self, target: str) -> tuple[Noise, ...] | None:
        return (self.noise,) if target == "sample" else None

    def own_cells(self) -> NoReturn:
        raise NotConcluded(
            "weighted counts estimate a population, and tests of tables take rows for independent and alike, so they "
            "would reject too often; ask with weights=None for a test of the rows."
        )

    def not_adjusted_because(self) -> str:
        return (
            "these counts are weighted: they estimate those of a population; calibrate them to known totals, or round "
            "them to thousands with .dp.round(-3)."
        )

    def shares(self, shape: tuple[int, int], of: Of) -> SurveyedShares:
        """Each over the total of all, of its row or of its column."""
        return SurveyedShares(self, *shape, of)


@dataclass(frozen=True)
class SurveyedShares(Evidence):
    """Weighted counts over their total, of all, of their row or of their column: means of yes and no over a domain."""

    counts: SurveyedCounts
    rows: int
    columns: int
    of: Of
    kind: ClassVar[str] = "surveyed shares"
    statistic: ClassVar[str] = "share"
    default_target: ClassVar[str] = "population"
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = 1.0
    not_combined: ClassVar[str] = "shares are not combined; combine the counts, and take the shares of what they give."

    @property
    def shape(self) -> tuple[int, int]:
        """The shape of the rectangle that is shown."""
        return self.rows, self.columns

    def _over(self, cells: Floats) -> Floats:
        """For each cell the sum of its group; of several numbers a cell, of each."""
        cells = np.asarray(cells, float)
        table = cells.reshape(self.rows, self.columns, *cells.shape[1:])
        axis = {"all": (0, 1), "index": (1,), "columns": (0,)}[self.of]
        total = table.sum(axis=axis, keepdims=True)
        return np.asarray(np.broadcast_to(total, table.shape)).reshape(cells.shape)

    @property
    def _cells(self) -> int:
        """How many cells a group has."""
        return {"all": self.rows * self.columns, "index": self.columns, "columns": self.rows}[self.of]

    @property
    def _total(self) -> Floats:
        total = self._over(self.counts.estimate)
        limit = self.counts.noise.half_width_of_sum(RELEASED, self._cells)
        return np.where(total > limit, total, np.nan)  # elsewhere it cannot be told from none

    @property
    def estimate(self) -> Floats:
        return np.clip(self.counts.estimate / self._total, 0.0, 1.0)

    def _parts(self, target: str) -> tuple[Floats, Floats, Floats]:
        """Of cell − r·total: the variance of the cell, of the total, and their covariance."""
        noise = self.counts.noise.var
        squares = np.zeros(len(self.counts.estimate))
        if target == "population" and self.counts.designed:  # of cell − share·total, at the released share
            own = self.counts.by_design(LessShare(np.nan_to_num(self.estimate), self._over))
            return noise + own, np.full(len(own), noise * self._cells), np.full(len(own), noise)
        if target == "population":
            people = corrected(self.counts.people, self._total / self.counts.greatest)
            squares = self.counts.left * people * self.counts.squares
        return noise + squares, noise * self._cells + self._over(squares), noise + squares

    def std_error(self, target: str) -> Floats:
        share = self.estimate
        cell, total, both = self._parts(target)
        return np.asarray(np.sqrt(cell - 2 * share * both + share**2 * total) / self._total)

    def interval(self, level: float, target: str) -> Ends:
        """All shares that cell and total leave possible (Fieller)."""
        cell, total, both = self._parts(target)
        with np.errstate(all="ignore"):
            quantile = critical(level, (self.counts.noise,)) * (
                self.counts.student(level) if target == "population" else 1.0
            )
            low, high = fieller(self.counts.estimate, self._total, cell, total, both, quantile)
        low, high = np.nan_to_num(low, nan=0.0, neginf=0.0), np.nan_to_num(high, nan=1.0, posinf=1.0)
        return np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)

    def not_adjusted_because(self) -> str:
        return "these are shares; adjust the counts that they were made from."


Says = Literal["mean", "share", "sum"]


@dataclass(frozen=True)
class Surveyed(Evidence):
    """Σwy/Σw in each cell, or Σwy; variances are those of with-replacement sampling, linearised, of the whole design.

    `greatest` is the weight that counts as 1, `people` the public number of people in the design, in whatever cells
    they are, `population` the number they were sampled from, `total_weight` the public sum of the weights. A number of
    a cell says nothing where nobody seems to be there: then it is NaN, its interval all that can be.
    """

    statistic: Says
    centre: float
    half: float
    greatest: float
    sums: SimplexSums
    people: int | None = None
    population: float | None = None
    total_weight: float | None = None
    strata: Strata | None = None
    clusters: Clusters | None = None
    kind: ClassVar[str] = "surveyed"
    default_target: ClassVar[str] = "population"
    not_combined: ClassVar[str] = "weighted {}s are not combined; ask once with the whole cost."

    @property
    def clamp(self) -> tuple[float, float]:
        return self.centre - self.half, self.centre + self.half

    @property
    def estimate(self) -> Floats:
        if self.statistic == "sum":
            return self._sum
        return self.centre + self.half * self._ratio

    @cached_property
    def _ratio(self) -> Floats:
        if self._known is None:
            return self.sums.ratio
        return np.clip(self.sums.swing / self._known, -1.0, 1.0)

    @property
    def _known(self) -> float | None:
        """The sum of the weights in units of the greatest, where it is public."""
        return None if self.total_weight is None else self.total_weight / self.greatest

    @property
    def _sum(self) -> Floats:
        total = self.sums.total if self._known is None else self._known
        return np.asarray(self.greatest * (self.centre * total + self.half * self.sums.swing))

    @cached_property
    def _at(self) -> Floats:
        """The ratio where it is known, else the middle: for the errors."""
        return np.nan_to_num(self._ratio)

    @cached_property
    def _linear(self) -> tuple[Any, Any]:
        """What of s and of t the error of a number is made of."""
        if self.statistic == "sum" and self._known is None:
            return np.full(len(self._at), self.half), np.full(len(self._at), self.centre)
        return np.ones(len(self._at)), -self._at

    @property
    def _scale(self) -> Any:
        """What a number is worth of the sum that its error is told from."""
        if self.statistic != "sum":
            return self.half / (self.sums.safe_total if self._known is None else self._known)
        return self.greatest * (1.0 if self._known is None else self.half)

    @property
    def _noise_var(self) -> Floats:
        swing, total = self._linear
        if self._known is not None:  # the sum of the weights is no part of the noise
            total = np.zeros_like(swing)
        return np.asarray(self.sums.linear_noise(swing, total))

    def _sampling_var(self, target: str) -> Floats:
        if target != "population":
            return np.zeros(len(self._at))
        swing, total = self._linear
        if self.strata is not None:
            return self.strata.variance(swing, total)
        if self.clusters is not None:
            return self.clusters.variance(total, swing)
        squares = np.maximum(self.sums.squares(swing, total), self.sums.squares_sd(swing, total))
        if self.statistic == "sum" and self._known is None and self.people:
            own = swing * self.sums.swing + total * self.sums.total
            around = np.maximum(own**2 - self._noise_var, 0.0) / self.people
            squares = np.maximum(squares - around, self.sums.squares_sd(swing, total))
        return np.asarray(left_of(self.population, self.people) * corrected(self.people, self.sums.total) * squares)

    def std_error(self, target: str) -> Floats:
        return np.asarray(np.sqrt(self._noise_var + self._sampling_var(target)) * np.abs(self._scale))

    def interval(self, level: float, target: str) -> Ends:
        quantile = self._quantile(level, target)
        if self.statistic != "sum" and self._known is None:
            sums = self.sums
            var = sums.swing_noise.var + self._sampling_var(target)
            ends = fieller(sums.swing, sums.safe_total, var, sums.total_noise.var, 0.0, quantile, np.nan)
            low, high = in_range(ends, sums.swing / sums.safe_total, 1.0)
            return self.centre + self.half * low, self.centre + self.half * high
        half = quantile * self.std_error(target)
        low, high = self.estimate - half, self.estimate + half
        return self.clipped(low, high)

    def _quantile(self, level: ArrayLike, target: str) -> Floats:
        noise, sampling = np.maximum(self._noise_var, 1e-300), self._sampling_var(target)
        normal = critical(level, self.sums.noises, noise / (noise + sampling))
        if target != "population":
            return normal
        return np.asarray(normal * student_over_normal(level, self.freedom()))

    def freedom(self) -> Floats:
        """The effective number of people less one, or less that of the strata; of clusters less theirs."""
        taken = 1 if self.strata is None else self.strata.many
        people = np.maximum(self.sums.effective - taken, 1.0)
        return people if self.clusters is None else np.minimum(people, float(self.clusters.freedom))

    @property
    def limits(self) -> tuple[float, float]:
        low, high = self.clamp
        return (low, high) if self.statistic != "sum" else (0.0 if low >= 0 else -np.inf, 0.0 if high <= 0 else np.inf)

    @property
    def apart(self) -> bool:
        return self.strata is None and self.clusters is None

    @property
    def deff(self) -> Floats:
        """Kish's design effect, n·Σw²/(Σw)²; NaN where the number of people in a cell is not public."""
        if self.people is None or len(self.sums.total) > 1:
            return np.full(len(self.sums.total), np.nan)
        return self.people / self.sums.effective

    @property
    def follows(self) -> Json:
        known = self.people is not None and len(self.sums.total) == 1
        return {"effective": self.sums.effective.tolist(), "deff": self.deff.tolist() if known else None}

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | (frozenset() if self.errors() is None else CALIBRATED)

    def errors(self) -> Errors | None:
        if self.statistic != "sum" or len(self.sums.total) < 2:
            return None
        noises = self.own_noise("sample")
        assert noises is not None
        noise = replace(noises[0], plus=noises[1:])
        worth, (swing, total) = self.greatest**2, self._linear
        if self.strata is not None:
            strata = self.strata
            return Errors(noise, lambda by: worth * strata.variance(swing, total, by))
        if self.clusters is not None:
            clusters = self.clusters
            return Errors(noise, lambda by: worth * clusters.variance(total, swing, by=by), clusters.freedom)
        own, shared = self._sampling_var("population") * self._scale**2, np.zeros(len(self.sums.total))
        if self.people:
            shared = np.sqrt(corrected(self.people, self.sums.total) / self.people) * self.estimate
        return Errors.of(noise, own + shared**2, shared)

    def added_up(self, by: AddedUp) -> Surveyed:
        """Of several cells together: all that was measured adds up, whatever the design."""
        strata = None if self.strata is None else self.strata.added_up(by)
        clusters = None if self.clusters is None else self.clusters.added_up(by)
        return replace(self, sums=self.sums.added_up(by), strata=strata, clusters=clusters)

    def own_noise(self, target: str) -> tuple[Noise, ...] | None:
        """Of a total alone, whose noise is a sum of two."""
        if target == "sample" and self.statistic == "sum":
            swing = self.sums.swing_noise.times(self.greatest * self.half)
            if self._known is not None or not self.centre:
                return (swing,)
            return (swing, self.sums.total_noise.times(abs(self.greatest * self.centre)))
        return None


@dataclass(frozen=True)
class SurveyedMargins(Evidence):
    """Cells of a rectangle, and behind each row, below each column, what all of its cells say together.

    A person is in one cell, so squares and sums of people, of strata and of sampling units add up over cells, and a
    margin's error follows from them as a cell's does (docs/proofs/surveys/surveys.md).
    """

    inner: Surveyed | SurveyedCounts
    rows: int
    columns: int
    kind: ClassVar[str] = "surveyed margins"
    default_target: ClassVar[str] = "population"
    has_totals: ClassVar[tuple[bool, bool]] = (True, True)

    @property
    def statistic(self) -> str:
        return self.inner.statistic

    @property
    def clamp(self) -> tuple[float, float] | None:
        return self.inner.clamp

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | (self.inner.offers & {"shares"})

    @property
    def shape(self) -> tuple[int, int]:
        """Without margins."""
        return self.rows, self.columns

    @cached_property
    def _parts(self) -> tuple[Surveyed | SurveyedCounts, ...]:
        """Cells, totals of rows, totals of columns and that of all."""
        return (self.inner, *(self.inner.added_up(AddedUp(self.shape, over)) for over in ((1,), (0,), (0, 1))))

    def _framed(self, parts: Sequence[Array]) -> Array:
        inner, right, below, corner = parts
        return np.block([[inner.reshape(self.shape), right[:, None]], [below[None, :], corner[None, :]]]).ravel()

    @property
    def estimate(self) -> Array:
        return self._framed([part.estimate for part in self._parts])

    def std_error(self, target: str) -> Floats:
        return self._framed([part.std_error(target) for part in self._parts])

    def interval(self, level: float, target: str) -> tuple[Array, Array]:
        ends = [part.interval(level, target) for part in self._parts]
        return self._framed([low for low, _ in ends]), self._framed([high for _, high in ends])

    @property
    def limits(self) -> tuple[float, float]:
        return self.inner.lower, self.inner.upper

    def not_adjusted_because(self) -> str | None:
        return self.inner.not_adjusted_because()

    def pooled(self, others: Sequence[Any]) -> Evidence:
        return self.inner.pooled(others)
