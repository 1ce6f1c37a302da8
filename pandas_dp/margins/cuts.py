"""Where bins end that shall tell quantiles: whole steps of a public grid, made of released numbers alone.

Whatever was released, they are as many as were planned, rise, and end with the grid.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from .curves import Curve
from .prefixes import Floats

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
    wanted = {point + off for point in points for off in away} | {point - 1 - off for point in points for off in away}
    inside = sorted(end for end in wanted if 0 <= end < top)
    return _so_many(inside[: many - 1], top, many)


def ends_around_and_even(points: Collection[int], top: int, many: int, even: int) -> tuple[int, ...]:
    """The same beside bins of even width: they serve where a point was chosen far from the rows."""
    spread = {end for end in even_ends(top, min(even, many)) if end < top}
    near = {end for end in ends_around(points, top, many - len(spread)) if end < top} if len(spread) < many - 1 else ()
    return _so_many(sorted(spread | set(near))[: many - 1], top, many)


def ends_between(curve: Curve, quantiles: Sequence[float], top: int, many: int) -> tuple[int, ...]:
    """Most of them where the curve says that the quantiles are."""
    cuts = np.interp(np.arange(1, many) / many, *_wanted(curve, quantiles))
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


def _wanted(curve: Curve, quantiles: Sequence[float]) -> tuple[Floats, Floats]:
    """How much of the wish for cuts lies below each edge of the curve's bins, as a share, and the edges."""
    edges = np.append(0, curve.ends + 1).astype(float)
    rising = np.append(0.0, np.minimum(curve.rising(), AT_MOST))
    _, noise = curve.around(0.5)
    scale = float(np.nan_to_num(np.median(noise[:-1]) if len(noise) > 1 else noise[0], posinf=AT_MOST)) + 1e-9
    several = np.array(quantiles, float)[:, None]
    told = np.diff(np.clip((rising - several * rising[-1]) / scale, -FAR, FAR), axis=1).sum(axis=0) + 1e-12
    spread = _windows(curve, several).any(axis=0) + 1e-12
    wish = (1 - EVENLY) * told / told.sum() + EVENLY * spread / spread.sum()
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
