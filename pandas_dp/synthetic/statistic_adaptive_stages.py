"""Looks at tables one by one: that which the model is farthest from is chosen, measured, and the model fitted again.

After McKenna, Mullins, Sheldon, Miklau (2022), with whole numbers near data: docs/proofs/synthetic/choosing-tables.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.budget.cost import Cost, Pure
from ..core.evidence.evidence import Evidence
from ..core.evidence.no_interval import Unsaid
from ..core.measure.cells import ONE_CELL, Cells, Norm
from ..core.measure.measurement import Measurement, NextStage, Noisy
from ..core.neighbours import Adjacency, PublicFacts
from ..core.schema.values import Kind, said
from ..errors import CostNotOffered
from ..numeric.measure import Moments
from ..tables.evidence import Tables, weighing
from ..tables.planning.lattice import Lattice
from ..tables.planning.margins import Margin
from .measure import CountedTables, Distances, KeyReading, SomeTables, TableRace
from .model.fit import fit_model
from .model.graph import OFF, Graph, as_shares, product_of, worthwhile
from .model.model import Model, Parts
from .statistic_table_stages import (
    BinnedNumber,
    BinsFirst,
    BinsMeasured,
    Followed,
    Impossible,
    MeasuredTables,
    PublicTables,
    SynthesisFacts,
)

TIMES = 16  # looks a key, if no share ever grows
CHOOSING = Fraction(1, 10)  # of the share of a stage
WORTHS = 64  # whole numbers up to which tables matter
NEAR, STEPS = 0.1, 25  # standard deviations of the noise, or so many steps: fits on the way need not be the best
FARTHEST = "the farthest from the model"
MOST_WORK = 10**6  # cells on the way to a table that is compared


@dataclass(frozen=True)
class Progress:
    """What was measured, the model of it, what was spent, and the share of the next stage."""

    measured: MeasuredTables
    model: Model | None
    spent: Fraction
    share: Fraction
    sd: float = 0.0  # of a number of a table that is measured alone for one whole price
    chosen: tuple[int, Fraction] | None = None  # the table that won, and the share at which it is measured
    offered: tuple[int, ...] = ()  # to the race

    @property
    def left(self) -> Fraction:
        return 1 - self.spent


@dataclass(frozen=True)
class AdaptiveStages(Followed[Progress]):
    """First at tables of one key; then in turn at which table is farthest, and at that table."""

    facts: SynthesisFacts
    margin: list[Any] = field(default_factory=list, compare=False, repr=False)

    @property
    def rounds(self) -> int:
        return 1 + 2 * TIMES * self.facts.keys

    def first(self) -> Progress:
        return Progress(MeasuredTables(self.facts.counted), None, Fraction(0), Fraction(1, TIMES * self.facts.keys))

    def wants(self, state: Progress) -> NextStage | None:
        facts = self.facts
        if state.model is None:
            share = (1 - CHOOSING) / TIMES if facts.of_more else Fraction(1)
            return NextStage(facts.opening(), share, {"tables": facts.named(facts.of_one_key)})
        if state.chosen is not None:
            at, share = state.chosen
            return NextStage(facts.evenly([at]), share, {"tables": facts.named([at])})
        if state.left <= 0 or not facts.of_more:
            return None
        race = self._race(state)
        return None if race is None else NextStage(race, self._share(state) * CHOOSING, {"chosen": FARTHEST})

    def after(self, state: Progress, stage: NextStage, answer: Noisy) -> Progress:
        spent = state.spent + stage.share
        if isinstance(stage.measurement, TableRace):
            at = stage.measurement.distances.places[int(answer.table[0, 0])]
            return replace(state, spent=spent, chosen=(at, self._share(state) * (1 - CHOOSING)))
        assert isinstance(stage.measurement, SomeTables)
        measured = state.measured.with_stage(stage.measurement, answer)
        model = self._fitted(measured, state.model)
        if state.model is None:
            sd = self.facts.sd_for(answer, stage.measurement, stage.share, _alone(self.facts), Fraction(1))
            return replace(state, measured=measured, model=model, spent=spent, sd=sd)
        share = state.share * self._growth(state, model, answer)
        return replace(state, measured=measured, model=model, spent=spent, share=share, chosen=None)

    def _share(self, state: Progress) -> Fraction:
        """Of a stage and of its choice together; the last spends what is left."""
        return state.left if state.left < 2 * state.share else state.share

    def _growth(self, state: Progress, model: Model, answer: Noisy) -> int:
        """Where a table taught no more than its noise, the next ones get half the noise."""
        assert state.model is not None
        assert state.chosen is not None
        at, _ = state.chosen
        margin = self.facts.tables[at]
        moved = float(np.abs(model.table(margin) - state.model.table(margin)).sum())
        noise = OFF * answer.laws[0].sd * self.facts.counted.sizes[at]
        return 2**self.facts.norm if moved <= noise else 1

    def _fitted(self, measured: MeasuredTables, start: Model | None) -> Model:
        facts, zeros = self.facts, self.facts.impossible.zeros
        estimates, rows = facts.estimates(measured), facts.rows(measured)
        return fit_model(facts.sizes, estimates, rows, zeros, start=start, close=NEAR, most_steps=STEPS)

    def _race(self, state: Progress) -> TableRace | None:
        """None where no table that anybody does not know has room in the model."""
        facts, model = self.facts, state.model
        assert model is not None
        room = max(float(facts.most) * float(state.spent + state.share), float(model.cells))
        there = [*facts.always, *state.measured.tables]
        every = (*facts.unknown, *facts.of_more)
        tables = [at for at in every if _is_small(model, there, facts.tables[at], room)]
        if not tables:
            return None
        sd = state.sd / float(self._share(state) * (1 - CHOOSING)) ** (1 / facts.norm)
        public = facts.from_public(tables, [model.table(facts.tables[at]) for at in tables])
        worths = tuple(max(1, round(WORTHS * facts.matters[at])) for at in tables)
        beyond = tuple(round(OFF * sd * facts.counted.sizes[at]) for at in tables)
        return TableRace(public, worths, beyond)


def _is_small(model: Model, there: Sequence[Margin], margin: Margin, room: float) -> bool:
    """Whether a model with one more table has room, and it is soon computed from this one."""
    if model.graph.holding(margin) is not None:
        return True  # the model stays as large as it is
    return model.work(margin) <= MOST_WORK and Graph.of(model.sizes, [*there, margin]).cells <= room


def _alone(facts: SynthesisFacts) -> SomeTables:
    """A look at one table, to compare noise with."""
    largest = max(range(len(facts.tables)), key=lambda at: facts.counted.sizes[at])
    return facts.evenly([largest])


FIRST, SECOND = Fraction(1, 5), Fraction(1, 10)
AT_HAND = Fraction(1, 100)  # of the price for the first stage where all of it is known


@dataclass(frozen=True)
class ThreeAnswers:
    """What the stages so far told, and how wide the noise of the first was."""

    measured: MeasuredTables
    made: tuple[tuple[NextStage, Noisy], ...] = ()
    model: ClassVar[None] = None  # on the way


@dataclass(frozen=True)
class ThreeStages(Followed[ThreeAnswers]):
    """At tables of one key for a fifth of the price, at distances for a tenth, at what is worth it for the rest."""

    facts: SynthesisFacts
    margin: list[Any] = field(default_factory=list, compare=False, repr=False)
    rounds: ClassVar[int] = 3

    def first(self) -> ThreeAnswers:
        return ThreeAnswers(MeasuredTables(self.facts.counted))

    def wants(self, state: ThreeAnswers) -> NextStage | None:
        facts = self.facts
        if not state.made:
            share = self._first if facts.of_more else Fraction(1)
            return NextStage(facts.opening(), share, {"tables": facts.named(facts.of_one_key)})
        if not facts.of_more or len(state.made) > 2:
            return None
        if len(state.made) == 1:
            parameter = {"distances": facts.named(facts.of_more), "from": "independence"}
            return NextStage(facts.from_public(facts.of_more, self._independent(state)), SECOND, parameter)
        which = self._worthwhile(state) or facts.unknown or facts.of_one_key
        return NextStage(facts.measuring(which), self._last, {"tables": facts.named(which)})

    def foreseen(self) -> list[NextStage]:
        facts, found = self.facts, super().foreseen()
        if not facts.of_more:
            return found
        nothing = [np.zeros(facts.counted.sizes[at]) for at in facts.of_more]  # the noise does not depend on numbers
        parameter = {"distances": facts.named(facts.of_more)}
        return [*found, NextStage(facts.from_public(facts.of_more, nothing), SECOND, parameter)]

    @property
    def _first(self) -> Fraction:
        return FIRST if self.facts.unknown else AT_HAND

    @property
    def _last(self) -> Fraction:
        return 1 - self._first - SECOND

    def after(self, state: ThreeAnswers, stage: NextStage, answer: Noisy) -> ThreeAnswers:
        measured = state.measured
        if isinstance(stage.measurement, SomeTables):
            measured = measured.with_stage(stage.measurement, answer)
        elif isinstance(stage.measurement, Distances):
            measured = measured.with_total(float(answer.table[0, -1]), answer.laws[-1].variance)
        return ThreeAnswers(measured, (*state.made, (stage, answer)))

    def _independent(self, state: ThreeAnswers) -> list[Any]:
        """Tables of more keys, if no key had to do with another."""
        facts, measured = self.facts, state.measured
        public = [facts.known_shares(place) for place in range(facts.keys)]
        shares = [
            as_shares(measured.values((place,))) if known is None else known for place, known in enumerate(public)
        ]
        rows = facts.rows(measured)
        return [product_of(facts.tables[at], shares, rows) for at in facts.of_more]

    def _worthwhile(self, state: ThreeAnswers) -> tuple[int, ...]:
        facts, ((first, estimates), (_, distances)) = self.facts, state.made
        assert isinstance(first.measurement, SomeTables)
        measurement = first.measurement

        def spread(many: int) -> float:
            return facts.sd_for(estimates, measurement, first.share, facts.evenly(facts.of_more[:many]), self._last)

        apart = distances.table[0, :-1].astype(float).tolist()
        tables = [facts.tables[at] for at in facts.of_more]
        weights = [facts.matters[at] for at in facts.of_more]
        taken = worthwhile(facts.sizes, tables, apart, weights, spread, facts.most, facts.always)
        return tuple(facts.of_more[at] for at in taken)


Stages = Literal[3, "adaptive"]
MOST_OF_EPSILON = 12  # columns
A_MOMENT, PER_CELL = 0.5, 4e-8  # seconds: of any synthesis; of a cell in a step of a fit
FINAL, FITS = 600, 5  # steps of the last fit; fits on the way for each key


@dataclass(frozen=True)
class TablesForSynthesis:
    """The tables that are worth measuring so that a model of at most `most` cells tells the `requested` ones."""

    counted: CountedTables
    requested: tuple[Margin, ...]
    importance: tuple[float, ...]
    stages: Stages
    most: int
    impossible: Impossible = field(default_factory=Impossible)
    public: PublicTables = field(default_factory=PublicTables)
    numbers: tuple[BinnedNumber, ...] = ()  # whose bins are measured first
    adjacency: Adjacency | None = None
    norm: Norm = 2
    margin: list[Any] = field(default_factory=list, compare=False, repr=False)  # what was told, and what it led to
    known: Any = field(default=None, compare=False, repr=False)  # domain and schema, which rows are made to fit
    statistic: ClassVar[str] = "count"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        requested = {"requested": list(map(list, self.requested)), "importance": list(self.importance)}
        how = {"stages": self.stages, "most": self.most, "zeros": self.impossible.said, "public": self.public.said}
        bins = {"measured": [list(number.edges) for number in self.numbers]} if self.numbers else {}
        return said(statistic="synthesize", keys=self.counted.to_json()["keys"], **requested, **how, **bins)

    @property
    def cells(self) -> Cells:
        """Of all keys together; nobody counts them."""
        return Cells(tuple(reading.key for reading in self.counted.readings))

    @cached_property
    def most_cells(self) -> int:
        """Of the model: as many as there may be at most, or as all tables together need."""
        sizes = tuple(reading.size for reading in self.counted.readings)
        known = [*self.impossible.tables, *(each.margin for each in self.public.estimates)]
        return min(self.most, Graph.of(sizes, [*self.counted.tables, *known]).cells)

    @property
    def seconds(self) -> float:
        """Of a processor, at most about: fits take steps that read every cell of the model."""
        steps = FINAL if self.stages == 3 else FINAL + STEPS * FITS * len(self.counted.readings) / 2
        return round(A_MOMENT + PER_CELL * self.most_cells * steps, 1)

    def foreseen(self, public: PublicFacts) -> list[NextStage]:
        """The looks whose noise is known before any answer."""
        return self.choosing(public).foreseen()

    def decided(self, public: PublicFacts, norm: Norm) -> TablesForSynthesis:
        return replace(self, adjacency=public.adjacency, norm=norm)

    def check_price(self, price: Cost, mechanism: str) -> None:
        """Refuse to hide many columns by Laplace noise, which grows with the number of tables, unasked."""
        keys = len(self.counted.readings)
        if isinstance(price, Pure) and keys > MOST_OF_EPSILON and mechanism == "auto":
            raise CostNotOffered(
                f"synthesize of {keys} columns under {price} needs noise that grows with the number of tables; give "
                "rho=, or epsilon= with delta=, or fewer columns. mechanism='laplace' insists.",
                cost=str(price),
            )

    def facts(self, public: PublicFacts) -> SynthesisFacts:
        how = (self.counted, self.requested, self.importance, self.most, public.size, public.adjacency, self.norm)
        return SynthesisFacts(*how, self.impossible, self.public)

    def choosing(self, public: PublicFacts) -> ThreeStages | AdaptiveStages | BinsFirst:
        """The looks."""
        facts, made = self.facts(public), ThreeStages if self.stages == 3 else AdaptiveStages
        if not self.numbers:
            return made(facts, self.margin)
        is_public = [public.counts_public(ONE_CELL, [number.variable]) for number in self.numbers]
        pairs = zip(self.numbers, is_public, strict=True)
        numbers = tuple(replace(number, size=public.size if known else None) for number, known in pairs)
        return BinsFirst(facts, numbers, made, self.margin)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement, ...]:
        """None that is known before the first stage: see `choosing`."""
        return ()

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        measured = self.choosing(public).state(answers).measured
        if not measured.tables:
            return Unsaid(self.statistic, np.zeros(0), "chosen")
        tables = measured.tables
        noises = {margin: measured.noise(margin) for margin in tables}
        sizes = tuple(reading.size for reading in measured.counted.readings)
        lattice = Lattice(sizes, tables)
        values = lattice.fitted({margin: measured.values(margin) for margin in tables}, weighing(sizes, noises, None))
        return Tables(self.statistic, values, sizes, tables, tables, tuple(noises.values()), True)

    def measured(self, answers: Sequence[Noisy], public: PublicFacts) -> MeasuredTables:
        return self.choosing(public).state(tuple(answers)).measured

    @property
    def readings(self) -> tuple[KeyReading, ...]:
        """How columns are read: in the bins that were measured, once they are."""
        state = self.margin[-1][1] if self.margin else None
        return self.counted.readings if state is None else tuple(state.measured.counted.readings)

    @property
    def model(self) -> Model | None:
        """The last model on the way, where there was one."""
        return next((state.model for _, state, _ in reversed(self.margin) if state.model is not None), None)

    @property
    def parts(self) -> Mapping[int, Parts]:
        """The spread of rows within bins that were measured, by the place of their key."""
        state = self.margin[-1][1]
        return state.parts if isinstance(state, BinsMeasured) else {}
