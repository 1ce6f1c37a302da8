"""The plan of an answer under whatever promise; under one with a private scale, each statistic is asked for itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from ..backends import Rows
from ..cost import FREE, Approximate, Cost
from ..errors import UnknownMechanism, shown
from ..mechanisms import ADDITIVE, CHOICE, SMOOTH, additive_for, perturbation_for
from ..models import Asked, PrivateModel, PublicModel
from ..neighbours import Setting
from ..tally import Ordered, Portions
from .plan import Plan, make_plan
from .private_joint import Joint
from .private_steps import Calibrated, ChoiceAmongOccurring
from .question import Question
from .steps import Step


def plan_under(
    model: PublicModel | PrivateModel,
    question: Question,
    setting: Setting,
    whole: bool,
    cost: Cost,
    further_rows: Rows | None = None,
) -> Plan:
    """From public facts alone; `further_rows` holds further rows that only a look will read."""
    if isinstance(model, PrivateModel):
        return private_plan(question, setting, model, whole, cost, further_rows)
    return make_plan(question, setting, model, whole, cost)


def private_plan(
    question: Question, setting: Setting, model: PrivateModel, whole: bool, cost: Cost, further_rows: Rows | None
) -> Plan:
    """The scales are found when looking, so nothing here depends on them."""
    request, mechanism = question.request, _mechanism(question)
    asked = _together(
        [
            tuple(
                each
                for final in part.estimator.finals(setting)
                for each in model.asks(final, setting, mechanism, request.options)
            )
            for part in question.parts
        ]
    )
    distinct = list(dict.fromkeys(each for several in asked for each in several))
    wanted = tuple(tuple(distinct.index(each) for each in several) for several in asked)
    if not distinct:
        return Plan(question, setting, model, whole, FREE, FREE, (), wanted)
    model.check(cost, mechanism, request.options)
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    part = price.part(Fraction(1, len(distinct)))
    steps = tuple(_private_step(each, question, model, setting, part, further_rows) for each in distinct)
    return Plan(question, setting, model, whole, cost, price, steps, wanted)


def _together(asked: list[tuple[Asked, ...]]) -> list[tuple[Asked, ...]]:
    """A mean is told by the sums that a variance needs, where both are asked and the number of rows is private."""
    wide = {each for several in asked for each in several if isinstance(each[0], Portions) and each[0].squared}

    def widened(each: Asked) -> Asked:
        final, _ = each
        wider = (replace(final, squared=True), None) if isinstance(final, Portions) else each
        return wider if wider in wide else each

    return [tuple(widened(each) for each in several) for several in asked]


def _private_step(
    asked: Asked, question: Question, model: PrivateModel, setting: Setting, cost: Cost, further_rows: Rows | None
) -> Step:
    final, ranks = asked
    request = question.request
    if ranks is not None:
        assert isinstance(final, Ordered)
        rate = CHOICE.rate(ranks.reach(CHOICE.norm(cost), setting.moves), cost)
        return ChoiceAmongOccurring(final, ranks, rate, further_rows)
    how = (model, setting, request.options, additive_for(_mechanism(question), cost), cost, further_rows)
    return Joint(*how, tally=final) if isinstance(final, Portions) else Calibrated(*how, tally=final)


def _mechanism(question: Question) -> str:
    """By name: perturbations of counts are for noise whose law is public."""
    mechanism = question.request.mechanism
    if perturbation_for(mechanism) is not None:
        raise UnknownMechanism(
            f"mechanism {shown(mechanism)} perturbs counts under model='dp'; under the weaker promises leave it out.",
            mechanism=mechanism if isinstance(mechanism, str) else type(mechanism).__name__,
        )
    if mechanism in SMOOTH and mechanism not in ADDITIVE:
        raise UnknownMechanism(
            f"mechanism {shown(mechanism)} is for model='dp'; under the weaker promises leave it out.",
            mechanism=str(mechanism),
        )
    return str(mechanism)
