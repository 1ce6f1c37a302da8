"""What the laws of a plan spend together, read off the laws themselves: looked at before the plan is paid."""

from __future__ import annotations

from fractions import Fraction

from ...keys.run import Finding
from ...numeric.bootstrap.measure import Resamples
from ..budget.cost import Concentrated, Pure
from ..measure.cells import Norm
from ..measure.statistic import is_planned
from ..noise.mechanism import Additive
from ..noise.mechanisms import CHOICE
from ..promise import Differential
from .plan import Plan
from .stages import Stage
from .steps import Choice, EndOfRange, Step, Sum, Winner

NOTHING = Fraction(0)


def check_spending(plan: Plan) -> None:
    """Stop where the laws spend more than the price, in exact fractions: the mistake is the library's, and nothing is
    paid.

    Looked at are additive noise (of the scale that each coordinate has, its weight and the sensitivity of the
    measurement), later stages with laws, and choices (their rate). Not looked at, and taken to spend nothing here:
    values with smooth noise and replicates of secret samples, whose proofs are not of one law a coordinate;
    perturbations, whose price is made of their laws; rounds, which are compared with what is left when they come;
    promises with a private scale.
    """
    if not isinstance(plan.price, Pure | Concentrated) or not isinstance(plan.model, Differential):
        return
    price = plan.price.epsilon if isinstance(plan.price, Pure) else plan.price.rho
    found = spends(plan)
    if found > price:
        raise RuntimeError(
            f"the noise planned for this {plan.question.statistic} spends {float(found):g}, more than its price, "
            f"{plan.price}. This is a mistake of the library; nothing was paid or released. Please report it."
        )


def spends(plan: Plan) -> Fraction:
    """What a plan spends, in the currency of its price.

    Measurements that a statistic planned together spend what it proves of them.
    """
    each = [_spent(step, plan) for step in plan.steps]
    groups = {
        at: part.estimator
        for part, at in zip(plan.question.parts, plan.wanted, strict=True)
        if is_planned(part.estimator)
    }
    grouped = {at for group in groups for at in group}
    alone = sum((spent for at, spent in enumerate(each) if at not in grouped), NOTHING)
    together = (planned.spends([each[at] for at in group], plan.public) for group, planned in groups.items())
    return alone + sum(together, NOTHING)


def _spent(step: Step, plan: Plan) -> Fraction:
    assert isinstance(plan.model, Differential)
    adjacency = plan.public.adjacency
    if isinstance(step, Choice | EndOfRange | Winner):
        norm: Norm = 1 if isinstance(plan.price, Pure) else 2
        return CHOICE.spent(step.rate, plan.model.sensitivity(step.measurement, norm, adjacency), norm)
    if isinstance(step, Finding):
        return step.showing.spent(adjacency)
    if isinstance(step, Stage):
        norm = step.mechanism.norm
        return step.mechanism.spent(
            step.laws, step.form.weights(norm, adjacency), step.form.sensitivity(norm, adjacency)
        )
    if not isinstance(step, Sum) or not isinstance(step.mechanism, Additive):
        return NOTHING
    if isinstance(step.measurement, Resamples) and step.measurement.is_secret:
        return NOTHING
    norm = step.mechanism.norm
    return step.mechanism.spent(
        step.laws, step.measurement.weights(norm, adjacency), plan.model.sensitivity(step.measurement, norm, adjacency)
    )
