"""A range in many parts, of which noisy counts are known, and the bins that they are put together to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..dataclass import dataclass
from ..quantiles.solve import Curve

SURE = 3.0  # standard deviations of noise that a bin exceeds


@dataclass(frozen=True)
class Parts:
    """Where the parts of a range begin, and where the last one ends; and the share of rows up to each of these."""

    edges: tuple[float, ...]
    below: tuple[float, ...]

    def drawn(self, low: Floats, high: Floats, rng: np.random.Generator) -> NDArray[np.intp]:
        """For each of some bins, from edge to edge, the place of one of its parts, by the shares."""
        edges, below = np.array(self.edges), np.array(self.below)
        first, after = np.searchsorted(edges, low), np.searchsorted(edges, high)
        wanted = below[first] + (below[after] - below[first]) * rng.random(len(first))
        even = rng.integers(first, after)
        by_shares = np.clip(np.searchsorted(below, wanted, side="right") - 1, first, after - 1)
        return np.where(below[after] > below[first], by_shares, even)

    def middle(self, low: float, high: float) -> float:
        """The mean between two edges, where values lie in the middle of their parts."""
        edges, below = np.array(self.edges), np.array(self.below)
        first, after = np.searchsorted(edges, [low, high])
        shares = np.diff(below[first : after + 1])
        middles = (edges[first:after] + edges[first + 1 : after + 1]) / 2
        return float(shares @ middles / shares.sum()) if shares.sum() > 0 else float((low + high) / 2)


def parts_of(curve: Curve, edges: tuple[float, ...]) -> Parts:
    """What a curve tells of parts that end where it has its ends."""
    below = curve.rising()
    return Parts(edges, (0.0, *(below / below[-1]).tolist()))


def even_bins(curve: Curve, most: int) -> list[int]:
    """How many parts lie before the end of each bin: bins of neighbours with about as many rows each, so that there are
    no more than so many, and that each exceeds its noise by far; one bin at least."""
    below = np.append(0.0, curve.rising())
    covariance = np.pad(np.asarray(curve.covariance), ((1, 0), (1, 0)))
    own, found = np.diag(covariance), [0]
    for end in range(1, len(below)):
        start = found[-1]
        noise = np.sqrt(max(own[end] + own[start] - 2 * covariance[end, start], 0.0))
        if below[end] - below[start] >= max(below[-1] / most, SURE * noise):
            found.append(end)
    return [*found[1:-1], len(below) - 1]
