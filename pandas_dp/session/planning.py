"""What questions would cost and how wide their answers' intervals would be, before any of them is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field

import numpy as np
import pandas as pd

from ..cost import Cost
from ..dataclass import dataclass
from ..errors import UnsupportedArgument
from ..reading import whole_number
from ..release import Release
from .answering import Answering
from .foreseen import looks_of, seconds_of
from .plan import Plan
from .subject import Subject
from .supposing import supposed_half_widths

_noted: ContextVar[_Planning | None] = ContextVar("pandas_dp_planning", default=None)
WIDE = 160  # characters of a line
CURRENCIES = ("epsilon", "delta", "rho")
COLUMNS = ["statistic", "column", "by", "cells", "epsilon", "delta", "rho", "mechanism", "half_width", "fits"]


class Outlook(pd.DataFrame):
    """What questions would cost: no column is left out of its view but those of costs that none has."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        plain = pd.DataFrame(self)
        unused = [name for name in CURRENCIES if name in plain and plain[name].isna().all()]
        shown = plain.drop(columns=unused)
        said = {"column": shown["column"].fillna("")} if "column" in shown else {}
        return shown.assign(**said).to_string(na_rep="not told", line_width=WIDE)


@dataclass(frozen=True)
class Noted:
    """A question that was planned only: who would answer it, and of what."""

    plan: Plan
    desk: Answering
    subject: Subject
    answer: pd.DataFrame  # what it got

    def carry_out(self) -> Release:
        """Ask it after all, as it was planned."""
        return self.desk.carry_out(self.plan, self.subject)


@dataclass(frozen=True)
class _Planning:
    owner: str | None
    questions: list[Noted] = field(default_factory=list)


@contextmanager
def planning(owner: str | None = None) -> Iterator[list[Noted]]:
    """Questions that this session is asked inside, or any session, are planned only: nothing is paid or looked at."""
    noted = _Planning(owner)
    token = _noted.set(noted)
    try:
        yield noted.questions
    finally:
        _noted.reset(token)


def is_planning() -> bool:
    return _noted.get() is not None


def note(plan: Plan, desk: Answering, subject: Subject) -> pd.DataFrame:
    """Keep the plan; the answer to look at is a table of the right labels that holds nothing."""
    noted = _noted.get()
    assert noted is not None
    if noted.owner not in (None, desk.id):
        raise UnsupportedArgument("plan was given a question about another session's table; plan it in that session.")
    rows = plan.question.layout.rows
    columns = plan.question.layout.columns
    answer = pd.DataFrame(np.nan, index=rows, columns=pd.Index(["planned"]) if columns is None else columns)
    noted.questions.append(Noted(plan, desk, subject, answer))
    return answer


@dataclass(frozen=True)
class TakesQuestions:
    """A method of the session that takes questions as functions, and how it says so."""

    name: str
    wanted: str  # what it takes, and how that is written
    written: str  # a question that it takes

    def check(self, questions: Sequence[object]) -> None:
        if any(isinstance(question, Release) for question in questions):
            raise UnsupportedArgument(
                f"{self.name} was given an answer: that query has already been run and paid for. Wrap queries in a "
                "lambda."
            )
        if not questions or not all(map(callable, questions)):
            raise UnsupportedArgument(f"{self.name} takes questions to be asked{self.wanted}.")

    def noted(self, desk: Answering, questions: Sequence[Callable[[], object]]) -> list[Noted]:
        """What is asked of this desk, planned and not answered."""
        with planning(desk.id) as noted:
            for question in questions:
                before = len(noted)
                question()
                if len(noted) == before:
                    raise UnsupportedArgument(
                        f"{self.name} was given a function that asks nothing of .dp; write {self.written}."
                    )
        return noted


PLAN = TakesQuestions("plan", " later: session.plan(lambda: df.dp.mean())", "session.plan(lambda: df.dp.mean())")


def supposed_rows(size: int | None) -> int | None:
    """A number of rows that is supposed, read."""
    return None if size is None else whole_number("size", size, 1, 10**15)


def planned(desk: Answering, questions: Sequence[Callable[[], object]]) -> list[Plan]:
    """The plans of what is asked of this desk."""
    return [each.plan for each in PLAN.noted(desk, questions)]


def outlook(plans: Sequence[Plan], fits: Callable[[Sequence[Cost]], bool], size: int | None = None) -> pd.DataFrame:
    """A row for each statistic of each question. What a question costs stands in each of its rows.

    `size` is supposed of each number of rows that is private.
    """
    rows = []
    for number, plan in enumerate(plans, start=1):
        together = fits([each.price for each in plans[:number]])
        cost = plan.asked.to_json()
        halves = plan.half_widths() if size is None else supposed_half_widths(plan, size)
        for part, half in zip(plan.question.parts, halves, strict=True):
            facts = (
                part.estimator.statistic,
                part.column,
                ", ".join(map(str, plan.question.by)),
                0 if plan.question.finds_keys else getattr(part.estimator, "most_cells", part.estimator.cells.size),
                *(cost[name] for name in ("epsilon", "delta", "rho")),
                plan.mechanisms,
                np.nan if half is None else half,
                together,
            )
            rows.append((number, *facts))
    table = pd.DataFrame(rows, columns=["question", *COLUMNS])
    looks = [looks_of(plan) for plan in plans for _ in plan.question.parts]
    if any(looks):
        table = table.assign(
            seconds=[seconds_of(plan) for plan in plans for _ in plan.question.parts],
            looks=pd.Series(looks, dtype=object),
        )
    return Outlook(table.astype(dict.fromkeys(("epsilon", "delta", "rho", "half_width"), float)).set_index("question"))
