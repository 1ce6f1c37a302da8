"""What the noise of a plan would do to an answer at these very data, for the custodian; nothing is released."""

from __future__ import annotations

import warnings

import numpy as np

from ..core.arrays import Array
from ..core.measure.measurement import Rows
from ..core.measure.noisy import Noisy
from ..core.plan.plan import Plan
from ..core.plan.stages import Round, Stage
from ..core.protect.tables import Data
from ..core.session.session_core import SessionCore
from ..weaker.promise import exact_of


def rehearsed(core: SessionCore, data: Data, plan: Plan, draws: int) -> list[Array]:
    """How far each part's answer is from the exact one, draw × cell, in the column's unit."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        rows = core.subject(data).rows()
        seen = [None if isinstance(step, Stage | Round) else step.measure(rows) for step in plan.steps]
        exact = [_exact(plan, place, rows) for place in range(len(plan.question.parts))]
        errors: list[list[Array]] = [[] for _ in exact]
        for _ in range(draws):
            answers: tuple[Noisy, ...] = ()
            for step, each in zip(plan.steps, seen, strict=True):
                again = isinstance(step, Stage | Round)
                answers = (*answers, step.add_noise(step.measure(rows, answers) if again else each, rows))
            for place, truth in enumerate(exact):
                errors[place].append(np.asarray(plan.conclude(place, answers).estimate, dtype=float) - truth)
        return [np.array(each) for each in errors]


def _exact(plan: Plan, place: int, rows: Rows) -> Array:
    return exact_of(plan.question.parts[place].estimator, plan.public, rows)
