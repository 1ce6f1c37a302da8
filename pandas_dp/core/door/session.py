"""`Session.together`: several questions in one pass over the rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

import pandas as pd

from ...errors import BudgetExceeded
from ...views.report.session import Reports
from ..arguments import all_read_by_signature, by_name
from ..budget.cost import Cost, parse, without
from ..budget.ledger import Charges, Ledger
from ..lazy_import import named
from ..plan.run import Paid, check_spending, read_together, sharing
from ..protect import session_lookup
from ..protect.session_lookup import Answering
from ..session import view
from ..session.opening import Opening, kept_in
from ..session.planning import PLAN, Noted, TakesQuestions, is_planning, outlook, supposed_rows
from ..session.session_core import SessionCore
from .tables import ProtectsTables

Question = Callable[[], Any]
TOGETHER = TakesQuestions(
    "together",
    ": session.together(lambda: df.dp.mean(), lambda: df.dp.sum())",
    "lambda: df.dp.mean()",
)


@all_read_by_signature
class Together:
    """A session whose questions may share a pass."""

    _core: SessionCore

    def together(self, *questions: Question) -> list[Any]:
        """The answers of several questions, for which the rows of a scanned table are read once.

        Each is a release of its own, at its own price. All are planned first, and refused together if one is, or if
        they do not all fit; then all are paid at once, and the rows are read. A question must not depend on the answer
        of another one, and is called twice, the first time to plan it.

        Parameters
        ----------
        *questions : callables without arguments
            Each asks `.dp` of a table or column of this session.

        Examples
        --------
        >>> import pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 2.0, 3.0, 6.0] * 250})))
        >>> mean, total = session.together(
        ...     lambda: farms["size"].dp.mean(bounds=(0, 10), epsilon=1e6),
        ...     lambda: farms["size"].dp.sum(bounds=(0, 10), epsilon=1e6),
        ... )
        >>> mean["mean"].round(2).item(), total["sum"].round(1).item(), len(session.ledger)
        (3.0, 3000.0, 2)
        """
        TOGETHER.check(questions)
        self._core.check_open()
        if is_planning():
            return [question() for question in questions]
        with paid_at_once(self._core, TOGETHER.noted(self._core, questions)):
            return [question() for question in questions]


@contextmanager
def paid_at_once(core: Answering, noted: Sequence[Noted]) -> Iterator[None]:
    """All of these planned questions are charged, or none; when they are asked inside, they are paid."""
    core.check_open()
    asked = [(each.plan, each.subject) for each in noted]
    plans = [plan for plan, _ in asked]
    for plan in plans:
        check_spending(plan)
    facts = [core.facts(*each) for each in asked]
    try:
        entries = core.ledger.charge_all([(plan.price, said) for plan, said in zip(plans, facts, strict=True)])
    except BudgetExceeded:
        they = "this question does not fit" if len(plans) == 1 else f"these {len(plans)} questions do not fit together"
        raise BudgetExceeded(
            f"{they} into what is left, {core.ledger.left()} for one; nothing was spent. session.plan shows what each "
            "costs."
        ) from None
    core.asked = True
    rows = read_together(asked)
    each = zip(plans, [subject for _, subject in asked], facts, entries, rows, strict=True)
    paid = [Paid(*fields) for fields in each]
    with sharing(paid):
        yield


@all_read_by_signature
class Session(ProtectsTables, Together, Reports):
    """A privacy budget for one population, and the questions it pays for.

    It promises that everything released through it, whatever was asked after seeing earlier answers, together keeps the
    cap: between any two tables that are neighbours, the distribution of all releases is as close as the cap says. One
    ledger serves one population; two sessions on the same data are two budgets.

    Parameters
    ----------
    epsilon, delta, rho
        The cap: epsilon (pure), epsilon with delta, rho (zero-concentrated), or rho with delta, which also pays for
        keys that nobody declared.
    schema : pandera DataFrameSchema or DataFrameModel, or a list of them, optional
        Declares bounds and categories; a list those of several tables. Validation is never run on the data unless
        `protect(validate=True)` asks for it.
    neighbours : "replace" or "add_remove"
        One row's values change and the number of rows is public, or one row comes or goes and it is private. Under
        `unit=`, the same of all rows of one person; there no number of rows is public.
    unit : str, optional
        The column that says whose a row is, in every table of the session. What is hidden is then one person with all
        rows in all tables; without it each row is taken for a person.
    models : sequence of str
        The promises that questions may use: "dp", always, and the weaker "idp" (individual) and "bdp" (bootstrap).
    per_query : float
        The share of the cap that a question spends when it names no cost; where an epsilon alone does not buy it, also
        of the delta.
    aside : float
        Of the delta of an epsilon cap, the share that is kept for releases with a delta of their own, such as keys that
        nobody declared.
    ledger : path, optional
        A file that keeps the budget across crashes and processes; in memory without one.
    period : str, optional
        The cap is each period's, in one ledger: a year "2026", a quarter "2026Q4", a month "2026-11", a week "2026-W47"
        or a day "2026-11-19". All sessions of a ledger have periods of one length.
    overall : number or mapping, optional
        What all periods together may spend: a number where the cap is one, else `{"epsilon": 12, "delta": 1e-5}`.
        Without it, what is released in several periods about the same people adds up without an end.
    custodian : bool
        Consent to `pdp.custodian`: functions that look at the data and protect nothing.
    name : str, optional
        For people; labels carry it.
    follows : list of str, optional
        Installed packages of your own, by the names of their modules: what they do to a protected table is followed as
        what is written in a notebook is. What any other library does is not seen row by row.

    Examples
    --------
    >>> import pandas as pd, pandera.pandas as pa, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1, schema=pa.DataFrameSchema({"age": pa.Column(int)}))
    >>> people = session.protect(pd.DataFrame({"age": [31, 54, 47]}), complete=["age"])
    >>> people["age"].dp.count()["count"].item()  # public: every row has an age
    3
    >>> session.close()
    """

    @by_name(
        "a session takes its cap and everything else by name, e.g. Session(epsilon=1), Session(epsilon=1, delta=1e-6) "
        "or Session(rho=0.5); help(pandas_dp.Session) lists all names"
    )
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
        aside: float = 0.1,
        ledger: str | os.PathLike[str] | None = None,
        period: str | pd.Period | None = None,
        overall: float | Mapping[str, float] | None = None,
        custodian: bool = False,
        name: str | None = None,
        follows: Sequence[str] = (),
    ) -> None:
        cap = parse(epsilon=epsilon, delta=delta, rho=rho)
        opening = Opening.read(cap, neighbours, models, per_query, schema, unit, custodian, name, follows)
        self._core = SessionCore(opening, kept_in(opening, ledger, aside, period, overall))

    # -- what it was opened with

    @property
    def cap(self) -> Cost:
        """What everything released through it keeps together.

        Examples
        --------
        >>> print(Session(epsilon=3, delta=1e-6).cap)
        epsilon=3, delta=1e-06
        """
        return self._core.opening.cap

    @property
    def models(self) -> tuple[str, ...]:
        """The promises that questions may use.

        Examples
        --------
        >>> Session(epsilon=3, models=["dp", "idp"]).models
        ('dp', 'idp')
        """
        return self._core.opening.models

    @property
    def schema(self) -> Any:
        """The schema, as it was given.

        Examples
        --------
        >>> Session(epsilon=3).schema is None
        True
        """
        return self._core.opening.schema

    @property
    def custodian(self) -> bool:
        """Whether custodian functions may look.

        Examples
        --------
        >>> Session(epsilon=3).custodian
        False
        """
        return self._core.opening.custodian

    @property
    def name(self) -> str:
        """For people; labels carry it.

        Examples
        --------
        >>> Session(epsilon=3, name="census 2026").name
        'census 2026'
        """
        return self._core.opening.name

    @property
    def closed(self) -> bool:
        """Whether it has ended; it can't be opened again, its ledger file can.

        Examples
        --------
        >>> with Session(epsilon=3) as session:
        ...     session.closed
        False
        >>> session.closed
        True
        """
        return self._core.closed

    # -- life

    def __enter__(self) -> Self:
        self._core.check_open()
        session_lookup.enter(self._core)
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
        self._core.check_open()
        session_lookup.activate(self._core)
        return self

    def close(self) -> None:
        """End it: frames that it protects are refused from now on. A ledger file stays, and can be opened again.

        Examples
        --------
        >>> session = Session(epsilon=3)
        >>> session.close()
        >>> session.closed
        True
        """
        self._core.close()

    def __getstate__(self) -> tuple[Opening, Ledger, bool]:
        """It travels as its budget: no table that it protects goes with it. A ledger in memory stays where it is."""
        return self._core.opening, self._core.ledger, self.closed

    def __setstate__(self, state: tuple[Opening, Ledger, bool]) -> None:
        opening, ledger, closed = state
        self._core = SessionCore(opening.again(), ledger)
        self._core.asked = ledger.last() is not None if not closed else True
        self._core.closed = closed

    # -- data

    def derive(self, f: Any, *frames: pd.DataFrame, each: str | None = None, **expressions: str) -> Any:
        """A derived frame whose rows depend on one row each, or under a unit on the rows of one person.

        `derive(frame, z="log1p(cost)")` adds columns by expressions; nothing that can be written there mixes people.
        `derive(f, frame, each="person")` calls f on the rows of each person by themselves. Nothing is released, and
        nothing is paid.

        Parameters
        ----------
        f : callable, or DataFrame
            The frame that expressions are about; or a function of the rows of one person.
        *frames : DataFrame
            The frame of this session whose rows f is given.
        each : "person", optional
            Under a unit. f may give a DataFrame, a dict or Series of single values, or a number; columns and dtypes
            are those that it has on made-up people. Where it fails, a person has no rows, without a word. It must keep
            no state and read nothing else.
        **expressions : str
            New columns, each an expression as in `eval`, of numbers or of conditions; under a unit also of
            `sum_of_person(x)` and the like.

        Raises
        ------
        NotRowwise
            f is to be called with all rows at once.
        NotFollowed
            An expression has something else than row by row operators.

        Examples
        --------
        >>> session = Session(epsilon=1, unit="person")
        >>> visits = session.protect(pd.DataFrame({"person": ["a", "b", "a"], "cost": [20.0, 35.0, 60.0]}))
        >>> session.derive(visits, share="cost / sum_of_person(cost)", dear="cost > 30")["share"].tolist()
        [0.25, 1.0, 0.75]
        """
        self._core.check_open()
        return named("derive.rows_apart:derive")(self._core, f, frames, each, expressions)

    # -- questions

    def plan(self, *questions: Callable[[], Any], size: int | None = None) -> pd.DataFrame:
        """What questions would cost, and how wide the noise would make their intervals, before any is asked.

        Nothing is looked at and nothing is spent: a question's plan follows from public facts, and is the one that its
        answer would follow. (A question that is handed to another thread is asked there, and paid.) `width=` in a
        question shows what that width costs.

        Parameters
        ----------
        *questions : callables without arguments
            Each asks one question or several.
        size : int, optional
            To suppose where the number of rows is private, of a derived frame and each group: means and what is made
            of variances have a half width then, as of values spread evenly over their range. Not to be read off data.

        Returns
        -------
        DataFrame
            A row for each statistic: its cost, the half width of its interval for the rows in the data (of the widest
            where there are many numbers, NaN where public facts do not determine it), and whether all questions up to
            it fit into what is left.

        Examples
        --------
        >>> session = Session(epsilon=1)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> plan = session.plan(lambda: people["sex"].dp.value_counts(categories=["f", "m"], epsilon=0.5))
        >>> plan["half_width"].item(), session.share_used
        (12.0, 0.0)
        """
        PLAN.check(questions)
        self._core.check_open()
        supposed = supposed_rows(size)
        return outlook(PLAN.noted(self._core, questions), self._core.ledger.fits, supposed)

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
        return self._core.ledger.left()

    @property
    def used(self) -> Cost:
        """What is spent of the cap, in the currency of `left`: the two add up to the cap.

        Examples
        --------
        >>> session = Session(epsilon=4)
        >>> people = session.protect(pd.DataFrame({"age": [31, 54]}))
        >>> release = people["age"].dp.sum(epsilon=1, bounds=(0, 100))
        >>> print(session.used, session.left)
        epsilon=1 epsilon=3
        """
        return without(self._core.opening.cap, self.left)

    @property
    def share_used(self) -> float:
        """The share of the cap that is spent, from 0 to 1; of a cap with delta, of what is scarcest.

        Examples
        --------
        >>> session = Session(epsilon=4)
        >>> people = session.protect(pd.DataFrame({"age": [31, 54]}))
        >>> release = people["age"].dp.sum(epsilon=1, bounds=(0, 100))
        >>> session.share_used
        0.25
        """
        return self._core.ledger.used()

    @property
    def promise(self) -> str:
        """What covers everything released so far, in a sentence.

        Examples
        --------
        >>> Session(epsilon=3).promise
        'Nothing has been released; at most epsilon=3 will be: differential privacy when one row is replaced.'
        """
        return view.promise_of(self._core.opening, self._core.ledger, Charges(self._core.ledger.entries()))

    @property
    def ledger(self) -> pd.DataFrame:
        """One row a release, oldest first.

        Examples
        --------
        >>> len(Session(epsilon=3).ledger)
        0
        """
        return view.ledger_table(self._core.ledger.entries())

    def __repr__(self) -> str:
        return view.text(self._core.opening, self.closed, self._core.ledger, self.promise)

    def _repr_html_(self) -> str:
        return view.html(self._core.opening, self.closed, self._core.ledger, self.promise)
