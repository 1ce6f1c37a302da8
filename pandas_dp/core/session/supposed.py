"""Rows that stand for those of a question while it is planned: values spread evenly over what was declared.

What is asked of them is answered with the noise of the plan, so that quantiles, regressions, weighted numbers and
whatever else rows decide have a width before anything is paid. No row of anybody's is looked at.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..engine.rows import PandasRows, silence
from ..evidence.evidence import Evidence
from ..measure.cells import Key, Presence, Variable
from ..plan.plan import Plan
from ..plan.run import asked_in_turn
from ..plan.steps import Round
from ..promise import Differential
from ..protect.tables import Subject
from ..schema.values import Breaks, Interval

MOST_ROWS, FEW_ROWS, TIMES = 500_000, 50_000, 5
SEED = 20_261_120  # of rows, not of noise


def conclusions(plan: Plan, subject: Subject, rows: int) -> Iterator[list[Evidence]]:
    """What each part of a question would be told of so many rows, several times over; nothing where rows of people, a
    function or a choice of looks decides."""
    if (
        subject.public.unit is not None
        or subject.blocks is not None
        or not isinstance(plan.model, Differential)
        or any(isinstance(step, Round) for step in plan.steps)
        or not 0 < rows <= MOST_ROWS
    ):
        return
    read = _columns([part.estimator for part in plan.question.parts])
    if read is None:
        return
    r = np.random.default_rng(SEED)
    table = pd.DataFrame({name: _spread(how, rows, r) for name, how in read.items()}, index=pd.RangeIndex(rows))
    for _ in range(TIMES if rows <= FEW_ROWS else 1):
        with silence(), np.errstate(all="ignore"):
            noisy = asked_in_turn(plan, PandasRows(table, None, [step.measurement for step in plan.steps]))
            yield [plan.conclude(place, noisy) for place in range(len(plan.question.parts))]


Declared = Interval | Key | None


def _columns(made_of: Any) -> dict[Hashable, Declared] | None:
    """Every column that a question reads, by what it says of it; None where it says of one nothing to spread."""
    found: dict[Hashable, Declared] = {}
    waiting = [made_of]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Variable):
            found[each.column] = each.interval
        elif isinstance(each, Key):
            if found.get(each.column) is None:
                found[each.column] = each
        elif isinstance(each, Presence):
            found.setdefault(each.column, None)
        elif isinstance(each, list | tuple | frozenset):
            waiting += each
        elif is_dataclass(each) and not isinstance(each, type):
            waiting += [getattr(each, field.name) for field in fields(each)]
    return found


def _spread(how: Declared, rows: int, r: np.random.Generator) -> Any:
    """So many values, spread evenly over a range or over categories, each in the storage that is read as it."""
    if how is None:
        return np.zeros(rows)
    if isinstance(how, Key):
        if isinstance(how.labels, Breaks):
            return r.uniform(how.labels.edges[0], how.labels.edges[-1], rows)
        values = pd.Series(list(how.labels.values), dtype=object)
        return values.take(r.permutation(np.arange(rows) % len(values))).reset_index(drop=True)
    low, high = float(how.lower), float(how.upper)
    even = r.permutation(low + (high - low) * (np.arange(rows) + 0.5) / rows)
    if how.kind in ("datetime", "timedelta"):
        ticks = even.astype(np.int64).astype("M8[ns]" if how.kind == "datetime" else "m8[ns]")
        return ticks if how.tz is None else pd.Series(ticks).dt.tz_localize("UTC").dt.tz_convert(how.tz)
    return np.clip(np.rint(even), low, high) if how.kind == "integer" else even
