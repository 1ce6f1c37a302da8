"""Clusters of the cells of a grid that was counted: their centres, and the counts from which others can be made."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from ..dataclass import dataclass
from ..equations import clustered, middles
from ..errors import NotConcluded
from .base import Array, Evidence
from .codec import Seen
from .noise import Floats, Noise


@dataclass(frozen=True)
class Centres(Evidence):
    """How many rows each cluster has, by the noisy counts of its cells, and where its centre is.

    Nothing is said of how far a centre is off: it is a function of noisy counts that no theory follows.
    """

    values: Seen
    centres: np.ndarray[Any, np.dtype[np.float64]]  # one row a cluster, in the units of the columns
    columns: tuple[Any, ...]
    edges: tuple[tuple[float, ...], ...]
    grid: np.ndarray[Any, np.dtype[np.int64]]  # of each cell, the last column running fastest
    noise: Noise
    seed: int
    statistic: ClassVar[str] = "rows"
    kind: ClassVar[str] = "centres"
    has_intervals: ClassVar[bool] = False

    @classmethod
    def of(
        cls, names: tuple[Any, ...], edges: tuple[tuple[float, ...], ...], counts: Any, noise: Noise, k: int, seed: int
    ) -> Self:
        """The k clusters of cells with these counts; distances are in the ranges of the columns."""
        low, span = spans(edges)
        numbers = np.asarray(counts, dtype=float)
        centres, own = clustered(numbers, (middles(edges) - low) / span, noise.sd, k, seed)
        rows = np.bincount(own, weights=numbers, minlength=k)
        return cls(rows, low + centres * span, names, edges, np.asarray(counts, dtype=np.int64), noise, seed)

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def names(self) -> list[Any]:
        return [tuple(name) if isinstance(name, list) else name for name in self.columns]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(edges) - 1 for edges in self.edges)

    def measures(self, level: float, target: str) -> dict[str, Array]:
        where = {f"centre of {name}": self.centres[:, at] for at, name in enumerate(self.names)}
        return {self.statistic: self.estimate, **where}

    def interval(self, level: float, target: str) -> NoReturn:
        raise NotConcluded(
            "nothing is known of how far the centre of a cluster is off; the noise of each cell is, see "
            "release.dp.grid().",
        )

    @property
    def noisy(self) -> int:
        return 0

    def unsaid_because(self) -> str | None:
        return None


def spans(edges: tuple[tuple[float, ...], ...]) -> tuple[Floats, Floats]:
    """Where each range starts, and how long it is."""
    low = np.array([each[0] for each in edges])
    return low, np.array([each[-1] for each in edges]) - low
