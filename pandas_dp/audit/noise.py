"""Contract 2: the exact distributions of what is released on neighbouring tables are as close as the price says."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, singledispatch
from itertools import combinations
from math import comb, pi
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from ..core.arrays import Array
from ..core.budget.cost import Cost, Pure
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Variable
from ..core.measure.measurement import Noisy, Rows
from ..core.noise.choice import NearRank, PermuteAndFlip
from ..core.noise.gaussian import DiscreteGaussian
from ..core.noise.laplace import DiscreteLaplace
from ..core.noise.mechanism import Law
from ..core.noise.samplers.bits import replaced
from ..core.noise.samplers.shapes import Exponentials, Shape, Student
from ..core.plan import run
from ..core.plan.plan import Asked, Plan, Question, Request
from ..core.plan.run import plan_under
from ..core.plan.steps import BLANK, Chosen, Raced, Round, StageAnswer, Step
from ..core.promise_registry import promise_named
from ..core.session.session_core import core_for
from ..keys.measure import Occurred, ShownKeys
from ..keys.run import FindingKeys, Ordering
from ..numeric.run import EndOfRange
from ..quantiles.measure import EVERY_RANK, Ranks
from ..quantiles.mechanism import Smooth
from ..quantiles.run import Choice, Value
from ..quantiles.statistic import Quantile
from ..tools import run_watch
from ..tools.run_contest import Winner
from ..weaker.plan import ChoiceAmongOccurring, OwnScales
from .sensitivity import GRIDS, WORLDS, Case, Exact, World, public_of, universe, utility_runs_of

FAR = 100.0


def a_median() -> tuple[Value, Exact]:
    """An example for what follows: a median of two rows, 0 or 1, with smooth Cauchy noise for epsilon 1."""
    median = Quantile(Variable("x", GRIDS["two points"]), Fraction(1, 2))
    case = Case("median", median, universe({"x": [0.0, 1.0]}))
    (step,) = plan_of(case, WORLDS[0], Pure(Fraction(1)), "cauchy").steps
    assert isinstance(step, Value)
    return step, Exact(step.measurement, case.universe)


def values_of_ranks(step: Value, exact: Exact, whole: bool) -> tuple[Array, Array]:
    """The exact positions and the bounds on their smooth sensitivity: table × cell."""
    found = [
        [step.mechanism.value(step.measurement, near_rank) for near_rank in cells] for cells in exact.near_ranks(whole)
    ]
    positions = np.array([[value.position for value in row] for row in found])
    return positions, np.array([[float(value.bound) for value in row] for row in found])


def chances(step: Value, exact: Exact, whole: bool) -> Array:
    """The log-probability of every point of the grid: table × cell × point.

    Examples
    --------
    >>> step, exact = a_median()
    >>> chances(step, exact, whole=True).shape  # table × cell × point
    (10, 1, 2)
    """
    positions, bounds = values_of_ranks(step, exact, whole)
    made = [
        law_of(step.mechanism, step.measurement.points, *each) for each in zip(positions.flat, bounds.flat, strict=True)
    ]
    return np.array(made).reshape(*positions.shape, step.measurement.points)


@lru_cache(maxsize=4096)
def law_of(noise: Smooth, points: int, position: int, bound: float) -> Array:
    """The log-probability of each of so many points, given the exact position and its bound.

    Examples
    --------
    >>> from fractions import Fraction
    >>> cauchy = Smooth("cauchy", Student(1), Fraction(1, 2), Fraction(1))
    >>> np.exp(law_of(cauchy, 3, 1, 0.5)).round(6).tolist()
    [0.25, 0.5, 0.25]
    """
    edges = (np.arange(points - 1) + 0.5 - position) / (float(noise.factor) * bound)
    tails = np.concatenate([[0.0], tail(noise.shape, np.abs(edges)), [0.0]])  # beyond each edge, away from the centre
    signs = np.concatenate([[-1.0], np.sign(edges), [1.0]])
    low, high = tails[:-1], tails[1:]
    masses = np.where(signs[:-1] == signs[1:], np.abs(low - high), 1 - low - high)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(masses))


def tail(shape: Shape, z: Array) -> Array:
    """P(Z > z) for z >= 0, with full relative accuracy.

    Examples
    --------
    >>> tail(Student(1), np.array([0.0, 1.0])).tolist()
    [0.5, 0.25]
    """
    if isinstance(shape, Exponentials):
        return np.asarray(np.exp(-z) / 2)
    assert isinstance(shape, Student)
    with np.errstate(divide="ignore"):
        angle = np.where(z < 1, pi / 2 - np.arctan(z), np.arctan(1 / z))
    if shape.freedom == 1:
        return np.asarray(angle / pi)
    root = np.sqrt(1 + z * z)
    if shape.freedom == 2:
        return np.asarray(1 / (2 * root * (root + z)))
    far = 1 / np.maximum(z, FAR)  # where the two terms nearly cancel, their difference as a series
    series = far**3 * (2 / 3 - far**2 * (4 / 5 - far**2 * (6 / 7 - far**2 * 8 / 9)))
    return np.asarray(np.where(z < FAR, angle - z / (1 + z * z), series) / pi)


def roughness(step: Value, exact: Exact, world: World) -> tuple[float, float]:
    """Over all neighbours: the largest |ln S − ln S'|, and the largest |f − f'|/min(S, S'); S the bound in use.

    Noise keeps its price if the first is at most beta and the second at most 1.

    Examples
    --------
    >>> step, exact = a_median()
    >>> rough, moved = roughness(step, exact, WORLDS[0])
    >>> moved <= 1
    True
    """
    positions, bounds = values_of_ranks(step, exact, world.whole)
    here, there = exact.universe.pairs(world).T
    ratio = np.abs(np.log(bounds[here]) - np.log(bounds[there]))
    moved = np.abs(positions[here] - positions[there]) / np.minimum(bounds[here], bounds[there])
    return float(ratio.max()), float(moved.max())


def delta_spent(step: Value, exact: Exact, world: World, epsilon: float) -> float:
    """The largest delta at this epsilon between neighbours: over the joint answers of all cells, at most two.

    Examples
    --------
    >>> step, exact = a_median()
    >>> delta_spent(step, exact, WORLDS[0], epsilon=1.0), delta_spent(step, exact, WORLDS[0], epsilon=0.01) > 0
    (0.0, True)
    """
    logs = chances(step, exact, world.whole)
    here, there = exact.universe.pairs(world).T
    joint = logs[:, 0] if logs.shape[1] == 1 else (logs[:, 0, :, None] + logs[:, 1, None, :]).reshape(len(logs), -1)
    excess = [
        np.maximum(np.exp(joint[a]) - np.exp(epsilon + joint[b]), 0).sum(axis=1)
        for a, b in ((here, there), (there, here))
    ]
    return float(np.max(excess))


ORDERS = (1.001, 1.5, 2.0, 4.0, 8.0)
TOLERANCE = 1e-9
SIGMAS = 36  # beyond, a float holds no Gaussian mass; orders up to 8 need fewer


def plan_of(case: Case, world: World, cost: Cost, mechanism: str = "auto", model: str = "dp", **options: Any) -> Plan:
    """What a session in this world would do for the question of a case at this cost.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.audit.sensitivity import CELLS, WORLDS, Case, universe
    >>> from pandas_dp.numeric.statistic_sums import Count
    >>> case = Case("rows in two cells", Count(CELLS["two cells"]), universe({"k": ["a", "b", "zzz"]}, size=2))
    >>> plan_of(case, WORLDS[0], Pure(Fraction(1, 2))).steps[0].laws
    (DiscreteLaplace(scale=Fraction(4, 1)),)
    """
    layout = Layout(pd.RangeIndex(1), None, "measures")
    request = Request(cost, None, model, mechanism, options=options)
    question = Question("contract", (Asked("x", case.estimator),), layout, request)
    return plan_under(promise_named(model, options), question, public_of(world, case.universe.size), world.whole, cost)


def spent(plan: Plan, exact: Sequence[Exact], world: World) -> float:
    """The largest share of the price that any two neighbours use, over the joint answers of all steps.

    For pure epsilon: the largest log-ratio of the probabilities of an answer. For rho: the largest Rényi divergence of
    order a over a·rho, a in `ORDERS`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pandas_dp.core.neighbours import Relation
    >>> from pandas_dp.audit.sensitivity import CELLS, WORLDS, Case, universe
    >>> from pandas_dp.numeric.statistic_sums import Count
    >>> case = Case("rows in two cells", Count(CELLS["two cells"]), universe({"k": ["a", "b", "zzz"]}, size=2))
    >>> world = World(Relation.REPLACE, whole=True)
    >>> plan = plan_of(case, world, Pure(Fraction(1, 2)))
    >>> round(spent(plan, [Exact(step.measurement, case.universe) for step in plan.steps], world), 9)
    1.0
    """
    if not plan.steps:
        return 0.0
    pairs = exact[0].universe.pairs(world)
    orders = (np.inf,) if isinstance(plan.price, Pure) else ORDERS
    most = 0.0
    for order in orders:
        losses = [loss(step, each, world.whole, pairs, order) for step, each in zip(plan.steps, exact, strict=True)]
        most = max(most, float(np.sum(losses, axis=0).max()) / allowed(plan.price, order))
    return most


def allowed(price: Cost, order: float) -> float:
    """What a price allows at an order."""
    return float(price.epsilon) if isinstance(price, Pure) else order * float(price.concentrated().rho)


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
    weights = utilities * float(step.rate / step.measurement.unit)
    if isinstance(step, EndOfRange):
        weights = weights + np.log(np.array(step.measurement.prior, dtype=float))
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
    """The divergence between noise and the same noise moved by some steps, from its probabilities; those of very wide
    noise, which hardly differ from one step to the next, are taken every so many steps."""
    width = int(SIGMAS * law.sd) + 1
    every = 1 if width < 2**20 else width // 2**15
    at = np.arange(-width, width + shift + 1, every)
    with np.errstate(divide="ignore"):
        here, there = np.log(law.pmf(at)), np.log(law.pmf(at - shift))
    known = np.isfinite(here) & np.isfinite(there)
    found = float(divergence(here[known], there[known], order))
    return found if order == np.inf else found + np.log(every) / (order - 1)


def divergence(here: Array, there: Array, order: float) -> Array:
    """Rényi's, of log-probabilities along the last axis; of order infinity, the largest log-ratio."""
    if order == np.inf:
        return np.asarray((here - there).max(axis=-1))
    return np.asarray(logsumexp(order * here + (1 - order) * there, axis=-1) / (order - 1))


_silent: ContextVar[bool] = ContextVar("pandas_dp.audit.silent", default=False)

NOWHERE = 10**6  # a law this much narrower than one step is zero, and so is its variance


@contextmanager
def seeded_noise(seed: int) -> Iterator[None]:
    """Noise from a seed, in this context only; releases made inside are labelled `"insecure": True`.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
    >>> with seeded_noise(1):
    ...     first = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    >>> with seeded_noise(1):
    ...     second = people["age"].dp.mean(epsilon=1, bounds=(0, 100))
    >>> first.equals(second), first.attrs["dp"]["insecure"]
    (True, True)
    """
    with replaced(np.random.default_rng(seed).bytes):
        yield


@contextmanager
def zero_noise() -> Iterator[None]:
    """No noise, in this context only: questions are charged as ever and answered exactly.

    The answer is that of the clamped and rounded values. A quantile is the least point of the grid with the best
    utility. Releases made inside are labelled `"insecure": True`, and their intervals know of no noise.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=10).protect(pd.DataFrame({"age": [31, 54, 47, 18]}))
    >>> with zero_noise():
    ...     people["age"].dp.mean(epsilon=1, bounds=(0, 50))["mean"].item()
    36.5
    """
    add_noise, noise = run.add_noise, run_watch.noise

    def left_or_noisy(step: Step, seen: Any, rows: Rows) -> Noisy:
        return _leave(step, seen, rows) if _silent.get() else add_noise(step, seen, rows)

    token = _silent.set(True)
    try:
        with (
            patch.object(run, "add_noise", left_or_noisy),
            patch.object(run_watch, "noise", lambda scale: 0 if _silent.get() else noise(scale)),
            replaced(lambda count: os.urandom(count)),
        ):
            yield
    finally:
        _silent.reset(token)


def exact_release(data: Any, question: Question) -> Release:
    """The release of a question without noise and without a charge: plan, measure, conclude.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> from pandas_dp.numeric.statistic_sums import Count
    >>> from pandas_dp.core.label.layout import Layout
    >>> from pandas_dp.core.plan.plan import Asked, Request
    >>> session = pdp.Session(epsilon=1, neighbours="add_remove")
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18]}))
    >>> layout = Layout(pd.Index(["age"]), None, "measures")
    >>> question = Question("count", (Asked("age", Count()),), layout, Request())
    >>> exact_release(people, question)["count"].item(), str(session.left)
    (4, 'epsilon=1')
    """
    core = core_for(data)
    subject = core.subject(data)
    plan, rows = core.planned(subject, question), subject.rows()
    with zero_noise():
        noisy = run.asked_in_turn(plan, rows)
    with replaced(lambda count: os.urandom(count)):
        return run.conclude(plan, noisy, {**core.facts(plan, subject), "id": None, "entry": None})


@singledispatch
def _leave(step: Step, seen: Any, rows: Rows) -> Noisy:
    """What replaces the path's own noise."""
    return Noisy(np.asarray(seen).astype(object), tuple(map(_narrowed, step.laws)))


@_leave.register
def _leave_round(step: Round, seen: StageAnswer | Raced | None, rows: Rows) -> Noisy:
    if isinstance(seen, Raced):
        return Chosen(np.array([[seen.utilities.index(max(seen.utilities))]], object), (), seen.spent)
    return BLANK if seen is None else Chosen(seen.table.astype(object), tuple(map(_narrowed, seen.laws)), seen.spent)


@_leave.register
def _leave_choice(step: Choice, seen: Any, rows: Rows) -> Noisy:
    near_ranks = rows.near_ranks(step.measurement, EVERY_RANK)
    return Noisy(
        np.array([_best(near_rank, step.measurement) for near_rank in near_ranks], dtype=np.int64).reshape(-1, 1)
    )


@_leave.register
def _leave_end(step: EndOfRange, seen: Any, rows: Rows) -> Noisy:
    utilities = step.measurement.utilities(seen)
    return Noisy(np.array([[utilities.index(max(utilities))]], dtype=np.int64))


@_leave.register
def _leave_winner(step: Winner, seen: list[int], rows: Rows) -> Noisy:
    return Noisy(np.array([[seen.index(max(seen))]], dtype=np.int64))


@_leave.register
def _leave_value(step: Value, seen: Any, rows: Rows) -> Noisy:
    values = [step.mechanism.value(step.measurement, near_rank).position for near_rank in seen]
    return Noisy(np.array(values, dtype=np.int64).reshape(-1, 1))


@_leave.register
def _leave_finding(step: FindingKeys, seen: Occurred, rows: Rows) -> ShownKeys:
    exact = replace(step.showing, law=_narrowed(step.showing.law))
    if exact.rows is not None:
        exact = replace(exact, rows=_narrowed(exact.rows))
    return exact.above(seen, seen.weights, None if exact.rows is None else seen.rows)


@_leave.register
def _leave_ordering(step: Ordering, seen: Occurred, rows: Rows) -> ShownKeys:
    order = sorted(range(len(seen.keys)), key=lambda at: (-int(seen.weights[at]), seen.keys[at]))
    return step.named(seen, order[: step.picking.picks])


@_leave.register
def _leave_calibrated(step: OwnScales, seen: Any, rows: Rows) -> Noisy:
    return Noisy(step.measurement.released(seen.numbers, seen))


@_leave.register
def _leave_narrowed(step: ChoiceAmongOccurring, seen: Any, rows: Rows) -> Noisy:
    near_ranks = step.near_ranks(rows, seen.ranks, seen.start, EVERY_RANK)
    return step.at([seen.start + _best(near_rank, seen.ranks) for near_rank in near_ranks])


def _best(near_rank: NearRank, measurement: Ranks) -> int:
    utility_runs = utility_runs_of(near_rank, measurement)
    there = utility_runs.counts > 0
    return int(utility_runs.starts[there & (utility_runs.utilities == utility_runs.utilities[there].max())].min())


def _narrowed(law: Law) -> Law:
    kind = DiscreteGaussian if isinstance(law, DiscreteGaussian) else DiscreteLaplace
    return kind(Fraction(1, NOWHERE))
