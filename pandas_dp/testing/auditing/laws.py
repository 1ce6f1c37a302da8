"""The exact loss between two tables, where the laws of what is released are discrete and known: no chance in it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np

from ...backends import Rows
from ...cost import Concentrated, Pure
from ...dataclass import dataclass
from ...laws import DiscreteGaussian, DiscreteLaplace, Law
from ...promises import Differential
from ...session import corridor
from ...session.plan import Plan
from ...session.steps import Choice, EndOfRange, Step, Sum, Value, Winner
from ...tally import EVERY_RANK, Blurred, Ladder, Ranks
from ..probabilities import ORDERS, loss, shifted
from ..reach import answer_of

Array = np.ndarray[Any, Any]
PAIR = np.array([[0, 1]])
MOST_POINTS = 100_000  # of a grid on which a number is chosen
FINE = 50.0  # up to this standard deviation divergences are added up from probabilities
Looked = tuple[Plan, Rows]


@contextlib.contextmanager
def looking() -> Iterator[list[Looked]]:
    """Every plan that is carried out inside, with the rows that it looks at."""
    found: list[Looked] = []
    in_turn = corridor.asked_in_turn

    def noted(plan: Plan, rows: Rows) -> tuple[Blurred, ...]:
        found.append((plan, rows))
        return in_turn(plan, rows)

    with patch.object(corridor, "asked_in_turn", noted):
        yield found


def exact_loss(one: Sequence[Looked], other: Sequence[Looked]) -> float | None:
    """The share of their price that two tables use, over the joint answers of all that was asked; None where laws are
    not known in advance, or are too wide to be written down, or where the two were not asked the same.

    Examples
    --------
    >>> exact_loss([], []) is None
    True
    """
    if not one or len(one) != len(other):
        return None
    if any(not _is_discrete(plan) or plan.steps != twin.steps for (plan, _), (twin, _) in zip(one, other, strict=True)):
        return None
    if len({isinstance(plan.price, Pure) for plan, _ in one}) > 1:
        return None
    with contextlib.suppress(NotKnown):
        return max(_share(one, other, order) for order in _orders(one[0][0]))
    return None


class NotKnown(Exception):
    """A law that is not written down."""


def _is_discrete(plan: Plan) -> bool:
    known = all(isinstance(step, Sum | Choice | EndOfRange | Winner | Value) for step in plan.steps)
    return known and isinstance(plan.model, Differential) and isinstance(plan.price, Pure | Concentrated)


def _orders(plan: Plan) -> tuple[float, ...]:
    return (np.inf,) if isinstance(plan.price, Pure) else ORDERS


def _share(one: Sequence[Looked], other: Sequence[Looked], order: float) -> float:
    spent = allowed = 0.0
    for (plan, rows), (_, others) in zip(one, other, strict=True):
        spent += sum(_loss(step, plan.whole, (rows, others), order) for step in plan.steps)
        allowed += _allowed(plan.price, order)
    return spent / allowed if allowed else 0.0


def _allowed(price: Any, order: float) -> float:
    return float(price.epsilon) if isinstance(price, Pure) else order * float(price.rho)


def _loss(step: Step, whole: bool, tables: tuple[Rows, Rows], order: float) -> float:
    two = _Two(step.tally, tables)
    if not isinstance(step, Sum):
        return float(loss(step, two, whole, PAIR, order)[0])  # type: ignore[arg-type]  # it has what of Exact is read
    moved = np.abs(two.answers(whole)[0] - two.answers(whole)[1]).astype(object)
    return sum(_moved(law, int(by), order) for cell in moved for law, by in zip(step.laws, cell, strict=True) if by)


def _moved(law: Law, by: int, order: float) -> float:
    """Of wide noise by its formula."""
    if isinstance(law, DiscreteLaplace) and order == np.inf:
        return float(by / law.scale)
    if law.sd <= FINE:
        return shifted(law, by, order)
    if isinstance(law, DiscreteGaussian):
        return order * float(by**2 / (2 * law.sigma_squared))
    raise NotKnown


@dataclass(frozen=True, eq=False)
class _Two:
    """The exact answers of two tables to a tally, as `Exact` gives those of a universe."""

    tally: Any
    tables: tuple[Rows, Rows]

    @property
    def universe(self) -> _Two:
        return self

    def pairs(self, world: Any) -> Array:
        return PAIR

    def answers(self, whole: bool) -> Array:
        self._check()
        return np.stack([answer_of(self.tally, rows) for rows in self.tables])

    def ladders(self, whole: bool) -> list[list[Ladder]]:
        self._check()
        return [rows.ladders(self.tally, EVERY_RANK) for rows in self.tables]

    def _check(self) -> None:
        if isinstance(self.tally, Ranks) and self.tally.variable.grid.high - self.tally.variable.grid.low > MOST_POINTS:
            raise NotKnown
