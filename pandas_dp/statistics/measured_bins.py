"""Looks whose first ones are at numbers in many parts: bins are made of the answers, and tables counted in these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ..dataclass import dataclass
from ..domain import Breaks
from ..margins import Model, Parts, Prefixes, even_bins, parts_of
from ..neighbours import Moves
from ..tally import Blurred, CountedTables, Cumulative, Look, Norm, Reading, Variable, curve_told
from .measured_tables import MeasuredTables
from .table_looks import Facts, Followed

SHARE = Fraction(1, 10)  # of the price, for all numbers together
MOST = 32  # bins


@dataclass(frozen=True)
class Number:
    """A key whose bins are measured: `edges` of its parts, and the last step of each on the column's grid."""

    place: int
    variable: Variable
    edges: tuple[float, ...]
    ends: tuple[int, ...]
    size: int | None = None  # rows with a value, where that is public

    def tally(self, norm: Norm, moves: Moves) -> Cumulative:
        known = self.size is not None
        strategy = Prefixes.planned(len(self.ends), norm, moves.swap and not known, known)
        return Cumulative(self.variable, self.ends, strategy)

    def binned(self, tally: Cumulative, answer: Blurred, reading: Reading) -> tuple[Reading, Parts]:
        """The key in bins of about as many rows each, and the spread of rows over its parts."""
        curve = curve_told([(tally, answer)], 0, self.size)
        edges = (self.edges[0], *(self.edges[end] for end in even_bins(curve, MOST)))
        return replace(reading, key=replace(reading.key, labels=Breaks(edges))), parts_of(curve, self.edges)


@dataclass(frozen=True)
class Standing:
    """What is known of the numbers, and how far the looks at tables are, once all bins are there."""

    facts: Facts
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
class BinsFirst(Followed[Standing]):
    """A look at each number, and looks at tables for what is left."""

    facts: Facts  # with other bins, as many as there may be at most
    numbers: tuple[Number, ...]
    made: Callable[[Facts], Any]  # the looks at tables
    kept: list[Any] = field(default_factory=list, compare=False, repr=False)

    @property
    def rounds(self) -> int:
        return len(self.numbers) + int(self.made(self.facts).rounds)

    @cached_property
    def _tallies(self) -> list[Cumulative]:
        return [number.tally(self.facts.norm, self.facts.moves) for number in self.numbers]

    def first(self) -> Standing:
        return Standing(self.facts)

    def wants(self, state: Standing) -> Look | None:
        if state.looks is None:
            return self._at_number(len(state.parts))
        wanted = state.looks.wants(state.inner)
        return None if wanted is None else replace(wanted, share=wanted.share * (1 - SHARE))

    def after(self, state: Standing, look: Look, answer: Blurred) -> Standing:
        if state.looks is not None:
            alone = replace(look, share=look.share / (1 - SHARE))
            return replace(state, inner=state.looks.after(state.inner, alone, answer))
        at = len(state.parts)
        facts, parts = _binned(state.facts, self.numbers[at], self._tallies[at], answer)
        known = {**state.parts, self.numbers[at].place: parts}
        if len(known) < len(self.numbers):
            return Standing(facts, known)
        looks = self.made(facts)
        return Standing(facts, known, looks, looks.first())

    def foreseen(self) -> list[Look]:
        inner = [replace(look, share=look.share * (1 - SHARE)) for look in self.made(self.facts).foreseen()]
        return [*map(self._at_number, range(len(self.numbers))), *inner]

    def _at_number(self, at: int) -> Look:
        number = self.numbers[at]
        name = str(self.facts.counted.readings[number.place].key.name)
        return Look(self._tallies[at], SHARE / len(self.numbers), {"cut into bins": [name], "parts": len(number.ends)})


def _binned(facts: Facts, number: Number, tally: Cumulative, answer: Blurred) -> tuple[Facts, Parts]:
    """With the bins of one number."""
    readings = list(facts.counted.readings)
    readings[number.place], parts = number.binned(tally, answer, readings[number.place])
    return replace(facts, counted=CountedTables(tuple(readings), facts.counted.tables)), parts
