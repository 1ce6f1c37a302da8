"""Released sums of a variable and of its squares, and what they say of mean and variance.
See docs/proofs/core/intervals.md.

Everything is in centred units: the middle of the declared range is 0, its ends are -half and half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Array, Floats
from ..core.evidence.noise import Noise, averaged, critical, is_above_noise, weights


@dataclass(frozen=True)
class MomentSums:
    """The moments as released, a number for each cell.

    Where the size is private there is a noisy count, and `squares` holds the sum of half² - y² in place of that of y².
    """

    centre: float
    half: float
    total: Floats
    squares: Floats
    total_noise: Noise
    squares_noise: Noise
    size: int | None = None  # where it is public
    count: Floats | None = None
    count_noise: Noise | None = None

    @cached_property
    def n(self) -> Floats:
        """The number of rows, public or noisy."""
        if self.count is None:
            return np.full(len(self.total), float(self.size or 0))
        return self.count

    @cached_property
    def enough(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Where there seem to be two rows or more, and their noisy number can be told from none; elsewhere the release
        says nothing beyond the declared range."""
        return (self.n > 1) & is_above_noise(self.n, self.count_noise)

    @cached_property
    def safe_n(self) -> Floats:
        return np.where(self.enough, self.n, np.nan)

    @cached_property
    def mean(self) -> Floats:
        return self.total / self.safe_n

    @cached_property
    def mean_noise_var(self) -> Floats:
        """The variance of the ratio total/count, to first order; exact where the size is public."""
        var = np.full(len(self.total), self.total_noise.var)
        if self.count_noise is not None:
            var = var + np.minimum(self.mean**2, self.half**2) * self.count_noise.var
        return var / self.safe_n**2

    @cached_property
    def variance(self) -> Floats:
        """The rows' variance (denominator n - 1), clipped to what is possible."""
        n = self.safe_n
        return np.clip(self.unclipped_variance, 0.0, self.half**2 * n / (n - 1))

    @cached_property
    def unclipped_variance(self) -> Floats:
        """Without bias from the noise."""
        n = self.safe_n
        if self.count is None:
            spread = self.squares - self.total**2 / n + self.total_noise.var / n
        else:
            spread = n * (self.half**2 - self.mean**2) - self.squares + n * self.mean_noise_var
        return np.asarray(spread / (n - 1))

    @cached_property
    def variance_noise_sd(self) -> Floats:
        """The standard deviation that the noise gives the variance, to first order."""
        n = self.safe_n
        var = self.squares_noise.var + 4 * self.mean**2 * self.total_noise.var
        if self.count_noise is not None:
            var = var + (self.half**2 + self.mean**2 - self.variance) ** 2 * self.count_noise.var
        return np.asarray(np.sqrt(var) / (n - 1))

    @property
    def span(self) -> tuple[float, float]:
        """The ends of the declared range, between which every mean lies."""
        return self.centre - self.half, self.centre + self.half

    @cached_property
    def noises(self) -> tuple[Noise, ...]:
        found = (self.count_noise, self.total_noise, self.squares_noise)
        return tuple(noise for noise in found if noise is not None)

    def pooled(self, others: Sequence[MomentSums]) -> MomentSums:
        """Each sum averaged by its own precision: what is averaged are measurements of the same sums over the same
        rows, so the sampling error, which is common to all, is that of the rows once."""
        each = (self, *others)
        counts = [sums.count for sums in each if sums.count is not None]
        count_noises = [sums.count_noise for sums in each if sums.count_noise is not None]
        total_noises, squares_noises = [sums.total_noise for sums in each], [sums.squares_noise for sums in each]
        return replace(
            self,
            total=weights(total_noises) @ np.array([sums.total for sums in each]),
            squares=weights(squares_noises) @ np.array([sums.squares for sums in each]),
            total_noise=averaged(total_noises),
            squares_noise=averaged(squares_noises),
            count=weights(count_noises) @ np.array(counts) if counts else None,
            count_noise=averaged(count_noises) if counts else None,
        )


HALF_A_STEP = 0.55  # and a tenth of it, as discrete Laplace noise varies a little less than its tails say
PLAIN_MARGIN = 0.1  # standard deviations; with less, the margin is cheaper than the exact law
CELLS = 48  # of the range of the mean, from its middle to its end
WIDTHS = np.concatenate([np.linspace(0, 6, 193), np.geomspace(6.2, 48, 40)])  # in standard deviations
LEFT_OUT = 1e-13  # the probability of noise that is not looked at, counted as beyond every width
IN_A_DEVIATION = 32  # steps, at most
MOST_STEPS = 1_000
ROUNDS = 3
NODES = 9
MOST_POINTS = 2_000  # of several noises together
RARE = 1e-8  # the probability of a point that is left out, counted as beyond


@dataclass(frozen=True)
class Steps:
    """A noise, up to `slack`, as a whole number K of steps: what a step is worth, and P(|K| >= k) for k = 0, 1, ..."""

    worth: float
    slack: float
    beyond: Floats

    @classmethod
    def of(cls, noise: Noise) -> Steps:
        """Where a standard deviation is many steps, several are taken together."""
        if noise.is_sum:
            law = noise.sum_of(1)
            return cls(law.step, law.slack, np.minimum(law.beyond + law.error, 1.0))
        together = 2 * int(noise.law.sd / (2 * IN_A_DEVIATION)) + 1
        aside = (together - 1) // 2
        most = noise.law.half_width(1 - LEFT_OUT) // together + 2
        beyond = 2 * noise.law.sf(np.arange(1, most) * float(together) - aside - 1)
        return cls(noise.step * together, noise.step * aside, np.array([1.0, *beyond]))

    @property
    def masses(self) -> Floats:
        """P(X = 0), and P(|X| = k) for k = 1, 2, ..."""
        return -np.diff(self.beyond, append=0.0)

    def cdf(self, k: Floats) -> Floats:
        """P(X <= k)."""
        far = np.clip(np.where(k < 0, -k, k + 1), 0, len(self.beyond)).astype(np.int64)
        half = np.append(self.beyond, 0.0)[far] / 2
        return np.where(k < 0, half, 1 - half)


def margin(noises: Sequence[Noise]) -> float:
    """Standard deviations that any weighted sum of these noises may lie further off than without steps: half a step."""
    terms = [each for noise in noises for each in noise.terms if each.law.sd]  # what never occurs has no steps
    steps = [each.step / (sqrt(each.many) * each.law.sd) for each in terms]
    return HALF_A_STEP * sqrt(sum(step**2 for step in steps))


def ratio_critical(
    level: ArrayLike, count: Noise, total: Noise, half: float, ends: Callable[[Floats], tuple[Floats, Floats]]
) -> Floats:
    """How many standard deviations of total − m·count hold the level at every mean m that they leave possible.

    `ends` are the least and the greatest of these, by so many standard deviations; NaN where all are.
    """
    steps, plain = margin((count, total)), critical(level, (count, total))
    if steps <= PLAIN_MARGIN:
        return plain + steps
    law = ratio_noise(count, total, half)
    if law is None:
        return plain + 2 * steps  # half a step more, as few steps vary less than their law's parameter says
    of_cells = law.critical(level)
    found = of_cells.max(axis=1)
    for _ in range(ROUNDS):  # what is left out cannot be the mean, so what it would need does not matter
        low, high = ends(found)
        found = law.most(of_cells, np.nan_to_num(low, nan=-half), np.nan_to_num(high, nan=half))
    return found


@dataclass(frozen=True)
class RatioNoise:
    """The noise of total − m·count for the means m in each of `CELLS` cells of the upper half of the range; it is the
    same in the lower."""

    edges: Floats
    beyond: Floats  # cells × WIDTHS: at least P(|noise| > width) for each m of the cell

    @classmethod
    def of(cls, count: Noise, total: Noise, half: float) -> RatioNoise | None:
        """|total − m·count| is largest at one end of a cell, so the law of the larger of the two serves all of it."""
        rows, sums = Steps.of(count), Steps.of(total)
        if len(rows.beyond) > MOST_STEPS or len(sums.beyond) > MOST_STEPS:
            return None
        edges = np.linspace(0, half, CELLS + 1)
        widths = np.sqrt(total.var + edges[:-1] ** 2 * count.var)[:, None] * WIDTHS
        within = widths - sums.slack - edges[1:, None] * rows.slack
        inside = np.zeros(widths.shape)
        for rows_off, chance in enumerate(rows.masses):  # both signs of the count's noise alike
            near, far = edges[:-1, None] * rows_off * rows.worth, edges[1:, None] * rows_off * rows.worth
            most, least = np.floor((near + within) / sums.worth + 1e-9), np.ceil((far - within) / sums.worth - 1e-9)
            inside += chance * np.maximum(sums.cdf(most) - sums.cdf(least - 1), 0.0)
        return cls(edges, np.minimum(1 - inside + LEFT_OUT, 1.0))

    def critical(self, level: ArrayLike) -> Floats:
        """For each level and cell: within so many standard deviations with that probability, or infinity."""
        missed = np.ravel(1 - np.asarray(level, dtype=float))
        at = np.array([np.searchsorted(-cell, -missed) for cell in self.beyond]).T  # `beyond` falls
        return np.append(WIDTHS, np.inf)[at]

    def most(self, critical: Floats, low: Floats, high: Floats) -> Floats:
        """The largest of these in the cells between two means."""
        across = (low <= 0) & (high >= 0)
        least = np.where(across, 0.0, np.minimum(np.abs(low), np.abs(high)))
        first = np.clip(np.searchsorted(self.edges, least, side="right") - 1, 0, CELLS - 1)
        last = np.clip(np.searchsorted(self.edges, np.maximum(np.abs(low), np.abs(high))) - 1, first, CELLS - 1)
        cells = np.arange(CELLS)
        return np.asarray(np.where((cells >= first[:, None]) & (cells <= last[:, None]), critical, 0.0).max(axis=1))


ratio_noise = lru_cache(maxsize=64)(RatioNoise.of)


@lru_cache(maxsize=64)
def needed_shares(noises: tuple[Noise, ...], axes: tuple[float, ...], half: float, level: float) -> Floats | None:
    """How much of an ellipsoid with these axes the noise of a variance needs, first order, by where mean and variance
    are: from the middle of the range to its end, from no variance to the largest. None where noise has many steps.

    The noises are those of squares and total, and of the count where there is one.
    """
    points = _points(noises)
    if points is None:
        return None
    places, chances = points
    mean = np.linspace(0, half, NODES)[:, None]
    of_count = half**2 + mean**2 - np.linspace(0, 1, NODES) * (half**2 - mean**2)
    slopes = np.stack(np.broadcast_arrays(1.0, 2 * mean, of_count)[: len(noises)], axis=-1)
    off = np.abs(slopes @ places)
    order = np.argsort(off, axis=-1)
    enough = np.cumsum(chances[order], axis=-1) >= level
    if not enough[..., -1].all():
        return None
    first = np.take_along_axis(order, enough.argmax(axis=-1)[..., None], axis=-1)
    needed = np.take_along_axis(off, first, axis=-1)[..., 0]
    limit = np.sqrt(slopes**2 @ np.square(axes))
    return np.divide(needed, limit, out=np.zeros(limit.shape), where=limit > 0)


def share_at(shares: Floats, mean: Floats, variance: Floats, half: float) -> Floats:
    """The largest share at the four nodes around each mean and variance."""
    farther = np.nan_to_num(np.minimum(np.abs(mean) / half, 1.0))
    greatest = np.maximum(half**2 * (1 - farther**2), 1e-300)
    spread = np.nan_to_num(np.minimum(variance / greatest, 1.0))
    row, column = (np.minimum((each * (NODES - 1)).astype(np.int64), NODES - 2) for each in (farther, spread))
    around = [shares[row + down, column + across] for down in (0, 1) for across in (0, 1)]
    return np.asarray(np.max(around, axis=0))


def _points(noises: Sequence[Noise]) -> tuple[Floats, Floats] | None:
    """All values that the noises may have together, and their probabilities."""
    places, chances = np.zeros((0, 1)), np.ones(1)
    for noise in noises:
        steps = Steps.of(noise)
        if steps.slack:
            return None
        half = steps.masses[1:] / 2
        here = np.concatenate([half[::-1], [steps.masses[0]], half])
        at = np.arange(-len(half), len(half) + 1) * steps.worth
        together = np.outer(chances, here).ravel()
        kept = together > RARE
        if kept.sum() > MOST_POINTS:
            return None
        grown = np.vstack([np.repeat(places, len(at), axis=1), np.tile(at, len(chances))])
        places, chances = grown[:, kept], together[kept]
    return places, chances


ONE = np.ones(1)
DIRECTIONS = 16  # of a quarter turn; an extreme is missed by (pi/64)^2/2, 1 part in 800, of what the noise moves it
FEW_STEPS = 4.0  # a standard deviation; with more the ellipsoid is not cut to what is needed
MANY_STEPS = 32.0  # from which on half a step more is as good as the exact half width
AT_ONCE = 2**20  # cells times directions


def variance_range(sums: MomentSums, level: float, ddof: int = 1) -> tuple[Floats, Floats]:
    """The least and the greatest variance (denominator n - ddof) of sums within an ellipsoid around the released ones,
    whose axes hold each noise by itself with this level. See docs/proofs/core/intervals.md.

    The greatest has the total towards zero and the rest upwards, the least the reverse, so the directions to look at
    fill a quarter of a circle, or with a noisy count a quarter of a sphere.
    """
    noises = tuple(noise for noise in (sums.squares_noise, sums.total_noise, sums.count_noise) if noise is not None)
    axes = _axes(noises, level)
    squares_axis, total_axis, count_axis = (*axes, 0.0)[:3]
    shares = _shares(sums, noises, axes, level)
    along_count, along_total, along_squares = (each[:, None] for each in _directions(sums.count is not None))
    cells = max(1, AT_ONCE // len(along_total))
    parts = [slice(start, start + cells) for start in range(0, len(sums.n), cells)]
    ends = []
    for part in parts:
        share = shares if shares is ONE else shares[part]
        n = sums.safe_n[part] + along_count * (count_axis * share)
        total, moved = np.abs(sums.total[part]), along_total * (total_axis * share)
        added = along_squares * (squares_axis * share)
        squares = sums.squares[part] if sums.count is None else sums.half**2 * n - sums.squares[part]
        with np.errstate(divide="ignore", invalid="ignore"):
            least = (squares - added - (total + moved) ** 2 / n) / (n - ddof)
            most = (squares + added - np.maximum(total - moved, 0.0) ** 2 / n) / (n - ddof)
        possible = n > max(1, ddof)  # of fewer rows every variance may be
        ends.append((np.where(possible, least, -np.inf).min(axis=0), np.where(possible, most, np.inf).max(axis=0)))
    low, high = (np.concatenate(each) for each in zip(*ends, strict=True))
    return low, high


def _axes(noises: tuple[Noise, ...], level: float) -> tuple[float, ...]:
    """Noise of few steps may need more than so many standard deviations: as many whole steps as hold the level."""
    limit, axes = float(critical(level, noises)), []
    for noise in noises:
        step = max(each.step for each in (noise, *noise.plus))
        many = noise.sd > MANY_STEPS * step
        axes.append(limit * noise.sd + step / 2 if many else max(limit * noise.sd, noise.half_width(level)))
    return tuple(axes)


def _shares(sums: MomentSums, noises: tuple[Noise, ...], axes: tuple[float, ...], level: float) -> Floats:
    """How much of the ellipsoid is needed; 1 but where the noises have so few steps that it can be counted out."""
    if any(noise.sd > FEW_STEPS * noise.step for noise in noises):
        return ONE
    shares = needed_shares(noises, axes, sums.half, level)
    if shares is None:
        return ONE
    share = share_at(shares, sums.mean, sums.variance, sums.half)
    bent = (axes[1] / sums.half + sum(axes[2:])) / np.maximum(sums.n - 1, 1.0)  # of few rows, first order is not enough
    return np.asarray(np.clip(share * (1 + bent), share, np.maximum(share, 1.0)))


def _directions(counted: bool) -> tuple[Array, Array, Array]:
    """Along the count, the total and the squares."""
    turn = np.linspace(0, np.pi / 2, DIRECTIONS + 1)
    tilt = np.linspace(-np.pi / 2, np.pi / 2, 2 * DIRECTIONS + 1) if counted else np.zeros(1)
    count, rest = np.sin(tilt), np.cos(tilt)
    total, squares = np.outer(rest, np.cos(turn)), np.outer(rest, np.sin(turn))
    return np.repeat(count, len(turn)), total.ravel(), squares.ravel()
