"""Released counts and sums: a number for each cell, each with noise of a known law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import (
    ADJUSTED,
    CALIBRATED,
    COMPARED,
    LEARNED,
    SYNTHETIC,
    TESTED,
    Errors,
    Evidence,
    Independent,
    OwnCells,
    Seen,
    SharesNoise,
)
from ..core.evidence.noise import Noise, Noises, added, averaged, weights
from ..errors import NotConcluded

OF_OWN = TESTED | LEARNED | SYNTHETIC
"""What cells with noise of their own offer."""


@dataclass(frozen=True)
class Amounts(SharesNoise):
    """What the cells hold, as released.

    `noise` is None where the number is public. One noise is that of each cell, independent of its neighbours'; several
    are those of numbers that were taken out of released tables, added up from cells that may share noise.
    """

    statistic: str
    values: Seen
    noise: Noise | Noises | None = None
    lower: float = -np.inf
    upper: float = np.inf
    margins: tuple[int, int] | None = None  # rows × columns of cells, followed by their sums
    bounds: tuple[float, float] | None = None  # of the values of a sum
    independent: Independent = "rows"
    kind: ClassVar[str] = "amounts"

    @property
    def clamp(self) -> tuple[float, float] | None:
        return self.bounds

    @property
    def shares_noise(self) -> bool:
        return isinstance(self.noise, Noises)

    @property
    def has_intervals(self) -> bool:
        return not isinstance(self.noise, Noises) or self.noise.are_known

    @property
    def offers(self) -> frozenset[str]:
        apart = frozenset() if self.shares_noise else COMPARED
        apart |= frozenset() if self.errors() is None else CALIBRATED
        if self.statistic != "count":
            return super().offers | apart
        own = OF_OWN if isinstance(self.noise, Noise) else frozenset()
        return super().offers | apart | ADJUSTED | (own if self.independent == "rows" else own - TESTED)

    def std_error(self, target: str) -> Floats:
        return np.sqrt(self._added) * (0.0 if self.noise is None else self.noise.sd)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Exact: the noise is whole steps of a known law."""
        self.check_target(target)
        if not self.has_intervals:
            raise self.no_intervals()
        low = high = self.values.astype(float)
        if self.noise is not None:
            low, high = self.noise.around(self.values, level)
        if isinstance(self.noise, Noise):
            for added in set(self._added.tolist()) - {1.0}:
                sums, half = self._added == added, self.noise.half_width_of_sum(level, int(added))
                low = np.where(sums, self.values - half, low)
                high = np.where(sums, self.values + half, high)
        return self.clipped(low, high)

    def errors(self) -> Errors | None:
        own = isinstance(self.noise, Noise) and not self.noise.depends and self.margins is None
        if not own or len(self.values) < 2 or self.statistic not in ("count", "sum"):
            return None
        assert isinstance(self.noise, Noise)
        return Errors.of(self.noise, np.zeros(len(self.values)), np.zeros(len(self.values)))

    def own_noise(self, target: str) -> tuple[Noise, ...]:
        if self.shares_noise:
            return super().own_noise(target)
        self.check_target(target)
        return self._noises(self)

    def _noises(self, *each: Amounts) -> tuple[Noise, ...]:
        found = tuple(amounts.noise for amounts in each if isinstance(amounts.noise, Noise))
        for noise in found:
            if noise.depends:
                raise NotConcluded(
                    f"{noise.law.distribution} noise depends on the count that it hides; take the interval, or ask for "
                    "laplace, gaussian or truncated noise.",
                    statistic=self.statistic,
                )
        return found

    def noise_of_each(self) -> Noises | None:
        if not isinstance(self.noise, Noise):
            return self.noise if self.has_intervals else None
        many, which = np.unique(self._added, return_inverse=True)
        return Noises(tuple(added([(self.noise, 1.0, int(draws))]) for draws in many), which)

    @property
    def apart(self) -> bool:
        return self.margins is None and not self.shares_noise

    @property
    def noisy(self) -> int:
        return len(self.values) if self.noise is not None and self.has_intervals else 0

    def pooled(self, others: Sequence[Amounts]) -> Evidence:
        """The average of several measurements of the same amounts, weighted by their precision."""
        each = (self, *others)
        if any(amounts.shares_noise for amounts in each):
            return super().pooled(others)
        if any(amounts.noise is None for amounts in each):
            raise NotConcluded(f"this {self.statistic} is public and exact; there is nothing to combine.")
        noises = self._noises(*each)
        values = weights(noises) @ np.array([amounts.values.astype(float) for amounts in each])
        return replace(self, values=values, noise=averaged(noises))

    def cells(self, number: int) -> frozenset[int]:
        if self.margins is None or self.shares_noise:
            return frozenset({number})
        rows, columns = self.margins
        row, column = divmod(number, columns + 1)
        return frozenset(
            i * columns + j
            for i in (range(rows) if row == rows else [row])
            for j in (range(columns) if column == columns else [column])
        )

    @property
    def _added(self) -> Floats:
        """How many noisy cells each number adds up, where each has noise of its own."""
        if self.margins is None or self.shares_noise:
            return np.ones(len(self.values))
        rows, columns = self.margins
        return np.outer([*[1.0] * rows, rows], [*[1.0] * columns, columns]).ravel()

    def own_cells(self) -> OwnCells | None:
        self.check_rows_apart()
        if self.shares_noise:
            raise NotConcluded(
                "cells read from several tables share noise, which these tests do not model; test the original "
                "release, e.g. tables.releases[name], provided it includes the full table."
            )
        if self.statistic != "count":
            return None
        if not isinstance(self.noise, Noise):
            raise NotConcluded(
                "the noise of this table is not public, or there is none, so it cannot be taken into account."
            )
        values = np.asarray(self.values, dtype=np.float64)
        if self.margins is None:
            return OwnCells(values, self.noise, slice(None), slice(None))
        rows, columns = self.margins
        inner = values.reshape(rows + 1, columns + 1)[:-1, :-1].ravel()
        return OwnCells(inner, self.noise, slice(-1), slice(-1))

    @property
    def has_totals(self) -> tuple[bool, bool]:
        both = self.margins is not None
        return both, both

    def half_width(self, level: float) -> float | None:
        if self.noise is None:
            return 0.0
        if isinstance(self.noise, Noises):
            return float(self.noise.half_widths(level).max()) if self.has_intervals else None
        rows, columns = self.margins or (1, 1)
        return None if self.noise.depends else self.noise.half_width_of_sum(level, rows * columns)


def with_totals(parts: Sequence[Amounts], shape: tuple[int, int]) -> Amounts:
    """Cells, totals of rows, totals of columns and that of all as one rectangle, row by row."""

    def framed(inner: Array, right: Array, bottom: Array, corner: Array) -> Array:
        wide = np.block([[inner.reshape(shape), right[:, None]], [bottom[None, :], corner[None, :]]])
        return np.asarray(wide.ravel())

    values = framed(*(part.values for part in parts))
    laws = [part.noise for part in parts if isinstance(part.noise, Noises) and part.has_intervals]
    noise = Noises.unknown(len(values))
    if len(laws) == len(parts):
        firsts = np.cumsum([0, *(len(each.noises) for each in laws)])
        which = framed(*(np.where(w.which < 0, -1, w.which + at) for w, at in zip(laws, firsts, strict=False)))
        noise = Noises(tuple(each for law in laws for each in law.noises), which)
    return Amounts(parts[0].statistic, values, noise, parts[0].lower, margins=shape)
