"""The plan of one answer: which tallies, which noise, at what price. Made from public facts alone, before paying."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..backends import Rows
from ..cost import FREE, Approximate, Cost
from ..errors import CostNotOffered
from ..evidence import Evidence
from ..mechanisms import CHOICE, additive_for, choice_for
from ..models import Asked as Wanted
from ..models import Model, PrivateModel, PublicModel
from ..neighbours import Setting
from ..tally import Blurred, Moments, Ordered, Ranks, Tally
from .private_steps import Calibrated, ChoiceAmongOccurring
from .question import Question
from .steps import Choice, Step, Sum


@dataclass(frozen=True)
class Plan:
    """What will be done, and what it costs. Nothing in it comes from data."""

    question: Question
    setting: Setting
    model: Model
    whole: bool
    asked: Cost  # as the label says it
    price: Cost  # as the ledger is charged
    steps: tuple[Step, ...]
    wanted: tuple[tuple[int, ...], ...]  # for each part of the question, the steps that answer it

    def half_widths(self) -> list[float | None]:
        """Of the interval for the rows at hand, for each part of the question; None where public facts do not tell."""
        blanks = [step.blank() for step in self.steps]
        level = self.question.request.confidence
        return [self.conclude(place, blanks).half_width(level) for place in range(len(self.question.parts))]

    @property
    def mechanisms(self) -> str | None:
        names = list(dict.fromkeys(step.mechanism_name for step in self.steps))
        return ", ".join(names) or None

    def conclude(self, place: int, answers: Sequence[Blurred]) -> Evidence:
        """What a part of the question is told, from the answers of all steps."""
        estimator = self.question.parts[place].estimator
        mine = tuple(answers[at] for at in self.wanted[place])
        if self.model.scale_is_public or not mine:
            return estimator.conclude(mine, self.setting)
        return estimator.report(tuple(answer.table[:, 0] for answer in mine), self.setting)


def make_plan(
    question: Question,
    setting: Setting,
    model: PublicModel | PrivateModel,
    whole: bool,
    cost: Cost,
    population: Rows | None = None,
) -> Plan:
    """Share the cost among the tallies that the question needs, equally, and calibrate the noise of each."""
    if isinstance(model, PrivateModel):
        return private_plan(question, setting, model, whole, cost, population)
    tallies, wanted = needed(question, setting)
    if not tallies:
        return Plan(question, setting, model, whole, FREE, FREE, (), wanted)
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    part = price.part(Fraction(1, len(tallies)))
    steps = tuple(_step(tally, question.request.mechanism, model, setting, part) for tally in tallies)
    return Plan(question, setting, model, whole, cost, price, steps, wanted)


def private_plan(
    question: Question, setting: Setting, model: PrivateModel, whole: bool, cost: Cost, population: Rows | None
) -> Plan:
    """The same for a promise whose scales are found in the data: each statistic is asked for itself."""
    request = question.request
    asked = [
        tuple(
            each
            for final in part.estimator.finals(setting)
            for each in model.asks(final, setting, request.mechanism, request.options)
        )
        for part in question.parts
    ]
    distinct = list(dict.fromkeys(each for several in asked for each in several))
    wanted = tuple(tuple(distinct.index(each) for each in several) for several in asked)
    if not distinct:
        return Plan(question, setting, model, whole, FREE, FREE, (), wanted)
    model.check(cost, request.mechanism, request.options)
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    part = price.part(Fraction(1, len(distinct)))
    steps = tuple(_private_step(each, question, model, setting, part, population) for each in distinct)
    return Plan(question, setting, model, whole, cost, price, steps, wanted)


def _private_step(
    asked: Wanted, question: Question, model: PrivateModel, setting: Setting, cost: Cost, population: Rows | None
) -> Step:
    final, ranks = asked
    request = question.request
    if ranks is not None:
        assert isinstance(final, Ordered)
        rate = CHOICE.rate(ranks.reach(CHOICE.norm(cost), setting.moves), cost)
        return ChoiceAmongOccurring(final, ranks, rate, population)
    noise = additive_for(request.mechanism, cost)
    return Calibrated(final, model, setting, request.options, noise, cost, population)


def needed(question: Question, setting: Setting) -> tuple[list[Tally], tuple[tuple[int, ...], ...]]:
    """Every tally once, and which of them each part of the question is answered from."""
    alone = [part.estimator.tallies(setting, ()) for part in question.parts]
    beside = [tally for tallies in alone for tally in tallies if isinstance(tally, Moments)]
    shared = [part.estimator.tallies(setting, beside) for part in question.parts]
    tallies = list(dict.fromkeys(tally for each in shared for tally in each))
    return tallies, tuple(tuple(tallies.index(tally) for tally in each) for each in shared)


def _step(tally: Tally, mechanism: str, model: PublicModel, setting: Setting, cost: Cost) -> Step:
    if isinstance(tally, Ranks):
        choice = choice_for(mechanism)
        if not choice.spends(cost):
            raise CostNotOffered(f"mechanism {choice.name!r} cannot spend {cost}.", mechanism=choice.name)
        rate = choice.rate(model.reach(tally, choice.norm(cost), setting.moves), cost)
        return Choice(choice.aimed(tally, rate), rate)
    noise = additive_for(mechanism, cost)
    reach = model.reach(tally, noise.norm, setting.moves)
    weights = tally.weights(noise.norm, setting.moves)
    return Sum(tally, noise, tuple(noise.law(weight, reach, cost) for weight in weights))
