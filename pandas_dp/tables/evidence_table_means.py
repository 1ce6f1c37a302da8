"""Means of tables over some of the same keys: fitted sums over fitted counts, which share their noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import PARTED, SharesNoise
from ..core.evidence.noise import Noises
from ..numeric.evidence_means import Means
from ..numeric.evidence_moments import MomentSums
from ..numeric.evidence_sums import Amounts
from .evidence import Tables
from .planning.lattice import Lattice
from .planning.margins import Margin


@dataclass(frozen=True)
class SharedMeans(SharesNoise):
    """Means that share noise with their neighbours, those with noise of the same laws together; -1: with any."""

    means: tuple[Means, ...]
    which: NDArray[np.intp]
    kind: ClassVar[str] = "shared means"
    statistic: ClassVar[str] = "mean"
    default_target: ClassVar[str] = "population"

    @classmethod
    def of(
        cls, sums: Sequence[Array], laws: Sequence[Noises], centre: float, half: float, *, known: bool = True
    ) -> SharedMeans:
        """The means from counts, totals and squares, whose laws come in the same kinds; `known`, if they are those."""
        count, total, squares = (np.asarray(each, dtype=float) for each in sums)
        which = np.maximum(laws[0].which, 0)
        means = []
        for kind, (n, t, s) in enumerate(zip(*(each.noises for each in laws), strict=True)):
            at = which == kind
            means.append(
                Means(MomentSums(centre, half, total[at], squares[at], t, s, None, count[at], n if known else None))
            )
        return cls(tuple(means), which)

    def spread(self, part: Callable[[Means], Array]) -> Array:
        """What each kind of mean says, back in their order."""
        found = np.zeros(len(self.which))
        for kind, means in enumerate(self.means):
            found[self.which == kind] = part(means)
        return found

    @property
    def estimate(self) -> Array:
        return self.spread(lambda means: means.estimate)

    def std_error(self, target: str) -> Array:
        return self.spread(lambda means: means.std_error(target))

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        low = self.spread(lambda means: means.interval(confidence, target)[0])
        return low, self.spread(lambda means: means.interval(confidence, target)[1])

    @property
    def lower(self) -> float:
        return self.means[0].lower

    @property
    def upper(self) -> float:
        return self.means[0].upper

    @property
    def noisy(self) -> int:
        return len(self.which)


@dataclass(frozen=True)
class TableMeans(SharesNoise):
    """Fitted counts, sums and squares of one variable, in units centred on the middle of its range."""

    counts: Tables
    totals: Tables
    squares: Tables
    centre: float
    half: float
    kind: ClassVar[str] = "table means"
    statistic: ClassVar[str] = "mean"
    default_target: ClassVar[str] = "population"

    @property
    def measure(self) -> str | None:
        return self.counts.measure

    @property
    def offers(self) -> frozenset[str]:
        return super().offers | (PARTED if self.is_stack else frozenset())

    @property
    def estimate(self) -> Array:
        return self._joined(lambda means: means.estimate)

    @property
    def has_intervals(self) -> bool:
        return self.counts.has_intervals

    def std_error(self, target: str) -> Array:
        return self._joined(lambda means: means.std_error(target))

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        if not self.counts.has_intervals:
            raise self.no_intervals()
        ends = [means.interval(confidence, target) for means in self.means]
        low, high = (self.lattice.in_order([end[side] for end in ends]) for side in (0, 1))
        return low, high

    def _joined(self, part: Callable[[SharedMeans], Array]) -> Array:
        return self.lattice.in_order([part(means) for means in self.means])

    @cached_property
    def means(self) -> list[SharedMeans]:
        """The means of each shown table."""
        sums = [each.lattice.parts(each.values) for each in self._sums]
        return [self._of([each[margin].ravel() for each in sums], self._laws(margin)) for margin in self.lattice.shown]

    @property
    def _sums(self) -> tuple[Tables, Tables, Tables]:
        return self.counts, self.totals, self.squares

    def _laws(self, margin: Margin) -> list[Noises] | None:
        return [each.laws(margin) for each in self._sums] if self.counts.has_intervals else None

    def _of(self, sums: Sequence[Array], laws: Sequence[Noises] | None) -> SharedMeans:
        """Without laws, any will do: they change no estimate, and nothing else will be shown."""
        same = np.zeros(len(sums[0]), np.intp)
        known = [Noises((each.noises[0],), same) for each in self._sums] if laws is None else laws
        return SharedMeans.of(sums, known, self.centre, self.half, known=laws is not None)

    @property
    def is_stack(self) -> bool:
        return self.counts.is_stack

    @property
    def has_totals(self) -> tuple[bool, bool]:
        return self.counts.has_totals

    def can_determine(self, needed: Margin) -> bool:
        return self.counts.can_determine(needed)

    def part(self, margin: Margin, chosen: Mapping[int, Sequence[int]]) -> SharedMeans | Amounts:
        """The part for the rows with the chosen categories, as in `Tables`."""
        parts = [each.part(margin, chosen) for each in self._sums]
        noises = [part.noise for part in parts if isinstance(part.noise, Noises) and part.has_intervals]
        found = self._of([part.values for part in parts], noises or None)
        return found if noises else Amounts("mean", found.estimate, Noises.unknown(len(found.estimate)))

    @property
    def lattice(self) -> Lattice:
        return self.counts.lattice

    def sd_of(self, margin: Margin) -> float:
        """The standard deviation of a mean of a table because of the noise, on average; NaN where none is known."""
        means = self.means[self.lattice.shown.index(margin)]
        variances = means.spread(lambda each: each.sums.mean_noise_var)
        return float(np.sqrt(np.mean(variances[np.isfinite(variances)]))) if np.isfinite(variances).any() else np.nan

    @property
    def lower(self) -> float:
        return self.centre - self.half

    @property
    def upper(self) -> float:
        return self.centre + self.half

    @property
    def noisy(self) -> int:
        return self.counts.noisy
