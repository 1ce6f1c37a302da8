"""Where bins end that shall tell quantiles: whole steps of a public grid, made of released numbers alone.

Whatever was released, they are as many as were planned, rise, and end with the grid.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.arrays import Floats
from ..tables.planning.prefixes import Prefixes


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


def curve_of(stages: Sequence[Binned], numbers: Sequence[Floats], size: int | None) -> Curve:
    """The best estimate from all measured numbers, by least squares; `size` is known, or None."""
    solved = tuple(stages) if len(stages) > 1 else (replace(stages[0], ends=tuple(range(len(stages[0].ends)))),)
    ends, inverse = _solved(solved)  # of one stage, where bins end changes nothing of what there is to solve
    ends = ends if len(stages) > 1 else np.array(stages[0].ends, np.int64)
    weighed = np.zeros(len(ends))
    for stage, measured in zip(stages, numbers, strict=True):
        weighed += (stage.strategy.matrix.T @ (measured / np.array(stage.variances)))[_bins(stage, ends)]
    counts = inverse @ weighed
    if size is not None:
        ones = inverse.sum(axis=1)
        counts = counts + ones * ((size - counts.sum()) / ones.sum())
    return Curve(ends, np.cumsum(counts), _covariance(solved, size is not None), size)


@lru_cache(maxsize=4)
def _covariance(stages: tuple[Binned, ...], known: bool) -> Floats:
    """Of the rows up to each end; the quantiles of one question have it in common."""
    _, inverse = _solved(stages)
    if known:
        ones = inverse.sum(axis=1)
        inverse = inverse - np.outer(ones, ones) / ones.sum()
    covariance = np.cumsum(np.cumsum(inverse, axis=0), axis=1)
    covariance.flags.writeable = False
    return np.asarray(covariance)


@lru_cache(maxsize=16)
def _solved(stages: tuple[Binned, ...]) -> tuple[np.ndarray[Any, np.dtype[np.int64]], Floats]:
    ends = np.unique(np.concatenate([np.array(stage.ends, np.int64) for stage in stages]))
    information = np.zeros((len(ends), len(ends)))
    for stage in stages:
        matrix, bins = stage.strategy.matrix.astype(float), _bins(stage, ends)
        own = (matrix.T / np.array(stage.variances)) @ matrix
        information += own[np.ix_(bins, bins)]
    return ends, np.asarray(np.linalg.inv(information))


def _bins(stage: Binned, ends: Any) -> Any:
    """In which bin of this stage each bin between all ends lies."""
    return np.searchsorted(np.array(stage.ends, np.int64), ends)


SLACK = 1e-6  # of a row: counts are solved, and whole ones come out beside it
WINDOW = 2.5  # standard deviations on either side: bins in which a quantile may lie
EVENLY = 0.2  # of the cuts are spread over these bins as they are, the others where rows seem to be
FAR = 5.0  # standard deviations on either side of a quantile in which its interval may end: cuts are as close in all
AT_MOST = 1e18  # rows
HIDDEN = 8  # where noise hides one row in so many, nothing is left outside of a range


def even_ends(top: int, many: int) -> tuple[int, ...]:
    """Of bins of about equal width, of a grid of the steps from 0 to `top`."""
    return tuple((top + 1) * place // many - 1 for place in range(1, many + 1))


def ends_around(points: Collection[int], top: int, many: int) -> tuple[int, ...]:
    """A bin for each of these points, and beside it bins that are the wider the farther off they are."""
    each = max(1, (many - 1) // (2 * len(points)))
    away = _rising(each, top)
    requested = {point + off for point in points for off in away} | {
        point - 1 - off for point in points for off in away
    }
    inside = sorted(end for end in requested if 0 <= end < top)
    return _so_many(inside[: many - 1], top, many)


def ends_around_and_even(points: Collection[int], top: int, many: int, even: int) -> tuple[int, ...]:
    """The same beside bins of even width: they serve where a point was chosen far from the rows."""
    spread = {end for end in even_ends(top, min(even, many)) if end < top}
    near = {end for end in ends_around(points, top, many - len(spread)) if end < top} if len(spread) < many - 1 else ()
    return _so_many(sorted(spread | set(near))[: many - 1], top, many)


def ends_between(curve: Curve, quantiles: Sequence[float], top: int, many: int) -> tuple[int, ...]:
    """Most of them where the curve says that the quantiles are."""
    cuts = np.interp(np.arange(1, many) / many, *_requested(curve, quantiles))
    inside = np.unique(np.floor(np.clip(np.nan_to_num(cuts), 1, top))).astype(np.int64) - 1
    return _so_many(inside.tolist(), top, many)


def steps_holding(curve: Curve, middle: int, sds: float) -> tuple[int, int]:
    """The first and the last step of a range that holds all rows but a few.

    Outside of it, on either side, seem to be no more rows than so many standard deviations of noise; then it is half as
    far again from the middle. It is the whole grid where noise hides one row in eight.
    """
    top = int(curve.ends[-1])
    if not sds * float(curve.around(0.5)[1].max()) <= curve.rows / HIDDEN:
        return 0, top
    above, high_noise = curve.around(1.0)
    below, low_noise = (np.append(0.0, each[:-1]) for each in curve.around(0.0))
    reached = np.append((-above <= sds * high_noise)[:-1], True)  # beyond the grid is nothing
    last = int(np.argmax(reached))
    first = len(below) - 1 - int(np.argmax((below <= sds * low_noise)[::-1]))
    low, high = sorted((int(curve.ends[first - 1]) + 1 if first else 0, int(curve.ends[last])))
    middle = min(max(middle, low), high)
    return max(0, low - (middle - low) // 2), min(top, high + (high - middle) // 2)


def _requested(curve: Curve, quantiles: Sequence[float]) -> tuple[Floats, Floats]:
    """How much of the wish for cuts lies below each edge of the curve's bins, as a share, and the edges."""
    edges = np.append(0, curve.ends + 1).astype(float)
    rising = np.append(0.0, np.minimum(curve.rising(), AT_MOST))
    _, noise = curve.around(0.5)
    scale = float(np.nan_to_num(np.median(noise[:-1]) if len(noise) > 1 else noise[0], posinf=AT_MOST)) + 1e-9
    several = np.array(quantiles, float)[:, None]
    density = np.diff(np.clip((rising - several * rising[-1]) / scale, -FAR, FAR), axis=1).sum(axis=0) + 1e-12
    spread = _windows(curve, several).any(axis=0) + 1e-12
    wish = (1 - EVENLY) * density / density.sum() + EVENLY * spread / spread.sum()
    return np.append(0.0, np.cumsum(wish)) / wish.sum(), edges


def _windows(curve: Curve, several: Floats) -> npt.NDArray[np.bool_]:
    """For each quantile, a row each, in which bins it may lie."""
    above, noise = curve.around(several)
    places = np.arange(above.shape[1])
    reached = above + WINDOW * noise >= -SLACK
    first = np.where(reached.any(axis=1), reached.argmax(axis=1), places[-1])
    not_yet = above - WINDOW * noise < -SLACK
    last = np.where(not_yet[:, :-1].any(axis=1), places[-1] - not_yet[:, :-1][:, ::-1].argmax(axis=1), 0)
    low, high = np.minimum(first, last)[:, None], np.maximum(first, last)[:, None]
    return np.asarray((low <= places) & (places <= high))


def _rising(many: int, top: int) -> list[int]:
    """Distances from 0 to about the width of the grid, each about as many times the one before."""
    factor = max(1.0, float(top)) ** (1 / max(1, many - 2))
    found = [0]
    for place in range(many - 1):
        found.append(max(found[-1] + 1, round(factor**place)))
    return found


def _so_many(inside: Sequence[int], top: int, many: int) -> tuple[int, ...]:
    """With others, spread evenly, where there are too few."""
    found = set(inside)
    if len(found) < many - 1:
        others = [end for end in even_ends(top, min(2 * many, top + 1)) if end < top and end not in found]
        missing = many - 1 - len(found)
        found |= {others[place * len(others) // missing] for place in range(missing)}
    return (*sorted(found), top)
