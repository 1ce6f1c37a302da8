"""What is done for one measurement: look at the rows, then add noise to what was seen. One class per way of adding it;
those that one kind of measurement alone needs are in its subject.

Looks that depend on earlier stages: docs/proofs/core/stages.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from ...errors import CostNotOffered
from ..arrays import Table
from ..budget.cost import Cost
from ..lazy_import import named
from ..measure.measurement import Added, Choosing, Form, Measurement, NextStage, Noisy, Rows
from ..neighbours import Adjacency, PublicFacts
from ..noise.choice import Exponential, Picks, picks_for
from ..noise.mechanism import Additive, AddsNoise, Law
from ..noise.mechanisms import CHOICE, Named, additive_for, name_of, single_for
from ..promise import Differential

NOTHING = Fraction(0)


class Step(Protocol):
    """A part of a plan. What it holds comes from public facts; what `measure` returns only `add_noise` may see."""

    @property
    def measurement(self) -> Any: ...

    @property
    def mechanism_name(self) -> str: ...

    @property
    def laws(self) -> tuple[Law, ...]:
        """The noise of each coordinate; empty where none is known in advance."""

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Any:
        """The exact answer; `earlier` are those that earlier steps gave, noise and all, which few steps use."""

    def add_noise(self, seen: Any, rows: Rows) -> Noisy:
        """The noisy answer; the exact one goes no further."""

    def blank(self) -> Noisy:
        """An answer that says nothing, to plan with."""


class Spending(Step, Protocol):
    """A step under a promise whose scale is public."""

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        """What its laws spend of that price, by the laws themselves; nothing where its proof is not of them."""


@dataclass(frozen=True)
class NoisySum:
    """A measurement to whose sums noise is added."""

    measurement: Added
    mechanism: AddsNoise
    laws: tuple[Law, ...]

    @property
    def mechanism_name(self) -> str:
        return self.mechanism.name

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Table:
        return rows.fold(self.measurement)

    def add_noise(self, seen: Table, rows: Rows) -> Noisy:
        return Noisy(self.mechanism.add_noise(seen, self.laws), self.laws)

    def blank(self) -> Noisy:
        return Noisy(np.zeros((self.measurement.cells.size, len(self.laws)), dtype=object), self.laws)

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        """What its laws spend, read backwards; perturbations are priced by their laws, and secret replicates have a
        proof that is not of one law a coordinate."""
        if not isinstance(self.mechanism, Additive) or getattr(self.measurement, "is_secret", False):
            return NOTHING
        norm = self.mechanism.norm
        return self.mechanism.spent(
            self.laws, self.measurement.weights(norm, adjacency), model.sensitivity(self.measurement, norm, adjacency)
        )


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

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        norm = self.mechanism.norm
        return self.mechanism.spent(
            self.laws, self.form.weights(norm, adjacency), self.form.sensitivity(norm, adjacency)
        )


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
        requested = self.choosing.choose(earlier)
        spent = sum((each.spent for each in earlier if isinstance(each, Chosen)), NOTHING)
        if requested is None or requested.share <= 0 or spent + requested.share > 1:
            return None
        return requested

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> StageAnswer | Raced | None:
        requested = self.next(earlier)
        if requested is None:
            return None
        measurement = requested.measurement
        if hasattr(measurement, "utilities"):
            cost = self.price.part(requested.share)
            rate = CHOICE.rate(measurement.sensitivity(self.mechanism.norm, self.adjacency), cost)
            return Raced(measurement.utilities(rows.fold(measurement)), rate, picks_for("auto", cost), requested.share)
        return StageAnswer(rows.fold(measurement), self.laws_of(requested), requested.share)

    def laws_of(self, requested: NextStage) -> tuple[Law, ...]:
        """The noise of each number of a stage that is no race."""
        assert not hasattr(requested.measurement, "utilities")
        norm, cost = self.mechanism.norm, self.price.part(requested.share)
        sensitivity = requested.measurement.sensitivity(norm, self.adjacency)
        return tuple(
            self.mechanism.law(weight, sensitivity, cost)
            for weight in requested.measurement.weights(norm, self.adjacency)
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
        requested = self.next(earlier)
        if requested is None:
            return None
        return {"after": list(self.before), "parameter": requested.parameter, "share": str(requested.share)}

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        """Nothing yet: what each round spends is compared with what is left when it comes."""
        return NOTHING


def rounds_of(
    choosing: Choosing, before: tuple[int, ...], mechanism: Additive, adjacency: Adjacency, price: Cost, start: int = 0
) -> tuple[Round, ...]:
    """The rounds of a plan from its step `start` on, each knows the answers `before` and of rounds before it."""
    return tuple(
        Round(choosing, (*before, *range(start, start + number)), mechanism, adjacency, price)
        for number in range(choosing.rounds)
    )


@dataclass(frozen=True)
class Calibration:
    """What the noise of a step follows from: the mechanism that was asked, the promise, and the step's part of the
    price."""

    mechanism: Named
    model: Differential
    public: PublicFacts
    cost: Cost
    beside: Sequence[Any] = ()  # all that the question asks of the rows

    @property
    def name(self) -> str:
        return name_of(self.mechanism)

    def rate(self, measurement: Measurement, choice: Exponential) -> Fraction:
        """At which one of several is chosen."""
        if not choice.spends(self.cost):
            raise CostNotOffered(f"mechanism {choice.name!r} cannot spend {self.cost}.", mechanism=choice.name)
        return choice.rate(
            self.model.sensitivity(measurement, choice.norm(self.cost), self.public.adjacency), self.cost
        )


def step_for(asked: Any, how: Calibration) -> Step:
    """The step of a measurement: by the word of its own subject, where it has one, else noise on its sums."""
    if hasattr(asked, "planned"):
        step: Step = named(asked.planned)(asked, how)
        return step
    return stage_of(asked, how) if hasattr(asked, "parameter") else sum_of(asked, how)


def sum_of(measurement: Added, how: Calibration) -> NoisySum:
    """Noise of one law a coordinate."""
    adjacency, cost = how.public.adjacency, how.cost
    numbers = measurement.cells.size * len(measurement.weights(1, adjacency))
    noise = additive_for(how.mechanism, cost, numbers)
    sensitivity, weights = (
        how.model.sensitivity(measurement, noise.norm, adjacency),
        measurement.weights(noise.norm, adjacency),
    )
    if numbers == 1:
        noise = single_for(how.mechanism, cost, weights[0], sensitivity) or noise
    law = {weight: noise.law(weight, sensitivity, cost) for weight in dict.fromkeys(weights)}
    return NoisySum(measurement, noise, tuple([law[weight] for weight in weights]))


def stage_of(form: Form, how: Calibration) -> Stage:
    """A later stage: its laws are those of the farthest that any parameter lets neighbours be apart."""
    noise, adjacency = additive_for(how.mechanism, how.cost), how.public.adjacency
    sensitivity = form.sensitivity(noise.norm, adjacency)
    laws = tuple(noise.law(weight, sensitivity, how.cost) for weight in form.weights(noise.norm, adjacency))
    return Stage(form, tuple(map(how.beside.index, form.after)), noise, laws)
