"""Questions that share one pass over the rows: planned, all paid, then read together; each is a release of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..backends import Rows, Several
from ..dataclass import dataclass
from ..ledger import Entry
from .plan import Plan
from .subject import Subject

_paid: ContextVar[list[Paid] | None] = ContextVar("pandas_dp_sharing", default=None)


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
        if mine is not None and theirs is not None:
            same = mine.starts(theirs) and theirs.starts(mine)
        else:
            same = mine is theirs
        return (
            same and tallies_of(self.plan) == tallies_of(plan) and (self.facts, self.plan.price) == (facts, plan.price)
        )

    def rows(self, subject: Subject) -> Rows:
        return subject.rows(tallies_of(self.plan)) if self.shared is None else self.shared


def tallies_of(plan: Plan) -> list[Any]:
    return [step.tally for step in plan.steps]


def taken(plan: Plan, subject: Subject, facts: Mapping[str, Any]) -> Paid | None:
    """What was paid for this very question, once."""
    waiting = _paid.get() or []
    found = next((each for each in waiting if each.is_for(plan, subject, facts)), None)
    if found is not None:
        waiting.remove(found)
    return found


def read_together(asked: Sequence[tuple[Plan, Subject]]) -> list[Rows | None]:
    """The rows of each question that was scanned; of those from one source in one pass."""
    found: list[Several] = []
    rows: list[Rows | None] = []
    for plan, subject in asked:
        if subject.scanned is None:
            rows.append(None)
            continue
        source = subject.scanned.source
        several = next((each for each in found if each.source is source), None)
        if several is None:
            several = Several(source)
            found.append(several)
        rows.append(several.rows(subject.scanned, tallies_of(plan)))
    return rows


@contextmanager
def sharing(paid: list[Paid]) -> Iterator[None]:
    """Questions that are asked inside take what was paid for them."""
    token = _paid.set(paid)
    try:
        yield
    finally:
        _paid.reset(token)
