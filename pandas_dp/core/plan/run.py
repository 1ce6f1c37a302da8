"""The path of a question: plan it, check what it spends, pay, measure, add noise, conclude.

Questions that share one pass over the rows are planned, all paid, then read together; each is a release of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import isfinite
from typing import Any, TypeVar, cast

import numpy as np

from ...errors import AnswerLost, BudgetExceeded
from ...version import VERSION
from ..budget.chain import Entry
from ..budget.cost import FREE, Approximate, Concentrated, Cost, Pure
from ..budget.ledger import Ledger
from ..engine.rows import silence
from ..forks import Turn
from ..label.label import Label
from ..label.layout import Item, in_zone
from ..label.release import Release, publish
from ..lazy_import import named
from ..measure.measurement import Noisy, Rows
from ..measure.statistic import Estimator
from ..neighbours import PublicFacts
from ..noise.mechanism import Law
from ..noise.mechanisms import name_of
from ..noise.samplers.bits import is_secure
from ..promise import Differential, Promise
from ..protect.tables import Subject
from ..schema.values import fingerprint
from .plan import Plan, Question, is_planned, make_plan
from .steps import Round, Spending, Stage, Step

NOTHING = Fraction(0)
_paid: ContextVar[list[Paid] | None] = ContextVar("pandas_dp_sharing", default=None)


def plan_under(
    promise: Promise,
    question: Question,
    public: PublicFacts,
    whole: bool,
    cost: Cost,
    further_rows: Rows | None = None,
) -> Plan:
    """The plan, from public facts alone; only a stage will read the further rows."""
    if question.finds_keys:
        finding: Any = question.parts[0].estimator
        found: Plan = named(finding.planned)(question, public, promise, whole, cost)
        return found
    if promise.asked is None:
        return make_plan(question, public, cast("Differential", promise), whole, cost)
    statistics, mechanism = [part.estimator for part in question.parts], question.request.mechanism
    asked, requested = named(promise.asked)(promise, statistics, public, mechanism)
    if not asked:
        return Plan(question, public, promise, whole, FREE, FREE, (), requested)
    promise.check(cost, name_of(mechanism))
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    steps = named(promise.stepped)(promise, asked, public, mechanism, price, further_rows)
    return Plan(question, public, promise, whole, cost, price, steps, requested)


def check_spending(plan: Plan) -> None:
    """Stop where the laws spend more than the price, in exact fractions: the mistake is the library's, and nothing is
    paid.

    Looked at are additive noise (of the scale that each coordinate has, its weight and the sensitivity of the
    measurement), later stages with laws, and choices (their rate). Not looked at, and taken to spend nothing here:
    values with smooth noise and replicates of secret samples, whose proofs are not of one law a coordinate;
    perturbations, whose price is made of their laws; rounds, which are compared with what is left when they come;
    promises with a private scale.
    """
    if not isinstance(plan.price, Pure | Concentrated) or not isinstance(plan.model, Differential):
        return
    price = plan.price.epsilon if isinstance(plan.price, Pure) else plan.price.rho
    found = spends(plan)
    if found > price:
        raise RuntimeError(
            f"the noise planned for this {plan.question.statistic} spends {float(found):g}, more than its price, "
            f"{plan.price}. This is a mistake of the library; nothing was paid or released. Please report it."
        )


def spends(plan: Plan) -> Fraction:
    """What a plan spends, in the currency of its price.

    Measurements that a statistic planned together spend what it proves of them.
    """
    assert isinstance(plan.model, Differential)
    each = [
        step.spent(plan.model, plan.public.adjacency, plan.price) for step in cast("Sequence[Spending]", plan.steps)
    ]
    planned = [part for part in plan.question.parts if hasattr(type(part.estimator), "spends")]
    if not planned:
        return sum(each, NOTHING)
    groups = {
        at: part.estimator
        for part, at in zip(plan.question.parts, plan.requested, strict=True)
        if is_planned(part.estimator)
    }
    grouped = {at for group in groups for at in group}
    alone = sum((spent for at, spent in enumerate(each) if at not in grouped), NOTHING)
    together = (planned.spends([each[at] for at in group], plan.public) for group, planned in groups.items())
    return alone + sum(together, NOTHING)


@dataclass(frozen=True, eq=False)
class Paid:
    """A question that was charged and not answered yet, and the rows that it shares with others."""

    plan: Plan
    subject: Subject
    facts: Mapping[str, Any]  # what the ledger says of it
    entry: Entry
    shared: Rows | None  # None where rows are in memory, and there is nothing to share

    def is_for(self, plan: Plan, subject: Subject, facts: Mapping[str, Any]) -> bool:
        mine, theirs = self.subject.scanned, subject.scanned
        same = mine is theirs or (mine is not None and theirs is not None and mine.is_same(theirs))
        return (
            same
            and measurements_of(self.plan) == measurements_of(plan)
            and (self.facts, self.plan.price) == (facts, plan.price)
        )

    def rows(self, subject: Subject) -> Rows:
        return subject.rows(measurements_of(self.plan)) if self.shared is None else self.shared


def measurements_of(plan: Plan) -> list[Any]:
    return [step.measurement for step in plan.steps]


def taken(plan: Plan, subject: Subject, facts: Mapping[str, Any]) -> Paid | None:
    """What was paid for this very question, once."""
    waiting = _paid.get()
    if not waiting:
        return None
    found = next((each for each in waiting if each.is_for(plan, subject, facts)), None)
    if found is not None:
        waiting.remove(found)
    return found


def read_together(asked: Sequence[tuple[Plan, Subject]]) -> list[Rows | None]:
    """The rows of each question that are read from afar; of those from one source in one pass."""
    found: list[Any] = []
    rows: list[Rows | None] = []
    for plan, subject in asked:
        if subject.scanned is None or subject.scanned.is_at_hand:
            rows.append(None)
            continue
        several = next((each for each in found if each.reads(subject.scanned)), None)
        if several is None:
            several = subject.scanned.together()
            found.append(several)
        rows.append(several.rows(subject.scanned, measurements_of(plan)))
    return rows


@contextmanager
def sharing(paid: list[Paid]) -> Iterator[None]:
    """Questions that are asked inside take what was paid for them."""
    token = _paid.set(paid)
    try:
        yield
    finally:
        _paid.reset(token)


Result = TypeVar("Result")


_quiet = Turn(threading.RLock)  # one question looks at a time

LOST = (
    "the rows could not be read, and the question is paid. The cause is withheld because it could reveal something "
    "about a row; a session opened with custodian=True shows it."
)


def answer(
    plan: Plan,
    open_rows: Callable[[Sequence[Any]], Rows],
    ledger: Ledger,
    facts: Mapping[str, Any],
    may_say_why: bool = False,
) -> Release:
    """Charge the plan's price, then look at the rows. After the charge nothing is refused."""
    check_spending(plan)
    return answered(plan, open_rows, pay(plan, lambda: ledger.charge(plan.price, facts)), facts, may_say_why)


def answered(
    plan: Plan,
    open_rows: Callable[[Sequence[Any]], Rows],
    entry: Entry,
    facts: Mapping[str, Any],
    may_say_why: bool = False,
) -> Release:
    """Look at the rows for a plan that is paid.

    If reading fails all the same, no word of it leaves: which value it was that failed would be one row's.
    """

    def description() -> Release:
        noisy = asked_in_turn(plan, open_rows([step.measurement for step in plan.steps]))
        return conclude(plan, noisy, {**facts, "id": entry.release_id, "entry": entry.number})

    return in_silence(description, entry.release_id, may_say_why)


def in_silence(work: Callable[[], Result], release: str, may_say_why: bool) -> Result:
    """What a look at the rows gives, without a warning, and without a word of what failed."""
    with _quiet.lock, silence(), np.errstate(all="ignore"):
        cause: BaseException | None = None
        interrupted = False
        try:
            return work()
        except KeyboardInterrupt:
            interrupted = True
        except BaseException as error:  # noqa: BLE001 - whatever it is, also an exit that a function asks for
            if may_say_why:
                cause = error
        if interrupted:  # out here, so that neither carries another error, nor words of its own
            raise KeyboardInterrupt
        raise AnswerLost(LOST, release=release) from cause


def pay(plan: Plan, charge: Callable[[], Result]) -> Result:
    """Durable before it returns; a price that does not fit is refused here, with the ledger as it was."""
    try:
        return charge()
    except BudgetExceeded as refusal:
        width = plan.question.request.width
        if width is None and plan.asked == plan.price:
            raise
        asked = plan.asked if width is None else f"width={width:g}"
        raise BudgetExceeded(f"{asked} is paid as {plan.price}: {refusal}", **vars(refusal)) from None


def asked_in_turn(plan: Plan, rows: Rows) -> tuple[Noisy, ...]:
    """Measure and add noise, step by step: a later stage may depend on earlier answers, never on what was seen."""
    earlier: tuple[Noisy, ...] = ()
    for step in plan.steps:
        earlier = (*earlier, add_noise(step, step.measure(rows, earlier), rows))
    return earlier


def add_noise(step: Step, seen: Any, rows: Rows) -> Noisy:
    """The noisy answer, in this one place for all steps."""
    return step.add_noise(seen, rows)


def conclude(plan: Plan, noisy: tuple[Noisy, ...], facts: Mapping[str, Any]) -> Release:
    """What the noisy answers say, in pandas' shape, with the label."""
    question = plan.question
    items = [
        Item(
            part.column,
            part.estimator.statistic,
            part.estimator.kind,
            plan.conclude(place, noisy),
        )
        for place, part in enumerate(question.parts)
    ]
    frame, place = question.layout.after(noisy).frame(items, question.request.confidence)
    said = {
        **facts,
        "confidence": question.request.confidence,
        "bootstrap": None if question.request.bootstrap is None else question.request.bootstrap.to_json(),
        "stages": stages_of(plan, noisy),
        "estimand": next(
            (i.evidence.estimand for i in items if i.evidence.estimand is not None), facts.get("estimand")
        ),
        "measure": next((i.evidence.measure for i in items if i.evidence.measure is not None), None),
        "size": plan.public.size,
        "keys": "found" if question.finds_keys else None,
        "given_shown": question.finds_keys or None,
        **place,
        "zone": question.zone,
        "evidence": [
            {"column": plain(i.column), "type": i.kind, "asked": asked(part.estimator), **i.evidence.to_json()}
            for i, part in zip(items, question.parts, strict=True)
        ],
        "version": VERSION,
        "insecure": not is_secure(),
        "weights": weights(question),
        "remarks": list(question.request.remarks) or None,
    }
    return publish(in_zone(frame, question.zone), Label.saying(said))


def weights(question: Question) -> dict[str, Any] | None:
    """The design of a survey that the statistics follow; margins follow that of their cells."""
    asked_of = [getattr(part.estimator, "inner", part.estimator) for part in question.parts]
    surveys = [getattr(each, "survey", None) for each in asked_of]
    survey = next((each for each in surveys if each is not None and each.columns), None)
    return None if survey is None else survey.described()


def described(plan: Plan, session: str) -> dict[str, Any]:
    """What ledger and label say of a plan: plain JSON, from public facts alone."""
    question, public = plan.question, plan.model.scale_is_public
    cost = plan.asked.to_json()
    if plan.price is not plan.asked:
        cost["rho"] = plan.price.to_json()["rho"]
    return {
        "session": session,
        "statistic": question.statistic,
        "columns": [plain(column) for column in question.columns],
        "by": [plain(column) for column in question.by],
        "model": plan.model.name,
        **cost,
        "mechanism": plan.mechanisms,
        "noise": [runs_of(step.laws) for step in plan.steps] if public else None,
        "note": question.request.note,
        "period": None,
        **({"options": options_of(plan)} if plan.model.options else {}),
    }


def options_of(plan: Plan) -> dict[str, Any]:
    """What changes the promise of a release."""
    statistics = [part.estimator for part in plan.question.parts]
    carried = [each.name for each in plan.model.carried if each.said]
    return {
        **plan.model.to_json(),
        **{name: True for name in carried if any(getattr(each, name, False) for each in statistics)},
    }


def stages_of(plan: Plan, earlier: tuple[Noisy, ...]) -> list[dict[str, Any]] | None:
    """An entry a stage that was made, where some depended on others: after which, the parameter, the laws."""
    if not [step for step in plan.steps if isinstance(step, Stage | Round)]:
        return None
    stages = []
    for step, answer in zip(plan.steps, earlier, strict=True):
        said = step.said(earlier) if isinstance(step, Stage | Round) else {"after": [], "parameter": None}
        if said is not None:
            stages.append({**said, "noise": runs_of(answer.laws)})
    return stages


def runs_of(laws: tuple[Law, ...]) -> list[dict[str, Any]] | None:
    """Laws in whole steps, in runs: a law, and of how many numbers in a row it is the law; a choice has none."""
    return [{"law": law.to_json(), "numbers": len(list(run))} for law, run in groupby(laws)] or None


def asked(estimator: Estimator) -> str:
    """The same for the same statistic, bounds and cells: what two releases of the same numbers share.

    It is stored, so it follows from what was declared, and from nothing that is called differently some day.
    """
    return fingerprint(estimator.to_json())


def plain(label: Any) -> Any:
    """A column label as JSON."""
    finite = not isinstance(label, float) or isfinite(label)
    return label if finite and (label is None or isinstance(label, str | int | float | bool)) else str(label)
