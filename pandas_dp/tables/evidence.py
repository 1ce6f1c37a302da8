"""Numbers of tables over some of the same keys, which agree, each with the law of its error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import inf, prod
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import (
    ADJUSTED,
    LEARNED,
    PARTED,
    SYNTHETIC,
    TESTED,
    Evidence,
    Independent,
    OwnCells,
    Seen,
    SharesNoise,
)
from ..core.evidence.noise import Noise, Noises, added, critical, student_over_normal
from ..core.noise.gaussian import DiscreteGaussian
from ..core.schema.values import Tie
from ..errors import NotConcluded
from ..numeric.evidence_sums import Amounts
from .planning.lattice import Effects, EffectsApart, FitAround, Lattice, added_up
from .planning.margins import Margin, source_of, with_implied
from .planning.nested import KeyDigits, Nested, NestedBlocks
from .planning.runs import Metric, MetricName, Runs


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
    not_combined: ClassVar[str] = "calibrated numbers are not combined; combine those that they were made from."

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

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        var = np.maximum(self._var(target), 1e-300)
        half = critical(confidence, (self.noise,), self.noise_var / var) * self.std_error(target)
        if target == "population" and self.freedom < inf:
            half = half * student_over_normal(confidence, np.array(self.freedom))
        return np.maximum(self.estimate - half, self.lower), np.maximum(self.estimate + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.estimate)

    def not_adjusted_because(self) -> str:
        return "these numbers were calibrated; adjust those that they were made from."


MOST_IN_LABEL = 10_000  # cells that a label holds beside those it shows
MOST_WORK = 3 * 10**6  # kinds of cells, each solved for, times cells
FINITE = (1e-150, 1e150)  # variances of noise next to none, or next to nothing but noise, are taken for these
STEPS = 2**10  # in a standard deviation of the noise of a number that tells runs, which is a sum of many
GROWS = 1.001  # such standard deviations are rounded up to powers of this
APART = 1e-9  # weights closer to one another, in parts of the largest, are taken for the same
ASK = {
    "effects": "this release was measured by effects, so no number has noise of its own; ask with measure='tables'.",
    "runs": "this release tells runs of a key, so no number has noise of its own; ask without ranges=.",
}
Way = Literal["tables", "effects", "runs", "blocks"]


@dataclass(frozen=True)
class Tables(SharesNoise):
    """Numbers of the `shown` tables, from the `measured` ones, whose noise is known.

    What was measured is said by `by`: tables; effects, with the noise that their tables would have; effects in the
    metrics of keys whose runs are told; or tables of blocks, named by the digits of the keys that they keep.
    `requested` says of each key which runs matter, `lengths` of what lengths its blocks are.

    `values` are listed one table after the other, or, with a `rectangle`, as rows × columns with margins at their ends.
    `fitted` says whether they are least squares of all that was measured; then `interior` are the cells as they were
    measured, for tests that need noise cell by cell. Cells that cannot be, because they were
    declared impossible (`zeros`) or belong to categories that never meet (`ties`), are 0.
    """

    statistic: str
    values: Seen
    sizes: tuple[int, ...]
    shown: tuple[Margin, ...]
    measured: tuple[Margin, ...]
    noises: tuple[Noise, ...]
    fitted: bool
    lower: float = -np.inf
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()  # cells of the table over all keys
    interior: Array | None = None
    weighed: tuple[float, ...] | None = None  # the variances by which least squares weighs, where not the noises'
    ties: tuple[Tie, ...] = ()  # keys that read one column at several levels
    by: Way = "tables"
    requested: tuple[MetricName, ...] = ()
    lengths: tuple[tuple[int, ...], ...] = ()
    independent: Independent = "rows"
    kind: ClassVar[str] = "tables"

    @classmethod
    def concluded_by(cls, facts: Mapping[str, Any]) -> str:
        return "tables.accessor:RunsAccessor" if facts.get("by") in ("blocks", "runs") else cls.accessor

    @property
    def offers(self) -> frozenset[str]:
        counted = TESTED | ADJUSTED | LEARNED | SYNTHETIC if self.statistic == "count" else frozenset()
        found = super().offers | counted | (PARTED if self.is_stack else frozenset())
        found -= TESTED | LEARNED | SYNTHETIC if self.shows_runs else frozenset()
        return found if self.independent == "rows" else found - TESTED

    @property
    def measure(self) -> str | None:
        return {"tables": None, "runs": "effects"}.get(self.by, self.by)

    @property
    def shows_runs(self) -> bool:
        """Whether runs of ordered keys are told better than by adding cells up."""
        return self.by in ("runs", "blocks")

    def std_error(self, target: str) -> Array:
        return self.lattice.in_order([self.laws(margin).sd for margin in self.shown])

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        self.check_target(target)
        if not self.has_intervals:
            raise self.no_intervals()
        half = self.lattice.in_order([self._halves(margin, confidence) for margin in self.shown])
        centre = self.values.astype(float)
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.values) if self.has_intervals else 0

    def half_width(self, confidence: float) -> float | None:
        if not self.has_intervals:
            return None
        return max(float(self._halves(margin, confidence).max(initial=0.0)) for margin in self.shown)

    def sd_of(self, margin: Margin) -> float:
        """The standard deviation of a number of a table; where they differ, of those that are not exact, on average."""
        if self.lattice.is_plain and self.weighed is None and self.by != "blocks":
            return self._sd_of_plain(margin)
        each = self.laws(margin).sd
        each = each[each > 0]
        return float(np.sqrt(np.mean(each**2))) if len(each) else 0.0

    def _sd_of_plain(self, margin: Margin) -> float:
        if self.fitted:
            return float(np.sqrt(self.effects.variance(margin)))
        source = source_of(margin, self.measured)
        added_cells = self.lattice.cells(source) // self.lattice.cells(margin)
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
        self.check_rows_apart()
        self._check_own()
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
            start = sum(self.lattice.cells(margin) for margin in self.shown[: self.shown.index(every)])
            down = slice(start, start + len(values)) if self.is_stack else slice(-1)
            across = slice(None) if self.is_stack else slice(-1)
        possible = None
        if self.zeros:
            possible = np.ones(len(values), dtype=bool)
            possible[list(self.zeros)] = False
        return OwnCells(values, noise, down, across, possible)

    def own_noise(self, target: str) -> tuple[Noise, ...]:
        self.check_target(target)
        self._check_own()
        return super().own_noise(target)

    def _check_own(self) -> None:
        """Refuse to take noise of sums of several cells for that of a cell."""
        if self.by != "tables":
            raise NotConcluded(ASK["runs" if self.shows_runs else self.by], statistic=self.statistic)

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
        whole = weighing(self.sizes, dict(zip(self.measured, self.noises, strict=True)), self.weighed)
        if self.by == "tables":
            return whole
        if self.by == "effects":
            return EffectsApart(self.sizes, whole.variances)
        if self.by == "runs":
            metrics = tuple(Metric(size, each) for size, each in zip(self.sizes, self.requested, strict=True))
            return Runs(self.sizes, whole.variances, metrics)
        keys = (Nested(size, lengths) for size, lengths in zip(self.sizes, self.lengths, strict=True))
        return NestedBlocks.of(KeyDigits(tuple(keys)), whole.variances)

    @property
    def variances(self) -> Mapping[Margin, float]:
        """Of a cell of each table that tells the others, by which the nearest tables are chosen."""
        if self.by == "tables":
            return self.effects.variances
        return {margin: self.sd_of(margin) ** 2 for margin in self.shown}  # as no table was measured

    def _halves(self, margin: Margin, confidence: float) -> Floats:
        return self.laws(margin).half_widths(confidence)

    def laws(
        self, margin: Margin, chosen: Mapping[int, Sequence[int]] | None = None, source: Margin | None = None
    ) -> Noises:
        """The noise of each number of a margin, or of each sum over chosen categories of keys that it does not keep."""
        if chosen or source is not None:
            return self._laws_of(margin, chosen or {}, source)
        if margin not in self._laws:
            self._laws[margin] = self._laws_of(margin, {}, None)
        return self._laws[margin]

    @cached_property
    def _laws(self) -> dict[Margin, Noises]:
        return {}

    def _laws_of(self, margin: Margin, chosen: Mapping[int, Sequence[int]], source: Margin | None) -> Noises:
        if isinstance(self.effects, Runs):
            return _laws_of_runs(self.effects, margin, chosen)
        if isinstance(self.effects, NestedBlocks):
            return self._laws_of_blocks(self.effects, margin, chosen)
        needed = tuple(sorted({*margin, *chosen}))
        noise = dict(zip(self.measured, self.noises, strict=True))
        if self.fitted and not self.lattice.is_plain and (self.ties or self._solves):
            return self._solved(margin, chosen, noise)
        taken = {place: len(chosen[place]) for place in needed if place not in margin}
        if self.fitted:
            terms = self.effects.terms(needed, taken)
            one = added([(noise[outer], weight, many) for outer, weight, many in terms])
            there = added_up(self.lattice.possible_in(needed), needed, margin, chosen)  # zeros unknown: larger errors
            return Noises((one,), np.where(there > 0, 0, -1))
        source = source_of(needed, self.measured) if source is None else source
        apart = prod(self.sizes[place] for place in source if place not in needed) * prod(taken.values())
        there = added_up(self.lattice.possible_in(source), source, margin, chosen)
        return Noises((added([(noise[source], 1.0, apart)]),), np.where(there > 0, 0, -1))

    def _laws_of_blocks(self, blocks: NestedBlocks, margin: Margin, chosen: Mapping[int, Sequence[int]]) -> Noises:
        """Categories whose blocks are equally full have errors of one law; it is found once for each such kind."""
        order, keys, noises = sorted(margin), blocks.digits.keys, []
        noise = dict(zip(self.measured, self.noises, strict=True))
        there = [np.array(chosen.get(place, range(self.sizes[place])), np.intp) for place in order]
        kinds = [
            np.unique(keys[place].kinds[some], return_index=True, return_inverse=True)[1:]
            for place, some in zip(order, there, strict=True)
        ]
        for found in product(*(some[first].tolist() for some, (first, _) in zip(there, kinds, strict=True))):
            one = {**chosen, **{place: [category] for place, category in zip(order, found, strict=True)}}
            queries = [key.query(one.get(place)) for place, key in enumerate(keys)]
            weights = blocks.weights(queries).items()
            noises.append(added([(noise[table], *term) for table, each in weights for term in _together(each)]))
        which = np.arange(len(noises)).reshape([len(first) for first, _ in kinds])
        if order:
            which = which[np.ix_(*(kind.ravel() for _, kind in kinds))]
        return Noises(tuple(noises), which.transpose([order.index(place) for place in margin]).ravel())

    def _solved(self, margin: Margin, chosen: Mapping[int, Sequence[int]], noise: Mapping[Margin, Noise]) -> Noises:
        """One solution for each kind of number."""
        which, blocks = self.lattice.alike(margin, chosen)
        fit = FitAround(self.effects, self.lattice.possible)
        terms = [[(noise[outer], weight, many) for outer, weight, many in fit.terms(block)] for block in blocks]
        return Noises(tuple(map(added, terms)), which)

    def noise_of_each(self) -> Noises | None:
        if not self.has_intervals:
            return None
        laws = [self.laws(margin) for margin in self.shown]
        firsts = np.cumsum([0, *(len(each.noises) for each in laws)])
        which = [np.where(each.which < 0, -1, each.which + at) for each, at in zip(laws, firsts, strict=False)]
        return Noises(tuple(noise for each in laws for noise in each.noises), self.lattice.in_order(which))

    def can_determine(self, needed: Margin) -> bool:
        return self.lattice.can_determine(needed, self.fitted)

    def part(self, margin: Margin, chosen: Mapping[int, Sequence[int]]) -> Amounts:
        """The numbers of a margin that follow from these, of the chosen categories of keys, in the order given.

        Added up from a table shown that holds them: all the same after a fit, without one the least noisy.
        """
        needed = tuple(sorted({*margin, *chosen}))
        holding = [shown for shown in self.shown if set(needed) <= set(shown)]
        taken_from = None
        if self.fitted or not any(shown in self.measured for shown in holding):
            if not holding:
                return self._part_of_finer(margin, chosen, needed)
            source = min(holding, key=self.lattice.cells)
        else:
            mine = [shown for shown in holding if shown in self.measured]
            source = taken_from = min(mine, key=lambda each: self.laws(margin, chosen, each).noises[0].var)
        values = added_up(self.lattice.parts(self.values)[source], source, margin, chosen)
        return self._amounts(values, self.laws(margin, chosen, taken_from) if self.has_intervals else None)

    def _part_of_finer(self, margin: Margin, chosen: Mapping[int, Sequence[int]], needed: Margin) -> Amounts:
        """The part, read from a table of finer keys: a coarser key only occurs in the cells of its own categories."""
        able = [shown for shown in self.shown if set(needed) <= set(with_implied(shown, self.ties))]
        source = min(able, key=self.lattice.cells)
        wider = tuple(sorted({*source, *needed}))
        shape = [self.sizes[place] if place in source else 1 for place in wider]
        table = self.lattice.parts(self.values)[source].reshape(shape) * self.lattice.possible_in(wider)
        values = added_up(table, wider, margin, chosen)
        return self._amounts(values, self.laws(margin, chosen) if self.has_intervals else None)

    def _amounts(self, values: Array, noises: Noises | None) -> Amounts:
        return Amounts(self.statistic, values, noises or Noises.unknown(len(values)), self.lower)


def weighing(sizes: tuple[int, ...], noises: Mapping[Margin, Noise], weighed: Sequence[float] | None = None) -> Effects:
    """How least squares weighs tables with these noises: by their variances, unless others are named."""
    variances = np.clip(weighed or [noise.var for noise in noises.values()], *FINITE)
    return Effects(sizes, dict(zip(noises, variances.tolist(), strict=True)))


def _laws_of_runs(runs: Runs, margin: Margin, chosen: Mapping[int, Sequence[int]]) -> Noises:
    """Sums of so many discrete Gaussians with such wide noise are normal, as far as anyone can tell."""
    spread = runs.spread(margin, chosen).transpose([sorted(margin).index(place) for place in margin])
    powers = np.ceil(np.log(np.sqrt(spread.ravel())) / np.log(GROWS) - 1e-9)
    each, which = np.unique(powers, return_inverse=True)
    law = DiscreteGaussian(Fraction(STEPS**2))
    return Noises(tuple(Noise(law, float(GROWS**power) / STEPS) for power in each), np.asarray(which).ravel())


def _together(weights: Floats) -> list[tuple[float, int]]:
    """Weights and how often each occurs, whatever their sign."""
    each = np.sort(np.abs(weights).ravel())
    starts = np.flatnonzero(np.diff(each, prepend=-1.0) > APART * each[-1])
    many = np.diff(np.append(starts, len(each)))
    return [(float(each[start]), int(times)) for start, times in zip(starts, many, strict=True)]
