"""The fold of scores by person: what the rows of a person add up to, shortened to what may count of her, and its
products; exact whatever the order of rows, as the fold of scores of rows is."""

from __future__ import annotations

from math import inf
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..tally import NewtonSumsOfPeople, Table
from .columns import Array
from .gram import BLOCK, EXACT, SumsOfProducts, SweptTerms
from .gram_of_people import WeighedSumsOfProducts, weights_by_person
from .part import Part


@dataclass(frozen=True)
class SumsForNewtonOfPeople:
    """One line: sums of scores, the upper triangles of their products and, where there is one, of the curvature; in
    Python's own integers."""

    tally: NewtonSumsOfPeople
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Table:
        tally, columns = self.tally, self.tally.columns
        swept = SweptTerms(part, tally.read)
        weights = weights_by_person(swept, tally.most)
        room = np.empty((len(tally.read.sums.columns), BLOCK))
        scores, curvature = np.zeros((columns, part.people)), WeighedSumsOfProducts(1, columns)
        for people, _, rows in swept.blocks_of_people(room):
            for start in range(0, rows, EXACT):
                whose = people[start : start + EXACT]
                z, v = tally.brought(room[:, start : start + len(whose)])
                for line, each in zip(scores, z, strict=True):
                    np.add.at(line, whose, each)
                if tally.curved:
                    curvature.add(None, v, weights[whose].astype(np.float64))
        found = self._of_people(scores, weights)
        return np.concatenate([*found, curvature.exact()[0][tally.places]]) if tally.curved else np.concatenate(found)

    def _of_people(self, scores: Array, weights: Array) -> list[Table]:
        """The sums over people of what each brings, and of its products."""
        sums: Table = np.zeros(len(scores), object)
        products = SumsOfProducts(1, len(scores))
        for start in range(0, len(weights), BLOCK):
            here = slice(start, start + BLOCK)
            brought = self.tally.shortened(scores[:, here].astype(np.int64), weights[here])
            sums = sums + brought.sum(axis=1)
            products.add(None, brought.astype(np.float64))
        return [sums, products.exact()[0][self.tally.places]]

    def merge(self, one: Table, other: Table) -> Table:
        return np.asarray(one + other)

    def finish(self, whole: Table) -> Table:
        return whole.reshape(1, -1)
