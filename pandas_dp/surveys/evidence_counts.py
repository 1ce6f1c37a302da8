"""Weighted counts of a survey, and their shares, with the error that its design gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..core.arrays import Floats
from ..core.evidence.evidence import CALIBRATED, Errors, Evidence, Seen
from ..core.evidence.noise import SAME, TOLD, AddedUp, LessShare, Linear, Noise, critical, fieller, student_over_normal
from ..dataclass import dataclass
from ..errors import NotConcluded
from ..numeric.evidence_shares import Of
from .evidence_strata import Clusters, WeightStrata, corrected

Ends = tuple[Floats, Floats]


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
        """The share of the population that was not sampled, times n/(n - 1)."""
        if self.population is None or self.people is None:
            return 1.0
        return max(0.0, 1 - self.people / self.population)

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
    def noisy(self) -> int:
        return len(self.estimate)

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
        return "these counts are weighted: they estimate those of a population; calibrate them to known totals."

    def pooled(self, others: Sequence[Any]) -> SurveyedCounts:
        raise NotConcluded("weighted counts are not combined; ask once with the whole cost.")

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
        limit = self.counts.noise.half_width_of_sum(TOLD, self._cells)
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

    @property
    def noisy(self) -> int:
        return len(self.counts.estimate)

    def not_adjusted_because(self) -> str:
        return "these are shares; adjust the counts that they were made from."

    def pooled(self, others: Sequence[Any]) -> SurveyedShares:
        raise NotConcluded("shares are not combined; combine the counts, and take the shares of what they give.")
