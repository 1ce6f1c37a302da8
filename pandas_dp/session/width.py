"""From the width that an interval is to have to the least cost that buys it, by public facts."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import numpy as np

from ..cost import Approximate, Concentrated, Cost, Pure
from ..errors import UnsupportedArgument, wrong_value
from .plan import Plan

PlanFor = Callable[[Cost], Plan]
LEAST, MOST = 1e-12, 1e9  # costs beyond which nobody asks


def cost_of_width(plan_for: PlanFor, width: object, cap: Cost) -> Cost:
    """Pure epsilon or rho, whichever the session counts and takes less of its cap, rounded up to three digits."""
    if (
        isinstance(width, bool)
        or not isinstance(width, int | float | np.integer | np.floating)
        or not 0 < width < math.inf
    ):
        raise wrong_value("width", "be a positive finite number", width)
    wanted = float(width)
    if isinstance(cap, Pure):
        return _least(plan_for, Pure, wanted)
    rho = _least(plan_for, Concentrated, wanted)
    if isinstance(cap, Concentrated):
        return rho
    assert isinstance(cap, Approximate)
    pure, room = _least(plan_for, Pure, wanted), cap.concentrated().rho
    taken = min((pure.at_infinity or 0) / cap.epsilon, pure.concentrated().rho / room)
    return pure if taken <= rho.concentrated().rho / room else rho


def _least(plan_for: PlanFor, kind: type[Pure] | type[Concentrated], width: float) -> Pure | Concentrated:
    low, high = math.log(LEAST), math.log(MOST)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _width(plan_for(_cost(kind, middle))) > width else (low, middle)
    return _cost(kind, high)


def _cost(kind: type[Pure] | type[Concentrated], log: float) -> Pure | Concentrated:
    return kind(Fraction(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(math.exp(log)))))


def _width(plan: Plan) -> float:
    """The widest interval of the plan, for the rows at hand, at the confidence that was asked."""
    answers = [step.blank() for step in plan.steps]
    widths = []
    for part, wanted in zip(plan.question.parts, plan.wanted, strict=True):
        evidence = part.estimator.conclude(tuple(answers[at] for at in wanted), plan.setting)
        half = evidence.half_width(plan.question.request.confidence)
        if half is None:
            raise UnsupportedArgument(
                f"width= needs a statistic whose noise public facts tell: counts, sums, and means "
                f"over all rows of a whole frame in a column declared without gaps; "
                f"this {part.estimator.statistic} is not one. Give epsilon= or rho=.",
                statistic=part.estimator.statistic,
            )
        widths.append(2 * half)
    return max(widths)
