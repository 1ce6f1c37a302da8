"""Looks whose first ones are at numbers in many parts: bins are made of the answers, and tables counted in these."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from ..core.arrays import Array
from ..core.evidence.noise import Noise, averaged
from ..core.evidence.noise import weights as weights_of
from ..core.measure.blurred import Blurred
from ..core.measure.cells import ONE_CELL, Cells, Norm, Variable
from ..core.measure.forms import Look
from ..core.neighbours import Moves, Setting
from ..core.noise.law import Law
from ..core.schema.categories import Breaks, said
from ..core.schema.interval import Kind
from ..dataclass import dataclass
from ..numeric.measure_moments import Moments
from ..quantiles.measure_cumulative import Cumulative
from ..quantiles.measure_ranks import curve_told
from ..tables.planning.margins import Kept
from ..tables.planning.prefixes import Prefixes
from .evidence import TableDistances
from .measure import CountedTables, Distances, KeyReading, SomeTables
from .model.fit import ExactTables, Told, Zeros
from .model.graph import as_shares, matters
from .model.model import Model, Parts, even_bins, parts_of

SURE = 3.0  # standard deviations within which an estimate of the number of rows is taken for the public one


@dataclass(frozen=True)
class MeasuredTables:
    """Of each table the noisy numbers of one look or several, each with its noise."""

    counted: CountedTables
    found: dict[Kept, tuple[tuple[Array, Law], ...]] = field(default_factory=dict)
    total: tuple[float, float] | None = None  # the number of rows where it was measured by itself, and its variance

    def with_look(self, measurement: SomeTables, answer: Blurred) -> MeasuredTables:
        """Those of one more look."""
        found, start = dict(self.found), 0
        for which in measurement.which:
            kept, stop = self.counted.tables[which], start + self.counted.sizes[which]
            values = answer.table[0, start:stop].astype(float).reshape(self.shape(kept))
            found[kept] = (*found.get(kept, ()), (values, answer.laws[start]))
            start = stop
        return MeasuredTables(self.counted, found, self.total)

    def with_total(self, rows: float, variance: float) -> MeasuredTables:
        return MeasuredTables(self.counted, self.found, (rows, variance))

    def shape(self, kept: Kept) -> tuple[int, ...]:
        return tuple(self.counted.readings[place].size for place in kept)

    @property
    def tables(self) -> tuple[Kept, ...]:
        return tuple(self.found)

    def noise(self, kept: Kept) -> Noise:
        """Of the best average of all looks at a table."""
        noises = [Noise(law) for _, law in self.found[kept]]
        return noises[0] if len(noises) == 1 else averaged(noises)

    def values(self, kept: Kept) -> Array:
        looks = self.found[kept]
        if len(looks) == 1:
            return looks[0][0]
        shares = weights_of([Noise(law) for _, law in looks])
        return np.asarray(sum(share * values for share, (values, _) in zip(shares, looks, strict=True)))

    def told(self) -> list[Told]:
        """As a model takes it."""
        return [Told(kept, self.values(kept), self.noise(kept).var) for kept in self.found]

    def rows(self, size: int | None) -> float:
        """The public number of rows, unless so many lack a category that the tables say otherwise; else the best
        estimate."""
        sums = [(float(self.values(kept).sum()), self.noise(kept).var * self.values(kept).size) for kept in self.found]
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
    def tables(self) -> list[Kept]:
        return [kept for kept, _ in self.zeros]


@dataclass(frozen=True)
class PublicTables:
    """Tables that everybody knows: numbers without noise, which agree."""

    told: tuple[Told, ...] = field(default=(), compare=False)
    said: str = ""  # what they hold, to tell them from others
    model: Model | None = field(default=None, compare=False)  # of them alone

    @property
    def rows(self) -> float | None:
        """The number of rows by them, where there are any."""
        return float(self.told[0].values.sum()) if self.told else None


@dataclass(frozen=True)
class SynthesisFacts:
    """All that is decided before the first look. The first tables of `counted` are those of one key, in their order."""

    counted: CountedTables
    wanted: tuple[Kept, ...]
    importance: tuple[float, ...]
    most: int  # cells of the model
    size: int | None  # rows, where that is public
    moves: Moves
    norm: Norm
    impossible: Impossible = field(default_factory=Impossible)
    public: PublicTables = field(default_factory=PublicTables)

    @property
    def always(self) -> list[Kept]:
        """Tables that any model holds."""
        return [*self.impossible.tables, *(each.kept for each in self.public.told)]

    @cached_property
    def exact(self) -> ExactTables:
        """What everybody knows."""
        return ExactTables(self.public.told, self.impossible.zeros)

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """The tables of one key that nobody knows yet."""
        return tuple(at for at in self.of_one_key if not self.exact.tells(self.tables[at]))

    def known_shares(self, place: int) -> Any:
        """Of the categories of a key, where everybody knows them."""
        if self.public.model is None or not self.exact.tells((place,)):
            return None
        return as_shares(self.public.model.table((place,)))

    def rows(self, measured: MeasuredTables) -> float:
        known = self.public.rows
        return measured.rows(self.size) if known is None else known

    def told(self, measured: MeasuredTables) -> tuple[Told, ...]:
        """All that a model is fitted to."""
        return self.exact.beside(measured.told())

    @property
    def keys(self) -> int:
        return len(self.counted.readings)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(reading.size for reading in self.counted.readings)

    @property
    def tables(self) -> tuple[Kept, ...]:
        return self.counted.tables

    @cached_property
    def matters(self) -> tuple[float, ...]:
        """How much each table matters, of the most that one does."""
        each = [matters(kept, self.wanted, self.importance) for kept in self.tables]
        return tuple(one / max(each) for one in each)

    @property
    def of_one_key(self) -> tuple[int, ...]:
        return tuple(range(self.keys))

    @cached_property
    def of_more(self) -> tuple[int, ...]:
        """The tables of several keys that nobody knows yet."""
        several = range(self.keys, len(self.tables))
        return tuple(at for at in several if not self.exact.tells(self.tables[at]))

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
        self, before: Blurred, measurement: SomeTables, share: Fraction, after: SomeTables, later: Fraction
    ) -> float:
        """The standard deviation of the least noisy number of a look, from the noise of an earlier one of a share."""
        ratio = (
            after.sensitivity(self.norm, self.moves) / measurement.sensitivity(self.norm, self.moves) * share / later
        )
        spread = float(ratio) ** (1 / self.norm) * float(min(after.scales) / measurement.scales[0])
        return before.laws[0].sd * spread


class Followed(ABC, Generic[State]):
    """Looks that are chosen from the answers to those before: each answer leads from one state to the next.

    States are kept while the answers are the same, as each is asked for more than once.
    """

    facts: SynthesisFacts
    kept: list[tuple[Any, State, Look | None]]

    @abstractmethod
    def first(self) -> State:
        """Before any answer."""

    @abstractmethod
    def wants(self, state: State) -> Look | None:
        """The next look. Total: it raises for no answer."""

    @abstractmethod
    def after(self, state: State, look: Look, answer: Blurred) -> State:
        """What an answer leads to."""

    def foreseen(self) -> list[Look]:
        """The looks whose noise is known before any answer."""
        first = self.wants(self.first())
        return [] if first is None else [first]

    def choose(self, told: tuple[Blurred, ...]) -> Look | None:
        return self._stand(told)[1]

    def state(self, told: tuple[Blurred, ...]) -> State:
        """What all answers lead to, without those of looks that were not made."""
        return self._stand(told)[0]

    def _stand(self, told: tuple[Blurred, ...]) -> tuple[State, Look | None]:
        if not self.kept:
            state = self.first()
            self.kept.append((None, state, self.wants(state)))
        for at, answer in enumerate(told, start=1):
            if at < len(self.kept) and self.kept[at][0] is answer:
                continue
            _, state, look = self.kept[at - 1]
            del self.kept[at:]
            if look is None or (not answer.laws and not answer.table.size):  # it was not made
                self.kept.append((answer, state, None))
                continue
            state = self.after(state, look, answer)
            self.kept.append((answer, state, self.wants(state)))
        _, state, look = self.kept[len(told)]
        return state, look


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

    def measurement(self, norm: Norm, moves: Moves) -> Cumulative:
        known = self.size is not None
        strategy = Prefixes.planned(len(self.ends), norm, moves.swap and not known, known)
        return Cumulative(self.variable, self.ends, strategy)

    def binned(self, measurement: Cumulative, answer: Blurred, reading: KeyReading) -> tuple[KeyReading, Parts]:
        """The key in bins of about as many rows each, and the spread of rows over its parts."""
        curve = curve_told([(measurement, answer)], 0, self.size)
        edges = (self.edges[0], *(self.edges[end] for end in even_bins(curve, MOST)))
        return replace(reading, key=replace(reading.key, labels=Breaks(edges))), parts_of(curve, self.edges)


@dataclass(frozen=True)
class BinsMeasured:
    """What is known of the numbers, and how far the looks at tables are, once all bins are there."""

    facts: SynthesisFacts
    parts: Mapping[int, Parts] = field(default_factory=dict)  # by the place of the key
    looks: Any = None
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
    kept: list[Any] = field(default_factory=list, compare=False, repr=False)

    @property
    def rounds(self) -> int:
        return len(self.numbers) + int(self.made(self.facts).rounds)

    @cached_property
    def _measurements(self) -> list[Cumulative]:
        return [number.measurement(self.facts.norm, self.facts.moves) for number in self.numbers]

    def first(self) -> BinsMeasured:
        return BinsMeasured(self.facts)

    def wants(self, state: BinsMeasured) -> Look | None:
        if state.looks is None:
            return self._at_number(len(state.parts))
        wanted = state.looks.wants(state.inner)
        return None if wanted is None else replace(wanted, share=wanted.share * (1 - SHARE))

    def after(self, state: BinsMeasured, look: Look, answer: Blurred) -> BinsMeasured:
        if state.looks is not None:
            alone = replace(look, share=look.share / (1 - SHARE))
            return replace(state, inner=state.looks.after(state.inner, alone, answer))
        at = len(state.parts)
        facts, parts = _binned(state.facts, self.numbers[at], self._measurements[at], answer)
        known = {**state.parts, self.numbers[at].place: parts}
        if len(known) < len(self.numbers):
            return BinsMeasured(facts, known)
        looks = self.made(facts)
        return BinsMeasured(facts, known, looks, looks.first())

    def foreseen(self) -> list[Look]:
        inner = [replace(look, share=look.share * (1 - SHARE)) for look in self.made(self.facts).foreseen()]
        return [*map(self._at_number, range(len(self.numbers))), *inner]

    def _at_number(self, at: int) -> Look:
        number = self.numbers[at]
        name = str(self.facts.counted.readings[number.place].key.name)
        return Look(
            self._measurements[at], SHARE / len(self.numbers), {"cut into bins": [name], "parts": len(number.ends)}
        )


def _binned(
    facts: SynthesisFacts, number: BinnedNumber, measurement: Cumulative, answer: Blurred
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

    def measurements(self, setting: Setting, beside: Collection[Moments]) -> tuple[Distances, ...]:
        return (self.measurement,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> TableDistances:
        (answer,) = answers
        *apart, count = answer.table[0].astype(float)
        counted, public = self.measurement.counted, self.measurement.public
        totals = [counted.table(public, which).sum() for which in self.measurement.places]
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
