"""Looks at tables one by one: that which the model is farthest from is chosen, measured, and the model fitted again.

After McKenna, Mullins, Sheldon, Miklau (2022), with whole numbers near data: docs/proofs/choosing-tables.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..margins import OFF, Graph, Kept, Model, fit_model
from ..tally import Blurred, Look, SomeTables, TableRace
from .measured_tables import MeasuredTables
from .table_looks import Facts, Followed

TIMES = 16  # looks a key, if no share ever grows
CHOOSING = Fraction(1, 10)  # of the share of a look
WORTHS = 64  # whole numbers up to which tables matter
NEAR, STEPS = 0.1, 25  # standard deviations of the noise, or so many steps: fits on the way need not be the best
FARTHEST = "the farthest from the model"
MOST_WORK = 10**6  # cells on the way to a table that is compared


@dataclass(frozen=True)
class Standing:
    """What was measured, the model of it, what was spent, and the share of the next look."""

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
class AdaptiveLooks(Followed[Standing]):
    """First at tables of one key; then in turn at which table is farthest, and at that table."""

    facts: Facts
    kept: list[Any] = field(default_factory=list, compare=False, repr=False)

    @property
    def rounds(self) -> int:
        return 1 + 2 * TIMES * self.facts.keys

    def first(self) -> Standing:
        return Standing(MeasuredTables(self.facts.counted), None, Fraction(0), Fraction(1, TIMES * self.facts.keys))

    def wants(self, state: Standing) -> Look | None:
        facts = self.facts
        if state.model is None:
            share = (1 - CHOOSING) / TIMES if facts.of_more else Fraction(1)
            return Look(facts.opening(), share, {"tables": facts.named(facts.of_one_key)})
        if state.chosen is not None:
            at, share = state.chosen
            return Look(facts.evenly([at]), share, {"tables": facts.named([at])})
        if state.left <= 0 or not facts.of_more:
            return None
        race = self._race(state)
        return None if race is None else Look(race, self._share(state) * CHOOSING, {"chosen": FARTHEST})

    def after(self, state: Standing, look: Look, answer: Blurred) -> Standing:
        spent = state.spent + look.share
        if isinstance(look.tally, TableRace):
            at = look.tally.distances.places[int(answer.table[0, 0])]
            return replace(state, spent=spent, chosen=(at, self._share(state) * (1 - CHOOSING)))
        assert isinstance(look.tally, SomeTables)
        measured = state.measured.with_look(look.tally, answer)
        model = self._fitted(measured, state.model)
        if state.model is None:
            sd = self.facts.sd_for(answer, look.tally, look.share, _alone(self.facts), Fraction(1))
            return replace(state, measured=measured, model=model, spent=spent, sd=sd)
        share = state.share * self._growth(state, model, answer)
        return replace(state, measured=measured, model=model, spent=spent, share=share, chosen=None)

    def _share(self, state: Standing) -> Fraction:
        """Of a look and of its choice together; the last spends what is left."""
        return state.left if state.left < 2 * state.share else state.share

    def _growth(self, state: Standing, model: Model, answer: Blurred) -> int:
        """Where a table taught no more than its noise, the next ones get half the noise."""
        assert state.model is not None
        assert state.chosen is not None
        at, _ = state.chosen
        kept = self.facts.tables[at]
        moved = float(np.abs(model.table(kept) - state.model.table(kept)).sum())
        noise = OFF * answer.laws[0].sd * self.facts.counted.sizes[at]
        return 2**self.facts.norm if moved <= noise else 1

    def _fitted(self, measured: MeasuredTables, start: Model | None) -> Model:
        facts, zeros = self.facts, self.facts.impossible.zeros
        told, rows = facts.told(measured), facts.rows(measured)
        return fit_model(facts.sizes, told, rows, zeros, start=start, close=NEAR, most_steps=STEPS)

    def _race(self, state: Standing) -> TableRace | None:
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


def _is_small(model: Model, there: Sequence[Kept], kept: Kept, room: float) -> bool:
    """Whether a model with one more table has room, and it is soon computed from this one."""
    if model.graph.holding(kept) is not None:
        return True  # the model stays as large as it is
    return model.work(kept) <= MOST_WORK and Graph.of(model.sizes, [*there, kept]).cells <= room


def _alone(facts: Facts) -> SomeTables:
    """A look at one table, to compare noise with."""
    largest = max(range(len(facts.tables)), key=lambda at: facts.counted.sizes[at])
    return facts.evenly([largest])
