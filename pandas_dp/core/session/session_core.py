"""Where the questions of one session are answered: behind what a user types, before `core/plan/run.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from ...errors import NotProtected, SessionClosed, UnsupportedArgument
from ..budget.cost import Cost
from ..budget.ledger import Ledger
from ..engine.row_ids import KnownRows
from ..engine.rows import PandasRows
from ..label.protected_rows import shows_protected_rows
from ..label.release import Release
from ..lazy_import import named
from ..neighbours import PerPerson
from ..plan import run
from ..plan.plan import Plan, Question
from ..plan.run import answer, answered, described, plan_under, weights
from ..promise import Promise
from ..promise_registry import PUBLIC, promise_named
from ..protect import session_lookup
from ..protect.mark import Origin, is_whole, source_of
from ..protect.session_lookup import RecentReleases
from ..protect.tables import Data, ProtectedTables, Protecting, Subject, plain_columns
from ..schema.schema import Domain
from . import refusals
from .opening import Opening
from .planning import NOTED, note
from .refusals import cost_of_width


class SessionCore:
    """The session's opening, its ledger and the frames that it protects. A frame may be all that keeps it alive."""

    def __init__(self, opening: Opening, ledger: Ledger) -> None:
        self.opening, self.ledger = opening, ledger
        self.closed = False
        self.asked = False  # whether anything was paid for
        self.tables = ProtectedTables(opening.relation, opening.unit)
        self.samples = named("surveys.rows:Samples")()
        self.recent_releases = RecentReleases()

    @property
    def id(self) -> str:
        """What the frames that it protects are marked with."""
        return self.opening.id

    def close(self) -> None:
        self.closed = True
        session_lookup.leave(self)
        self.ledger.close()

    def check_open(self) -> None:
        if self.closed:
            raise SessionClosed("this session is closed; " + session_lookup.HOW)

    # -- frames

    def protect(self, data: Any, validate: bool, how: Protecting) -> Any:
        """The frame, marked; one that it protects already as it is."""
        self.check_open()
        refusals.check_protecting(how, self.opening)
        refusals.check_table(data)
        if shows_protected_rows(data):
            return self._protected_before(data, how)
        public = self.opening.unit is None and self.opening.relation.size_is_public(whole=True)
        if how.design is not None:
            named("surveys.rows:check_design")(how.design, data, len(data) if public else None)
        columns = plain_columns(data)
        columns = self._validated(columns) if validate else columns
        how = replace(how, complete=refusals.read_complete(how.complete, list(columns), self.opening.domain))
        if how.roster is not None:
            self._check_roster()
        frame = self._marked(columns, how)
        self.samples.keep(frame, how.design)
        return frame

    def per_person(self, data: pd.DataFrame, requested: Mapping[str, Any], by: Any, absent: Any) -> Any:
        """A row for each person, of their rows; of everybody where the table or `absent` has all on the roster."""
        self.check_open()
        people = self.tables.people
        if people is None:
            raise UnsupportedArgument(
                "per_person is about people with several rows, and in this session a row is a person; open it with "
                "Session(..., unit=...)."
            )
        subject = Subject.of(self.opening, self.tables, data)
        assert subject.table is not None
        if absent is not None and people.roster is None:
            raise UnsupportedArgument(
                "absent= speaks of people who have no row in this table, and without a roster nobody knows of them; "
                "protect one with roster=True, or leave it out.",
                argument="absent",
            )
        made = named("people.rows:Aggregated.read")(data, requested, by, absent)
        subject.check_followed([made.by, *(each.column for each in made.columns)])
        source = source_of(data)
        if subject.scanned is not None and source is None:
            return subject.scanned.per_person(self, subject, made)
        everyone = absent is not None or (subject.frame is not None and subject.table.has_everyone)
        known, rows = subject.table.known, pd.DataFrame(data._dp_real())  # type: ignore[operator]
        order = known.in_order(rows.index) if isinstance(known, KnownRows) else None
        rows = rows if order is None else rows.iloc[order]
        found = made.of(rows, known.people(rows.index), people.number if everyone else None)
        found.index = people.index[found.index]
        found.attrs = {"dp": {"kind": "protected", "owner": self.id}}
        return named("recording.sources:of_people")(self, subject, data, made, everyone, found)

    @property
    def has_protected(self) -> bool:
        return bool(self.tables)

    def protects(self, frame: str) -> bool:
        """Whether it protected the frame of this name, as labels give it."""
        return frame in self.tables

    def subject(self, data: Data) -> Subject:
        """What it knows of a frame or a column that it answers for, at this moment."""
        refusals.check_columns(data)
        subject = Subject.of(self.opening, self.tables, data)
        if subject.public.unit is not None:
            refusals.check_people(subject, self.ledger.terms.roster)
        return subject

    def over_rows(self, subject: Subject, how: PerPerson) -> Subject:
        """The same subject, asked about all rows of each person."""
        return subject.with_rows(how, self.opening.domain)

    # -- questions

    def answer(self, subject: Subject, question: Question) -> Release:
        """Plan, pay, measure, add noise, conclude."""
        if self.closed:
            self.check_open()
        plan = self.planned(subject, question)
        assert subject.table is None or not subject.has_many_rows, "how much of a person counts is said at the door"
        if NOTED.get() is not None:
            return note(plan, self, subject)  # type: ignore[return-value]  # a table that holds nothing
        return self.carry_out(plan, subject)

    def carry_out(self, plan: Plan, subject: Subject) -> Release:
        """Pay for a plan that was made of this very subject, measure, add noise, conclude."""
        if self.closed:
            self.check_open()
        self.asked = True
        facts, why = self.facts(plan, subject), self.opening.custodian
        paid = run.taken(plan, subject, facts)
        if paid is not None:
            release = answered(plan, lambda _: paid.rows(subject), paid.entry, facts, why)
        else:
            release = answer(plan, subject.rows, self.ledger, facts, why)
        self.recent_releases.keep(release)
        return release

    def facts(self, plan: Plan, subject: Subject) -> dict[str, Any]:
        """What ledger and label say before anything is looked at."""
        return {
            **described(plan, self.opening.name),
            "neighbours": self.opening.relation.value,
            "roster": self.ledger.terms.roster,
            "period": self.ledger.period,
            **subject.to_json(),
            **subject.making.to_json(plan.question.needed if weights(plan.question) is None else None),
            **subject.gaps_among(plan.question.columns),
        }

    def planned(self, subject: Subject, question: Question) -> Plan:
        """Every refusal of a question that does not depend on what is left; nothing is looked at, nothing spent."""
        subject.check_followed(question.needed)
        request, cap = question.request, self.opening.cap
        if request.model not in self.opening.models:
            refusals.check_promised(request.model, self.opening.models)
        model: Promise | None = None if request.options else PUBLIC.get(request.model)
        model = model or promise_named(request.model, request.options)
        if request.mechanism != "auto":
            refusals.check_averaged(question, model, cap)
        beside = None
        if request.options or request.bootstrap is not None:
            refusals.check_options(question, model)
            beside = None if model.rows is None else PandasRows(model.rows, None)

        def plan_for(cost: Cost) -> Plan:
            plan = plan_under(model, question, subject.public, subject.whole, cost, beside)
            if subject.scanned is not None:
                subject.scanned.refuse(plan)
            return refusals.payable(plan, cap)

        if request.width is not None:
            refusals.check_width(question, model.scale_is_public)
            return refusals.check_size(plan_for(cost_of_width(plan_for, request.width, cap)))
        return refusals.check_size(plan_for(self._spendable(question)))

    def fits(self, plans: Sequence[Plan]) -> bool:
        """Whether all of these would be granted, one after another; nothing is spent."""
        return self.ledger.fits([plan.price for plan in plans])

    # -- inside

    def _marked(self, columns: pd.DataFrame, how: Protecting) -> Any:
        name = session_lookup.new_row_name(self)
        self.tables.check(columns, how)
        if how.roster is not None:
            self.ledger.name_roster(how.roster)
        columns, ids = self.tables.protect(columns, how, name)
        session_lookup.register(self)
        frame = columns.set_axis(ids)
        frame.attrs = {"dp": {"kind": "protected", "owner": self.id}}
        unit = None if self.opening.unit is None else str(self.opening.unit)
        origin = Origin(self.id, name, unit, reordered=how.one_row)
        people = self.tables.people
        column = None if people is None else people.column(columns, how.unit)
        return named("recording.sources:protected")(self, frame, origin, column)

    def _check_roster(self) -> None:
        """Before anything is read: there is one roster, and no question came before it."""
        assert self.tables.people is not None
        if self.tables.people.roster is not None:
            raise NotProtected("this session has a roster already; a person is on it or in no table at all.")
        if self.tables.has_scanned:
            raise NotProtected(
                "this session scanned a table whose people are looked up on a "
                "roster that is there before; protect the roster first, in another session."
            )
        if self.asked:
            raise NotProtected(
                "roster=True comes before the first question: what was released counted people who may not be on it. "
                "Open a session anew and protect the roster first."
            )

    def _protected_before(self, data: pd.DataFrame, how: Protecting) -> Any:
        source = source_of(data)
        if source is not None and source.core is self and is_whole(data) and how == Protecting():
            return data
        raise NotProtected(
            "this table, or one that it was cut from, was protected before, and protected again it would show how many "
            "rows a filter left; ask it as it is. To protect it in another session, start from the original."
        )

    def _validated(self, data: pd.DataFrame) -> pd.DataFrame:
        """Checked by the schema; of several, by those whose columns the table has."""
        schema = self.opening.schema
        if schema is None:
            raise UnsupportedArgument("validate=True needs a schema in the session.")
        if not isinstance(schema, list | tuple):
            schemas = [schema]
        else:
            schemas = [each for each in schema if all(name in data.columns for name in Domain.read(each).columns)]
        if not schemas:
            raise UnsupportedArgument(
                "validate=True needs a schema in the session that has columns of this table alone."
            )
        for each in schemas:
            data = each.validate(data)
        return data

    def _spendable(self, question: Question) -> Cost:
        cost = question.request.cost
        if cost is None:
            with_delta = self.opening.share_with_delta
            return with_delta if with_delta and question.needs_delta else self.opening.share
        refusals.check_currency(question, cost, self.opening.cap)
        return cost


def core_for(data: Data) -> SessionCore:
    """The core of the open session that answers for this data."""
    core = session_lookup.core_for(data)
    assert isinstance(core, SessionCore)
    return core
