"""A count and what it is the number of, blurred together on a scale that is found when looking."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...tally import Blurred, Rows
from .portions import Portions, Stretch
from .reading import facts_of
from .steps import Private, Scaled, rounded_up


@dataclass(frozen=True)
class Portioned:
    """What looking finds: sums with their reaches, and between which codes they were taken."""

    sums: Scaled
    stretch: Stretch


@dataclass(frozen=True)
class Joint(Private):
    """The number of rows in each cell, their mean and their variance, from sums that are blurred together."""

    tally: Portions = field(kw_only=True)

    def look(self, rows: Rows) -> Portioned:
        facts = facts_of(rows, self.tally, 1)
        stretch = self.promise.stretch(self.tally, facts, self.around(self.tally, rows, facts))
        reaches = rounded_up(self.tally.reaches(stretch, self.mechanism.norm))
        return Portioned(Scaled(self.tally.sums(facts, stretch), reaches), stretch)

    def blur(self, seen: Portioned, rows: Rows) -> Blurred:
        return Blurred(self.tally.conclude(self.noisy(seen.sums), seen.stretch))

    def blank(self) -> Blurred:
        return Blurred(np.zeros((self.tally.cells.size, 2 + self.tally.squared)))
