"""From the width that an interval is to have to the least cost that buys it, by public facts."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from sys import float_info

from ..cost import Approximate, Concentrated, Cost, Pure
from ..errors import CostNotOffered, UnsupportedArgument, wrong_value
from ..reading import is_number
from .plan import Plan

PlanFor = Callable[[Cost], Plan]
LEAST, MOST = 1e-12, 1e9  # costs beyond which nobody asks


def cost_of_width(plan_for: PlanFor, width: object, cap: Cost) -> Cost:
    """Pure epsilon or rho, whichever the session counts and takes less of its cap, rounded up to three digits."""
    if not is_number(width) or not 0 < width <= float_info.max:  # type: ignore[operator]  # a number by then
        raise wrong_value("width", "be a positive finite number", width)
    wanted = float(width)  # type: ignore[arg-type]
    if isinstance(cap, Pure):
        return _least(plan_for, Pure, wanted)
    rho = _least(plan_for, Concentrated, wanted)
    if isinstance(cap, Concentrated):
        return rho
    assert isinstance(cap, Approximate)
    try:
        pure, room = _least(plan_for, Pure, wanted), cap.concentrated().rho
    except CostNotOffered:  # of what takes Gaussian noise alone
        return rho
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
    """The widest interval of the plan, for the rows in the data, at the confidence that was asked."""
    halves = plan.half_widths()
    for part, half in zip(plan.question.parts, halves, strict=True):
        if half is None:
            raise UnsupportedArgument(
                f"width= needs a statistic whose noise is known in advance: counts, sums, and means over all rows of a "
                f"whole frame in a column declared complete; this {part.estimator.statistic} is not one. Give "
                f"epsilon= or rho={_plan_of(part.estimator.statistic)}.",
                statistic=part.estimator.statistic,
            )
    return 2 * max(half for half in halves if half is not None)


def _plan_of(statistic: str) -> str:
    """Where widths are told for spreads that one supposes."""
    return "; plan_ols(formula, sd={...}) tells how wide intervals would be" if statistic == "ols" else ""
