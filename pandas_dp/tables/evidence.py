"""Numbers read off a synthesis: measured, within a bound that was paid for, or what its model makes of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf, prod
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from ..core.arrays import Array, Floats
from ..core.evidence.codec import Seen
from ..core.evidence.evidence import (
    ADJUSTED,
    INTERVALS,
    LEARNED,
    PARTED,
    SYNTHETIC,
    TESTED,
    Evidence,
    OwnCells,
    SharesNoise,
)
from ..core.evidence.noise import Noise, added, critical, student_over_normal
from ..core.evidence.noises import Noises
from ..dataclass import dataclass
from ..errors import NotConcluded
from ..numeric.evidence_sums import Amounts
from .planning.lattice import Effects, Fit, Lattice, added_up
from .planning.margins import Kept, Tie, source_of, with_told

Source = Literal["measured", "bounded", "fitted"]


@dataclass(frozen=True)
class ReadOff(Evidence):
    """Numbers of one table, and where they come from.

    "measured": released numbers and their exact laws, in `measured`. "bounded": of the model, with intervals from a
    bound on its distance from the data. "fitted": of the model, and nothing says how far off they are.
    """

    statistic: str
    values: Seen
    source: Source
    measured: Amounts | None = None
    low: Array | None = None
    high: Array | None = None
    kind: ClassVar[str] = "read off"

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def has_intervals(self) -> bool:
        return self.source != "fitted"

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS if self.has_intervals else frozenset()

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """A bound holds at the level at which it was asked for, whatever this one is."""
        if self.measured is not None:
            return self.measured.interval(level, target)
        if self.low is None or self.high is None:
            raise NotConcluded(self.unsaid_because() or "", statistic=self.statistic)
        return self.low, self.high

    def std_error(self, target: str) -> Floats | None:
        return None if self.measured is None else self.measured.std_error(target)

    def measures(self, level: float, target: str) -> dict[str, Array]:
        """The same columns whatever the source."""
        blank = np.full(len(self.values), np.nan)
        low, high = self.interval(level, target) if self.has_intervals else (blank, blank)
        error = self.std_error(target)
        source = np.full(len(self.values), self.source, dtype=object)
        beside = {"std_error": blank if error is None else error, "lower": low, "upper": high, "source": source}
        return {self.statistic: self.values, **beside}

    @property
    def noisy(self) -> int:
        return len(self.values) if self.has_intervals else 0

    def unsaid_because(self) -> str | None:
        if self.has_intervals:
            return None
        return (
            "these numbers are what a model makes of tables that were measured; nobody measured them, so nothing says "
            "how far off they are. Ask for the table itself, or for the distance of the synthesis."
        )

    def not_adjusted_because(self) -> str:
        return "these numbers were read off a synthesis; conclude from the releases in its .measured."

    def own_noise(self, target: str) -> NoReturn:
        raise NotConcluded(self.not_adjusted_because(), statistic=self.statistic)

    def pooled(self, others: Any) -> NoReturn:
        raise NotConcluded(self.not_adjusted_because(), statistic=self.statistic)


@dataclass(frozen=True)
class Calibrated(Evidence):
    """Numbers that add up to public totals of the `keys`, with the variances of noise and sample that are left."""

    statistic: str
    values: Seen
    noise_var: Floats
    sampling_var: Floats
    noise: Noise  # whose law that of the numbers is a mixture of
    target: str
    keys: tuple[str, ...]
    freedom: float = inf  # degrees of it, from which the variance of the sample was told
    kind: ClassVar[str] = "calibrated"

    @property
    def default_target(self) -> str:
        return self.target

    @property
    def estimate(self) -> Floats:
        return np.asarray(self.values, float)

    @property
    def lower(self) -> float:
        return 0.0 if self.statistic == "count" else -np.inf

    def _var(self, target: str) -> Floats:
        if target == "population" and self.target != "population":
            raise NotConcluded(
                f"a {self.statistic} describes the rows in the data; its interval is for target='sample'.",
                statistic=self.statistic,
            )
        return self.noise_var + (self.sampling_var if target == "population" else 0.0)

    def std_error(self, target: str) -> Floats:
        return np.asarray(np.sqrt(self._var(target)))

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        var = np.maximum(self._var(target), 1e-300)
        half = critical(level, (self.noise,), self.noise_var / var) * self.std_error(target)
        if target == "population" and self.freedom < inf:
            half = half * student_over_normal(level, np.array(self.freedom))
        return np.maximum(self.estimate - half, self.lower), np.maximum(self.estimate + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.estimate)

    def not_adjusted_because(self) -> str:
        return "these numbers were calibrated; adjust those that they were made from."

    def pooled(self, others: Sequence[Any]) -> Calibrated:
        raise NotConcluded("calibrated numbers are not combined; combine those that they were made from.")


MOST_KEPT = 10_000  # cells that a label holds beside those it shows
MOST_WORK = 3 * 10**6  # kinds of cells, each solved for, times cells
FINITE = (1e-150, 1e150)  # variances of noise next to none, or next to nothing but noise, are taken for these


@dataclass(frozen=True)
class Tables(SharesNoise):
    """Numbers of the `shown` tables, from the `measured` ones, whose noise is known.

    `values` are listed one table after the other, or, with a `rectangle`, as rows × columns with margins at their ends.
    `fitted` says whether they are least squares of all that was measured; then `interior` are the cells as they were
    measured, for tests that need noise cell by cell. Cells that cannot be, because they were
    declared impossible (`zeros`) or belong to categories that never meet (`ties`), are 0.
    """

    statistic: str
    values: Seen
    sizes: tuple[int, ...]
    shown: tuple[Kept, ...]
    measured: tuple[Kept, ...]
    noises: tuple[Noise, ...]
    fitted: bool
    lower: float = -np.inf
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()  # cells of the table over all keys
    interior: Array | None = None
    weighed: tuple[float, ...] | None = None  # the variances by which least squares weighs, where not the noises'
    ties: tuple[Tie, ...] = ()  # keys that read one column at several levels
    kind: ClassVar[str] = "tables"

    @property
    def offers(self) -> frozenset[str]:
        counted = TESTED | ADJUSTED | LEARNED | SYNTHETIC if self.statistic == "count" else frozenset()
        return super().offers | counted | (PARTED if self.is_stack else frozenset())

    @property
    def estimate(self) -> Array:
        return self.values

    def std_error(self, target: str) -> Array:
        return self.lattice.in_order([self.laws(kept).sd for kept in self.shown])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self.check_target(target)
        if not self.has_intervals:
            raise self.no_intervals()
        half = self.lattice.in_order([self._halves(kept, level) for kept in self.shown])
        centre = self.values.astype(float)
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.values) if self.has_intervals else 0

    def half_width(self, level: float) -> float | None:
        if not self.has_intervals:
            return None
        return max(float(self._halves(kept, level).max(initial=0.0)) for kept in self.shown)

    def sd_of(self, kept: Kept) -> float:
        """The standard deviation of a number of a table; where they differ, of those that are not exact, on average."""
        if self.lattice.is_plain and self.weighed is None:
            return self._sd_of_plain(kept)
        each = self.laws(kept).sd
        each = each[each > 0]
        return float(np.sqrt(np.mean(each**2))) if len(each) else 0.0

    def _sd_of_plain(self, kept: Kept) -> float:
        if self.fitted:
            return float(np.sqrt(self.effects.variance(kept)))
        source = source_of(kept, self.measured)
        added_cells = self.lattice.cells(source) // self.lattice.cells(kept)
        return self.noises[self.measured.index(source)].sd * float(np.sqrt(added_cells))

    @property
    def has_intervals(self) -> bool:
        """Whether errors are found; only in very large tables over several levels of a key they are not."""
        return not self.fitted or not self.ties or self._solves

    @cached_property
    def _solves(self) -> bool:
        """Around cells that cannot be, an error is found by solving for it, once for each kind of cell."""
        return self.lattice.work <= MOST_WORK

    @cached_property
    def lattice(self) -> Lattice:
        """The tables shown, their order, and which cells cannot be."""
        return Lattice(self.sizes, self.shown, self.rectangle, self.zeros, self.ties)

    def own_cells(self) -> OwnCells | None:
        """The cells over all keys before they were fitted to margins."""
        if self.statistic != "count":
            return None
        found = self.counted
        every = self.lattice.every
        if found is None or every not in self.shown:
            raise NotConcluded(
                "the cells of this table were not measured one by one, or are too many for their label, so only the "
                "fit with its shared noise is known; ask for the table without planned margins."
            )
        values, noise = np.asarray(found[0], dtype=np.float64).ravel(), found[1]
        down, across = slice(None), slice(None)
        if len(self.shown) > 1:
            start = sum(self.lattice.cells(kept) for kept in self.shown[: self.shown.index(every)])
            down = slice(start, start + len(values)) if self.is_stack else slice(-1)
            across = slice(None) if self.is_stack else slice(-1)
        possible = None
        if self.zeros:
            possible = np.ones(len(values), dtype=bool)
            possible[list(self.zeros)] = False
        return OwnCells(values, noise, down, across, possible)

    @property
    def is_stack(self) -> bool:
        return self.rectangle is None

    @property
    def has_totals(self) -> tuple[bool, bool]:
        both = self.rectangle is not None and len(self.shown) > 1
        return both, both

    @property
    def counted(self) -> tuple[Array, Noise] | None:
        """The table over all keys with noise of its own, as it was before the fit."""
        every = self.lattice.every
        if every not in self.measured or (self.fitted and self.interior is None):
            return None
        cells = self.interior if self.interior is not None else self.lattice.parts(self.values)[every]
        return np.asarray(cells).reshape(self.sizes), self.noises[self.measured.index(every)]

    @cached_property
    def effects(self) -> Effects:
        """How what was measured determines the numbers shown."""
        return weighing(self.sizes, dict(zip(self.measured, self.noises, strict=True)), self.weighed)

    @property
    def variances(self) -> Mapping[Kept, float]:
        """Of a cell of each table that tells the others, by which the nearest tables are chosen."""
        return self.effects.variances

    def _halves(self, kept: Kept, level: float) -> Floats:
        return self.laws(kept).half_widths(level)

    def laws(self, kept: Kept, chosen: Mapping[int, Sequence[int]] | None = None, source: Kept | None = None) -> Noises:
        """The noise of each number of a margin, or of each sum over chosen categories of keys that it does not keep."""
        chosen = chosen or {}
        needed = tuple(sorted({*kept, *chosen}))
        noise = dict(zip(self.measured, self.noises, strict=True))
        if self.fitted and not self.lattice.is_plain and (self.ties or self._solves):
            if chosen:
                return self._solved(kept, chosen, noise)
            if kept not in self._solutions:
                self._solutions[kept] = self._solved(kept, chosen, noise)
            return self._solutions[kept]
        taken = {place: len(chosen[place]) for place in needed if place not in kept}
        if self.fitted:
            terms = self.effects.terms(needed, taken)
            one = added([(noise[margin], weight, many) for margin, weight, many in terms])
            there = added_up(self.lattice.possible_in(needed), needed, kept, chosen)  # zeros unknown: larger errors
            return Noises((one,), np.where(there > 0, 0, -1))
        source = source_of(needed, self.measured) if source is None else source
        apart = prod(self.sizes[place] for place in source if place not in needed) * prod(taken.values())
        there = added_up(self.lattice.possible_in(source), source, kept, chosen)
        return Noises((added([(noise[source], 1.0, apart)]),), np.where(there > 0, 0, -1))

    def _solved(self, kept: Kept, chosen: Mapping[int, Sequence[int]], noise: Mapping[Kept, Noise]) -> Noises:
        """One solution for each kind of number."""
        which, blocks = self.lattice.alike(kept, chosen)
        fit = Fit(self.effects, self.lattice.possible)
        terms = [[(noise[margin], weight, many) for margin, weight, many in fit.terms(block)] for block in blocks]
        return Noises(tuple(map(added, terms)), which)

    @cached_property
    def _solutions(self) -> dict[Kept, Noises]:
        return {}

    def can_tell(self, needed: Kept) -> bool:
        return self.lattice.can_tell(needed, self.fitted)

    def part(self, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> Amounts:
        """The numbers of a margin that follow from these, of the chosen categories of keys, in the order given.

        Added up from a table shown that holds them: all the same after a fit, without one the least noisy.
        """
        needed = tuple(sorted({*kept, *chosen}))
        holding = [shown for shown in self.shown if set(needed) <= set(shown)]
        told_from = None
        if self.fitted or not any(shown in self.measured for shown in holding):
            if not holding:
                return self._part_of_finer(kept, chosen, needed)
            source = min(holding, key=self.lattice.cells)
        else:
            mine = [shown for shown in holding if shown in self.measured]
            source = told_from = min(mine, key=lambda each: self.laws(kept, chosen, each).noises[0].var)
        values = added_up(self.lattice.parts(self.values)[source], source, kept, chosen)
        return self._amounts(values, self.laws(kept, chosen, told_from) if self.has_intervals else None)

    def _part_of_finer(self, kept: Kept, chosen: Mapping[int, Sequence[int]], needed: Kept) -> Amounts:
        """The part, read from a table of finer keys: a coarser key only occurs in the cells of its own categories."""
        able = [shown for shown in self.shown if set(needed) <= set(with_told(shown, self.ties))]
        source = min(able, key=self.lattice.cells)
        wider = tuple(sorted({*source, *needed}))
        shape = [self.sizes[place] if place in source else 1 for place in wider]
        table = self.lattice.parts(self.values)[source].reshape(shape) * self.lattice.possible_in(wider)
        values = added_up(table, wider, kept, chosen)
        return self._amounts(values, self.laws(kept, chosen) if self.has_intervals else None)

    def _amounts(self, values: Array, noises: Noises | None) -> Amounts:
        return Amounts(self.statistic, values, noises or Noises.unknown(len(values)), self.lower)


def weighing(sizes: tuple[int, ...], noises: Mapping[Kept, Noise], weighed: Sequence[float] | None = None) -> Effects:
    """How least squares weighs tables with these noises: by their variances, unless others are named."""
    variances = np.clip(weighed or [noise.var for noise in noises.values()], *FINITE)
    return Effects(sizes, dict(zip(noises, variances.tolist(), strict=True)))
