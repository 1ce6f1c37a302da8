"""The least value of a smooth convex function, by its slopes; it never raises and ends after so many steps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from .effects import Floats

Slope = Callable[[Floats], tuple[float, Floats]]
KEPT = 12  # steps that tell of the curvature
TRIES = 30


def least(function: Slope, start: Floats, enough: Callable[[Floats], bool], most_steps: int) -> Floats:
    """Where the slopes are small `enough`, or as near as so many steps come: the method of limited memory (L-BFGS)."""
    at, (value, slopes) = start, function(start)
    steps: deque[tuple[Floats, Floats, float]] = deque(maxlen=KEPT)
    for _ in range(most_steps):
        if enough(slopes):
            break
        way = -_curved(slopes, steps)
        if not float(way @ slopes) < 0:
            steps.clear()
            way = -slopes
        found = _searched(function, at, way, value, slopes)
        if found is None:
            if not steps:
                break
            steps.clear()
            continue
        moved, value, turned = found
        change, bend = moved - at, turned - slopes
        if float(change @ bend) > 1e-14 * float(bend @ bend):
            steps.append((change, bend, 1 / float(change @ bend)))
        at, slopes = moved, turned
    return at


def _curved(slopes: Floats, steps: deque[tuple[Floats, Floats, float]]) -> Floats:
    """The slopes times what is known of the inverse of the curvature."""
    found, shares = slopes.copy(), []
    for change, bend, weight in reversed(steps):
        shares.append(weight * float(change @ found))
        found -= shares[-1] * bend
    if steps:
        _, bend, weight = steps[-1]
        found /= weight * float(bend @ bend)
    for change, bend, weight in steps:
        found += (shares.pop() - weight * float(bend @ found)) * change
    return found


def _searched(function: Slope, at: Floats, way: Floats, value: float, slopes: Floats) -> Any:
    """A step along the way that goes down enough and far enough; None where there is none that numbers can tell."""
    slope, step, low, high = float(way @ slopes), 1.0, 0.0, np.inf
    best = None
    for _ in range(TRIES):
        moved = at + step * way
        found, turned = function(moved)
        if not (np.isfinite(found) and found <= value + 1e-4 * step * slope + 1e-13 * abs(value)):
            high = step
        elif float(turned @ way) < 0.9 * slope:
            low, best = step, (moved, found, turned)
        else:
            return moved, found, turned
        step = 2 * step if high == np.inf else (low + high) / 2
    return best
