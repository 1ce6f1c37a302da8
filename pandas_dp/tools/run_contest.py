"""How the best of several public candidates is chosen: by the total of its column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..core.budget.cost import Cost, Pure
from ..core.measure.cells import Norm
from ..core.measure.measurement import Noisy, Rows
from ..core.neighbours import Adjacency
from ..core.noise.choice import Picks, picks_for
from ..core.noise.mechanism import Law
from ..core.noise.mechanisms import CHOICE
from ..core.plan.steps import Calibration
from ..core.promise import Differential
from .measure import Contest


@dataclass(frozen=True)
class Winner:
    """One of several candidates is chosen by the total of its column."""

    measurement: Contest
    rate: Fraction
    how: Picks
    laws: tuple[Law, ...] = ()

    @property
    def mechanism_name(self) -> str:
        return self.how.name

    def measure(self, rows: Rows, earlier: tuple[Noisy, ...] = ()) -> list[int]:
        return [int(rows.fold(total)[0, 0]) for total in self.measurement.made_of]

    def add_noise(self, seen: list[int], rows: Rows) -> Noisy:
        return Noisy(np.array([[self.how.pick(seen, self.rate)]], dtype=np.int64))

    def blank(self) -> Noisy:
        return Noisy(np.zeros((1, 1), dtype=object))

    def spent(self, model: Differential, adjacency: Adjacency, price: Cost) -> Fraction:
        norm: Norm = 1 if isinstance(price, Pure) else 2
        return CHOICE.spent(self.rate, model.sensitivity(self.measurement, norm, adjacency), norm)


def planned(measurement: Contest, how: Calibration) -> Winner:
    picks = picks_for(how.name, how.cost)
    sensitivity = how.model.sensitivity(measurement, CHOICE.norm(how.cost), how.public.adjacency)
    return Winner(measurement, CHOICE.rate(sensitivity, how.cost), picks)
