"""What all stages of a synthesis share: measured and public tables, and numbers whose bins are measured first."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from ..core.arrays import Array
from ..core.evidence.noise import Noise, averaged
from ..core.evidence.noise import weights as weights_of
from ..core.measure.cells import ONE_CELL, Cells, Norm, Variable
from ..core.measure.measurement import NextStage, Noisy
from ..core.neighbours import Adjacency, PublicFacts
from ..core.noise.mechanism import Law
from ..core.schema.values import Breaks, Kind, said
from ..numeric.measure import Moments
from ..quantiles.measure import Cumulative, curve_from
from ..tables.planning.margins import Margin
from ..tables.planning.prefixes import Prefixes
from .evidence import TableDistances
from .measure import CountedTables, Distances, KeyReading, SomeTables
from .model.fit import ExactTables, TableEstimate, Zeros
from .model.graph import as_shares, matters
from .model.model import Model, Parts, even_bins, parts_of

SURE = 3.0  # standard deviations within which an estimate of the number of rows is taken for the public one


@dataclass(frozen=True)
class MeasuredTables:
    """Of each table the noisy numbers of one stage or several, each with its noise."""

    counted: CountedTables
    found: dict[Margin, tuple[tuple[Array, Law], ...]] = field(default_factory=dict)
    total: tuple[float, float] | None = None  # the number of rows where it was measured by itself, and its variance

    def with_stage(self, measurement: SomeTables, answer: Noisy) -> MeasuredTables:
        """Those of one more stage."""
        found, start = dict(self.found), 0
        for which in measurement.which:
            margin, stop = self.counted.tables[which], start + self.counted.sizes[which]
            values = answer.table[0, start:stop].astype(float).reshape(self.shape(margin))
            found[margin] = (*found.get(margin, ()), (values, answer.laws[start]))
            start = stop
        return MeasuredTables(self.counted, found, self.total)

    def with_total(self, rows: float, variance: float) -> MeasuredTables:
        return MeasuredTables(self.counted, self.found, (rows, variance))

    def shape(self, margin: Margin) -> tuple[int, ...]:
        return tuple(self.counted.readings[place].size for place in margin)

    @property
    def tables(self) -> tuple[Margin, ...]:
        return tuple(self.found)

    def noise(self, margin: Margin) -> Noise:
        """Of the best average of all looks at a table."""
        noises = [Noise(law) for _, law in self.found[margin]]
        return noises[0] if len(noises) == 1 else averaged(noises)

    def values(self, margin: Margin) -> Array:
        stages = self.found[margin]
        if len(stages) == 1:
            return stages[0][0]
        shares = weights_of([Noise(law) for _, law in stages])
        return np.asarray(sum(share * values for share, (values, _) in zip(shares, stages, strict=True)))

    def estimates(self) -> list[TableEstimate]:
        """As a model takes it."""
        return [TableEstimate(margin, self.values(margin), self.noise(margin).var) for margin in self.found]

    def rows(self, size: int | None) -> float:
        """The public number of rows, unless so many lack a category that the tables say otherwise; else the best
        estimate."""
        sums = [
            (float(self.values(margin).sum()), self.noise(margin).var * self.values(margin).size)
            for margin in self.found
        ]
        sums += [] if self.total is None else [self.total]
        estimate, variance = _weighed(sums)
        if size is not None and abs(estimate - size) <= SURE * sqrt(variance) + 0.5:
            return float(size)
        return max(estimate, 1.0)


def _weighed(numbers: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The best average of measurements of one number, and its variance."""
    precision = np.array([1 / max(variance, 1e-12) for _, variance in numbers])
    return float(precision @ [number for number, _ in numbers] / precision.sum()), float(1 / precision.sum())


FINE = 2**10  # parts of one in which scales of noise are rounded
AT_HAND = 64  # times the noise, of what is known without it: a label needs each key in some table
State = TypeVar("State")


@dataclass(frozen=True)
class Impossible:
    """Cells of tables over a few keys: those that can be."""

    zeros: tuple[Zeros, ...] = field(default=(), compare=False)
    said: str = ""  # what was declared, to tell one from another

    @property
    def tables(self) -> list[Margin]:
        return [margin for margin, _ in self.zeros]


@dataclass(frozen=True)
class PublicTables:
    """Tables that everybody knows: numbers without noise, which agree."""

    estimates: tuple[TableEstimate, ...] = field(default=(), compare=False)
    said: str = ""  # what they hold, to tell them from others
    model: Model | None = field(default=None, compare=False)  # of them alone

    @property
    def rows(self) -> float | None:
        """The number of rows by them, where there are any."""
        return float(self.estimates[0].values.sum()) if self.estimates else None


@dataclass(frozen=True)
class SynthesisFacts:
    """All that is decided before the first stage. The first tables of `counted` are those of one key, in their
    order."""

    counted: CountedTables
    requested: tuple[Margin, ...]
    importance: tuple[float, ...]
    most: int  # cells of the model
    size: int | None  # rows, where that is public
    adjacency: Adjacency
    norm: Norm
    impossible: Impossible = field(default_factory=Impossible)
    public: PublicTables = field(default_factory=PublicTables)

    @property
    def always(self) -> list[Margin]:
        """Tables that any model holds."""
        return [*self.impossible.tables, *(each.margin for each in self.public.estimates)]

    @cached_property
    def exact(self) -> ExactTables:
        """What everybody knows."""
        return ExactTables(self.public.estimates, self.impossible.zeros)

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """The tables of one key that nobody knows yet."""
        return tuple(at for at in self.of_one_key if not self.exact.determines(self.tables[at]))

    def known_shares(self, place: int) -> Any:
        """Of the categories of a key, where everybody knows them."""
        if self.public.model is None or not self.exact.determines((place,)):
            return None
        return as_shares(self.public.model.table((place,)))

    def rows(self, measured: MeasuredTables) -> float:
        known = self.public.rows
        return measured.rows(self.size) if known is None else known

    def estimates(self, measured: MeasuredTables) -> tuple[TableEstimate, ...]:
        """All that a model is fitted to."""
        return self.exact.beside(measured.estimates())

    @property
    def keys(self) -> int:
        return len(self.counted.readings)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(reading.size for reading in self.counted.readings)

    @property
    def tables(self) -> tuple[Margin, ...]:
        return self.counted.tables

    @cached_property
    def matters(self) -> tuple[float, ...]:
        """How much each table matters, of the most that one does."""
        each = [matters(margin, self.requested, self.importance) for margin in self.tables]
        return tuple(one / max(each) for one in each)

    @property
    def of_one_key(self) -> tuple[int, ...]:
        return tuple(range(self.keys))

    @cached_property
    def of_more(self) -> tuple[int, ...]:
        """The tables of several keys that nobody knows yet."""
        several = range(self.keys, len(self.tables))
        return tuple(at for at in several if not self.exact.determines(self.tables[at]))

    def measuring(self, which: Sequence[int]) -> SomeTables:
        """A look at these tables, larger and more important ones with less noise in each cell, at one price."""
        power = -1 / 3 if self.norm == 2 else -1 / 2  # least noise in all cells together
        each = [(self.counted.sizes[at] * max(self.matters[at], 1e-3)) ** power for at in which]
        scales = [Fraction(max(1, round(FINE * one / max(each))), FINE) for one in each]
        return SomeTables(self.counted, tuple(which), tuple(scales))

    def opening(self) -> SomeTables:
        """A look at the tables of one key; at those that are known, with so much noise that they cost little."""
        scales = [Fraction(1 if at in self.unknown or not self.unknown else AT_HAND) for at in self.of_one_key]
        return SomeTables(self.counted, self.of_one_key, tuple(scales))

    def evenly(self, which: Sequence[int]) -> SomeTables:
        return SomeTables(self.counted, tuple(which), (Fraction(1),) * len(which))

    def from_public(self, which: Sequence[int], tables: Sequence[Any]) -> Distances:
        """A look at how far these tables are from numbers that follow from earlier answers."""
        numbers = np.concatenate([np.asarray(table, dtype=float).ravel() for table in tables])
        whole = np.rint(np.clip(np.nan_to_num(numbers), 0.0, 2.0**52)).astype(np.int64)
        return Distances(self.counted, whole.tobytes(), tuple(which))

    def named(self, which: Sequence[int]) -> list[list[str]]:
        """The keys of tables, for a label."""
        return [[str(self.counted.readings[place].key.name) for place in self.tables[at]] for at in which]

    def sd_for(
        self, before: Noisy, measurement: SomeTables, share: Fraction, after: SomeTables, later: Fraction
    ) -> float:
        """The standard deviation of the least noisy number of a stage, from the noise of an earlier one of a share."""
        ratio = (
            after.sensitivity(self.norm, self.adjacency)
            / measurement.sensitivity(self.norm, self.adjacency)
            * share
            / later
        )
        spread = float(ratio) ** (1 / self.norm) * float(min(after.scales) / measurement.scales[0])
        return before.laws[0].sd * spread


class Followed(ABC, Generic[State]):
    """Looks that are chosen from the answers to those before: each answer leads from one state to the next.

    States are kept while the answers are the same, as each is asked for more than once.
    """

    facts: SynthesisFacts
    margin: list[tuple[Any, State, NextStage | None]]

    @abstractmethod
    def first(self) -> State:
        """Before any answer."""

    @abstractmethod
    def wants(self, state: State) -> NextStage | None:
        """The next stage. Total: it raises for no answer."""

    @abstractmethod
    def after(self, state: State, stage: NextStage, answer: Noisy) -> State:
        """What an answer leads to."""

    def foreseen(self) -> list[NextStage]:
        """The looks whose noise is known before any answer."""
        first = self.wants(self.first())
        return [] if first is None else [first]

    def choose(self, earlier: tuple[Noisy, ...]) -> NextStage | None:
        return self._stand(earlier)[1]

    def state(self, earlier: tuple[Noisy, ...]) -> State:
        """What all answers lead to, without those of stages that were not made."""
        return self._stand(earlier)[0]

    def _stand(self, earlier: tuple[Noisy, ...]) -> tuple[State, NextStage | None]:
        if not self.margin:
            state = self.first()
            self.margin.append((None, state, self.wants(state)))
        for at, answer in enumerate(earlier, start=1):
            if at < len(self.margin) and self.margin[at][0] is answer:
                continue
            _, state, stage = self.margin[at - 1]
            del self.margin[at:]
            if stage is None or (not answer.laws and not answer.table.size):  # it was not made
                self.margin.append((answer, state, None))
                continue
            state = self.after(state, stage, answer)
            self.margin.append((answer, state, self.wants(state)))
        _, state, stage = self.margin[len(earlier)]
        return state, stage


SHARE = Fraction(1, 10)  # of the price, for all numbers together
MOST = 32  # bins


@dataclass(frozen=True)
class BinnedNumber:
    """A key whose bins are measured: `edges` of its parts, and the last step of each on the column's grid."""

    place: int
    variable: Variable
    edges: tuple[float, ...]
    ends: tuple[int, ...]
    size: int | None = None  # rows with a value, where that is public

    def measurement(self, norm: Norm, adjacency: Adjacency) -> Cumulative:
        known = self.size is not None
        strategy = Prefixes.planned(len(self.ends), norm, adjacency.swap and not known, known)
        return Cumulative(self.variable, self.ends, strategy)

    def binned(self, measurement: Cumulative, answer: Noisy, reading: KeyReading) -> tuple[KeyReading, Parts]:
        """The key in bins of about as many rows each, and the spread of rows over its parts."""
        curve = curve_from([(measurement, answer)], 0, self.size)
        edges = (self.edges[0], *(self.edges[end] for end in even_bins(curve, MOST)))
        return replace(reading, key=replace(reading.key, labels=Breaks(edges))), parts_of(curve, self.edges)


@dataclass(frozen=True)
class BinsMeasured:
    """What is known of the numbers, and how far the looks at tables are, once all bins are there."""

    facts: SynthesisFacts
    parts: Mapping[int, Parts] = field(default_factory=dict)  # by the place of the key
    stages: Any = None
    inner: Any = None

    @property
    def measured(self) -> MeasuredTables:
        return self.inner.measured if self.inner is not None else MeasuredTables(self.facts.counted)

    @property
    def model(self) -> Model | None:
        return None if self.inner is None else self.inner.model


@dataclass(frozen=True)
class BinsFirst(Followed[BinsMeasured]):
    """A look at each number, and looks at tables for what is left."""

    facts: SynthesisFacts  # with other bins, as many as there may be at most
    numbers: tuple[BinnedNumber, ...]
    made: Callable[[SynthesisFacts], Any]  # the looks at tables
    margin: list[Any] = field(default_factory=list, compare=False, repr=False)

    @property
    def rounds(self) -> int:
        return len(self.numbers) + int(self.made(self.facts).rounds)

    @cached_property
    def _measurements(self) -> list[Cumulative]:
        return [number.measurement(self.facts.norm, self.facts.adjacency) for number in self.numbers]

    def first(self) -> BinsMeasured:
        return BinsMeasured(self.facts)

    def wants(self, state: BinsMeasured) -> NextStage | None:
        if state.stages is None:
            return self._at_number(len(state.parts))
        requested = state.stages.wants(state.inner)
        return None if requested is None else replace(requested, share=requested.share * (1 - SHARE))

    def after(self, state: BinsMeasured, stage: NextStage, answer: Noisy) -> BinsMeasured:
        if state.stages is not None:
            alone = replace(stage, share=stage.share / (1 - SHARE))
            return replace(state, inner=state.stages.after(state.inner, alone, answer))
        at = len(state.parts)
        facts, parts = _binned(state.facts, self.numbers[at], self._measurements[at], answer)
        known = {**state.parts, self.numbers[at].place: parts}
        if len(known) < len(self.numbers):
            return BinsMeasured(facts, known)
        stages = self.made(facts)
        return BinsMeasured(facts, known, stages, stages.first())

    def foreseen(self) -> list[NextStage]:
        inner = [replace(stage, share=stage.share * (1 - SHARE)) for stage in self.made(self.facts).foreseen()]
        return [*map(self._at_number, range(len(self.numbers))), *inner]

    def _at_number(self, at: int) -> NextStage:
        number = self.numbers[at]
        name = str(self.facts.counted.readings[number.place].key.name)
        return NextStage(
            self._measurements[at], SHARE / len(self.numbers), {"cut into bins": [name], "parts": len(number.ends)}
        )


def _binned(
    facts: SynthesisFacts, number: BinnedNumber, measurement: Cumulative, answer: Noisy
) -> tuple[SynthesisFacts, Parts]:
    """With the bins of one number."""
    readings = list(facts.counted.readings)
    readings[number.place], parts = number.binned(measurement, answer, readings[number.place])
    return replace(facts, counted=CountedTables(tuple(readings), facts.counted.tables)), parts


@dataclass(frozen=True)
class DistanceOfTables:
    """Of the tables in `measurement`: their public numbers are those of rows, or of a synthesis that has a digest."""

    measurement: Distances
    of: str = "rows"
    compared: str | None = None
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "distance"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        public = hashlib.sha256(self.measurement.against).hexdigest()
        return said(statistic=self.statistic, tables=self.measurement.counted.to_json(), public=public)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Distances, ...]:
        return (self.measurement,)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> TableDistances:
        (answer,) = answers
        *apart, count = answer.table[0].astype(float)
        counted, is_public = self.measurement.counted, self.measurement.public
        totals = [counted.table(is_public, which).sum() for which in self.measurement.places]
        tables = tuple(counted.tables[which] for which in self.measurement.places)
        noise, count_noise = Noise(answer.laws[0]), Noise(answer.laws[-1])
        return TableDistances(
            np.array(apart),
            np.array(totals, np.int64),
            float(count),
            noise,
            count_noise,
            self.of,
            self.compared,
            tables,
        )
