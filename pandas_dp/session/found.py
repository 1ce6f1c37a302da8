"""The plan of a question whose cells are an answer: keys that nobody declared, shown above a threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..backends import Rows
from ..cost import Concentrated, Cost
from ..errors import UnknownModel
from ..laws import Law
from ..mechanisms import Showing, showing_for
from ..neighbours import Setting
from ..promises import Differential, Weaker
from ..statistics import FoundCounts
from ..tally import Blurred, Found, Occurred, Occurring
from .plan import Plan
from .question import Question

NOBODY = Occurred((), np.zeros(0, np.int64), 0)


@dataclass(frozen=True)
class Finding:
    """The keys that occur, each with noise, and those above a threshold shown."""

    tally: Occurring
    showing: Showing

    @property
    def mechanism_name(self) -> str:
        return self.showing.name

    @property
    def laws(self) -> tuple[Law, ...]:
        return self.showing.laws

    def look(self, rows: Rows, told: tuple[Blurred, ...] = ()) -> Occurred:
        return rows.occurring(self.tally)

    def blur(self, seen: Occurred, rows: Rows) -> Found:
        return self.showing.show(seen)

    def blank(self) -> Found:
        return self.showing.above(NOBODY, NOBODY.weights, None if self.showing.rows is None else 0)


def plan_to_find(question: Question, setting: Setting, promise: Differential | Weaker, whole: bool, cost: Cost) -> Plan:
    """Noise and threshold of the only part of a question, at the whole cost."""
    if type(promise) is not Differential:
        raise UnknownModel(
            f"keys that nobody declared are found under model='dp', not {promise.name!r}; leave model= out.",
            model=promise.name,
        )
    (part,) = question.parts
    statistic = part.estimator
    assert isinstance(statistic, FoundCounts)
    mechanism = question.request.mechanism
    showing = showing_for(mechanism, cost, setting.moves, statistic.tally, statistic.needs_rows(setting))
    asked = cost if isinstance(showing.price, Concentrated) else showing.price  # what a perturbation costs in the end
    step = Finding(statistic.tally, showing)
    return Plan(question, setting, promise, whole, asked, showing.price, (step,), ((0,),))
