"""Questions over rows of people, asked of the plan itself: what a session does, without one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd

from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.engine.rows import RowsOfPeople
from pandas_dp.core.evidence.evidence import Evidence
from pandas_dp.core.label.layout import Layout
from pandas_dp.core.neighbours import PublicFacts, Relation
from pandas_dp.core.plan.plan import Asked, Plan, Question, Request
from pandas_dp.core.plan.run import asked_in_turn, check_spending, plan_under
from pandas_dp.core.promise_registry import promise_named

EXACTLY = Concentrated(Fraction(10**24))  # no noise to see


def public(relation: Relation = Relation.REPLACE, people: int | None = None) -> PublicFacts:
    return PublicFacts(relation.adjacency(whole=False), None, unit="person_id", people=people)


def plan(
    estimator: Any, cost: Cost = EXACTLY, relation: Relation = Relation.REPLACE, people: int | None = None
) -> Plan:
    question = Question("people", (Asked("x", estimator),), Layout(pd.RangeIndex(1), None, "measures"), Request(cost))
    made = plan_under(promise_named("dp"), question, public(relation, people), False, cost)
    check_spending(made)
    return made


def ask(rows: RowsOfPeople, made: Plan) -> Evidence:
    return made.conclude(0, asked_in_turn(made, rows))


def rho(of: float) -> Concentrated:
    return Concentrated(Fraction(of))


def epsilon(of: float) -> Pure:
    return Pure(Fraction(of))
