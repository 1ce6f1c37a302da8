"""What is public of looks at tables that are chosen as they come: keys, the tables that matter, and how large a model
may be; and how such looks are followed, each from the noisy answers before it alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from ..dataclass import dataclass
from ..margins import Exact, Kept, Model, Told, Zeros, as_shares, matters
from ..neighbours import Moves
from ..tally import Blurred, CountedTables, Distances, Look, Norm, SomeTables
from .measured_tables import MeasuredTables

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
class Facts:
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
    def exact(self) -> Exact:
        """What everybody knows."""
        return Exact(self.public.told, self.impossible.zeros)

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

    def sd_for(self, before: Blurred, tally: SomeTables, share: Fraction, after: SomeTables, later: Fraction) -> float:
        """The standard deviation of the least noisy number of a look, from the noise of an earlier one of a share."""
        ratio = after.reach(self.norm, self.moves) / tally.reach(self.norm, self.moves) * share / later
        spread = float(ratio) ** (1 / self.norm) * float(min(after.scales) / tally.scales[0])
        return before.laws[0].sd * spread


class Followed(ABC, Generic[State]):
    """Looks that are chosen from the answers to those before: each answer leads from one state to the next.

    States are kept while the answers are the same, as each is asked for more than once.
    """

    facts: Facts
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
