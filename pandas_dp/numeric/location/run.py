"""How the ends of a range are chosen: one of a few public numbers each."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...core.arrays import Table
from ...core.budget.cost import Cost, Pure
from ...core.measure.cells import Norm
from ...core.measure.measurement import Noisy, Rows
from ...core.neighbours import Adjacency
from ...core.noise.mechanism import Law
from ...core.noise.mechanisms import CHOICE, choice_of_ends
from ...core.plan.steps import Calibration
from ...core.promise import Differential
from ...dataclass import dataclass
from .measure import Candidates


@dataclass(frozen=True)
class EndOfRange:
    """One of a few public numbers is chosen."""

    measurement: Candidates
    rate: Fraction
    mechanism_name: str = CHOICE.name
    laws: tuple[Law, ...] = ()

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> Table:
        return rows.fold(self.measurement.counts)

    def add_noise(self, seen: Table, rows: Rows) -> Noisy:
        return Noisy(np.array([[CHOICE.pick(self.measurement, self.rate, seen)]], dtype=np.int64))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((1, 1), dtype=object))

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        norm: Norm = 1 if isinstance(price, Pure) else 2
        return CHOICE.spent(self.rate, model.sensitivity(self.measurement, norm, adjacency), norm)


def planned(measurement: Candidates, how: Calibration) -> EndOfRange:
    choice = choice_of_ends(how.name)
    rate = how.rate(measurement, choice)
    return EndOfRange(choice.left_outside(measurement, rate, how.cost), rate)
