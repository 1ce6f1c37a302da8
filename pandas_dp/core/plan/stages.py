"""Looks that depend on earlier stages: steps whose measurement is made of blurred answers.

Proof: docs/proofs/core/stages.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...dataclass import dataclass
from ...numeric.measure_distinct import Table
from ...synthetic.measure import TableRace
from ..budget.cost import Cost
from ..measure.forms import Choosing, Form, NextStage
from ..measure.measurement import Rows
from ..measure.noisy import Noisy
from ..neighbours import Adjacency
from ..noise.choice import Picks, picks_for
from ..noise.law import Law
from ..noise.mechanism import Additive
from ..noise.mechanisms import CHOICE

NOTHING = Fraction(0)


@dataclass(frozen=True)
class Stage:
    """A measurement whose parameter earlier answers determine; its cells, laws and price are fixed before the first
    look."""

    form: Form
    before: tuple[int, ...]  # the steps of the plan whose answers determine it
    mechanism: Additive
    laws: tuple[Law, ...]

    @property
    def measurement(self) -> Form:
        return self.form

    @property
    def mechanism_name(self) -> str:
        return self.mechanism.name

    def parameter(self, earlier: tuple[Noisy, ...]) -> Any:
        return self.form.parameter(tuple(earlier[at] for at in self.before))

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Table:
        return rows.fold(self.form.at(self.parameter(earlier)))

    def add_noise(self, seen: Table, rows: Rows) -> Noisy:
        return Noisy(self.mechanism.add_noise(seen, self.laws), self.laws)

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.form.cells.size, len(self.laws)), dtype=object), self.laws)

    def said(self, earlier: tuple[Noisy, ...]) -> dict[str, Any]:
        return {"after": list(self.before), "parameter": self.form.say(self.parameter(earlier))}


@dataclass(frozen=True)
class StageAnswer:
    """What a round saw, and the noise that was made for it."""

    table: Table
    laws: tuple[Law, ...]
    spent: Fraction


@dataclass(frozen=True)
class Raced:
    """The utilities that a round saw, and how the winner is drawn."""

    utilities: list[int]
    rate: Fraction
    how: Picks
    spent: Fraction


@dataclass(frozen=True)
class Chosen(Noisy):
    """The answer of a round, and which share of the price it spent: none where it was not made."""

    spent: Fraction = NOTHING


BLANK = Chosen(np.zeros((0, 0), dtype=object))


@dataclass(frozen=True)
class Round:
    """One of several stages that are chosen as they come, each for a share of one price.

    What was spent so far and the share of the next stage are compared with the price before it looks; where they exceed
    it, the stage is not made and its answer is blank. The price remains the same, whatever is spent of it.
    """

    choosing: Choosing
    before: tuple[int, ...]  # the earlier rounds, and what was asked before them
    mechanism: Additive
    adjacency: Adjacency
    price: Cost  # of all rounds together
    laws: tuple[Law, ...] = ()  # none that are known beforehand

    @property
    def measurement(self) -> Choosing:
        return self.choosing

    @property
    def mechanism_name(self) -> str:
        return self.mechanism.name

    def next(self, earlier: tuple[Noisy, ...]) -> NextStage | None:
        """The stage that is made, if any is wanted and its share is left."""
        earlier = tuple(earlier[at] for at in self.before)
        wanted = self.choosing.choose(earlier)
        spent = sum((each.spent for each in earlier if isinstance(each, Chosen)), NOTHING)
        if wanted is None or wanted.share <= 0 or spent + wanted.share > 1:
            return None
        return wanted

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> StageAnswer | Raced | None:
        wanted = self.next(earlier)
        if wanted is None:
            return None
        measurement = wanted.measurement
        if isinstance(measurement, TableRace):
            cost = self.price.part(wanted.share)
            rate = CHOICE.rate(measurement.sensitivity(self.mechanism.norm, self.adjacency), cost)
            return Raced(measurement.utilities(rows.fold(measurement)), rate, picks_for("auto", cost), wanted.share)
        return StageAnswer(rows.fold(measurement), self.laws_of(wanted), wanted.share)

    def laws_of(self, wanted: NextStage) -> tuple[Law, ...]:
        """The noise of each number of a stage that is no race."""
        assert not isinstance(wanted.measurement, TableRace)
        norm, cost = self.mechanism.norm, self.price.part(wanted.share)
        sensitivity = wanted.measurement.sensitivity(norm, self.adjacency)
        return tuple(
            self.mechanism.law(weight, sensitivity, cost) for weight in wanted.measurement.weights(norm, self.adjacency)
        )

    def add_noise(self, seen: StageAnswer | Raced | None, rows: Rows) -> Chosen:
        if seen is None:
            return BLANK
        if isinstance(seen, Raced):
            return Chosen(np.array([[seen.how.pick(seen.utilities, seen.rate)]], object), (), seen.spent)
        return Chosen(self.mechanism.add_noise(seen.table, seen.laws), seen.laws, seen.spent)

    def blank(self) -> Chosen:
        return BLANK

    def said(self, earlier: tuple[Noisy, ...]) -> dict[str, Any] | None:
        wanted = self.next(earlier)
        if wanted is None:
            return None
        return {"after": list(self.before), "parameter": wanted.parameter, "share": str(wanted.share)}


def rounds_of(
    choosing: Choosing, before: tuple[int, ...], mechanism: Additive, adjacency: Adjacency, price: Cost, start: int = 0
) -> tuple[Round, ...]:
    """The rounds of a plan from its step `start` on, each knows the answers `before` and of rounds before it."""
    return tuple(
        Round(choosing, (*before, *range(start, start + number)), mechanism, adjacency, price)
        for number in range(choosing.rounds)
    )
