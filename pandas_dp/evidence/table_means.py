"""Means of tables that were released with their margins: ratios of sums and counts that share noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..margins import Effects, Kept, Tie
from .means import Means
from .moments import MomentSums
from .noise import Floats
from .part import Laws, Part
from .shared import SharesNoise
from .tables import Tables

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SharedMeans(SharesNoise):
    """Means that share noise with their neighbours, those with noise of the same laws together; -1: with any."""

    means: tuple[Means, ...]
    which: NDArray[np.intp]
    statistic: str = "mean"
    default_target: ClassVar[str] = "population"

    @classmethod
    def of(cls, sums: Sequence[Array], laws: Sequence[Laws], centre: float, half: float) -> SharedMeans:
        """From counts, totals and squares, whose laws come in the same kinds."""
        count, total, squares = (np.asarray(each, dtype=float) for each in sums)
        which = np.maximum(laws[0].which, 0)
        means = []
        for kind, (n, t, s) in enumerate(zip(*(each.noises for each in laws), strict=True)):
            at = which == kind
            means.append(Means(MomentSums(centre, half, total[at], squares[at], t, s, None, count[at], n)))
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

    def measures(self, level: float, target: str) -> dict[str, Array]:
        low, high = self.interval(level, target)
        errors = self.spread(lambda means: means.std_error(target))
        return {"mean": self.estimate, "std_error": errors, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        low = self.spread(lambda means: means.interval(level, target)[0])
        return low, self.spread(lambda means: means.interval(level, target)[1])

    @property
    def lower(self) -> float:
        return self.means[0].lower

    @property
    def upper(self) -> float:
        return self.means[0].upper

    @property
    def noisy(self) -> int:
        return len(self.which)

    def half_width(self, level: float) -> float | None:
        return None

    def to_json(self) -> dict[str, Any]:
        which = self.which.tolist() if len(self.means) > 1 else None
        return {"kind": "shared means", "means": [means.to_json() for means in self.means], "which": which}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> SharedMeans:
        which = np.zeros(len(values), np.intp) if facts["which"] is None else np.array(facts["which"], np.intp)
        return cls(tuple(Means.from_json(each, values) for each in facts["means"]), which)


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
        errors = self._joined(lambda means: means.spread(lambda each: each.std_error(target)))
        return {"mean": self.estimate, "std_error": errors, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        if not self.counts.has_intervals:
            raise self.no_intervals()
        ends = [means.interval(level, target) for means in self.means]
        low, high = (self.counts.in_order([end[side] for end in ends]) for side in (0, 1))
        return low, high

    def _joined(self, part: Callable[[SharedMeans], Array]) -> Array:
        return self.counts.in_order([part(means) for means in self.means])

    @cached_property
    def means(self) -> list[SharedMeans]:
        """Of each shown table."""
        sums = [each.parts(each.values) for each in self._sums]
        return [self._of([each[kept].ravel() for each in sums], self._laws(kept)) for kept in self.shown]

    @property
    def _sums(self) -> tuple[Tables, Tables, Tables]:
        return self.counts, self.totals, self.squares

    def _laws(self, kept: Kept) -> list[Laws] | None:
        return [each.laws(kept) for each in self._sums] if self.counts.has_intervals else None

    def _of(self, sums: Sequence[Array], laws: Sequence[Laws] | None) -> SharedMeans:
        """Without laws, any will do: they change no estimate, and nothing else will be shown."""
        same = np.zeros(len(sums[0]), np.intp)
        known = [Laws((each.noises[0],), same) for each in self._sums] if laws is None else laws
        return SharedMeans.of(sums, known, self.centre, self.half)

    def can_tell(self, needed: Kept) -> bool:
        return self.counts.can_tell(needed)

    def part(self, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> SharedMeans | Part:
        """As of `Tables`: of the rows with the chosen categories."""
        parts = [each.part(kept, chosen) for each in self._sums]
        laws = [part.laws for part in parts if part.laws is not None]
        found = self._of([part.values for part in parts], laws or None)
        return found if laws else Part("mean", found.estimate, None)

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
        """The standard deviation of a mean of a table because of the noise, on average; NaN where none is told."""
        means = self.means[self.shown.index(kept)]
        variances = means.spread(lambda each: each.sums.mean_noise_var)
        return float(np.sqrt(np.mean(variances[np.isfinite(variances)]))) if np.isfinite(variances).any() else np.nan

    @property
    def ties(self) -> tuple[Tie, ...]:
        return self.counts.ties

    def parts(self, values: Array) -> dict[Kept, Array]:
        return self.counts.parts(values)

    @property
    def lower(self) -> float:
        return self.centre - self.half

    @property
    def upper(self) -> float:
        return self.centre + self.half

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
