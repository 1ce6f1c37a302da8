"""A weighted table with its margins, each with the error that the design of the survey gives to its cells together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import CALIBRATED, Errors, Evidence, Json
from ..core.evidence.noise import AddedUp, Noise, critical, student_over_normal
from ..dataclass import dataclass
from ..errors import NotConcluded
from .evidence_counts import SurveyedCounts
from .evidence_strata import Clusters, SimplexSums, Strata, corrected

Says = Literal["mean", "share", "sum"]
Ends = tuple[Floats, Floats]


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
        left = 1.0
        if self.population is not None and self.people is not None:
            left = max(0.0, 1 - self.people / self.population)
        return np.asarray(left * corrected(self.people, self.sums.total) * squares)

    def std_error(self, target: str) -> Floats:
        return np.asarray(np.sqrt(self._noise_var + self._sampling_var(target)) * np.abs(self._scale))

    def interval(self, level: float, target: str) -> Ends:
        quantile = self._quantile(level, target)
        if self.statistic != "sum" and self._known is None:
            low, high = self._fieller(quantile, target)
            low, high = np.where(np.isnan(low), -1.0, low), np.where(np.isnan(high), 1.0, high)
            return self.centre + self.half * np.clip(low, -1, 1), self.centre + self.half * np.clip(high, -1, 1)
        half = quantile * self.std_error(target)
        low, high = self.estimate - half, self.estimate + half
        return np.clip(low, self.lower, self.upper), np.clip(high, self.lower, self.upper)

    def _fieller(self, quantile: Floats, target: str) -> Ends:
        """All r for which Σs − r·Σt is within reach of zero; NaN where that is every r.

        From a ratio that the noise has moved out of its range, the interval reaches as far inward as from its end.
        """
        sums, k2 = self.sums, quantile**2
        a = sums.total**2 - k2 * sums.total_noise.var
        b = sums.swing * sums.total
        c = sums.swing**2 - k2 * (sums.swing_noise.var + self._sampling_var(target))
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(np.maximum(b**2 - a * c, 0.0))
            told = (a > 0) & sums.enough
            back = np.nan_to_num(self._ratio - sums.swing / sums.safe_total)
            low, high = (b - root) / a + np.minimum(back, 0.0), (b + root) / a + np.maximum(back, 0.0)
            return np.where(told, low, np.nan), np.where(told, high, np.nan)

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
    def lower(self) -> float:
        low = self.centre - self.half
        return low if self.statistic != "sum" else 0.0 if low >= 0 else -np.inf

    @property
    def upper(self) -> float:
        high = self.centre + self.half
        return high if self.statistic != "sum" else 0.0 if high <= 0 else np.inf

    @property
    def noisy(self) -> int:
        return len(self.sums.total)

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
    def told(self) -> Json:
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

    def pooled(self, others: Sequence[Any]) -> Surveyed:
        raise NotConcluded(
            f"weighted {self.statistic}s are not combined; ask once with the whole cost.", statistic=self.statistic
        )


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

    def _framed(self, of: Callable[[Any], Array]) -> Array:
        inner, right, below, corner = (np.asarray(of(part)) for part in self._parts)
        return np.block([[inner.reshape(self.shape), right[:, None]], [below[None, :], corner[None, :]]]).ravel()

    @property
    def estimate(self) -> Array:
        return self._framed(lambda part: part.estimate)

    def std_error(self, target: str) -> Floats:
        return self._framed(lambda part: part.std_error(target))

    def interval(self, level: float, target: str) -> tuple[Array, Array]:
        low = self._framed(lambda part: part.interval(level, target)[0])
        return low, self._framed(lambda part: part.interval(level, target)[1])

    @property
    def lower(self) -> float:
        return self.inner.lower

    @property
    def upper(self) -> float:
        return self.inner.upper

    @property
    def has_totals(self) -> tuple[bool, bool]:
        return True, True

    def not_adjusted_because(self) -> str | None:
        return self.inner.not_adjusted_because()

    def pooled(self, others: Sequence[Any]) -> Evidence:
        return self.inner.pooled(others)
