"""Noise that a test can foresee: seeded, or none at all. Every release made with it is labelled insecure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any
from unittest.mock import patch

import numpy as np

from ..backends import Rows
from ..laws import DiscreteGaussian, DiscreteLaplace, Law
from ..noise.bits import replaced
from ..promises.weaker.steps import Calibrated, ChoiceAmongOccurring
from ..release import Release
from ..session import Question, corridor, desk_for, watching
from ..session.found import Finding, Ordering
from ..session.stages import BLANK, Chosen, Looked, Raced, Round
from ..session.steps import Choice, EndOfRange, Step, Value, Winner
from ..tally import EVERY_RANK, Blurred, Found, Ladder, Occurred, Ranks
from .reach import rungs_of

_silent: ContextVar[bool] = ContextVar("pandas_dp.testing.silent", default=False)

NOWHERE = 10**6  # a law this much narrower than one step is zero, and so is its variance


@contextmanager
def seeded_noise(seed: int) -> Iterator[None]:
    """Noise from a seed, in this context only; releases made inside are labelled `"insecure": True`.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=10)
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18] * 250}))
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
    >>> session = pdp.Session(epsilon=10)
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18]}))
    >>> with zero_noise():
    ...     people["age"].dp.mean(epsilon=1, bounds=(0, 50))["mean"].item()
    36.5
    """
    blur, noise = corridor.blur, watching.noise

    def left_or_blurred(step: Step, seen: Any, rows: Rows) -> Blurred:
        return _leave(step, seen, rows) if _silent.get() else blur(step, seen, rows)

    token = _silent.set(True)
    try:
        with (
            patch.object(corridor, "blur", left_or_blurred),
            patch.object(watching, "noise", lambda scale: 0 if _silent.get() else noise(scale)),
            replaced(lambda count: os.urandom(count)),
        ):
            yield
    finally:
        _silent.reset(token)


def exact_release(data: Any, question: Question) -> Release:
    """The release of a question without noise and without a charge: plan, look, tell.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> from pandas_dp.statistics import Count
    >>> from pandas_dp.release import Layout
    >>> from pandas_dp.session import Asked, Request
    >>> session = pdp.Session(epsilon=1, neighbours="add_remove")
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47, 18]}))
    >>> layout = Layout(pd.Index(["age"]), None, "measures")
    >>> question = Question("count", (Asked("age", Count()),), layout, Request())
    >>> exact_release(people, question)["count"].item(), str(session.left)
    (4, 'epsilon=1')
    """
    desk = desk_for(data)
    subject = desk.subject(data)
    plan, rows = desk.planned(subject, question), subject.rows()
    with zero_noise():
        blurred = corridor.asked_in_turn(plan, rows)
    with replaced(lambda count: os.urandom(count)):
        return corridor.tell(plan, blurred, {**desk.facts(plan, subject), "id": None, "entry": None})


@singledispatch
def _leave(step: Step, seen: Any, rows: Rows) -> Blurred:
    """What replaces the corridor's blur."""
    return Blurred(np.asarray(seen).astype(object), tuple(map(_narrowed, step.laws)))


@_leave.register
def _leave_round(step: Round, seen: Looked | Raced | None, rows: Rows) -> Blurred:
    if isinstance(seen, Raced):
        return Chosen(np.array([[seen.utilities.index(max(seen.utilities))]], object), (), seen.spent)
    return BLANK if seen is None else Chosen(seen.table.astype(object), tuple(map(_narrowed, seen.laws)), seen.spent)


@_leave.register
def _leave_choice(step: Choice, seen: Any, rows: Rows) -> Blurred:
    ladders = rows.ladders(step.tally, EVERY_RANK)
    return Blurred(np.array([_best(ladder, step.tally) for ladder in ladders], dtype=np.int64).reshape(-1, 1))


@_leave.register
def _leave_end(step: EndOfRange, seen: Any, rows: Rows) -> Blurred:
    utilities = step.tally.utilities(seen)
    return Blurred(np.array([[utilities.index(max(utilities))]], dtype=np.int64))


@_leave.register
def _leave_winner(step: Winner, seen: list[int], rows: Rows) -> Blurred:
    return Blurred(np.array([[seen.index(max(seen))]], dtype=np.int64))


@_leave.register
def _leave_value(step: Value, seen: Any, rows: Rows) -> Blurred:
    values = [step.mechanism.value(step.tally, ladder).position for ladder in seen]
    return Blurred(np.array(values, dtype=np.int64).reshape(-1, 1))


@_leave.register
def _leave_finding(step: Finding, seen: Occurred, rows: Rows) -> Found:
    exact = replace(step.showing, law=_narrowed(step.showing.law))
    if exact.rows is not None:
        exact = replace(exact, rows=_narrowed(exact.rows))
    return exact.above(seen, seen.weights, None if exact.rows is None else seen.rows)


@_leave.register
def _leave_ordering(step: Ordering, seen: Occurred, rows: Rows) -> Found:
    order = sorted(range(len(seen.keys)), key=lambda at: (-int(seen.weights[at]), seen.keys[at]))
    return step.named(seen, order[: step.picking.picks])


@_leave.register
def _leave_calibrated(step: Calibrated, seen: Any, rows: Rows) -> Blurred:
    return Blurred(step.tally.told(seen.numbers, seen))


@_leave.register
def _leave_narrowed(step: ChoiceAmongOccurring, seen: Any, rows: Rows) -> Blurred:
    ladders = step.ladders(rows, seen.ranks, seen.start, EVERY_RANK)
    return step.at([seen.start + _best(ladder, seen.ranks) for ladder in ladders])


def _best(ladder: Ladder, tally: Ranks) -> int:
    rungs = rungs_of(ladder, tally)
    there = rungs.counts > 0
    return int(rungs.starts[there & (rungs.utilities == rungs.utilities[there].max())].min())


def _narrowed(law: Law) -> Law:
    kind = DiscreteGaussian if isinstance(law, DiscreteGaussian) else DiscreteLaplace
    return kind(Fraction(1, NOWHERE))
