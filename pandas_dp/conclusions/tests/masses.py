"""The noise of a release as tests need it: log probabilities, how far out it matters, simulated draws."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dataclass import dataclass
from ...laws import Law

Floats = npt.NDArray[np.float64]

NEAR = 256  # the distances from zero that are kept one by one
LARGEST_TABLE = 2**20
LEAST = 1e-300  # what is less likely counts as impossible


@dataclass(frozen=True)
class Masses:
    """P(noise = k) for whole k, where the law is symmetric and falls away from zero."""

    law: Law

    @cached_property
    def _distances(self) -> Floats:
        """0, 1, 2, …, then two per cent farther each, to the first that is impossible."""
        far: list[float] = []
        last = float(NEAR)
        while self.law.pmf(last) > LEAST:
            far.append(last)
            last = float(np.ceil(1.02 * last))
        near = np.arange(NEAR, dtype=np.float64)
        keep = np.asarray(self.law.pmf(near)) > LEAST
        return np.array([*near[keep], *far, last if far else float(keep.sum())])

    @cached_property
    def _falls(self) -> Floats:
        """How far the log probability is below its highest at each distance, and at all beyond."""
        logs = _log(self.law.pmf(self._distances))
        return np.asarray(logs[0] - np.maximum.accumulate(logs[::-1])[::-1])

    @property
    def farthest(self) -> float:
        """Beyond this, nothing."""
        return float(self._distances[-1])

    def reach(self, fall: npt.ArrayLike) -> Floats:
        """Beyond this distance the log probability is lower than its highest by more than `fall`."""
        places = np.searchsorted(self._falls, fall, side="right")
        return self._distances[np.minimum(places, len(self._distances) - 1)]

    @cached_property
    def _table(self) -> Floats:
        return _log(self.law.pmf(np.arange(int(self.farthest) + 2, dtype=np.float64)))

    def log(self, k: Any) -> Floats:
        """log P(noise = k), minus infinity where it is impossible."""
        far = np.abs(k)
        if self.farthest > LARGEST_TABLE:
            return _log(self.law.pmf(far))
        return self._table.take(far.astype(np.int64), mode="clip")

    @cached_property
    def _lattice(self) -> tuple[Floats, Floats, int]:
        """Places, their cumulated probabilities, and how far apart the places are: 1 unless the law is very wide."""
        reach = float(self.reach(50.0))
        stride = int(np.ceil((2 * reach + 1) / LARGEST_TABLE)) | 1
        steps = int(reach // stride)
        places = np.arange(-steps, steps + 1, dtype=np.float64) * stride
        summed = np.cumsum(self.law.pmf(places))
        return places, summed / summed[-1], stride

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Draws for simulation, not for protection."""
        places, summed, stride = self._lattice
        drawn = places[np.searchsorted(summed, rng.random(shape), side="right")]
        return drawn if stride == 1 else drawn + rng.integers(-(stride // 2), stride // 2 + 1, shape)


def _log(probabilities: Any) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.asarray(probabilities, dtype=np.float64)))
