"""What the noise of a plan would do to an answer at these very data, for the data's keeper; nothing is released."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..backends import Rows
from ..promises.weaker import exact_of
from .plan import Plan
from .session import Session
from .subject import Data

Array = np.ndarray[Any, Any]


def rehearsed(session: Session, data: Data, plan: Plan, draws: int) -> list[Array]:
    """Of each part of the question: draw × cell, how far the answer is from the exact one, in the column's unit."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        rows = session.subject(data).rows()
        seen = [step.look(rows) for step in plan.steps]
        exact = [_exact(plan, place, rows) for place in range(len(plan.question.parts))]
        errors: list[list[Array]] = [[] for _ in exact]
        for _ in range(draws):
            answers = [step.blur(each, rows) for step, each in zip(plan.steps, seen, strict=True)]
            for place, truth in enumerate(exact):
                errors[place].append(np.asarray(plan.conclude(place, answers).estimate, dtype=float) - truth)
        return [np.array(each) for each in errors]


def _exact(plan: Plan, place: int, rows: Rows) -> Array:
    return exact_of(plan.question.parts[place].estimator, plan.setting, rows)
