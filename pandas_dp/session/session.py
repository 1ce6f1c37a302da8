"""A budget and what it promises: protects frames, answers questions, shows what is spent."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

import pandas as pd

from ..backends import KnownIds, PandasRows
from ..cost import Cost, parse
from ..domain import Domain
from ..errors import NotProtected, SessionClosed, UnsupportedArgument, with_article
from ..ledger import Terms, open_ledger
from ..neighbours import Relation
from ..promises import promise_named
from ..protected import Origin, ProtectedFrame, copies_on_write, is_whole, mark_frame
from ..release import Release, is_release
from . import active, refusals, view
from .corridor import answer, described
from .opening import Opening, read_path
from .plan import Plan
from .planning import is_planning, note, outlook, planning
from .promised import plan_under
from .protect import id_column, plain_columns
from .question import Question
from .subject import Data, Subject
from .width import cost_of_width


class Session:
    """A privacy budget for one population, and the questions it pays for.

    It promises that everything released through it, whatever was asked after seeing earlier answers, together keeps the
    cap: between any two tables that are neighbours, the distribution of all releases is as close as the cap says. One
    ledger serves one population; two sessions on the same data are two budgets.

    Parameters
    ----------
    epsilon, delta, rho
        The cap: epsilon (pure), epsilon with delta, or rho (zero-concentrated).
    schema : pandera DataFrameSchema or DataFrameModel, optional
        Declares bounds and categories. Validation is never run on the data unless `protect(validate=True)` asks for it.
    neighbours : "replace" or "add_remove"
        One row's values change and the number of rows is public, or one row comes or goes and it is private.
    models : sequence of str
        The promises that questions may use: "dp", always, and the weaker "idp" (individual) and "bdp" (bootstrap).
    per_query : float
        The share of the cap that a question spends when it names no cost.
    ledger : path, optional
        A file that keeps the budget across crashes and processes; in memory without one.
    custodian : bool
        Consent to `pdp.custodian`: functions for the data's keeper that look at the data and protect nothing.
    name : str, optional
        For people; labels carry it.

    Examples
    --------
    >>> import pandas as pd, pandera.pandas as pa, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1, schema=pa.DataFrameSchema({"age": pa.Column(int)}))
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47]}))
    >>> people["age"].dp.count()["count"].item()  # public: declared without gaps
    3
    >>> session.close()
    """

    def __init__(
        self,
        *,
        epsilon: float | None = None,
        delta: float = 0,
        rho: float | None = None,
        schema: Any = None,
        neighbours: str = "replace",
        models: Sequence[str] = ("dp",),
        unit: str | None = None,
        per_query: float = 0.1,
        ledger: str | os.PathLike[str] | None = None,
        custodian: bool = False,
        name: str | None = None,
    ) -> None:
        if unit is not None:
            raise UnsupportedArgument(
                "unit= is not part of this version: a person is one row; aggregate to one row a person first.",
                unit=unit,
            )
        self._opening = Opening.read(
            parse(epsilon=epsilon, delta=delta, rho=rho), neighbours, models, per_query, schema, custodian, name
        )
        self._closed = False
        self._known: dict[str, KnownIds] = {}
        self._ledger = open_ledger(read_path(ledger), Terms(self.cap, self.relation.value, self.models))

    # -- what it was opened with

    @property
    def cap(self) -> Cost:
        """What everything released through it keeps together."""
        return self._opening.cap

    @property
    def relation(self) -> Relation:
        """Which tables are neighbours."""
        return self._opening.relation

    @property
    def models(self) -> tuple[str, ...]:
        """The promises that questions may use."""
        return self._opening.models

    @property
    def schema(self) -> Any:
        """As it was given."""
        return self._opening.schema

    @property
    def domain(self) -> Domain:
        """What the schema declares of columns."""
        return self._opening.domain

    @property
    def custodian(self) -> bool:
        """Whether custodian functions may look."""
        return self._opening.custodian

    @property
    def name(self) -> str:
        """For people; labels carry it."""
        return self._opening.name

    @property
    def id(self) -> str:
        """What the frames that it protects are marked with."""
        return self._opening.id

    @property
    def closed(self) -> bool:
        """Whether it has ended; it can't be opened again, its ledger file can."""
        return self._closed

    # -- life

    def __enter__(self) -> Self:
        self._check_open()
        active.enter(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def activate(self) -> Self:
        """Answer for frames that carry no label, until another session is activated: for notebooks.

        Examples
        --------
        >>> session = Session(rho=0.5).activate()
        >>> session.close()
        """
        self._check_open()
        active.activate(self)
        return self

    def close(self) -> None:
        """End it: frames that it protects are refused from now on. A ledger file stays, and can be opened again."""
        self._closed = True
        active.leave(self)
        self._ledger.close()

    # -- data

    def protect(self, data: pd.DataFrame, *, validate: bool = False) -> ProtectedFrame:
        """The frame as the session answers for it: marked, its index replaced by row ids, a named index made columns.

        Parameters
        ----------
        data : DataFrame
            One row a person.
        validate : bool
            Run the schema's own checks first. Their messages quote values and whether they pass is not private: for the
            custodian's eyes.

        Examples
        --------
        >>> with Session(epsilon=1) as session:
        ...     people = session.protect(pd.DataFrame({"age": [31, 54]}))
        ...     list(people.columns)
        ['age']
        """
        self._check_open()
        if not copies_on_write():
            raise NotProtected(
                f"a protected table needs copy-on-write, which pandas {pd.__version__} has switched off; write "
                "pd.options.mode.copy_on_write = True below `import pandas as pd`."
            )
        if not isinstance(data, pd.DataFrame):
            hint = "; use .to_frame()" if isinstance(data, pd.Series) else ""
            raise NotProtected(f"protect takes a DataFrame, not {with_article(type(data).__name__)}{hint}.")
        if active.is_for_the_keeper(data):
            raise NotProtected("this table was computed for the custodian's eyes; its rows are no people to protect.")
        if is_release(data):
            raise NotProtected("this table is a release; it is public already.")
        if active.owner_of(data) is not None:
            return self._protected_before(data)
        columns = plain_columns(data)
        if validate:
            columns = self._validated(columns)
        known, ids = id_column(len(columns), self.relation)
        name = active.new_row_name(self)
        self._known[name] = known
        active.register(self)
        frame = columns.set_axis(ids.rename(name))
        frame.attrs = {"dp": {"kind": "protected", "owner": self.id}}
        return mark_frame(frame, Origin(self.id, name))

    @property
    def has_protected(self) -> bool:
        return bool(self._known)

    def protects(self, frame: str) -> bool:
        """Whether it protected the frame whose row ids have this name, as labels give it."""
        return frame in self._known

    # -- questions

    def answer(self, subject: Subject, question: Question) -> Release:
        """Plan, pay, look, blur, tell."""
        self._check_open()
        plan = self.planned(subject, question)
        if is_planning():
            return note(plan, self, subject)  # type: ignore[return-value]  # a table that holds nothing
        return self.carry_out(plan, subject)

    def carry_out(self, plan: Plan, subject: Subject) -> Release:
        """Pay for a plan that was made of this very subject, look, blur, tell."""
        self._check_open()
        promise = {
            "neighbours": self.relation.value,
            "unit": None,
            "frame": subject.frame,
            "unprotected": subject.unprotected,
        }
        return answer(plan, subject.rows, self._ledger, {**described(plan, self.name), **promise}, self.custodian)

    def planned(self, subject: Subject, question: Question) -> Plan:
        """Every refusal of a question that does not depend on what is left; nothing is looked at, nothing spent."""
        request = question.request
        refusals.check_promised(request.model, self.models)
        model = promise_named(request.model, request.options)
        refusals.check_averaged(question, model, self.cap)
        refusals.check_options(question, model)
        beside = None if model.rows is None else PandasRows(model.rows, None)

        def plan_for(cost: Cost) -> Plan:
            plan = plan_under(model, question, subject.setting, subject.whole, cost, beside)
            return refusals.payable(plan, self.cap)

        if question.request.width is not None:
            refusals.check_width(question, model.scale_is_public)
            return plan_for(cost_of_width(plan_for, question.request.width, self.cap))
        return plan_for(self._spendable(question.request.cost))

    def subject(self, data: Data) -> Subject:
        """What it knows of a frame or a column that it answers for, as it stands now."""
        refusals.check_columns(data)
        return Subject.of(self, data)

    def plan(self, *questions: Callable[[], Any]) -> pd.DataFrame:
        """What questions would cost, and how wide the noise would make their intervals, before any is asked.

        Nothing is looked at and nothing is spent: a question's plan follows from public facts, and is the one that its
        answer would follow. (A question that is handed to another thread is asked there, and paid.) `width=` in a
        question shows what that width costs.

        Parameters
        ----------
        *questions : callables without arguments
            Each asks one question or several.

        Returns
        -------
        DataFrame
            A row for each statistic: its cost, the half width of its interval for the rows at hand (of the widest
            where there are many numbers, NaN where public facts do not tell), and whether all questions up to it fit
            into what is left.

        Examples
        --------
        >>> session = Session(epsilon=1)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> plan = session.plan(lambda: people["sex"].dp.value_counts(categories=["f", "m"], epsilon=0.5))
        >>> plan["half_width"].item(), session.used
        (12.0, 0.0)
        """
        if any(isinstance(question, Release) for question in questions):
            raise UnsupportedArgument(
                "plan was given an answer: that question was asked already, and paid for. Put lambda: before the next."
            )
        if not questions or not all(map(callable, questions)):
            raise UnsupportedArgument("plan takes questions to be asked later: session.plan(lambda: df.dp.mean()).")
        self._check_open()
        with planning(self.id) as noted:
            for question in questions:
                before = len(noted)
                question()
                if len(noted) == before:
                    raise UnsupportedArgument(
                        "plan was given a function that asks nothing of .dp; write session.plan(lambda: df.dp.mean())."
                    )
        return outlook([each.plan for each in noted], self._ledger.fits)

    def fits(self, plans: Sequence[Plan]) -> bool:
        """Whether all of these would be granted, one after another; nothing is spent."""
        return self._ledger.fits([plan.price for plan in plans])

    # -- the budget

    @property
    def left(self) -> Cost:
        """The largest charge that still fits, in the cap's own currency (pure epsilon where there is a delta).

        Examples
        --------
        >>> print(Session(epsilon=3).left)
        epsilon=3

        It can be asked for as it is: `epsilon=session.left`, or `rho=session.left` under a rho cap.
        """
        return self._ledger.left()

    @property
    def used(self) -> float:
        """The share of the cap that is spent, from 0 to 1."""
        return self._ledger.used()

    @property
    def promise(self) -> str:
        """What covers everything released so far, in a sentence.

        Examples
        --------
        >>> Session(epsilon=3).promise
        'Nothing has been released; at most epsilon=3 will be: differential privacy when one row is replaced.'
        """
        unprotected = sum(bool(entry.facts.get("unprotected")) for entry in self._ledger.entries())
        return view.promise(self.cap, self.relation, self._ledger.totals(), unprotected)

    @property
    def ledger(self) -> pd.DataFrame:
        """One row a release, oldest first.

        Examples
        --------
        >>> len(Session(epsilon=3).ledger)
        0
        """
        return view.ledger_table(self._ledger.entries())

    def __repr__(self) -> str:
        return view.text(self)

    def _repr_html_(self) -> str:
        return view.html(self)

    # -- refusals

    def _check_open(self) -> None:
        if self.closed:
            raise SessionClosed("this session is closed; " + active.HOW)

    def known_ids(self, data: Data) -> KnownIds | None:
        """Of the frame that a derived one was cut from; None where this session has protected none."""
        if not self.has_protected:
            return None
        known = self._known.get(data.index.name) if isinstance(data.index.name, str) else None
        if known is None or isinstance(data.index, pd.MultiIndex):
            raise NotProtected(
                "this table has lost the row ids of the frame it was cut from (a merge, a new index, or several "
                "protected frames together); keep the index that protect gave it."
            )
        return known

    def _spendable(self, cost: Cost | None) -> Cost:
        if cost is None:
            return self._opening.share
        refusals.check_currency(cost, self.cap)
        return cost

    def _protected_before(self, data: pd.DataFrame) -> ProtectedFrame:
        if isinstance(data, ProtectedFrame) and is_whole(data) and active.owner_of(data) == self.id:
            return data
        raise NotProtected(
            "this table was protected before; ask it as it is. "
            "To protect it in another session, start from the original."
        )

    def _validated(self, data: pd.DataFrame) -> pd.DataFrame:
        if self._opening.schema is None:
            raise UnsupportedArgument("validate=True needs a schema in the session.")
        checked: pd.DataFrame = self._opening.schema.validate(data)
        return checked
