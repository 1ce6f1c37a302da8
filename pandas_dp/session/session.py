"""A budget and what it promises: protects frames, answers questions, shows what is spent."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

import pandas as pd

from ..backends import KnownIds, PandasRows
from ..cost import Approximate, Concentrated, Cost, Pure, parse
from ..domain import Domain
from ..errors import (
    CostNotOffered,
    NotProtected,
    SessionClosed,
    UnknownColumn,
    UnknownMechanism,
    UnknownModel,
    UnsupportedArgument,
    with_article,
)
from ..ledger import Terms, open_ledger
from ..mechanisms import Averaged, perturbation_for
from ..models import Model, model_named
from ..neighbours import Setting
from ..protected import ProtectedFrame, is_whole, mark_frame
from ..release import Release, is_release
from . import active, view
from .corridor import answer, described
from .opening import read_cap, read_consent, read_models, read_name, read_path, read_relation, read_share
from .plan import Plan
from .planning import is_planning, note, outlook, planning
from .private_plan import plan_under
from .protect import id_column, plain_columns
from .question import Question
from .width import cost_of_width

Data = pd.DataFrame | pd.Series


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
        The promises that questions may use.
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
        self.cap = read_cap(parse(epsilon=epsilon, delta=delta, rho=rho))
        self.relation = read_relation(neighbours)
        self.models = read_models(models, self.relation)
        if unit is not None:
            raise UnsupportedArgument(
                "unit= is not part of this version: a person is one row; aggregate to one row a person first.",
                unit=unit,
            )
        self.share = self.cap_in_use.part(read_share(per_query))
        self.domain = Domain.read(schema)
        self.schema = schema
        self.custodian = read_consent(custodian)
        self.id = secrets.token_hex(8)
        self.name = read_name(name, self.id)
        self.closed = False
        self._known: dict[str, KnownIds] = {}
        self._ledger = open_ledger(read_path(ledger), Terms(self.cap, self.relation.value, self.models))

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
        self.closed = True
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
        frame.attrs = {"dp": {"kind": "protected", "session": self.id}}
        return mark_frame(frame)

    @property
    def has_protected(self) -> bool:
        return bool(self._known)

    # -- questions

    def answer(self, data: Data, question: Question) -> Release:
        """Plan, pay, look, blur, tell."""
        self._check_open()
        plan = self.planned(data, question)
        if is_planning():
            return note(plan)  # type: ignore[return-value]  # for whoever is planning, a table that holds nothing
        facts = {
            **described(plan, self.name),
            "neighbours": self.relation.value,
            "unit": None,
            "frame": str(data.index.name) if is_whole(data) else None,
        }
        return answer(plan, lambda: PandasRows(data, self._known_ids(data)), self._ledger, facts)

    def planned(self, data: Data, question: Question) -> Plan:
        """Every refusal of a question that does not depend on what is left; nothing is looked at, nothing spent."""
        self._check_columns(data)
        self._known_ids(data)
        model = model_named(question.request.model)
        if model.name not in self.models:
            promised = ", ".join(map(repr, self.models))
            raise UnknownModel(
                f"this session promises {promised}, not {model.name!r}; open it with "
                f"Session(..., models={[*self.models, model.name]}).",
                model=model.name,
            )
        if question.request.mechanism == Averaged.name:
            self._check_averaged(model)
        setting, whole = self.setting(data), is_whole(data)

        self._check_options(question, model.scale_is_public)
        population = question.request.options.population
        beside = None if population is None else PandasRows(population, None)

        def plan_for(cost: Cost) -> Plan:
            return self._payable(plan_under(model, question, setting, whole, cost, beside))

        if question.request.width is not None and not model.scale_is_public:
            raise UnsupportedArgument(
                f"width= needs noise that public facts tell; under {model.name!r} its scale is private. Give epsilon=.",
                model=model.name,
            )
        if question.request.width is not None:
            if perturbation_for(question.request.mechanism) is not None:
                raise UnsupportedArgument(
                    "width= finds the cost of Laplace and Gaussian noise; give a perturbation epsilon= instead.",
                    argument="width",
                )
            return plan_for(cost_of_width(plan_for, question.request.width, self.cap))
        return plan_for(self._spendable(question.request.cost))

    def setting(self, data: Data) -> Setting:
        """What everyone knows of this frame: what neighbours can do to it, and its size where that is public."""
        whole = is_whole(data)
        size = len(data) if self.relation.size_is_public(whole) else None
        known = self._known_ids(data) if self.relation.size_is_public(whole=True) else None
        return Setting(self.relation.moves(whole), size, known.size if known else size)

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
            A row for each statistic: its cost, the half width of its interval for the rows at hand (NaN where public
            facts do not tell), and whether all questions up to it fit into what is left.

        Examples
        --------
        >>> session = Session(epsilon=1)
        >>> people = session.protect(pd.DataFrame({"sex": ["f", "m"] * 500}))
        >>> plan = session.plan(lambda: people["sex"].dp.value_counts(categories=["f", "m"], epsilon=0.5))
        >>> plan["half_width"].item(), session.used
        (12.0, 0.0)
        """
        if not questions or not all(map(callable, questions)):
            raise UnsupportedArgument("plan takes questions to be asked later: session.plan(lambda: df.dp.mean()).")
        self._check_open()
        with planning() as noted:
            for question in questions:
                question()
        return outlook(noted, self._ledger.fits)

    # -- the budget

    @property
    def cap_in_use(self) -> Cost:
        """The currency of per_query: pure epsilon, or rho."""
        return Pure(self.cap.epsilon) if isinstance(self.cap, Approximate) else self.cap

    @property
    def left(self) -> Cost:
        """The largest charge that still fits, in the cap's own currency (pure epsilon where there is a delta).

        Examples
        --------
        >>> print(Session(epsilon=3).left)
        epsilon=3
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
        return view.promise(self.cap, self.relation, self._ledger.totals())

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

    def _check_columns(self, data: Data) -> None:
        if isinstance(data, pd.DataFrame) and not data.columns.is_unique:
            raise UnsupportedArgument("two columns share a name; rename one.")

    def _check_options(self, question: Question, scale_is_public: bool) -> None:
        options = question.request.options
        extra = next(iter(options.to_json()), None)
        if scale_is_public and extra is not None:
            raise UnsupportedArgument(
                f"{extra}= belongs to model='idp' or 'bdp', whose noise is scaled by the data; leave it out.",
                argument=extra,
            )
        if not scale_is_public and question.request.bootstrap is not None:
            raise UnsupportedArgument(
                "bootstrap= adds the error of sampling to that of the noise, which is private here; ask with "
                "model='dp'.",
                argument="bootstrap",
            )
        self._check_population(question, options.population)
        if isinstance(options.population, pd.DataFrame):
            wanted = [*question.columns, *question.by]
            lacking = next((column for column in wanted if column not in options.population.columns), None)
            if lacking is not None:
                raise UnknownColumn(f"population has no column {lacking!r}, which the question needs.", column=lacking)

    def _check_averaged(self, model: Model) -> None:
        if isinstance(self.cap, Concentrated):
            raise CostNotOffered(
                "this session counts rho, in which Gaussian noise is always smaller than averaged Laplace noise; "
                "leave mechanism= out."
            )
        if not model.scale_is_public:  # whether it is worth its noise would then tell of the scale
            raise UnknownMechanism(f"mechanism {Averaged.name!r} is not offered for model {model.name!r}.")

    def _known_ids(self, data: Data) -> KnownIds | None:
        """None for a whole frame, and for one that no session has protected."""
        if is_whole(data) or not self.has_protected:
            return None
        known = self._known.get(data.index.name) if isinstance(data.index.name, str) else None
        if known is None or isinstance(data.index, pd.MultiIndex):
            raise NotProtected(
                "this table has lost the row ids of the frame it was cut from (a merge, a new index, or several "
                "protected frames together); keep the index that protect gave it."
            )
        return known

    def _check_population(self, question: Question, population: Any) -> None:
        """Further rows are taken to be public: none that a session protects, or that a custodian function made."""
        if population is None:
            return
        if active.owner_of(population) is not None or active.is_for_the_keeper(population):
            raise NotProtected("population= takes public rows; these are protected, or for the custodian's eyes.")
        if isinstance(population, pd.Series) and question.by:
            raise UnsupportedArgument("population= must be a DataFrame where there are keys.", argument="population")
        if isinstance(population, pd.DataFrame) and not population.columns.is_unique:
            raise UnsupportedArgument("two columns of population= share a name; rename one.", argument="population")

    def _payable(self, plan: Plan) -> Plan:
        """The plan, unless its noise has a delta of its own that this session does not count."""
        if plan.price.aside and not isinstance(self.cap, Approximate):
            raise CostNotOffered(
                f"mechanism {plan.mechanisms!r} costs {plan.price}, and this session counts no delta; open it with "
                "epsilon and delta, or use a mechanism that costs none, e.g. 'auto'.",
                price=str(plan.price),
            )
        return plan

    def _spendable(self, cost: Cost | None) -> Cost:
        if cost is None:
            return self.share
        if isinstance(cost, Concentrated) and isinstance(self.cap, Pure):
            raise CostNotOffered(f"this session counts epsilon; {cost} does not fit it. Give epsilon=.", cost=str(cost))
        if isinstance(cost, Approximate) and not isinstance(self.cap, Approximate):
            kind = "epsilon without delta" if isinstance(self.cap, Pure) else "rho"
            raise CostNotOffered(
                f"this session counts {kind}; {cost} does not fit it. "
                "Open it with epsilon and delta, or leave delta out.",
                cost=str(cost),
            )
        return cost

    def _protected_before(self, data: pd.DataFrame) -> ProtectedFrame:
        if isinstance(data, ProtectedFrame) and is_whole(data) and active.owner_of(data) == self.id:
            return data
        raise NotProtected(
            "this table was protected before; ask it as it is. "
            "To protect it in another session, start from the original."
        )

    def _validated(self, data: pd.DataFrame) -> pd.DataFrame:
        if self.schema is None:
            raise UnsupportedArgument("validate=True needs a schema in the session.")
        checked: pd.DataFrame = self.schema.validate(data)
        return checked
