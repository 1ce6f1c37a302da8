"""How replicates get their noise: of secret samples by the loss of all together. Proof: docs/proofs/resampling.md."""

from __future__ import annotations

from ...core.budget.cost import Approximate
from ...core.noise.gaussian import DiscreteGaussian
from ...core.noise.mechanisms import ADDITIVE
from ...core.plan.steps import Calibration, Sum, sum_of
from ...errors import CostNotOffered, shown
from .accounting import least_variance, resample, subset
from .measure import Resamples


def planned(tally: Resamples, how: Calibration) -> Sum:
    if not tally.is_secret:
        return sum_of(tally, how)
    assert isinstance(how.cost, Approximate)
    if how.name not in ("auto", "gaussian"):
        raise CostNotOffered(
            f"mechanism {shown(how.name)} makes no replicates of secret samples; use 'gaussian' or 'auto'.",
            mechanism=how.name,
        )
    sample = subset(tally.drawn, tally.size) if tally.design == "half-sample" else resample(tally.size)
    variance = least_variance(how.cost, tally.replicates, sample, tally.swing)
    return Sum(tally, ADDITIVE["gaussian"], (DiscreteGaussian(variance),) * tally.replicates)
