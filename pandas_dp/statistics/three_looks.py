"""Three looks at tables: those of one key, how far all others are from independence, and the ones that are worth it."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..margins import as_shares, product_of, worthwhile
from ..tally import Blurred, Distances, Look, SomeTables
from .measured_tables import MeasuredTables
from .table_looks import Facts, Followed

FIRST, SECOND = Fraction(1, 5), Fraction(1, 10)
AT_HAND = Fraction(1, 100)  # of the price for the first look where all of it is known


@dataclass(frozen=True)
class Seen:
    """What the looks so far told, and how wide the noise of the first was."""

    measured: MeasuredTables
    made: tuple[tuple[Look, Blurred], ...] = ()
    model: ClassVar[None] = None  # on the way


@dataclass(frozen=True)
class ThreeLooks(Followed[Seen]):
    """At tables of one key for a fifth of the price, at distances for a tenth, at what is worth it for the rest."""

    facts: Facts
    kept: list[Any] = field(default_factory=list, compare=False, repr=False)
    rounds: ClassVar[int] = 3

    def first(self) -> Seen:
        return Seen(MeasuredTables(self.facts.counted))

    def wants(self, state: Seen) -> Look | None:
        facts = self.facts
        if not state.made:
            share = self._first if facts.of_more else Fraction(1)
            return Look(facts.opening(), share, {"tables": facts.named(facts.of_one_key)})
        if not facts.of_more or len(state.made) > 2:
            return None
        if len(state.made) == 1:
            parameter = {"distances": facts.named(facts.of_more), "from": "independence"}
            return Look(facts.from_public(facts.of_more, self._independent(state)), SECOND, parameter)
        which = self._worthwhile(state) or facts.unknown or facts.of_one_key
        return Look(facts.measuring(which), self._last, {"tables": facts.named(which)})

    def foreseen(self) -> list[Look]:
        facts, found = self.facts, super().foreseen()
        if not facts.of_more:
            return found
        nothing = [np.zeros(facts.counted.sizes[at]) for at in facts.of_more]  # the noise does not depend on numbers
        parameter = {"distances": facts.named(facts.of_more)}
        return [*found, Look(facts.from_public(facts.of_more, nothing), SECOND, parameter)]

    @property
    def _first(self) -> Fraction:
        return FIRST if self.facts.unknown else AT_HAND

    @property
    def _last(self) -> Fraction:
        return 1 - self._first - SECOND

    def after(self, state: Seen, look: Look, answer: Blurred) -> Seen:
        measured = state.measured
        if isinstance(look.tally, SomeTables):
            measured = measured.with_look(look.tally, answer)
        elif isinstance(look.tally, Distances):
            measured = measured.with_total(float(answer.table[0, -1]), answer.laws[-1].variance)
        return Seen(measured, (*state.made, (look, answer)))

    def _independent(self, state: Seen) -> list[Any]:
        """Tables of more keys, if no key had to do with another."""
        facts, measured = self.facts, state.measured
        public = [facts.known_shares(place) for place in range(facts.keys)]
        shares = [
            as_shares(measured.values((place,))) if known is None else known for place, known in enumerate(public)
        ]
        rows = facts.rows(measured)
        return [product_of(facts.tables[at], shares, rows) for at in facts.of_more]

    def _worthwhile(self, state: Seen) -> tuple[int, ...]:
        facts, ((first, told), (_, distances)) = self.facts, state.made
        assert isinstance(first.tally, SomeTables)
        tally = first.tally

        def spread(many: int) -> float:
            return facts.sd_for(told, tally, first.share, facts.evenly(facts.of_more[:many]), self._last)

        apart = distances.table[0, :-1].astype(float).tolist()
        tables = [facts.tables[at] for at in facts.of_more]
        weights = [facts.matters[at] for at in facts.of_more]
        taken = worthwhile(facts.sizes, tables, apart, weights, spread, facts.most, facts.always)
        return tuple(facts.of_more[at] for at in taken)
