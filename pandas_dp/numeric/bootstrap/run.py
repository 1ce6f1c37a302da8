"""How replicates get their noise: of secret samples by the loss of all together.

Proof: docs/proofs/numeric/resampling.md.
"""

from __future__ import annotations

from ...core.budget.cost import Approximate
from ...core.noise.gaussian import DiscreteGaussian
from ...core.noise.mechanisms import ADDITIVE
from ...core.plan.steps import Calibration, Sum, sum_of
from ...errors import CostNotOffered, shown
from .accounting import least_variance, resample, subset
from .measure import Resamples


def planned(measurement: Resamples, how: Calibration) -> Sum:
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
    return Sum(measurement, ADDITIVE["gaussian"], (DiscreteGaussian(variance),) * measurement.replicates)
