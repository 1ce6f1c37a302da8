"""Life tables: how many left in each bin of time, as released, and what follows of survival."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import Evidence, Seen
from ..core.evidence.noise import Noise, critical
from ..dataclass import dataclass
from .solve import Censoring, Exits


@dataclass(frozen=True)
class Life(Evidence):
    """The share that is without an event at the end of each bin, group by group (Kaplan and Meier).

    `released` are the noisy cells: groups × classes of time × (no event, event).
    Proof: docs/proofs/survival/survival.md.
    """

    values: Seen
    released: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    bins: int
    noise: Noise
    total: int | None = None
    censoring: Censoring = "even"
    kind: ClassVar[str] = "life"
    accessor: ClassVar[str] = "survival.accessor:LifeAccessor"
    statistic: ClassVar[str] = "survival"
    default_target: ClassVar[str] = "population"
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @classmethod
    def of(cls, counts: Array, bins: int, noise: Noise, total: int | None, censoring: Censoring = "even") -> Life:
        exits = Exits(np.asarray(counts, dtype=np.float64), bins, noise.var, total, censoring)
        return cls(exits.survival.ravel(), counts, bins, noise, total, censoring)

    @cached_property
    def exits(self) -> Exits:
        cells = np.asarray(self.released, dtype=np.float64)
        return Exits(cells, self.bins, self.noise.var, self.total, self.censoring)

    @property
    def has_intervals(self) -> bool:
        return not self.noise.depends

    def log_variance(self, target: str) -> tuple[Floats, Floats]:
        """By chance and by noise, of the logarithm of survival; the rows in the data have no chance."""
        exits = self.exits
        return exits.chance if target == "population" else np.zeros_like(exits.chance), exits.noise

    def std_error(self, target: str) -> Floats:
        """Of survival, at most one half: it lies between 0 and 1. NaN where noise may be all who are at risk."""
        error = np.exp(np.minimum(self.exits.log_survival, 0.0)) * np.sqrt(sum(self.log_variance(target)))
        return np.asarray(np.where(self.exits.is_determined, np.minimum(error, 0.5), np.nan).ravel())

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        chance, noise = self.log_variance(target)
        together = np.maximum(chance + noise, 1e-300)
        many = critical(level, (self.noise,), noise / together)
        low, high = self.exits.ends(many, target == "population")
        return low.ravel(), high.ravel()

    def measures(self, level: float, target: str) -> dict[str, Array]:
        """Beside survival, the numbers that it follows from, to whole ones."""
        exits = self.exits
        table = {"at_risk": exits.at_risk, "events": exits.events, "censored": exits.censored}
        whole = {name: np.rint(numbers).astype(np.int64).ravel() for name, numbers in table.items()}
        return {**super().measures(level, target), **whole}
