"""Principal components of released sums of products, and how far noise may have moved them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..equations import Column
from ..errors import NotConcluded
from .base import INTERVALS, Array, Evidence
from .codec import Seen
from .noise import Floats


@dataclass(frozen=True)
class Spectrum(Evidence):
    """Variances along components, in half-ranges² or of columns scaled to variance 1, and the components.

    `norms` are 201 evenly spaced quantiles of the norm of the error by noise.
    """

    values: Seen
    columns: tuple[Column, ...]
    directions: Floats  # component × column
    gaps: Floats
    means: Floats
    spreads: Floats
    total: float
    norms: Floats
    scaled: bool
    statistic: ClassVar[str] = "variance"
    kind: ClassVar[str] = "spectrum"

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS

    @property
    def lower(self) -> float:
        return 0.0

    @property
    def upper(self) -> float:
        return float(len(self.columns))  # of so many columns, each within a half-range of its middle

    def norm(self, level: float) -> float:
        """The error of the matrix is no larger with this probability."""
        place = level * (len(self.norms) - 1)
        return float(self.norms[int(np.ceil(place))]) if place <= len(self.norms) - 2 else np.inf

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """For the noise: all variances are off by no more than the norm of the error."""
        if target != "sample":
            raise NotConcluded("components describe the rows in the data; their intervals are for target='sample'.")
        off, found = self.norm(level), np.asarray(self.values, dtype=float)
        return np.clip(found - off, 0.0, self.upper), np.clip(found + off, 0.0, self.upper)

    def sines(self, level: float) -> Floats:
        """At most, the sine of the angle to the component without noise; 1 says nothing."""
        with np.errstate(all="ignore"):
            sines = 2 * self.norm(level) / np.maximum(self.gaps, 0.0)
        return np.asarray(np.minimum(np.nan_to_num(sines, nan=1.0), 1.0))

    def measures(self, level: float, target: str) -> dict[str, Array]:
        low, high = self.interval(level, target)
        share = np.clip(np.asarray(self.values, float) / max(self.total, 1e-300), 0.0, 1.0)
        sines = self.sines(level)
        said = {"variance": self.estimate, "lower": low, "upper": high, "share": share, "sine": sines}
        loadings = {f"loading of {each.name}": self.directions[:, at] for at, each in enumerate(self.columns)}
        return {**said, "separated": sines < 1.0, **loadings}

    @property
    def noisy(self) -> int:
        return len(self.values)
