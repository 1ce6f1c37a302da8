"""Questions that are published once: what a name stands for, and how its release is charged, stored and found again.

1. In one transaction of the ledger, what the name stands for is looked up. Where a release is stored, that is the
   answer and nothing is charged; else the price is charged, and the question put down under the name beside it.
2. The rows are looked at, and noise is drawn.
3. In one transaction the release is stored under the name, unless another is.
4. The answer is what is stored, read back.

However a process ends, a draw has a charge of its own, and one that was not stored was never shown.
Proof: docs/proofs/core/filters.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import pandas as pd

from ...errors import BadArgument, UnsupportedArgument, wrong_value
from ..budget.chain import Job
from ..label.release import Release
from ..label.stored import release_of, text_of, text_of_labels
from ..plan.plan import Plan
from ..plan.run import answered, asked, check_spending, pay
from ..protect.session_lookup import Answering, is_protected_now
from ..protect.tables import Subject
from ..schema.values import fingerprint

LONGEST_NAME = 200
NAME: ContextVar[list[str] | None] = ContextVar("pandas_dp_job", default=None)
VARYING = ("session", "frame", "note", "read")  # from run to run


def read_name(name: object) -> str:
    """The name of a job.

    Examples
    --------
    >>> read_name("2026-11/visits")
    '2026-11/visits'
    """
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise wrong_value("name", f"be one line of text, of {LONGEST_NAME} characters at most", name)
    return name


@contextmanager
def under(name: str) -> Iterator[None]:
    """The one question that is asked inside is published under this name."""
    token = NAME.set([name])
    try:
        yield
    finally:
        NAME.reset(token)


def is_published() -> bool:
    """Whether what is asked now is published under a name, by which it is paid for."""
    return NAME.get() is not None


def published(core: Answering, plan: Plan, subject: Subject, names: list[str]) -> Release:
    """What is stored under the name of this question; where nothing is, it is charged, answered and stored."""
    if not names:
        raise UnsupportedArgument(
            "publish stores one answer, and its function asked for another the second time it was called; let it ask "
            "for the same whenever it is called."
        )
    if plan.question.statistic == "synthesize":
        raise UnsupportedArgument(
            "publish stores a table and its label, and rows are drawn from more than these; keep a synthesis by "
            "pdp.publish_tables, or draw its rows once and store them."
        )
    name, facts = names.pop(), core.facts(plan, subject)
    job = Job(name, fingerprint(_question(plan, subject, facts)), _table(subject))
    check_spending(plan)

    def check(found: Job) -> None:
        if found.question != job.question or _is_another_table(core, found.table, job.table):
            raise BadArgument(
                f"another question, price, period or table was published as {name!r}; ask it as it was asked then, or "
                "publish this one under another name.",
                argument="name",
            )

    ledger = core.ledger
    paid = pay(plan, lambda: ledger.charge_once(plan.price, {**facts, "once": name}, job, check))
    core.asked = True
    if not isinstance(paid, Job):
        release = answered(plan, subject.rows, paid, facts, core.opening.custodian)
        paid = ledger.store(replace(job, entry=paid.number, release=text_of(release)))
    assert paid.release is not None
    return release_of(paid.release)


def _question(plan: Plan, subject: Subject, facts: Mapping[str, Any]) -> dict[str, Any]:
    """All that a rerun has to ask alike: what the ledger says, and what else tells the answer."""
    question, layout = plan.question, plan.question.layout
    columns = pd.Index([]) if layout.columns is None else layout.columns
    return {
        **{name: fact for name, fact in facts.items() if name not in VARYING},
        "price": plan.price.to_text(),
        "made": _made(plan, subject),
        "size": plan.public.size,
        "confidence": question.request.confidence,
        "bootstrap": None if question.request.bootstrap is None else question.request.bootstrap.to_json(),
        "asked": [asked(part.estimator) for part in question.parts],
        "importance": [str(part.importance) for part in question.parts],
        "style": layout.style,
        "labels": fingerprint(text_of_labels(pd.DataFrame(index=layout.rows, columns=columns))),
    }


def _made(plan: Plan, subject: Subject) -> str:
    """How the rows were made, word for word; refused where a rerun could not be told from another program."""
    making = subject.making
    absent = getattr(getattr(subject.table, "made", None), "absent", None)
    text = making.made() + (f"\nabsent: {absent}" if absent else "")
    if making.rows not in ("whole", "followed") or making.functions:
        raise UnsupportedArgument(
            "publish knows a question again by the expressions that made its rows, and these were made by a function, "
            "or are not of a protected table; write it as expressions, or ask without publish."
        )
    if "…" in text or (making.read != "nothing" and text != (making.to_json(None)["made"] or "")):
        raise UnsupportedArgument(
            "publish knows a question again by the expressions that made its rows, and these are too long, or have "
            "constants that may be values of rows, as rows were shown before; make columns in fewer steps, or publish "
            "before rows are shown."
        )
    return text


def _table(subject: Subject) -> str | None:
    """By the name of its row ids, which every `protect` draws anew."""
    name = subject.data.index.name
    return name if isinstance(name, str) else None


def _is_another_table(core: Answering, stored: str | None, asked: str | None) -> bool:
    """Whether both are protected in this process; across processes the ledger stands for the population."""
    return stored is not None and stored != asked and (core.protects(stored) or is_protected_now(stored))
