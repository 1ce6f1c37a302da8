"""Contract 2: the exact distributions of what is released on neighbouring tables are as close as the price says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from ..cost import Concentrated, Cost, Pure
from ..laws import Law
from ..mechanisms.permuting import PermuteAndFlip
from ..promises import promise_named
from ..release import Layout
from ..session import Asked, Question, Request
from ..session.plan import Plan
from ..session.promised import plan_under
from ..session.steps import Choice, EndOfRange, Step, Value, Winner
from .case import Case, setting_of
from .reach import Exact
from .smooth import chances
from .universe import World

Array = np.ndarray[Any, Any]
ORDERS = (1.001, 1.5, 2.0, 4.0, 8.0)
TOLERANCE = 1e-9
SIGMAS = 36  # beyond, a float holds no Gaussian mass; orders up to 8 need fewer


def plan_of(case: Case, world: World, cost: Cost, mechanism: str = "auto", model: str = "dp", **options: Any) -> Plan:
    """What a session in this world would do for the question of a case at this cost.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.testing import WORLDS, cases
    >>> case = next(case for case in cases() if case.name == "Count size, two cells")
    >>> plan_of(case, WORLDS[0], Pure(Fraction(1, 2))).steps[0].laws
    (DiscreteLaplace(scale=Fraction(4, 1)),)
    """
    layout = Layout(pd.RangeIndex(1), None, "measures")
    request = Request(cost, None, model, mechanism, options=options)
    question = Question("contract", (Asked("x", case.estimator),), layout, request)
    return plan_under(promise_named(model, options), question, setting_of(world, case.universe.size), world.whole, cost)


def spent(plan: Plan, exact: Sequence[Exact], world: World) -> float:
    """The largest share of the price that any two neighbours use, over the joint answers of all steps.

    For pure epsilon: the largest log-ratio of the probabilities of an answer. For rho: the largest Rényi divergence of
    order a over a·rho, a in `ORDERS`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.neighbours import Relation
    >>> from pandas_dp.testing import cases
    >>> case = next(case for case in cases() if case.name == "Count size, two cells")
    >>> world = World(Relation.REPLACE, whole=True)
    >>> plan = plan_of(case, world, Pure(Fraction(1, 2)))
    >>> round(spent(plan, [Exact(step.tally, case.universe) for step in plan.steps], world), 9)
    1.0
    """
    if not plan.steps:
        return 0.0
    pairs = exact[0].universe.pairs(world)
    orders = (np.inf,) if isinstance(plan.price, Pure) else ORDERS
    most = 0.0
    for order in orders:
        losses = [loss(step, each, world.whole, pairs, order) for step, each in zip(plan.steps, exact, strict=True)]
        most = max(most, float(np.sum(losses, axis=0).max()) / _allowed(plan.price, order))
    return most


def _allowed(price: Cost, order: float) -> float:
    if isinstance(price, Pure):
        return float(price.epsilon)
    assert isinstance(price, Concentrated)
    return order * float(price.rho)


def loss(step: Step, exact: Exact, whole: bool, pairs: Array, order: float) -> Array:
    """The Rényi divergence, for each pair, of that order between the two laws of the step's answer."""
    if isinstance(step, Choice | EndOfRange | Value | Winner):
        logs = chances(step, exact, whole) if isinstance(step, Value) else _chosen(step, exact.answers(whole))
        here, there = logs[pairs[:, 0]], logs[pairs[:, 1]]
        both = [divergence(here, there, order), divergence(there, here, order)]
        return np.asarray(np.maximum(both[0].sum(axis=1), both[1].sum(axis=1)))
    found = exact.answers(whole)
    moved = np.abs(found[pairs[:, 0]] - found[pairs[:, 1]]).astype(np.int64)
    total = np.zeros(len(pairs))
    for place, law in enumerate(step.laws):
        shifts, where = np.unique(moved[:, :, place], return_inverse=True)
        known = np.array([shifted(law, int(shift), order) for shift in shifts])
        total += known[where.reshape(moved.shape[:2])].sum(axis=1)
    return total


def _chosen(step: Choice | EndOfRange | Winner, utilities: Array) -> Array:
    """The log-probability of every point of the grid, or of every candidate: table × cell × point."""
    if isinstance(step, Winner) and isinstance(step.how, PermuteAndFlip):
        return np.log(flipped(utilities * float(step.rate)))
    weights = utilities * float(step.rate / step.tally.unit)
    if isinstance(step, EndOfRange):
        weights = weights + np.log(np.array(step.tally.prior, dtype=float))
    return np.asarray(weights - logsumexp(weights, axis=2, keepdims=True))


def flipped(utilities: Array) -> Array:
    """How likely permute-and-flip takes each candidate, along the last axis, of utilities in parts of its rate.

    It comes up after those of a set S with probability |S|! (k - 1 - |S|)! / k!, and all of S were left.

    Examples
    --------
    >>> flipped(np.array([0.0, -np.log(4)])).tolist()
    [0.875, 0.125]
    """
    taken = np.exp(utilities - utilities.max(axis=-1, keepdims=True))
    many = taken.shape[-1]
    found = np.zeros_like(taken)
    for at in range(many):
        others = [place for place in range(many) if place != at]
        for size in range(many):
            chance = 1 / (comb(many - 1, size) * many)
            for before in combinations(others, size):
                found[..., at] += chance * np.prod(1 - taken[..., list(before)], axis=-1)
    return np.asarray(found * taken)


def shifted(law: Law, shift: int, order: float) -> float:
    """The divergence between noise and the same noise moved by some steps, from its probabilities."""
    width = int(SIGMAS * law.sd) + 1
    at = np.arange(-width, width + shift + 1)
    with np.errstate(divide="ignore"):
        here, there = np.log(law.pmf(at)), np.log(law.pmf(at - shift))
    known = np.isfinite(here) & np.isfinite(there)
    return float(divergence(here[known], there[known], order))


def divergence(here: Array, there: Array, order: float) -> Array:
    """Rényi's, of log-probabilities along the last axis; of order infinity, the largest log-ratio."""
    if order == np.inf:
        return np.asarray((here - there).max(axis=-1))
    return np.asarray(logsumexp(order * here + (1 - order) * there, axis=-1) / (order - 1))
