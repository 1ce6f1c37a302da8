"""What questions would cost and how wide their answers' intervals would be, before any of them is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..cost import Cost
from ..errors import UnsupportedArgument
from .plan import Plan

_noted: ContextVar[_Noted | None] = ContextVar("pandas_dp_planning", default=None)
COLUMNS = ["statistic", "column", "by", "cells", "epsilon", "delta", "rho", "mechanism", "half_width", "fits"]


@dataclass(frozen=True)
class _Noted:
    owner: str
    plans: list[Plan] = field(default_factory=list)


@contextmanager
def planning(owner: str) -> Iterator[list[Plan]]:
    """Questions that this session is asked inside are planned only: nothing is paid, nothing is looked at."""
    noted = _Noted(owner)
    token = _noted.set(noted)
    try:
        yield noted.plans
    finally:
        _noted.reset(token)


def is_planning() -> bool:
    return _noted.get() is not None


def note(plan: Plan, owner: str) -> pd.DataFrame:
    """Keep the plan; the answer to look at is a table of the right labels that holds nothing."""
    noted = _noted.get()
    assert noted is not None
    if owner != noted.owner:
        raise UnsupportedArgument("plan was given a question about another session's table; plan it in that session.")
    noted.plans.append(plan)
    rows = plan.question.layout.rows
    columns = plan.question.layout.columns
    return pd.DataFrame(np.nan, index=rows, columns=pd.Index(["planned"]) if columns is None else columns)


def outlook(plans: Sequence[Plan], fits: Callable[[Sequence[Cost]], bool]) -> pd.DataFrame:
    """A row for each statistic of each question. What a question costs stands in each of its rows."""
    rows = []
    for number, plan in enumerate(plans, start=1):
        together = fits([each.price for each in plans[:number]])
        cost = plan.asked.to_json()
        for part, half in zip(plan.question.parts, plan.half_widths(), strict=True):
            facts = (
                part.estimator.statistic,
                part.column,
                ", ".join(map(str, plan.question.by)),
                part.estimator.cells.size,
                *(cost[name] for name in ("epsilon", "delta", "rho")),
                plan.mechanisms,
                np.nan if half is None else half,
                together,
            )
            rows.append((number, *facts))
    table = pd.DataFrame(rows, columns=["question", *COLUMNS])
    return table.astype(dict.fromkeys(("epsilon", "delta", "rho", "half_width"), float)).set_index("question")
