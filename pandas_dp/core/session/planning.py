"""`session.plan`: what questions would cost, and how wide their intervals would be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded, UnsupportedArgument
from ..arguments import whole_number
from ..budget.cost import Cost
from ..evidence.evidence import Evidence
from ..label.release import Release
from ..measure.cells import Cells
from ..measure.measurement import NextStage, Noisy
from ..noise.mechanism import Law
from ..plan.plan import Plan
from ..plan.steps import NoisySum, Round, Step
from ..protect.session_lookup import Answering
from ..protect.tables import Subject


def supposed_half_widths(plan: Plan, size: int) -> list[float | None]:
    """Of each part's interval for the rows in the data: each group, or a derived frame, has this many. Of a whole frame
    whose number of rows is public all have a value.

    None where rows alone do not tell what would be answered, as of a regression or a choice.
    """
    level, answers = plan.question.request.confidence, [_supposed(step, plan.public.size, size) for step in plan.steps]
    found = []
    for place, half in enumerate(plan.half_widths()):
        mine = [answers[at] for at in plan.requested[place]]
        if half is not None or not mine or any(answer is None for answer in mine):
            found.append(half)
            continue
        said = [step.blank() if answer is None else answer for step, answer in zip(plan.steps, answers, strict=True)]
        found.append(_widest(plan.conclude(place, said), level))
    return found


def _supposed(step: Step | Any, public: int | None, size: int) -> Noisy | None:
    if not isinstance(step, NoisySum) or not hasattr(step.measurement, "supposed"):
        return None
    cells: Cells = step.measurement.cells
    sums = step.measurement.supposed(size if public is None or cells.keys else public)
    return Noisy(np.array([sums] * cells.size, dtype=object), step.laws)


def _widest(evidence: Evidence, level: float) -> float | None:
    """Half of the widest interval; None where there is none, or one without ends."""
    try:
        low, high = (np.asarray(each, dtype=float) for each in evidence.interval(level, "sample"))
    except NotConcluded:
        return None
    widest = float(np.max(high - low)) / 2
    return widest if np.isfinite(widest) else None


def stages_of(plan: Plan) -> str | None:
    """The looks whose noise follows from public facts, in words; None where a plan has no looks in turn."""
    step = plan.steps[0] if plan.steps else None
    estimator: Any = plan.question.parts[0].estimator
    if not isinstance(step, Round) or not hasattr(estimator, "foreseen"):
        return None
    said, left = [], 1
    for stage in estimator.foreseen(plan.public):
        left -= stage.share
        what, tables = next(iter(stage.parameter.items()))
        most = _widest_stage(stage, step.laws_of(stage))
        said.append(f"{len(tables)} {what}: {stage.share} of the price, std_error {most:.3g}")
    return "; ".join([*said, *([f"chosen by these: {left} of the price"] if left else [])])


def seconds_of(plan: Plan) -> float:
    """Of a processor, at most about; NaN where nobody said."""
    estimator: Any = plan.question.parts[0].estimator
    return float(estimator.seconds) if hasattr(estimator, "seconds") else float("nan")


def _widest_stage(stage: NextStage, laws: Sequence[Law]) -> float:
    """The standard deviation of a number, or of the rows up to a point where sums are measured that tell these."""
    strategy = getattr(stage.measurement, "strategy", None)
    if strategy is None:
        return max(law.sd for law in laws)
    _, covariance = strategy.solution(np.array([law.sd**2 for law in laws]), False)
    return float(np.sqrt(covariance.diagonal().max()))


NOTED: ContextVar[_Planning | None] = ContextVar("pandas_dp_planning", default=None)
WIDE = 160  # characters of a line
CURRENCIES = ("epsilon", "delta", "rho")
COLUMNS = ["statistic", "column", "by", "cells", "epsilon", "delta", "rho", "mechanism", "half_width", "fits", "rows"]


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
    core: Answering
    subject: Subject
    answer: pd.DataFrame  # what it got

    def carry_out(self) -> Release:
        """Ask it after all, as it was planned."""
        return self.core.carry_out(self.plan, self.subject)


@dataclass(frozen=True)
class _Planning:
    owner: str | None
    questions: list[Noted] = field(default_factory=list)


@contextmanager
def planning(owner: str | None = None) -> Iterator[list[Noted]]:
    """Questions that this session is asked inside, or any session, are planned only: nothing is paid or looked at."""
    noted = _Planning(owner)
    token = NOTED.set(noted)
    try:
        yield noted.questions
    finally:
        NOTED.reset(token)


def is_planning() -> bool:
    return NOTED.get() is not None


def note(plan: Plan, core: Answering, subject: Subject) -> pd.DataFrame:
    """Keep the plan; the answer to look at is a table of the right labels that holds nothing."""
    noted = NOTED.get()
    assert noted is not None
    if noted.owner not in (None, core.id):
        raise UnsupportedArgument("plan was given a question about another session's table; plan it in that session.")
    rows = plan.question.layout.rows
    columns = plan.question.layout.columns
    answer = pd.DataFrame(np.nan, index=rows, columns=pd.Index(["planned"]) if columns is None else columns)
    noted.questions.append(Noted(plan, core, subject, answer))
    return answer


@dataclass(frozen=True)
class TakesQuestions:
    """A method of the session that takes questions as functions, and how it says so."""

    name: str
    requested: str  # what it takes, and how that is written
    written: str  # a question that it takes

    def check(self, questions: Sequence[object]) -> None:
        if any(isinstance(question, Release) for question in questions):
            raise UnsupportedArgument(
                f"{self.name} was given an answer: that query has already been run and paid for. Wrap queries in a "
                "lambda."
            )
        if not questions or not all(map(callable, questions)):
            raise UnsupportedArgument(f"{self.name} takes questions to be asked{self.requested}.")

    def noted(self, core: Answering, questions: Sequence[Callable[[], object]]) -> list[Noted]:
        """What is asked of this session, planned and not answered."""
        with planning(core.id) as noted:
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


def outlook(noted: Sequence[Noted], fits: Callable[[Sequence[Cost]], bool], size: int | None = None) -> pd.DataFrame:
    """A row for each statistic of each question. What a question costs stands in each of its rows.

    `size` is supposed of each number of rows that is private.
    """
    rows, plans = [], [each.plan for each in noted]
    for number, (plan, subject) in enumerate(((each.plan, each.subject) for each in noted), start=1):
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
                subject.making.rows,
            )
            rows.append((number, *facts))
    table = pd.DataFrame(rows, columns=["question", *COLUMNS])
    stages = [stages_of(plan) for plan in plans for _ in plan.question.parts]
    if any(stages):
        table = table.assign(
            seconds=[seconds_of(plan) for plan in plans for _ in plan.question.parts],
            stages=pd.Series(stages, dtype=object),
        )
    return Outlook(table.astype(dict.fromkeys(("epsilon", "delta", "rho", "half_width"), float)).set_index("question"))
