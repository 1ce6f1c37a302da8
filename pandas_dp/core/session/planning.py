"""`session.plan`: what questions would cost, and how wide their intervals would be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from math import log, sqrt
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded, UnsupportedArgument
from ..arguments import whole_number
from ..budget.cost import Approximate, Cost
from ..evidence.evidence import Evidence
from ..label.release import Release
from ..lazy_import import named
from ..measure.cells import Cells
from ..measure.measurement import NextStage, Noisy
from ..noise.mechanism import Law
from ..plan.plan import Plan
from ..plan.steps import NoisySum, Round, Step
from ..protect.session_lookup import Answering
from ..protect.tables import Subject


def half_widths(plan: Plan, subject: Subject, size: int | None) -> tuple[list[float | None], int | None]:
    """Of each part's interval for the rows in the data, and how many rows that supposes where public facts alone do
    not tell it: each group, or a derived frame, has `size`; without it groups share the rows of a whole frame evenly,
    where their number is public. None where so many rows, spread evenly, do not tell either.
    """
    halves, level = plan.half_widths(), plan.question.request.confidence
    cells = max(part.estimator.cells.size for part in plan.question.parts)
    whole = plan.public.size
    each = (whole if cells == 1 or size is None else None) or size or 0
    each = each // cells if size is None else each
    if None not in halves or not each:
        return halves, None
    answers = [_supposed(step, whole, each) for step in plan.steps]
    for place, half in enumerate(halves):
        mine = [answers[at] for at in plan.requested[place]]
        if half is None and mine and all(answer is not None for answer in mine):
            said = [
                step.blank() if answer is None else answer for step, answer in zip(plan.steps, answers, strict=True)
            ]
            halves[place] = _widest(plan.conclude(place, said), level)
    if None in halves:
        found = [[_widest(one, level) for one in several] for several in _of_made_up_rows(plan, subject, each * cells)]
        tried = [_middle(several) for several in zip(*found, strict=True)] or [None] * len(halves)
        halves = [known if known is not None else made for known, made in zip(halves, tried, strict=True)]
    return halves, each


def _of_made_up_rows(plan: Plan, subject: Subject, rows: int) -> list[list[Evidence]]:
    try:
        return list(named("core.session.supposed:conclusions")(plan, subject, rows))
    except Exception:  # noqa: BLE001 - whatever a statistic wants of rows that these are not: nothing is told then
        return []


def _middle(halves: Sequence[float | None]) -> float | None:
    """The median of several tries, of which one without an end is the widest."""
    middle = float(np.median([np.inf if half is None else half for half in halves]))
    return middle if np.isfinite(middle) else None


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
COLUMNS = [
    "statistic",
    "column",
    "by",
    "cells",
    "epsilon",
    "delta",
    "rho",
    "mechanism",
    "half_width",
    "fits",
    "rows",
    "supposed",
]


class Outlook(pd.DataFrame):
    """What questions would cost: no column is left out of its view but those of costs that none has."""

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        plain = pd.DataFrame(self)
        unused = [name for name in CURRENCIES if name in plain and plain[name].isna().all()]
        shown = plain.drop(columns=unused)
        said: dict[str, Any] = {"column": shown["column"].fillna("")} if "column" in shown else {}
        said |= {"supposed": [f"{each:.0f} rows" if each > 0 else "" for each in shown.get("supposed", ())]}
        known = {name: each for name, each in said.items() if name in shown}
        table = shown.assign(**known).to_string(na_rep="not told", line_width=WIDE)
        return "\n".join(filter(None, [table, self.attrs.get("delta")]))

    def _repr_html_(self) -> str:
        return str(getattr(super(), "_repr_html_")()) + f"<p>{self.attrs.get('delta', '')}</p>"  # noqa: B009


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


USUAL_DELTA, MANY = Fraction(1, 10**6), 100


def width_by_delta(epsilon: Fraction, delta: Fraction, answers: int) -> float:
    """How wide intervals of so many answers, which share a budget, are with Gaussian noise of (epsilon, delta), as a
    multiple of those with Laplace noise of epsilon alone; each of them moves by 1 at most, at a level of 95 %."""
    rho = float(Approximate(epsilon, delta).concentrated().rho) / answers
    return 1.959964 / sqrt(2 * rho) / (answers / float(epsilon) * log(20))


def what_delta_buys(cap: Cost) -> str | None:
    """In a sentence; None under a rho cap, where noise is Gaussian anyway."""
    epsilon = cap.at_infinity if cap.at_infinity is not None else getattr(cap, "epsilon", None)
    if epsilon is None:
        return None
    delta = cap.aside or USUAL_DELTA
    one, many = (width_by_delta(epsilon, delta, answers) for answers in (1, MANY))
    return (
        f"What a delta buys: with {Approximate(epsilon, delta)} a single answer has an interval {one:.1f} times as "
        f"wide as with epsilon alone, each of {MANY} answers that share it {many:.2f} times; at {one**2:.0f} answers "
        "both are as wide."
    )


def outlook(
    noted: Sequence[Noted], fits: Callable[[Sequence[Cost]], bool], size: int | None = None, cap: Cost | None = None
) -> pd.DataFrame:
    """A row for each statistic of each question. What a question costs stands in each of its rows.

    `size` is supposed of each number of rows that is private.
    """
    rows, plans = [], [each.plan for each in noted]
    for number, (plan, subject) in enumerate(((each.plan, each.subject) for each in noted), start=1):
        together = fits([each.price for each in plans[:number]])
        cost = plan.asked.to_json()
        halves, supposed = half_widths(plan, subject, size)
        for part, half, known in zip(plan.question.parts, halves, plan.half_widths(), strict=True):
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
                np.nan if supposed is None or half is None or known is not None else supposed,
            )
            rows.append((number, *facts))
    table = pd.DataFrame(rows, columns=["question", *COLUMNS])
    stages = [stages_of(plan) for plan in plans for _ in plan.question.parts]
    if any(stages):
        table = table.assign(
            seconds=[seconds_of(plan) for plan in plans for _ in plan.question.parts],
            stages=pd.Series(stages, dtype=object),
        )
    floats = dict.fromkeys(("epsilon", "delta", "rho", "half_width", "supposed"), float)
    found = Outlook(table.astype(floats).set_index("question"))
    said = None if cap is None else what_delta_buys(cap)
    found.attrs = {} if said is None else {"delta": said}
    return found
