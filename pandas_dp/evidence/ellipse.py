"""Between which values a variance lies while its noisy sums stay within reach of what was released."""

from __future__ import annotations

from typing import Any

import numpy as np

from .coarse import needed_shares, share_at
from .moments import MomentSums
from .noise import Floats, Noise, critical

Array = np.ndarray[Any, Any]
ONE = np.ones(1)
DIRECTIONS = 16  # of a quarter turn; an extreme is missed by (pi/64)^2/2, 1 part in 800, of what the noise moves it
FEW_STEPS = 4.0  # a standard deviation; with more the ellipsoid is not cut to what is needed
MANY_STEPS = 32.0  # from which on half a step more is as good as the exact half width
AT_ONCE = 2**20  # cells times directions


def variance_range(sums: MomentSums, level: float, ddof: int = 1) -> tuple[Floats, Floats]:
    """The least and the greatest variance (denominator n - ddof) of sums within an ellipsoid around the released ones,
    whose axes hold each noise by itself with this level. See docs/proofs/intervals.md.

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
    reach, axes = float(critical(level, noises)), []
    for noise in noises:
        step = max(each.step for each in (noise, *noise.plus))
        many = noise.sd > MANY_STEPS * step
        axes.append(reach * noise.sd + step / 2 if many else max(reach * noise.sd, noise.half_width(level)))
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
