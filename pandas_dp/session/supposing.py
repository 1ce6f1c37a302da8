"""How wide intervals would be if a table had so many rows, their values spread evenly over their range."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import NotConcluded
from ..evidence import Evidence
from ..tally import Blurred, Counts, Moments, MomentsTogether
from .plan import Plan
from .steps import Step, Sum


def supposed_half_widths(plan: Plan, size: int) -> list[float | None]:
    """Of each part's interval for the rows in the data: each group, or a derived frame, has this many. Of a whole frame
    whose number of rows is public all have a value.

    None where rows alone do not tell what would be answered, as of a regression or a choice.
    """
    level, answers = plan.question.request.confidence, [_supposed(step, plan.setting.size, size) for step in plan.steps]
    found = []
    for place, half in enumerate(plan.half_widths()):
        mine = [answers[at] for at in plan.wanted[place]]
        if half is not None or not mine or any(answer is None for answer in mine):
            found.append(half)
            continue
        said = [step.blank() if answer is None else answer for step, answer in zip(plan.steps, answers, strict=True)]
        found.append(_widest(plan.conclude(place, said), level))
    return found


def _supposed(step: Step | Any, public: int | None, size: int) -> Blurred | None:
    if not isinstance(step, Sum):
        return None
    if not isinstance(step.tally, Counts | Moments | MomentsTogether):
        return None
    rows = size if public is None or step.tally.cells.keys else public
    sums = [rows]
    if isinstance(step.tally, Moments):
        sums = _moments(step.tally, rows)
    elif isinstance(step.tally, MomentsTogether):
        each = [_moments(Moments(one, counted=True), rows) for one in step.tally.variables]
        sums = [rows, *(number for _, *rest in each for number in rest)]
    return Blurred(np.array([sums] * step.tally.cells.size, dtype=object), step.laws)


def _moments(tally: Moments, rows: int) -> list[int]:
    """Of codes that are spread evenly around the middle: they add up to nothing, and their squares to what follows."""
    grid = tally.variable.grid
    points = grid.points
    square = Fraction(points + 1, 3 * (points - 1)) * grid.half**2 / 2 ** tally.shifts[2]
    greatest = grid.half**2 >> tally.shifts[2]
    return [rows, 0, round(rows * (greatest - square))] if tally.counted else [0, round(rows * square)]


def _widest(evidence: Evidence, level: float) -> float | None:
    """Half of the widest interval; None where there is none, or one without ends."""
    try:
        low, high = (np.asarray(each, dtype=float) for each in evidence.interval(level, "sample"))
    except NotConcluded:
        return None
    widest = float(np.max(high - low)) / 2
    return widest if np.isfinite(widest) else None
