"""Tables in which runs of ordered keys are told best: each number has an error of its own size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import LEARNED, PARTED, SYNTHETIC, TESTED, SharesNoise
from ..core.evidence.noise import Noise, added
from ..core.evidence.noises import Noises
from ..core.noise.gaussian import DiscreteGaussian
from ..dataclass import dataclass
from ..errors import NotConcluded
from ..numeric.evidence_means import Means
from ..numeric.evidence_moments import MomentSums
from ..numeric.evidence_sums import Amounts
from .evidence import FINITE, Tables
from .planning.lattice import Apart, Effects, Lattice
from .planning.margins import Kept
from .planning.nested import Digits, Nested, weights_of
from .planning.runs import Metric, MetricName, Runs

ASK_TABLES = "this release was measured by effects, so no number has noise of its own; ask with measure='tables'."


@dataclass(frozen=True)
class EffectTables(Tables):
    """Numbers of the `shown` tables; `measured` are the effects, and `noises` those of the tables that tell them, in
    the unit of the margin over the same keys."""

    kind: ClassVar[str] = "tables by effects"
    measure: ClassVar[str] = "effects"

    @cached_property
    def effects(self) -> Apart:
        variances = np.clip([noise.var for noise in self.noises], *FINITE)
        return Apart(self.sizes, dict(zip(self.measured, variances.tolist(), strict=True)))

    @property
    def variances(self) -> dict[Kept, float]:
        """Those of the tables shown, as no table was measured."""
        return {kept: self.effects.variance(kept) for kept in self.shown}

    def own_cells(self) -> NoReturn:
        raise NotConcluded(ASK_TABLES, statistic=self.statistic)

    def own_noise(self, target: str) -> NoReturn:
        self.check_target(target)
        raise NotConcluded(ASK_TABLES, statistic=self.statistic)


STEPS = 2**10  # in a standard deviation of a number's noise, which is a sum of many
GROWS = 1.001  # standard deviations are rounded up to powers of this
ASK_WITHOUT_RANGES = "this release tells runs of a key, so no number has noise of its own; ask without ranges=."


@dataclass(frozen=True)
class RunTables(EffectTables):
    """Numbers of the `shown` tables; `measured` are the effects, in the metrics of their keys, and `noises` those of
    the measured numbers. `wanted` says of each key which runs were wanted."""

    wanted: tuple[str, ...] = ()
    kind: ClassVar[str] = "tables of runs"

    @property
    def offers(self) -> frozenset[str]:
        return super().offers - TESTED - LEARNED - SYNTHETIC

    @cached_property
    def effects(self) -> Runs:
        variances = np.clip([noise.var for noise in self.noises], *FINITE)
        return Runs(self.sizes, dict(zip(self.measured, variances.tolist(), strict=True)), metrics_of(self))

    def laws(self, kept: Kept, chosen: Mapping[int, Sequence[int]] | None = None, source: Kept | None = None) -> Noises:
        """Sums of so many discrete Gaussians with such wide noise are normal, as far as anyone can tell."""
        spread = self.effects.spread(kept, chosen or {}).transpose([sorted(kept).index(place) for place in kept])
        powers = np.ceil(np.log(np.sqrt(spread.ravel())) / np.log(GROWS) - 1e-9)
        each, which = np.unique(powers, return_inverse=True)
        law = DiscreteGaussian(Fraction(STEPS**2))
        return Noises(tuple(Noise(law, float(GROWS**power) / STEPS) for power in each), np.asarray(which).ravel())

    def sd_of(self, kept: Kept) -> float:
        return float(np.sqrt(self.effects.variance(kept)))

    def own_cells(self) -> NoReturn:
        raise NotConcluded(ASK_WITHOUT_RANGES, statistic=self.statistic)

    def own_noise(self, target: str) -> NoReturn:
        self.check_target(target)
        raise NotConcluded(ASK_WITHOUT_RANGES, statistic=self.statistic)


def metrics_of(tables: Any) -> tuple[Metric, ...]:
    wanted: tuple[MetricName, ...] = tables.wanted
    return tuple(Metric(size, each) for size, each in zip(tables.sizes, wanted, strict=True))


APART = 1e-9  # weights closer to one another, in parts of the largest, are taken for the same


@dataclass(frozen=True)
class LevelTables(RunTables):
    """Numbers of the `shown` tables; `measured` are tables of blocks, by the digits of the keys that they keep, and
    `noises` those of their counts. `lengths` are those of the blocks of each key."""

    lengths: tuple[tuple[int, ...], ...] = ()
    kind: ClassVar[str] = "tables of levels"
    measure: ClassVar[str] = "levels"

    @cached_property
    def digits(self) -> Digits:
        return Digits(tuple(Nested(size, lengths) for size, lengths in zip(self.sizes, self.lengths, strict=True)))

    @cached_property
    def of_digits(self) -> Effects:
        """How the tables of blocks determine those over whole keys."""
        variances = np.clip([noise.var for noise in self.noises], *FINITE)
        return Effects(self.digits.sizes, dict(zip(self.measured, variances.tolist(), strict=True)))

    @property
    def variances(self) -> dict[Kept, float]:
        return {kept: self.sd_of(kept) ** 2 for kept in self.shown}

    def sd_of(self, kept: Kept) -> float:
        return float(np.sqrt(np.mean(self.laws(kept).sd ** 2)))

    def laws(self, kept: Kept, chosen: Mapping[int, Sequence[int]] | None = None, source: Kept | None = None) -> Noises:
        """Categories whose blocks are equally full have errors of one law; it is found once for each such kind."""
        chosen, noises = chosen or {}, []
        order = sorted(kept)
        kinds = [self._kinds(place, chosen.get(place)) for place in order]
        for found in product(*(first for first, _ in kinds)):
            one = dict(zip(order, ([category] for category in found), strict=True))
            noises.append(self._law({**chosen, **one}))
        shape = [len(first) for first, _ in kinds]
        which = np.arange(len(noises)).reshape(shape)
        if order:
            which = which[np.ix_(*(kind for _, kind in kinds))]
        return Noises(tuple(noises), which.transpose([order.index(place) for place in kept]).ravel())

    def _kinds(self, place: int, some: Sequence[int] | None) -> tuple[list[int], Array]:
        """A category of each kind, and the kind of each category."""
        there = np.arange(self.sizes[place]) if some is None else np.array(some, np.intp)
        _, first, kind = np.unique(self.digits.keys[place].kinds[there], return_index=True, return_inverse=True)
        return there[first].tolist(), kind

    def _law(self, chosen: Mapping[int, Sequence[int]]) -> Noise:
        """That of the sum over the chosen categories, and over all of the other keys."""
        queries = [self._query(key, chosen.get(place)) for place, key in enumerate(self.digits.keys)]
        found = weights_of(self.digits, self.of_digits, queries)
        noise = dict(zip(self.measured, self.noises, strict=True))
        return added([(noise[table], *term) for table, weights in found.items() for term in _together(weights)])

    def _query(self, key: Nested, some: Sequence[int] | None) -> Floats:
        found = np.zeros(key.size)
        found[slice(None) if some is None else list(some)] = 1.0
        return key.of_places(found)


def _together(weights: Floats) -> list[tuple[float, int]]:
    """Weights and how often each occurs, whatever their sign."""
    each = np.sort(np.abs(weights).ravel())
    starts = np.flatnonzero(np.diff(each, prepend=-1.0) > APART * each[-1])
    many = np.diff(np.append(starts, len(each)))
    return [(float(each[start]), int(times)) for start, times in zip(starts, many, strict=True)]


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


@dataclass(frozen=True)
class TableMeans(SharesNoise):
    """Fitted counts, sums and squares of one variable, in units centred on the middle of its range."""

    counts: Tables | EffectTables
    totals: Tables | EffectTables
    squares: Tables | EffectTables
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

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        if not self.counts.has_intervals:
            raise self.no_intervals()
        ends = [means.interval(level, target) for means in self.means]
        low, high = (self.lattice.in_order([end[side] for end in ends]) for side in (0, 1))
        return low, high

    def _joined(self, part: Callable[[SharedMeans], Array]) -> Array:
        return self.lattice.in_order([part(means) for means in self.means])

    @cached_property
    def means(self) -> list[SharedMeans]:
        """The means of each shown table."""
        sums = [each.lattice.parts(each.values) for each in self._sums]
        return [self._of([each[kept].ravel() for each in sums], self._laws(kept)) for kept in self.lattice.shown]

    @property
    def _sums(self) -> tuple[Tables, Tables, Tables]:
        return self.counts, self.totals, self.squares

    def _laws(self, kept: Kept) -> list[Noises] | None:
        return [each.laws(kept) for each in self._sums] if self.counts.has_intervals else None

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

    def can_tell(self, needed: Kept) -> bool:
        return self.counts.can_tell(needed)

    def part(self, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> SharedMeans | Amounts:
        """The part for the rows with the chosen categories, as in `Tables`."""
        parts = [each.part(kept, chosen) for each in self._sums]
        noises = [part.noise for part in parts if isinstance(part.noise, Noises) and part.has_intervals]
        found = self._of([part.values for part in parts], noises or None)
        return found if noises else Amounts("mean", found.estimate, Noises.unknown(len(found.estimate)))

    @property
    def lattice(self) -> Lattice:
        return self.counts.lattice

    def sd_of(self, kept: Kept) -> float:
        """The standard deviation of a mean of a table because of the noise, on average; NaN where none is known."""
        means = self.means[self.lattice.shown.index(kept)]
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
