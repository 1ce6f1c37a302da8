"""How replicates get their noise, of secret samples by the loss of all together, and how ends of a range are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..core.arrays import Table
from ..core.budget.cost import Approximate, Cost, Pure
from ..core.measure.cells import Norm
from ..core.measure.measurement import Noisy, Rows
from ..core.neighbours import Adjacency
from ..core.noise.gaussian import DiscreteGaussian
from ..core.noise.mechanism import Law
from ..core.noise.mechanisms import ADDITIVE, CHOICE, choice_of_ends
from ..core.plan.steps import Calibration, NoisySum, sum_of
from ..core.promise import Differential
from ..errors import CostNotOffered, shown
from .accounting_bootstrap import least_variance, resample, subset
from .measure import Resamples
from .measure_location import Candidates


def plan_replicates(measurement: Resamples, how: Calibration) -> NoisySum:
    if not measurement.is_secret:
        return sum_of(measurement, how)
    assert isinstance(how.cost, Approximate)
    if how.name not in ("auto", "gaussian"):
        raise CostNotOffered(
            f"mechanism {shown(how.name)} makes no replicates of secret samples; use 'gaussian' or 'auto'.",
            mechanism=how.name,
        )
    sample = (
        subset(measurement.drawn, measurement.size)
        if measurement.design == "half-sample"
        else resample(measurement.size)
    )
    variance = least_variance(how.cost, measurement.replicates, sample, measurement.swing)
    return NoisySum(measurement, ADDITIVE["gaussian"], (DiscreteGaussian(variance),) * measurement.replicates)


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


def plan_ends(measurement: Candidates, how: Calibration) -> EndOfRange:
    choice = choice_of_ends(how.name)
    rate = how.rate(measurement, choice)
    return EndOfRange(choice.left_outside(measurement, rate, how.cost), rate)
