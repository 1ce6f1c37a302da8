"""The mean of values that were clamped to two released ends."""

from __future__ import annotations

import numpy as np

from .means import Means
from .moments import MomentSums
from .noise import Noise


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
