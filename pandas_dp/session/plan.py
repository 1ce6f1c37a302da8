"""The plan of one answer: which tallies, which noise, at what price. Made from public facts alone, before paying."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ..cost import FREE, Approximate, Cost
from ..errors import CostNotOffered
from ..mechanisms import additive_for, choice_for
from ..models import Model
from ..neighbours import Setting
from ..tally import Moments, Ranks, Tally
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
        return [
            part.estimator.conclude(tuple(blanks[at] for at in wanted), self.setting).half_width(level)
            for part, wanted in zip(self.question.parts, self.wanted, strict=True)
        ]

    @property
    def mechanisms(self) -> str | None:
        names = list(dict.fromkeys(step.mechanism_name for step in self.steps))
        return ", ".join(names) or None


def make_plan(question: Question, setting: Setting, model: Model, whole: bool, cost: Cost) -> Plan:
    """Share the cost among the tallies that the question needs, equally, and calibrate the noise of each."""
    tallies, wanted = needed(question, setting)
    if not tallies:
        return Plan(question, setting, model, whole, FREE, FREE, (), wanted)
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    part = price.part(Fraction(1, len(tallies)))
    steps = tuple(_step(tally, question.request.mechanism, model, setting, part) for tally in tallies)
    return Plan(question, setting, model, whole, cost, price, steps, wanted)


def needed(question: Question, setting: Setting) -> tuple[list[Tally], tuple[tuple[int, ...], ...]]:
    """Every tally once, and which of them each part of the question is answered from."""
    alone = [part.estimator.tallies(setting, ()) for part in question.parts]
    beside = [tally for tallies in alone for tally in tallies if isinstance(tally, Moments)]
    shared = [part.estimator.tallies(setting, beside) for part in question.parts]
    tallies = list(dict.fromkeys(tally for each in shared for tally in each))
    return tallies, tuple(tuple(tallies.index(tally) for tally in each) for each in shared)


def _step(tally: Tally, mechanism: str, model: Model, setting: Setting, cost: Cost) -> Step:
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
