"""What a session refuses of a question or a table; the least cost that buys an interval of a given width."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from os import PathLike
from sys import float_info
from typing import Any

import pandas as pd

from ...errors import (
    BadCost,
    CostNotOffered,
    NotProtected,
    UnknownColumn,
    UnknownMechanism,
    UnknownModel,
    UnsupportedArgument,
    shown,
    type_of,
    with_article,
    wrong_value,
)
from ..arguments import is_name, is_number, whole_number
from ..budget.cost import Approximate, Concentrated, Cost, Pure
from ..label.protected_rows import shows_protected_rows
from ..label.release import is_release
from ..neighbours import Relation
from ..noise.averaged import AveragedLaplace
from ..noise.mechanisms import name_of, perturbation_for
from ..plan.plan import Plan, Question
from ..promise import Promise
from ..promise_registry import promise_named
from ..protect import session_lookup
from ..protect.mark import copies_on_write
from ..protect.tables import Protecting, Subject
from ..schema.schema import Domain
from ..schema.values import called
from .opening import Opening

PlanFor = Callable[[Cost], Plan]
LEAST_WIDTH, MOST_WIDTH = 1e-12, 1e9  # costs beyond which nobody asks


def cost_of_width(plan_for: PlanFor, width: object, cap: Cost) -> Cost:
    """Pure epsilon or rho, whichever the session counts and takes less of its cap, rounded up to three digits."""
    if not is_number(width) or not 0 < width <= float_info.max:  # type: ignore[operator]  # a number by then
        raise wrong_value("width", "be a positive finite number", width)
    requested = float(width)  # type: ignore[arg-type]
    if isinstance(cap, Pure):
        return _least(plan_for, Pure, requested)
    rho = _least(plan_for, Concentrated, requested)
    if isinstance(cap, Concentrated):
        return rho
    assert isinstance(cap, Approximate)
    try:
        pure, room = _least(plan_for, Pure, requested), cap.concentrated().rho
    except CostNotOffered:  # of what takes Gaussian noise alone
        return rho
    taken = min((pure.at_infinity or 0) / cap.epsilon, pure.concentrated().rho / room)
    return pure if taken <= rho.concentrated().rho / room else rho


def _least(plan_for: PlanFor, kind: type[Pure] | type[Concentrated], width: float) -> Pure | Concentrated:
    low, high = math.log(LEAST_WIDTH), math.log(MOST_WIDTH)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _width(plan_for(_cost(kind, middle))) > width else (low, middle)
    return _cost(kind, high)


def _cost(kind: type[Pure] | type[Concentrated], log: float) -> Pure | Concentrated:
    return kind(Fraction(Context(prec=3, rounding=ROUND_CEILING).create_decimal(Decimal(math.exp(log)))))


def _width(plan: Plan) -> float:
    """The widest interval of the plan, for the rows in the data, at the confidence that was asked."""
    halves = plan.half_widths()
    for part, half in zip(plan.question.parts, halves, strict=True):
        if half is None:
            raise UnsupportedArgument(
                f"width= needs a statistic whose noise is known in advance: counts, sums, and means over all rows of a "
                f"whole frame in a column declared complete; this {part.estimator.statistic} is not one. Give "
                f"epsilon= or rho={_plan_of(part.estimator.statistic)}.",
                statistic=part.estimator.statistic,
            )
    return 2 * max(half for half in halves if half is not None)


def _plan_of(statistic: str) -> str:
    """Where widths are told for spreads that one supposes."""
    return "; plan_ols(formula, sd={...}) tells how wide intervals would be" if statistic == "ols" else ""


AS_FRAMES = {
    "dask": ("a Dask table", "df.compute()"),
    "pyspark": ("a Spark table", "df.toPandas(), or scan it where it is, session.scan(spark.table(name))"),
    "numpy": ("a numpy array", "pd.DataFrame(values, columns=[...])"),
}
"""By the package that a table is of: what it is, and how it becomes one of pandas."""
MOST_OF_ONE = 10**6  # rows of one person that any question counts


def not_a_frame(data: Any) -> NotProtected:
    """What is no table of pandas, and how it becomes one."""
    if isinstance(data, pd.Series):
        return NotProtected("protect takes a DataFrame, not a Series; use .to_frame().")
    package = type(data).__module__.partition(".")[0]
    if package == "pandas_dp":
        return NotProtected("a session answers for what it scanned as for what it protected; ask it as it is.")
    if package in AS_FRAMES:
        what, how = AS_FRAMES[package]
    elif isinstance(data, str | PathLike):
        what, how = "the name of a file", "pd.read_csv(path), or pd.read_parquet(path)"
    elif isinstance(data, dict | list | tuple):
        what, how = with_article(type(data).__name__), "pd.DataFrame(data)"
    else:
        return NotProtected(
            "protect takes a DataFrame of pandas, or a table of a library that speaks Arrow, not "
            f"{with_article(type(data).__name__)}."
        )
    return NotProtected(f"protect takes a DataFrame of pandas, not {what}; make one of it, e.g. {how}.")


def check_copy_on_write() -> None:
    """Without it pandas loses what a table is marked by."""
    if not copies_on_write():
        raise NotProtected(
            f"a protected table needs copy-on-write, which pandas {pd.__version__} has switched off; write "
            "pd.options.mode.copy_on_write = True below `import pandas as pd`."
        )


def check_table(data: pd.DataFrame) -> None:
    """A table in memory that cannot be kept as it is, or whose rows are no individuals."""
    check_copy_on_write()
    check_names(data.columns)
    if session_lookup.is_for_the_custodian(data):
        raise NotProtected(
            "this table was computed for the custodian's eyes; its rows are not individuals, so there is nothing to "
            "protect."
        )
    session_lookup.refuse_synthetic(data)
    if is_release(data):
        raise NotProtected("this table is a release; it is public already.")


def check_columns(data: pd.DataFrame | pd.Series) -> None:
    """Two columns of one name cannot be told apart, and of some names pandas selects something else."""
    check_names(data.columns if isinstance(data, pd.DataFrame) else [data.name])
    if isinstance(data, pd.DataFrame) and not data.columns.is_unique:
        raise UnsupportedArgument("two columns share a name; rename one.")


def check_names(names: Iterable[object]) -> None:
    """Names by which pandas finds a column: of a function or a list it would select what that gives or names."""
    for name in names:
        if not (isinstance(name, str) and name.isascii()) and not is_name(name):
            raise UnsupportedArgument(
                f"a column is named by {type_of(name)}, by which it cannot be found; name it by a text or a number."
            )


def _is_said(value: object) -> bool:
    """Whether a keyword was given; of None and False everybody may say nothing."""
    return value is not None and value is not False


def check_protecting(how: Protecting, opening: Opening) -> None:
    """How a table cannot be protected in this session."""
    if opening.unit is None:
        of_rows = ("design", "complete")
        of_people = [each.name for each in fields(how) if each.name not in of_rows]
        said = next((name for name in of_people if _is_said(getattr(how, name))), None)
        if said is not None:
            raise UnsupportedArgument(
                f"{said}= is about people with several rows, and in this session a row is a person; open it with "
                "Session(..., unit=...).",
                argument=said,
            )
        return
    if how.roster is not None and opening.relation is not Relation.REPLACE:
        raise UnsupportedArgument(
            "roster=True makes the number of people public, and neighbours='add_remove' hides it; leave one of them "
            "out.",
            argument="roster",
        )
    if how.max_rows is not None:
        whole_number("max_rows", how.max_rows, 1, MOST_OF_ONE)
        if how.one_row:
            raise UnsupportedArgument(
                "max_rows= says how many rows of a person count, and one_row=True that there is one; give one of them.",
                argument="max_rows",
            )


def read_complete(given: Any, columns: Sequence[Hashable], domain: Domain) -> frozenset[Hashable]:
    """Columns of which somebody says that every row has a value, by their names; whether it is so is not looked at."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple | set | frozenset | pd.Index):
        raise UnsupportedArgument(
            f"complete= takes a list of columns that have a value in every row, not {type_of(given)}.",
            argument="complete",
        )
    for name in names:
        if not is_name(name) or name not in columns:
            raise UnknownColumn(f"complete= names a column that the table does not have: {shown(name)}.", column=name)
        if domain.declares(name) and domain.said(name).nullable:
            raise UnsupportedArgument(
                f"complete= says that {called(name)} has a value in every row, and the schema declares nullable=True; "
                "take one of them back.",
                argument="complete",
            )
    return frozenset(names)


def check_people(subject: Subject, roster: str | None) -> None:
    """What cannot be asked of a table of people, or not yet: its ledger's roster must be there."""
    if roster is not None and subject.public.people is None:
        raise NotProtected(
            f"the roster of this session's ledger is {roster!r}, and it is not protected yet; begin with "
            "session.protect(table, roster=...), as when the ledger was made."
        )


def check_promised(name: str, promised: Sequence[str]) -> None:
    """A promise that does not exist, or that this session does not make."""
    promise = promise_named(name)
    if promise.name not in promised:
        raise UnknownModel(
            f"this session promises {', '.join(map(repr, promised))}, not {promise.name!r}; open it with "
            f"Session(..., models={[*promised, promise.name]}).",
            model=promise.name,
        )


def check_options(question: Question, promise: Promise) -> None:
    """What belongs to a public scale alone, and further rows that are none."""
    if not promise.scale_is_public and question.request.bootstrap is not None:
        raise UnsupportedArgument(
            "bootstrap= adds the error of sampling to that of the noise, which is private here; ask with model='dp'.",
            argument="bootstrap",
        )
    if promise.rows is not None:
        _check_further_rows(question, promise.rows)


def _check_further_rows(question: Question, rows: Any) -> None:
    """Further rows are taken to be public: none that a session protects, or that a custodian function made."""
    if shows_protected_rows(rows) or session_lookup.is_for_the_custodian(rows):
        raise NotProtected("further_rows= takes public rows; these are protected, or for the custodian's eyes.")
    if isinstance(rows, pd.Series):
        if question.by:
            raise UnsupportedArgument(
                "further_rows= must be a DataFrame where there are keys.", argument="further_rows"
            )
        return
    if not rows.columns.is_unique:
        raise UnsupportedArgument("two columns of further_rows= share a name; rename one.", argument="further_rows")
    requested = question.needed
    lacking = next((column for column in requested if column not in rows.columns), None)
    if lacking is not None:
        raise UnknownColumn(f"further_rows has no column {lacking!r}, which the question needs.", column=lacking)


def check_averaged(question: Question, model: Promise, cap: Cost) -> None:
    """Averaged noise, where it is never worth it or would reveal something about the scale."""
    if name_of(question.request.mechanism) != AveragedLaplace.name:
        return
    if isinstance(cap, Concentrated):
        raise CostNotOffered(
            "this session counts rho, in which Gaussian noise is always smaller than averaged Laplace noise; "
            "leave mechanism= out."
        )
    if not model.scale_is_public:
        raise UnknownMechanism(f"mechanism {AveragedLaplace.name!r} is not offered for model {model.name!r}.")


def check_width(question: Question, scale_is_public: bool) -> None:
    """A width buys noise of a public scale that some cost gives."""
    if not scale_is_public:
        model = question.request.model
        raise UnsupportedArgument(
            f"width= needs noise that is known in advance; under {model!r} its scale is private. Give epsilon=.",
            model=model,
        )
    if perturbation_for(question.request.mechanism) is not None:
        raise UnsupportedArgument(
            "width= finds the cost of Laplace and Gaussian noise; give a perturbation epsilon= instead.",
            argument="width",
        )


def check_currency(question: Question, cost: Cost, cap: Cost) -> None:
    """A cost that the cap does not count, or a leak of a question that has none."""
    if isinstance(cost, Concentrated) and isinstance(cap, Pure):
        raise CostNotOffered(f"this session counts epsilon; {cost} does not fit it. Give epsilon=.", cost=str(cost))
    if isinstance(cost, Concentrated) and cost.delta and not question.finds_keys:
        raise CostNotOffered(
            f"delta= beside rho= is for keys that nobody declared; this {question.statistic} needs none, so leave it "
            "out.",
            cost=str(cost),
        )
    if cost.aside and not cap.aside:
        kind = "epsilon without delta" if isinstance(cap, Pure) else "rho without delta"
        raise CostNotOffered(
            f"this session counts {kind}; {cost} does not fit it. Open it with a delta, or leave delta out.",
            cost=str(cost),
        )


LEAST, MOST = Fraction(1, 10**15), Fraction(10**30)  # epsilon of a question, or the root of its rho


def check_size(plan: Plan) -> Plan:
    """Refused where its noise, or the inverse of it, is so far from 1 that floats lose its fourth power."""
    epsilon, rho = getattr(plan.asked, "epsilon", None), getattr(plan.asked, "rho", None)
    span = (epsilon, LEAST, MOST, "epsilon") if rho is None else (rho, LEAST**2, MOST**2, "rho")
    if span[0] and not span[1] <= span[0] <= span[2]:  # what everybody knows costs 0
        raise BadCost(
            f"one question costs between {span[3]}={float(span[1]):g} and {float(span[2]):g}, where its noise and the "
            f"errors of its numbers are told as floats; {plan.asked} was asked."
        )
    return plan


def payable(plan: Plan, cap: Cost) -> Plan:
    """The plan, unless its noise has a delta of its own that this cap does not count."""
    if plan.price.aside and not cap.aside:
        raise CostNotOffered(
            f"mechanism {plan.mechanisms!r} costs {plan.price}, and this session counts no delta; open it with "
            "a delta, or use a mechanism that costs none, e.g. 'auto'.",
            price=str(plan.price),
        )
    return plan
