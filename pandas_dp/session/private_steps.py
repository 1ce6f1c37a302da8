"""Steps whose scale is found when looking: what a promise with a private scale does for one statistic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from ..backends import Rows
from ..cost import Cost
from ..domain import Interval
from ..laws import Law
from ..mechanisms import CHOICE, Additive
from ..models import Options, PrivateModel, Surroundings
from ..neighbours import Setting
from ..tally import Blurred, Counts, Final, Ladder, NumberOf, Ordered, Ranks, Variable
from .steps import EVERY_RANK


@dataclass(frozen=True)
class Scaled:
    """What looking finds: the exact numbers, and for each cell how far neighbours move it. It goes no further."""

    numbers: list[int]
    reaches: list[int | Fraction]


@dataclass(frozen=True)
class Calibrated:
    """A statistic to which noise is added, cell by cell on a scale of its own."""

    tally: Final
    model: PrivateModel
    setting: Setting
    options: Options
    mechanism: Additive
    cost: Cost
    population: Rows | None = None
    laws: tuple[Law, ...] = ()

    @property
    def mechanism_name(self) -> str:
        return self.mechanism.name

    def look(self, rows: Rows) -> Scaled:
        facts = rows.facts(self.tally, self.options.group)
        others = self.population.facts(self.tally, 1) if self.population else []
        around = Surroundings(
            self.setting,
            self.options,
            _rows(rows) - sum(each.rows for each in facts),
            others,
            _rows(self.population) - sum(each.rows for each in others) if self.population else 0,
        )
        reaches = self.model.reaches(self.tally, facts, around, self.mechanism.norm)
        if self.options.floored:
            least = [self.tally.least(each) ** self.mechanism.norm for each in facts]
            reaches = [max(pair) for pair in zip(reaches, least, strict=True)]
        return Scaled([self.tally.number(each) for each in facts], reaches)

    def blur(self, seen: Scaled, rows: Rows) -> Blurred:
        numbers = np.array(seen.numbers, dtype=object)
        noisy = numbers.copy()
        for reach in set(seen.reaches) - {0}:  # cells on one scale at a time; a reach of 0 is answered exactly
            here = np.array([each == reach for each in seen.reaches])
            law = self.law(reach)
            noisy[here] = self.mechanism.blur(numbers[here].reshape(-1, 1), (law,))[:, 0]
        if isinstance(self.tally, NumberOf) and self.tally.truncated:
            noisy = np.clip(noisy, numbers - 1, numbers + 1)
        return Blurred(noisy.reshape(-1, 1))

    def law(self, reach: int | Fraction) -> Law:
        """The noise in a cell with this reach."""
        return self.mechanism.law(Fraction(1), Fraction(reach), self.cost)

    def blank(self) -> Blurred:
        return Blurred(np.zeros((self.tally.cells.size, 1), dtype=object))


def _rows(rows: Rows) -> int:
    return int(rows.fold(Counts())[0, 0])


@dataclass(frozen=True)
class Narrowed:
    """What looking finds: the part of the grid over which the rows spread, and the rows near the wanted rank."""

    start: int
    ranks: Ranks  # over as many points as that part has
    ladders: list[Ladder]


@dataclass(frozen=True)
class ChoiceAmongOccurring:
    """A grid point between the least row and the greatest, chosen by its rank; among two points at least."""

    tally: Ordered
    ranks: Ranks
    rate: Fraction
    population: Rows | None = None
    mechanism_name: str = CHOICE.name
    laws: tuple[Law, ...] = ()

    def look(self, rows: Rows) -> Narrowed:
        start, stop = self._stretch(rows)
        points = Interval(Fraction(0), Fraction(stop - start), "integer", resolution=Fraction(1))
        ranks = CHOICE.aimed(replace(self.ranks, variable=Variable(None, points)), self.rate)
        near = self.ladders(rows, ranks, start, CHOICE.depth(ranks, self.rate))
        return Narrowed(start, ranks, near)

    def blur(self, seen: Narrowed, rows: Rows) -> Blurred:
        def everyone(place: int) -> Callable[[], Ladder]:
            return lambda: self.ladders(rows, seen.ranks, seen.start, EVERY_RANK)[place]

        chosen = [
            CHOICE.choose(seen.ranks, self.rate, near, everyone(place)) for place, near in enumerate(seen.ladders)
        ]
        return self.at([seen.start + position for position in chosen])

    def at(self, positions: list[int]) -> Blurred:
        """Positions on the whole grid, in the parts that the statistic counts."""
        return Blurred(np.array([p * self.tally.parts for p in positions], dtype=object).reshape(-1, 1))

    def blank(self) -> Blurred:
        return Blurred(np.zeros((self.tally.cells.size, 1), dtype=object))

    def ladders(self, rows: Rows, ranks: Ranks, start: int, depth: int) -> list[Ladder]:
        """Of the rows as they stand on the whole grid, counted from `start`."""
        points = ranks.variable.grid.high + 1
        return [
            replace(
                ladder,
                positions=np.asarray(ladder.positions) - start,
                start=min(max(ladder.start - start, 0), points),
                stop=min(max(ladder.stop - start, 0), points),
            )
            for ladder in rows.ladders(replace(ranks, variable=self.tally.variable), depth)
        ]

    def _stretch(self, rows: Rows) -> tuple[int, int]:
        """From the least position that occurs in any cell to the greatest."""
        grid = self.tally.variable.grid
        found = [each for source in (rows, self.population) if source for each in source.facts(self.tally, 1)]
        low = min((each.lowest[0] for each in found if each.lowest), default=0)
        high = max((each.highest[0] for each in found if each.highest), default=0)
        start, stop = ((code + grid.half) // grid.factor for code in (low, high))
        if start < stop:
            return start, stop
        return (start, start + 1) if start < self.tally.top else (start - 1, start)
