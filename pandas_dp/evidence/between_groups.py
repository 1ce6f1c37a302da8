"""Whether the means of several groups are equal, the noise taken into account. See docs/proofs/tests.md."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np
from scipy.special import fdtrc

from ..dataclass import dataclass
from ..errors import NotConcluded
from .base import Array, Evidence
from .errors_of_tests import LEAST
from .moments import MomentSums
from .noise import Floats

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

    `tied` is which share of pairs of rows seem to be in the same bin of the first look, 0 where rows are too few to
    tell; None where bins are no coarser than the values.
    """

    statistic: str
    sums: MomentSums
    tied: float | None = None
    kind: ClassVar[str] = "groups"
    default_target: ClassVar[str] = "population"
    has_intervals: ClassVar[bool] = False
    noisy: ClassVar[int] = 0

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

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded("tests of rows are not combined; ask once with the whole cost.")
