"""Means of tables that were released with their margins: ratios of sums and counts that share noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .effects import Effects, Kept
from .means import Means
from .moments import MomentSums
from .noise import Floats, Noise
from .part import Part
from .shared import SharesNoise
from .tables import Tables

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SharedMeans(SharesNoise):
    """Means taken out of released tables."""

    means: Means
    statistic: str = "mean"
    default_target: ClassVar[str] = "population"

    @property
    def estimate(self) -> Array:
        return self.means.estimate

    def measures(self, level: float, target: str) -> dict[str, Array]:
        return self.means.measures(level, target)

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        return self.means.interval(level, target)

    @property
    def noisy(self) -> int:
        return self.means.noisy

    def half_width(self, level: float) -> float | None:
        return None

    def to_json(self) -> dict[str, Any]:
        return {"kind": "shared means", "means": self.means.to_json()}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> SharedMeans:
        return cls(Means.from_json(facts["means"], values))


@dataclass(frozen=True)
class TableMeans(SharesNoise):
    """Fitted counts, sums and squares of one variable, in units centred on the middle of its range."""

    counts: Tables
    totals: Tables
    squares: Tables
    centre: float
    half: float
    statistic: str = "mean"
    default_target: ClassVar[str] = "population"

    @property
    def estimate(self) -> Array:
        return self._joined(lambda means: means.estimate)

    def measures(self, level: float, target: str) -> dict[str, Array]:
        if not self.counts.has_intervals:
            return {"mean": self.estimate}
        low, high = self.interval(level, target)
        errors = self._joined(lambda means: means.std_error(target))
        return {"mean": self.estimate, "std_error": errors, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        if not self.counts.has_intervals:
            raise self.no_intervals()
        ends = [means.interval(level, target) for means in self.means]
        low, high = (self.counts.in_order([end[side] for end in ends]) for side in (0, 1))
        return low, high

    def _joined(self, part: Callable[[Means], Array]) -> Array:
        return self.counts.in_order([part(means) for means in self.means])

    @cached_property
    def means(self) -> list[Means]:
        """Of each shown table."""
        sums = [each.parts(each.values) for each in (self.counts, self.totals, self.squares)]
        return [self._means(kept, [each[kept].ravel() for each in sums]) for kept in self.shown]

    def _means(self, kept: Kept, numbers: Sequence[Array]) -> Means:
        noises = [each.noise_of(kept) for each in (self.counts, self.totals, self.squares)]
        return self._of(numbers, noises)

    def _of(self, numbers: Sequence[Array], noises: Sequence[Noise]) -> Means:
        count, total, squares = (np.asarray(each, dtype=float) for each in numbers)
        sums = MomentSums(self.centre, self.half, total, squares, noises[1], noises[2], None, count, noises[0])
        return Means(sums)

    def part(self, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> SharedMeans | Part:
        """As of `Tables`: of the rows with the chosen categories."""
        parts = [each.part(kept, chosen) for each in (self.counts, self.totals, self.squares)]
        numbers, noises = [part.values for part in parts], [part.noise for part in parts]
        if any(noise is None for noise in noises):
            stand_in = [each.noises[0] for each in (self.counts, self.totals, self.squares)]
            return Part("mean", self._of(numbers, stand_in).estimate, None)
        return SharedMeans(self._of(numbers, [noise for noise in noises if noise is not None]))

    @property
    def shown(self) -> tuple[Kept, ...]:
        return self.counts.shown

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.counts.sizes

    @property
    def effects(self) -> Effects:
        return self.counts.effects

    def sd_of(self, kept: Kept) -> float:
        """The error of a mean, from noise alone, is that of its sum over its count: of the first, in one row."""
        return self.totals.sd_of(kept)

    def parts(self, values: Array) -> dict[Kept, Array]:
        return self.counts.parts(values)

    @property
    def noisy(self) -> int:
        return self.counts.noisy

    def half_width(self, level: float) -> float | None:
        return None

    def to_json(self) -> dict[str, Any]:
        sums = {"counts": self.counts, "totals": self.totals, "squares": self.squares}
        facts = {name: {**each.to_json(), "values": each.values.tolist()} for name, each in sums.items()}
        return {"kind": "table means", "centre": self.centre, "half": self.half, **facts}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> TableMeans:
        sums = [Tables.from_json(facts[n], np.array(facts[n]["values"])) for n in ("counts", "totals", "squares")]
        return cls(sums[0], sums[1], sums[2], facts["centre"], facts["half"])
