"""The contract of one row a person: over all neighbours of two people with up to three rows each, asked through a
session as a user asks, exact answers stay within their sensitivity and noisy ones within their price.

Proof: docs/proofs/people/people.md, J0.2 and B2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pandas_dp as pdp
from pandas_dp.audit import CELLS, GRIDS, WORLDS, Exact, World, distances, spent, weights
from pandas_dp.core.budget.cost import Concentrated, Cost, Pure
from pandas_dp.core.label.layout import Layout
from pandas_dp.core.measure.cells import Variable
from pandas_dp.core.measure.measurement import Rows
from pandas_dp.core.neighbours import Relation
from pandas_dp.core.plan.plan import Asked, Question, Request
from pandas_dp.core.plan.run import plan_under
from pandas_dp.core.promise_registry import promise_named
from pandas_dp.core.protect.tables import Subject
from pandas_dp.numeric.statistic_means import Mean, Spread
from pandas_dp.numeric.statistic_sums import Count, NumberOfValues, Sum
from pandas_dp.quantiles.statistic import Quantile

Places = tuple[int, ...]
Table = tuple[Places, Places]
"""The rows of one person in their order, and of the other, who is the same in neighbours."""

ROWS = pd.DataFrame(list(product([0.0, 10.0, np.nan], ["a", "b"])), columns=["x", "k"])
COSTS: dict[str, Cost] = {"epsilon=1": Pure(Fraction(1)), "rho=1/2": Concentrated(Fraction(1, 2))}
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class TwoPeople:
    """A universe whose tables are what one person may have, next to some that another has."""

    rows: pd.DataFrame
    most: int = 3
    others: tuple[Places, ...] = ((), (0,), (5, 2, 0))

    @cached_property
    def tables(self) -> list[Table]:
        hers = [each for many in range(self.most + 1) for each in product(range(len(self.rows)), repeat=many)]
        return list(product(hers, self.others))

    def pairs(self, world: World) -> np.ndarray[Any, Any]:
        """Neighbours by the definition of the promise, without asking `Relation.moves`."""
        place = {table: at for at, table in enumerate(self.tables)}
        hers = list(dict.fromkeys(mine for mine, _ in self.tables))
        found: list[tuple[int, int]] = []
        for other in self.others:
            everything = [place[mine, other] for mine in hers]
            if world.relation is Relation.ADD_REMOVE:
                found += [(place[(), other], each) for each in everything if each != place[(), other]]
            else:  # on the roster she has a row in both
                there = [at for at in everything if self.tables[at][0]] if world.whole else everything
                found += [(a, b) for a in there for b in there if a < b]
        return np.array(found)

    def read(self, table: Table, whole: bool) -> Rows:
        """What the session of this universe's world sees."""
        return self.subjects[table].rows()

    @cached_property
    def subjects(self) -> dict[Table, Subject]:
        return {}


def universe(world: World) -> TwoPeople:
    """Each table is protected in a session of its own and asked about as a user would: the roster of one row a person
    as it is, others by an index of people, some rows filtered away, a stranger and copies of rows added."""
    made = TwoPeople(ROWS)
    for mine, other in made.tables:
        session = pdp.Session(epsilon=1, unit="who", neighbours=world.relation.value)
        rows = ROWS.iloc[[*mine, *other]].assign(who=np.array(["p"] * len(mine) + ["q"] * len(other), dtype=object))
        if world.whole:
            roster = world.relation is Relation.REPLACE
            frame = session.protect(rows, one_row=True, roster=roster)
        else:
            shown = session.protect(rows).set_index("who")._dp_real()
            strangers = shown.iloc[:1].set_axis(pd.Index([5] * min(1, len(shown)), name="who"))
            frame = session.vouch(pd.concat([strangers, shown, shown]), because="strangers and copies of each row")
        made.subjects[mine, other] = session._core.subject(frame)
        session.close()
    return made


@pytest.fixture(scope="module", params=WORLDS, ids=str)
def world(request: pytest.FixtureRequest) -> World:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def people(world: World) -> TwoPeople:
    return universe(world)


EVEN = Variable("x", GRIDS["even"])
GAPS = Variable("x", replace(GRIDS["even"], nullable=True))
HIGH = Variable("x", replace(GRIDS["even"], lower=Fraction(6)))  # to come or go moves farther than to change
QUESTIONS = {
    "high sum": Sum(HIGH),
    "size": Count(),
    "sizes": Count(CELLS["two cells"]),
    "with other": Count(CELLS["with other"]),
    "values": Count(variable=GAPS),
    "mean": Mean(EVEN),
    "means of some": Mean(GAPS, CELLS["two cells"]),
    "sum": Sum(EVEN),
    "sums": Sum(GAPS, CELLS["two cells"]),
    "spread": Spread(EVEN, True),
    "median": Quantile(EVEN, Fraction(1, 2), "median"),
    "different values": NumberOfValues(EVEN),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_neighbours_are_told_apart_no_better_than_was_paid_for(name: str, world: World, people: TwoPeople) -> None:
    layout = Layout(pd.RangeIndex(1), None, "measures")
    subject = people.subjects[(0,), (0,)]
    assert subject.public.adjacency == world.relation.adjacency(world.whole)
    for cost in COSTS.values():
        question = Question("contract", (Asked("x", QUESTIONS[name]),), layout, Request(cost))
        plan = plan_under(promise_named("dp"), question, subject.public, subject.whole, cost, None)
        exact = [Exact(step.measurement, people) for step in plan.steps]  # type: ignore[arg-type]
        assert spent(plan, exact, world) <= 1 + TOLERANCE
        for each in exact:
            found = reached_of(each, world)
            assert found[1] <= float(found[0]) * (1 + TOLERANCE)


def reached_of(exact: Exact, world: World) -> tuple[Fraction, float]:
    pairs = exact.universe.pairs(world)
    norm = 1
    apart = distances(
        exact.measurement, exact.answers(world.whole), pairs, norm, weights(exact.measurement, norm, world)
    )
    return exact.measurement.sensitivity(norm, world.relation.adjacency(world.whole)), float(apart.max())
