"""How many different values people have, where one person can stand for so many only: the greatest flow."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..tally import ONE_CELL, Cells, Key, Table, ValuesOfPeople
from .columns import Array
from .part import Part
from .people import SweepOfPeople
from .stretches import positions_of

Pairs = tuple[Array, Array]
"""People, rising, and different values of theirs."""


@dataclass(frozen=True)
class ValuesHandedOut:
    """Who has which values, and then how many can be handed out, at most so many to a person."""

    tally: ValuesOfPeople
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Pairs:
        item = self.tally.item
        found: list[Pairs] = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        if isinstance(item, Key):
            sweep = SweepOfPeople(part, Cells((replace(item, other=False),)), ())
            parts = sweep.blocks_of_people()
            found += [_different(part.who(people), cells) for people, cells, _ in parts if cells is not None]
        else:
            sweep = SweepOfPeople(part, ONE_CELL, (item,))
            blocks = sweep.blocks_of_people()
            found += [_different(part.who(people), positions_of(codes, item.grid)) for people, _, (codes,) in blocks]
        return _different(*(np.concatenate([each[side] for each in found]) for side in (0, 1)))

    def merge(self, one: Pairs, other: Pairs) -> Pairs:
        return _different(*(np.concatenate(sides) for sides in zip(one, other, strict=True)))

    def finish(self, whole: Pairs) -> Table:
        return self.tally.arrange(np.array([[handed_out(*whole, self.tally.most)]]))


def handed_out(people: Array, values: Array, most: int) -> int:
    """The greatest number of different values that can be handed out, at most so many to a person.

    Whoever has no more than that can be handed all of theirs, so only what others have besides has to be looked at.
    """
    _, owner, many = np.unique(people, return_inverse=True, return_counts=True)
    few = many[owner] <= most
    sure = np.unique(values[few])
    left = ~few & ~np.isin(values, sure)
    return len(sure) + _flow(owner[left], values[left], most)


def _flow(people: Array, values: Array, most: int) -> int:
    if not len(people):
        return 0
    from scipy.sparse import coo_array  # late: seldom needed
    from scipy.sparse.csgraph import maximum_flow

    (who, person), (what, value) = (np.unique(each, return_inverse=True) for each in (people, values))
    source, sink, first = 0, 1, 2 + len(who)
    here, there = 2 + np.arange(len(who)), first + np.arange(len(what))
    starts = np.concatenate([np.full(len(who), source), 2 + person, there])
    ends = np.concatenate([here, first + value, np.full(len(what), sink)])
    room = np.concatenate([np.full(len(who), most), np.ones(len(people) + len(what))]).astype(np.int32)
    size = first + len(what)
    graph = coo_array((room, (starts, ends)), shape=(size, size)).tocsr()
    return int(maximum_flow(graph, source, sink).flow_value)


def _different(people: Array, values: Array) -> Pairs:
    order = np.lexsort((values, people))
    people, values = people[order].astype(np.int64), values[order].astype(np.int64)
    new = np.ones(len(people), bool)
    new[1:] = (people[1:] != people[:-1]) | (values[1:] != values[:-1])
    return people[new], values[new]
