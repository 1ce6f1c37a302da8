"""The mean of values clamped to bounds that were released on the way."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..core.arrays import Floats
from ..core.evidence.evidence import Evidence
from ..core.evidence.noise import Noise, critical, fieller
from .evidence_means import Means
from .evidence_moments import MomentSums


class ClampedMean(Evidence):
    """What is told from values clamped to two `ends` that were released on the way.

    `released` are how many values there are, the sum of u and that of 1 - u², u from -1 at and beyond one of the ends
    to 1 at and beyond the other.
    """

    ends: tuple[float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]
    default_target: ClassVar[str] = "population"
    noisy: ClassVar[int] = 1

    @property
    @abstractmethod
    def _mean(self) -> Means: ...

    @property
    def clamp(self) -> tuple[float, float]:
        return min(self.ends), max(self.ends)

    @property
    def limits(self) -> tuple[float, float]:
        return self.ends

    @property
    def estimate(self) -> Floats:
        return self._mean.estimate

    def std_error(self, target: str) -> Floats:
        return self._mean.std_error(target)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        return self._mean.interval(level, target)


def clamped_mean(
    ends: tuple[float, float],
    released: tuple[float, float, float],
    noises: tuple[Noise, Noise, Noise],
    *,
    size: int | None = None,
    kept: float = 1.0,
) -> Means:
    """Of how many values there are, the sum of u and that of 1 - u², u from -1 at one end to 1 at the other.

    Where a part alone is `kept` of the values, each is as much farther from the middle.
    """
    (low, high), (count, total, squares) = ends, released
    half, public = (high - low) / 2 / kept, size is not None
    lacking = squares * half**2
    return Means(
        MomentSums(
            centre=(low + high) / 2,
            half=half,
            total=np.array([total * half]),
            squares=np.array([(size or 0) * half**2 - lacking if public else lacking]),
            total_noise=noises[1].times(half),
            squares_noise=noises[2].times(half**2),
            size=size,
            count=None if public else np.array([count]),
            count_noise=None if public else noises[0],
        )
    )


@dataclass(frozen=True)
class MeanWithin(ClampedMean):
    """A mean whose range is no declared one: part of the cost chose its `ends`.
    Proof: docs/proofs/numeric/private-bounds.md.

    Where the number of values is public it is `size`.
    """

    ends: tuple[float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]
    size: int | None = None
    kind: ClassVar[str] = "mean within"
    statistic: ClassVar[str] = "mean"
    not_combined: ClassVar[str] = "means within different chosen bounds are not combined; ask once with the whole cost."

    @cached_property
    def _mean(self) -> Means:
        return clamped_mean(self.ends, self.released, self.noises, size=self.size)

    @property
    def estimand(self) -> str:
        low, high = self.ends
        return (
            f"mean of the values clamped to {low:.6g} and {high:.6g}, bounds that a share of the cost chose; what few "
            "values beyond them would add is not in it"
        )


USUAL = 1000.0  # points between a quantile and where it may have been chosen, where the label does not say
RARELY = 50.0  # one choice in so many may be beyond all values without being allowed for


@dataclass(frozen=True)
class Location(Evidence):
    """The m at which clip((x - m)/width, -1, 1) is zero on average, found by a step of Newton from a released centre.

    `around` is that centre, the scale and the width, in the column's unit; `released` are at this centre the sum of the
    clipped values, that of their squares, and how many values are not clipped. `bounds` is the declared range.
    """

    around: tuple[float, float, float]
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]
    bounds: tuple[float, float]
    kind: ClassVar[str] = "location"
    statistic: ClassVar[str] = "location"
    default_target: ClassVar[str] = "population"
    noisy: ClassVar[int] = 1
    not_combined: ClassVar[str] = (
        "locations at different released scales are not combined; ask once with the whole cost."
    )

    @property
    def limits(self) -> tuple[float, float]:
        return self.bounds

    @property
    def estimand(self) -> str:
        _, scale, width = self.around
        return (
            f"Huber's location at the released scale {scale:.6g}: values farther than {width:.6g} from it pull no more "
            "than those at this distance"
        )

    @property
    def estimate(self) -> Floats:
        """The centre itself where no value seems to be inside."""
        (centre, _, width), (clipped_score, _, inside) = self.around, self.released
        return np.clip([centre + (width * clipped_score / inside if inside > 0 else 0.0)], *self.bounds)

    def _variance(self, target: str) -> float:
        """Of the sum of clipped values."""
        sampling = max(self.released[1], self.noises[1].sd) if target == "population" else 0.0
        return sampling + self.noises[0].var

    def std_error(self, target: str) -> Floats:
        """Half the declared range where hardly any value seems to be inside."""
        (clipped_score, _, inside), (_, _, width) = self.released, self.around
        if inside <= 2 * self.noises[2].sd:
            return np.array([(self.bounds[1] - self.bounds[0]) / 2])
        slope = max(-1.0, min(1.0, clipped_score / inside))
        return np.sqrt([self._variance(target) + slope**2 * self.noises[2].var]) * width / inside

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All m whose pull the released one is within reach of (Fieller), the slope being as uncertain as it is."""
        (centre, _, width), (clipped_score, _, inside) = self.around, self.released
        var = self._variance(target)
        quantile = critical(level, self.noises[:1], np.array([self.noises[0].var / max(var, 1e-300)]))
        ends = fieller(np.array([clipped_score]), np.array([inside]), var, self.noises[2].var, 0.0, quantile)
        return self.clipped(centre + width * ends[0], centre + width * ends[1])


@dataclass(frozen=True)
class TrimmedMeanEstimate(ClampedMean):
    """The mean without a `proportion` of the values at either end, told from values clamped to released quantiles.

    `step` is how far the points lie apart among which ends were chosen.
    """

    ends: tuple[float, float]
    proportion: float
    released: tuple[float, float, float]
    noises: tuple[Noise, Noise, Noise]
    step: float | None = None
    kind: ClassVar[str] = "trimmed mean"
    statistic: ClassVar[str] = "trimmed_mean"
    not_combined: ClassVar[str] = (
        "trimmed means at different released ends are not combined; ask once with the whole cost."
    )

    @cached_property
    def _mean(self) -> Means:
        """Of clamped values, each as many times as far from the middle as trimming moves their mean away."""
        return clamped_mean(self.ends, self.released, self.noises, kept=1 - 2 * self.proportion)

    @property
    def estimand(self) -> str:
        low, high = self.ends
        return (
            f"mean without {self.proportion:.6g} of the values at either end, told from values clamped to {low:.6g} "
            f"and {high:.6g}, released quantiles"
        )

    @property
    def estimate(self) -> Floats:
        return np.clip(self._mean.estimate, *self.ends)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Reaching as far into the range from its end, where noise has moved the mean out of it, as from the mean; and
        as much farther as ends move the mean that were chosen beyond all values."""
        back = np.nan_to_num(self.estimate - self._mean.estimate)
        low, high = self._mean.interval(level, target)
        below, above = self._beyond
        return self.clipped(low + np.minimum(back, 0.0) - below, high + np.maximum(back, 0.0) + above)

    @cached_property
    def _beyond(self) -> tuple[float, float]:
        """By how much the mean may be too large because the lower end is no quantile, and too small because of the
        upper: nothing where the choice can hardly have been off by as many ranks as lie beyond."""
        (low, high), (count, total, squares) = self.ends, self.released
        rows, share = max(count, 1.0), self.proportion
        half, mean = (high - low) / 2, float(np.clip(total / rows, -1, 1))
        variance = max(1 - squares / rows + self.noises[2].sd / rows - mean**2, 0.0)
        limit = float(np.sqrt(variance * share / (1 - share)))  # a quantile is no farther from the mean, by Cantelli
        below, above = (half * min(1 + sign * mean + limit, 2.0) for sign in (1, -1))
        part = share / (1 - 2 * share)
        return part * below * self._may_be_far(below), part * above * self._may_be_far(above)

    def _may_be_far(self, distance: float) -> bool:
        """Whether an end that may be so far from the quantile may have been chosen although no value lies beyond it:
        each point on the way is as many ranks off as should lie beyond, and chosen so much more rarely."""
        points = USUAL if self.step is None else max(distance / self.step, 1.0)
        return bool(self.proportion * self.released[0] <= self.noises[0].sd * np.log(RARELY * points))
