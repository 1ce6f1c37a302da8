"""The plan of an answer under whatever promise."""

from __future__ import annotations

from ...keys.run import plan_to_find
from ...weaker.plan import asked_of, steps_of
from ...weaker.promise import Weaker
from ..budget.cost import FREE, Approximate, Cost
from ..measure.measurement import Rows
from ..neighbours import PublicFacts
from ..noise.mechanisms import name_of
from ..promise import Differential
from .plan import Plan, make_plan
from .question import Question


def plan_under(
    promise: Differential | Weaker,
    question: Question,
    public: PublicFacts,
    whole: bool,
    cost: Cost,
    further_rows: Rows | None = None,
) -> Plan:
    """The plan, from public facts alone; only a stage will read the further rows."""
    if question.finds_keys:
        return plan_to_find(question, public, promise, whole, cost)
    if not isinstance(promise, Weaker):
        return make_plan(question, public, promise, whole, cost)
    statistics, mechanism = [part.estimator for part in question.parts], question.request.mechanism
    asked, wanted = asked_of(promise, statistics, public, mechanism)
    if not asked:
        return Plan(question, public, promise, whole, FREE, FREE, (), wanted)
    promise.check(cost, name_of(mechanism))
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    steps = steps_of(promise, asked, public, mechanism, price, further_rows)
    return Plan(question, public, promise, whole, cost, price, steps, wanted)
