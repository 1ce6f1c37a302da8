"""What is known beforehand of looks that are chosen as they come: the first ones, and about how long all may take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..laws import Law
from ..tally import Look
from .plan import Plan
from .stages import Round


def looks_of(plan: Plan) -> str | None:
    """The looks whose noise follows from public facts, in words; None where a plan has no looks in turn."""
    step = plan.steps[0] if plan.steps else None
    estimator: Any = plan.question.parts[0].estimator
    if not isinstance(step, Round) or not hasattr(estimator, "foreseen"):
        return None
    said, left = [], 1
    for look in estimator.foreseen(plan.setting):
        left -= look.share
        what, tables = next(iter(look.parameter.items()))
        most = _widest(look, step.laws_of(look))
        said.append(f"{len(tables)} {what}: {look.share} of the price, std_error {most:.3g}")
    return "; ".join([*said, *([f"chosen by these: {left} of the price"] if left else [])])


def seconds_of(plan: Plan) -> float:
    """Of a processor, at most about; NaN where nobody said."""
    estimator: Any = plan.question.parts[0].estimator
    return float(estimator.seconds) if hasattr(estimator, "seconds") else float("nan")


def _widest(look: Look, laws: Sequence[Law]) -> float:
    """The standard deviation of a number, or of the rows up to a point where sums are measured that tell these."""
    strategy = getattr(look.tally, "strategy", None)
    if strategy is None:
        return max(law.sd for law in laws)
    _, covariance = strategy.solution(np.array([law.sd**2 for law in laws]), False)
    return float(np.sqrt(covariance.diagonal().max()))
