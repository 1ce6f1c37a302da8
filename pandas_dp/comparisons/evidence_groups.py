"""Tests of groups: how far means, ranks or distributions are apart, and whether that is chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np
from scipy.special import fdtrc, kolmogorov, stdtr

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import INTERVALS, Evidence
from ..core.evidence.noise import Noise, critical, is_above_noise, student_over_normal
from ..errors import NotConcluded
from ..numeric.evidence_means import Means
from ..numeric.evidence_moments import MomentSums

LEAST = 1e-12  # smaller p values are not distinguished
NOT_COMBINED = "tests of rows are not combined; ask once with the whole cost."
MEASURES = ("estimate", "std_error", "lower", "upper", "statistic", "p_value")


def error_of(statistic: float, noises: tuple[Noise, ...], share: float, freedom: float) -> float:
    """The least error at which |statistic| standard deviations are too many, where noise has this share of the
    variance; Student's law where it is normal."""
    if np.isnan(statistic):
        return float("nan")
    if all(noise.gaussian for noise in noises):
        return float(max(LEAST, 2 * stdtr(max(freedom, 1.0), -abs(statistic))))

    def holds(level: Floats) -> Any:
        return critical(level, noises, share) * student_over_normal(level, np.asarray(freedom)) >= abs(statistic)

    return float(least_error(holds))


def least_error(holds: Callable[[Floats], Any]) -> float:
    """The greatest error at which the interval still holds what is tested, by bisection of its logarithm."""
    low, high = np.log(LEAST), np.log(1 - 1e-9)
    for _ in range(45):
        middle = (low + high) / 2
        inside = bool(holds(np.asarray(-np.expm1(middle))))
        low, high = (middle, high) if inside else (low, middle)
    return LEAST if low == np.log(LEAST) else float(np.exp(high))


def one_row(*numbers: float) -> dict[str, Floats]:
    """The columns of a test."""
    return {name: np.array([number], dtype=float) for name, number in zip(MEASURES, numbers, strict=True)}


POINTS = 4001  # at which the noise is taken
FAR = 9.0  # of its standard deviations; Laplace noise is farther with probability 1e-6
OF_GROUPS = 0.2  # of the chance that an interval misses: that of the interval of how many rows are in a group


@dataclass(frozen=True)
class Path(Evidence):
    """The greatest distance of the two distribution functions. `top` is the distance times what the groups are worth:
    the number of rows times the shares of both. `beside` is that worth, or, where the number of rows is public as
    `size`, how many of them are in the second group. Each is as its noise left it."""

    statistic: str
    top: float
    beside: float
    noise: Noise
    noise_beside: Noise
    size: int | None = None
    kind: ClassVar[str] = "path"
    accessor: ClassVar[str] = "comparisons.accessor:PaidTestAccessor"
    default_target: ClassVar[str] = "sample"
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = 1.0
    not_combined: ClassVar[str] = NOT_COMBINED
    offers: ClassVar[frozenset[str]] = INTERVALS

    @property
    def estimate(self) -> Floats:
        found = np.array([np.clip(self.top / self._worth, 0.0, 1.0)])
        return np.where(self._is_determined, found, np.nan)

    @property
    def _is_determined(self) -> bool:
        """Whether the worth of the groups, where their sizes are private, can be told from none."""
        return self.size is not None or bool(is_above_noise(np.array([self.beside]), self.noise_beside)[0])

    def std_error(self, target: str) -> Floats:
        of_worth = self.noise_beside.sd * (1.0 if self.size is None else 1 - 2 * self._share)
        return np.minimum(np.hypot(self.noise.sd, self.estimate * of_worth) / self._worth, 1.0)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Those of both numbers together: each misses with its part of the chance."""
        if target != "sample":
            raise NotConcluded(
                "how far two distributions are apart in a population does not follow from one number; its interval is "
                "for target='sample'."
            )
        missed = 1 - level
        (low,), (high,) = self.noise.around(np.array([self.top]), 1 - (1 - OF_GROUPS) * missed)
        least, most = self._ends_of_worth(1 - OF_GROUPS * missed)
        below = low / most if low > 0 and most > 0 else 0.0
        above = high / least if least > 0 else 1.0
        here = self.estimate
        return np.fmin(np.clip([below], 0.0, 1.0), here), np.fmax(np.clip([above], 0.0, 1.0), here)

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        (low,), (high,) = self.interval(level, target)
        statistic = self.top / np.sqrt(self._worth)
        return one_row(self.estimate[0], self.std_error(target)[0], low, high, statistic, self._p)

    def _ends_of_worth(self, level: float) -> tuple[float, float]:
        (few,), (many,) = self.noise_beside.around(np.array([self.beside]), level)
        if self.size is None:
            return max(float(few), 0.0), max(float(many), 0.0)
        size = float(max(1, self.size))
        ends = np.clip(np.array([few, many]) / size, 0.0, 1.0)
        nearest = np.clip(0.5, *ends)
        return float((ends * (1 - ends)).min()) * size, float(nearest * (1 - nearest)) * size

    @cached_property
    def _share(self) -> float:
        """Of a public number of rows in the second group: not nearer to none, or all, than its noise is wide."""
        size = float(max(1, self.size or 0))
        least = min(max(1.0, self.noise_beside.sd), size / 2)
        return float(np.clip(self.beside, least, size - least)) / size

    @property
    def _worth(self) -> float:
        """What `top` would be at a distance of 1: no less than its noise is wide."""
        if self.size is None:
            return max(self.beside, self.noise_beside.sd, 1.0)
        return max(1, self.size) * self._share * (1 - self._share)

    @cached_property
    def _p(self) -> float:
        """How likely √worth·sup|bridge| and noise are as large."""
        if self.size == 0:
            return float("nan")
        law, step = self.noise.law, self.noise.step
        ends = np.unique(np.round(np.linspace(-FAR, FAR, POINTS) * law.sd))
        reached = law.cdf(ends)
        weights = np.diff(np.concatenate([[0.0], reached, [1.0]]))
        noise = np.concatenate([ends, [ends[-1]]]) * step
        with np.errstate(all="ignore"):
            scaled = (self.top - noise) / np.sqrt(self._worth)
            chance = np.where(scaled > 0, kolmogorov(np.maximum(scaled, 1e-300)), 1.0)
        return float(np.clip((weights * chance).sum(), LEAST, 1.0))


@dataclass(frozen=True)
class Against(Evidence):
    """The mean of one cell, and whether it is `value`. `tied`, of ranks of pairs: which share of all twos of
    differences seem to be in the same bin of the first stage, 0 where rows are too few to tell."""

    statistic: str
    sums: MomentSums
    value: float
    tied: float | None = None
    kind: ClassVar[str] = "against"
    accessor: ClassVar[str] = "comparisons.accessor:PaidTestAccessor"
    default_target: ClassVar[str] = "population"
    not_combined: ClassVar[str] = NOT_COMBINED
    offers: ClassVar[frozenset[str]] = INTERVALS | {"equivalence_test", "test"}

    @cached_property
    def _means(self) -> Means:
        return Means(self.sums)

    @property
    def estimate(self) -> Floats:
        return self._means.estimate

    @property
    def limits(self) -> tuple[float, float]:
        return self._means.limits

    def std_error(self, target: str) -> Floats:
        return self._means.std_error(target)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        return self._means.interval(level, target)

    def measures(self, level: float, target: str) -> dict[str, Floats]:
        (estimate,), (error,) = self.estimate, self.std_error(target)
        (low,), (high,) = self.interval(level, target)
        with np.errstate(all="ignore"):
            statistic = (estimate - self.value) / error
        return one_row(estimate, error, low, high, statistic, self._p(target) if statistic == statistic else np.nan)

    def _p(self, target: str) -> float:
        off = self.value - self.sums.centre

        def holds(level: Floats) -> Any:
            low, high = self._means.ends(level.reshape(1), target)
            return not (low[0] > off or high[0] < off)

        return least_error(holds)


DRAWS = 20_000
SEED = 20_260_901  # public: the same numbers always have the same p value


class Between(NamedTuple):
    """The statistic, which is about chi-square with so many degrees of freedom, its p value, and which share of the
    variance lies between the groups."""

    statistic: float
    freedom: int
    p_value: float
    share: float


def between(sums: MomentSums) -> Between:
    """Whether A_g - n_g·mean is zero in every group but for chance: these add up to zero, whatever the noise.

    Their covariance under equal distributions is var(a)·(diag(n) - nn'/N), and that of the noise is known.
    """
    groups = len(sums.total)
    total, rows = np.asarray(sums.total, dtype=float) / sums.half, np.asarray(sums.n, dtype=float)
    everybody = float(rows.sum())
    if groups < 2 or everybody <= groups:
        return Between(np.nan, max(groups - 1, 0), np.nan, np.nan)
    mean = float(np.clip(total.sum() / everybody, -1, 1))
    var_total = sums.total_noise.var / sums.half**2
    var_rows = 0.0 if sums.count_noise is None else sums.count_noise.var
    share = np.maximum(rows, 0.0) / np.maximum(rows, 0.0).sum()
    apart = total - rows * (total.sum() / everybody)
    spread = _variance(sums, everybody) - mean**2 + groups * (var_total + mean**2 * var_rows) / everybody**2
    spread = float(np.clip(spread, 0.0, 1.0))
    sampling = spread * everybody * (np.diag(share) - np.outer(share, share))
    centring = np.eye(groups) - np.outer(share, np.ones(groups))
    each = var_total + mean**2 * var_rows
    product = var_rows * groups * var_total / everybody**2
    covariance = sampling + (each + product) * centring @ centring.T
    inverse: Array = np.linalg.pinv(covariance, rcond=1e-10, hermitian=True)
    statistic = float(apart @ inverse @ apart)
    explained = float((apart**2 / np.maximum(rows, 1.0)).sum() - np.trace(covariance / np.maximum(rows, 1.0)))
    effect = float(np.clip(explained / (everybody * spread), 0.0, 1.0)) if spread > 0 else np.nan
    freedom = groups - 1
    if all(noise.gaussian for noise in sums.noises):
        p = float(fdtrc(freedom, everybody - groups, statistic / freedom))
    else:
        p = _simulated(statistic, sampling, centring, inverse, (var_total, mean**2 * var_rows + product))
    return Between(statistic, freedom, max(p, LEAST), effect)


def _variance(sums: MomentSums, everybody: float) -> float:
    """The mean square of all rows, in half-ranges."""
    squares = float(np.sum(sums.squares)) / sums.half**2
    return squares / everybody if sums.count is None else 1 - squares / everybody


def _simulated(statistic: float, sampling: Array, centring: Array, inverse: Array, noise: tuple[float, float]) -> float:
    """The share of draws that are as large, normal ones with Laplace noise of both sums."""
    rng = np.random.default_rng(SEED)
    values, vectors = np.linalg.eigh(sampling)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    drawn = rng.normal(size=(DRAWS, len(sampling))) @ root.T
    for var in noise:
        drawn += rng.laplace(0.0, np.sqrt(max(var, 0.0) / 2), size=drawn.shape) @ centring.T
    found = np.einsum("ij,jk,ik->i", drawn, inverse, drawn)
    return float((1 + np.count_nonzero(found >= statistic)) / (1 + DRAWS))


@dataclass(frozen=True)
class ManyGroups(Evidence):
    """Sums of scores of several groups: the share of their variance that lies between the groups, and whether it is
    chance.

    `tied` is which share of pairs of rows seem to be in the same bin of the first stage, 0 where rows are too few to
    tell; None where bins are no coarser than the values.
    """

    statistic: str
    sums: MomentSums
    tied: float | None = None
    kind: ClassVar[str] = "groups"
    accessor: ClassVar[str] = "comparisons.accessor:PaidTestAccessor"
    default_target: ClassVar[str] = "population"
    has_intervals: ClassVar[bool] = False
    noisy: ClassVar[int] = 0
    not_combined: ClassVar[str] = NOT_COMBINED

    @cached_property
    def _found(self) -> Between:
        return between(self.sums)

    @property
    def estimand(self) -> str:
        return (
            "share of the variance of ranks that lies between groups; values in the same of 24 bins of the declared "
            "range count as equal"
        )

    @property
    def estimate(self) -> Floats:
        return np.array([self._found.share])

    def measures(self, level: float, target: str) -> dict[str, Array]:
        found = self._found
        numbers = {"estimate": found.share, "statistic": found.statistic, "df": found.freedom, "p_value": found.p_value}
        return {name: np.array([number], dtype=float) for name, number in numbers.items()}

    def interval(self, level: float, target: str) -> NoReturn:
        raise NotConcluded(
            "a test of several groups says whether they differ, and has no interval; ask groupby(key)[column].mean and "
            "contrast its groups."
        )
