"""What one or two strategies, each over bins of its own, tell together of how many rows lie up to each point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..dataclass import dataclass
from .prefixes import Floats, Prefixes


@dataclass(frozen=True)
class Binned:
    """The last step of each bin, rising, the strategy over these bins, and the variance of each measured number."""

    ends: tuple[int, ...]
    strategy: Prefixes
    variances: tuple[float, ...]


@dataclass(frozen=True)
class Curve:
    """How many rows seem to lie up to each of `ends`, and the covariance of what these numbers are off by."""

    ends: np.ndarray[Any, np.dtype[np.int64]]
    below: Floats
    covariance: Floats
    size: int | None = None

    @property
    def rows(self) -> float:
        """How many there are, or seem to be."""
        return float(self.below[-1]) if self.size is None else float(self.size)

    def around(self, q: float | Floats) -> tuple[Floats, Floats]:
        """By how much the rows up to each end exceed q of all rows, and the standard deviation of that by noise; of
        several q, a column of them, a row each."""
        own = np.diag(self.covariance)
        both, total = np.zeros(len(own)), 0.0
        if self.size is None:
            both, total = self.covariance[:, -1], float(self.covariance[-1, -1])
        return self.below - q * self.rows, np.sqrt(np.maximum(own - 2 * q * both + q**2 * total, 0.0))

    def rising(self) -> Floats:
        """The same numbers made to rise, from no row to all rows."""
        from scipy.optimize import isotonic_regression  # late: it takes a while

        rows = max(self.rows, 1.0)
        rising = isotonic_regression(np.clip(np.nan_to_num(self.below), 0.0, rows)).x
        return np.append(rising[:-1], rows)


def curve_of(looks: Sequence[Binned], numbers: Sequence[Floats], size: int | None) -> Curve:
    """The best estimate from all measured numbers, by least squares; `size` is known, or None."""
    solved = tuple(looks) if len(looks) > 1 else (replace(looks[0], ends=tuple(range(len(looks[0].ends)))),)
    ends, inverse = _solved(solved)  # of one look, where bins end changes nothing of what there is to solve
    ends = ends if len(looks) > 1 else np.array(looks[0].ends, np.int64)
    told = np.zeros(len(ends))
    for look, measured in zip(looks, numbers, strict=True):
        told += (look.strategy.matrix.T @ (measured / np.array(look.variances)))[_bins(look, ends)]
    counts = inverse @ told
    if size is not None:
        ones = inverse.sum(axis=1)
        counts = counts + ones * ((size - counts.sum()) / ones.sum())
    return Curve(ends, np.cumsum(counts), _covariance(solved, size is not None), size)


@lru_cache(maxsize=4)
def _covariance(looks: tuple[Binned, ...], known: bool) -> Floats:
    """Of the rows up to each end; the quantiles of one question have it in common."""
    _, inverse = _solved(looks)
    if known:
        ones = inverse.sum(axis=1)
        inverse = inverse - np.outer(ones, ones) / ones.sum()
    covariance = np.cumsum(np.cumsum(inverse, axis=0), axis=1)
    covariance.flags.writeable = False
    return np.asarray(covariance)


@lru_cache(maxsize=16)
def _solved(looks: tuple[Binned, ...]) -> tuple[np.ndarray[Any, np.dtype[np.int64]], Floats]:
    ends = np.unique(np.concatenate([np.array(look.ends, np.int64) for look in looks]))
    information = np.zeros((len(ends), len(ends)))
    for look in looks:
        matrix, bins = look.strategy.matrix.astype(float), _bins(look, ends)
        own = (matrix.T / np.array(look.variances)) @ matrix
        information += own[np.ix_(bins, bins)]
    return ends, np.asarray(np.linalg.inv(information))


def _bins(look: Binned, ends: Any) -> Any:
    """In which bin of this look each bin between all ends lies."""
    return np.searchsorted(np.array(look.ends, np.int64), ends)
