"""What a session is opened with, read and checked once."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import pandas as pd

from ...errors import BadCost, UnsupportedArgument, shown, wrong_value
from ..arguments import a_flag, a_path, one_of
from ..budget.address import Address, is_address
from ..budget.cost import Approximate, Cost, Pure, exact, parse
from ..budget.filters import SET_ASIDE
from ..budget.ledger import Ledger, MemoryLedger
from ..budget.periods import PERIODS, Terms, length_of
from ..neighbours import Relation
from ..promise_registry import promise_named
from ..schema.schema import Domain


@dataclass(frozen=True)
class Opening:
    """The facts of a session that never change while it is open."""

    cap: Cost
    relation: Relation
    models: tuple[str, ...]
    share: Cost  # what a question spends that names no cost
    domain: Domain
    schema: Any
    unit: str | None  # the column that says whose a row is
    custodian: bool
    name: str
    id: str
    share_with_delta: Cost | None = None  # the same of a question that only a delta beside it buys
    follows: tuple[str, ...] = ()  # whose operations on protected tables are the analyst's own

    @classmethod
    def read(
        cls,
        cap: Cost | None,
        neighbours: object,
        models: Sequence[str],
        per_query: object,
        schema: Any,
        unit: object,
        custodian: object,
        name: object,
        follows: object = (),
    ) -> Self:
        cap, relation, identity = read_cap(cap), read_relation(neighbours), secrets.token_hex(8)
        currency = cap.concentrated() if cap.at_infinity is None else Pure(cap.at_infinity)
        promised, column = read_models(models, relation), read_unit(unit)
        check_promised_of_people(promised, column)
        share = read_share(per_query)
        return cls(
            cap,
            relation,
            promised,
            currency.part(share),
            Domain.read(schema, column),
            schema,
            column,
            read_consent(custodian),
            read_name(name, identity),
            identity,
            cap.part(share) if cap.aside else None,
            read_follows(follows),
        )

    def again(self) -> Self:
        """The same for another session: by the id a table is known for one session's own."""
        return replace(self, id=secrets.token_hex(8))


def read_cap(cap: Cost | None) -> Cost:
    if cap is None:
        raise BadCost("a session needs a cap: epsilon=, epsilon= with delta=, or rho=.")
    return cap


def read_relation(neighbours: object) -> Relation:
    return Relation(one_of("neighbours", neighbours, [each.value for each in Relation]))


def read_models(models: Sequence[str], relation: Relation) -> tuple[str, ...]:
    if not isinstance(models, str | list | tuple):
        raise wrong_value("models", "be a list of names, e.g. ['dp']", models)
    names = (models,) if isinstance(models, str) else tuple(models)
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise wrong_value("models", "be names, e.g. ['dp']", odd)
    if "dp" not in names:
        names = ("dp", *names)  # what keeps dp keeps every weaker promise
    found = tuple(dict.fromkeys(promise_named(name).name for name in names))
    other = next((name for name in found if relation not in promise_named(name).relations), None)
    if other is not None:
        spoken = " or ".join(f"neighbours={each.value!r}" for each in promise_named(other).relations)
        raise UnsupportedArgument(
            f"model {other!r} refers to rows that are replaced; open the session with {spoken}, or without {other!r}.",
            model=other,
        )
    return found


def read_unit(unit: object) -> str | None:
    """One column: a row that belongs to two people would count for both of them, or for either."""
    if isinstance(unit, list | tuple):
        raise UnsupportedArgument(
            "unit was given several columns, and a row is of one person; name the column that holds whose a row is.",
            argument="unit",
        )
    if unit is not None and (not isinstance(unit, str) or not unit):
        raise wrong_value("unit", "be the name of a column", unit)
    return unit


def check_promised_of_people(models: Sequence[str], unit: str | None) -> None:
    """The weaker promises speak of the rows of these data."""
    weaker = next((name for name in models if name != "dp"), None)
    if unit is not None and weaker is not None:
        raise UnsupportedArgument(
            f"model {weaker!r} scales its noise to the rows of these data, and unit= hides people; open the session "
            f"without one of them.",
            model=weaker,
        )


def read_consent(custodian: object) -> bool:
    return a_flag("custodian", custodian)


def read_follows(follows: object) -> tuple[str, ...]:
    """Packages whose operations are the analyst's own."""
    if not isinstance(follows, list | tuple) or not all(isinstance(each, str) and each for each in follows):
        raise wrong_value("follows", "be a list of names of packages, e.g. ['our_lib']", follows)
    return tuple(follows)


def read_name(name: object, otherwise: str) -> str:
    if name is not None and not isinstance(name, str):
        raise wrong_value("name", "be a string", name)
    return name or otherwise


def read_roster(roster: object, data: object) -> str | None:
    """The name of the one table that lists everybody: as it is given, or the names of its columns."""
    if isinstance(roster, str) and roster:
        return roster
    if a_flag("roster", roster):
        return ", ".join(sorted(map(str, getattr(data, "columns", ()))))
    return None


def read_share(per_query: object) -> Fraction:
    share = exact(per_query, "per_query")
    if share > 1:
        raise BadCost(f"per_query is a share of the cap, more than 0 and at most 1, not {shown(per_query)}.")
    return share


CALENDAR = ("A-DEC", "Y-DEC", "Q-DEC", "M", "D")  # of pandas, whose names say what they are


def kept_in(opening: Opening, ledger: object, aside: object, period: object, overall: object) -> Ledger:
    """The ledger of a session that is opened so, new or continued."""
    share = read_aside(aside, opening.cap)
    place, (name, length) = read_path(ledger), read_period(period, ledger)
    terms = Terms(
        opening.cap,
        opening.relation.value,
        opening.models,
        opening.unit,
        aside=share,
        period=length,
        overall=read_overall(overall, opening.cap, length),
    )
    return open_ledger(place, terms, name)


def read_aside(aside: object, cap: Cost) -> Fraction:
    """The share of a delta that is kept for prices without a curve."""
    share = exact(aside, "aside")
    if share >= 1:
        raise BadCost(f"aside is a share of delta, more than 0 and less than 1, not {shown(aside)}.")
    if share != SET_ASIDE and not isinstance(cap, Approximate):
        raise UnsupportedArgument(
            "aside= says which part of a delta is kept for releases with a delta of their own; a session with "
            f"the cap {cap} keeps none, so leave it out.",
            argument="aside",
        )
    return share


def read_path(ledger: object) -> str | os.PathLike[str] | None:
    if ledger is not None and not isinstance(ledger, str | os.PathLike):
        raise wrong_value("ledger", "be the path of a file or the address of a database", ledger)
    if ledger == ":memory:":  # as SQLite calls it, and a file here
        raise UnsupportedArgument(
            "ledger=':memory:' would make a file of that name; a session without ledger= keeps its budget in memory, "
            "so leave it out.",
            argument="ledger",
        )
    return ledger if ledger is None or is_address(ledger) else a_path("ledger", ledger)


def read_period(period: object, ledger: object) -> tuple[str | None, str | None]:
    """The name of a period and how long it is, None twice where there is one budget for ever."""
    if period is None:
        return None, None
    name = _spelled(period) if isinstance(period, pd.Period) else period
    length = length_of(name) if isinstance(name, str) else None
    if length is None:
        raise wrong_value("period", f"be spelled as {PERIODS}", period)
    if ledger is None:
        raise UnsupportedArgument(
            "period= names one of several budgets in one ledger, and a session without ledger= has a ledger of its "
            "own; give a file or a database.",
            argument="period",
        )
    return str(name), length


def _spelled(period: pd.Period) -> object:
    """Of a calendar year, quarter, month or day, and of a week from Monday to Sunday; any other as it is."""
    if period.freqstr == "W-SUN":
        return period.start_time.strftime("%G-W%V")
    return str(period) if period.freqstr in CALENDAR else period


def read_overall(overall: object, cap: Cost, period: str | None) -> Cost | None:
    """The cap over all periods, of the kind of each period's own."""
    if overall is None:
        return None
    if period is None:
        raise UnsupportedArgument(
            "overall= caps what all periods spend together, and this session names none; pass period= too, or leave "
            "it out.",
            argument="overall",
        )
    least = {name: value for name, value in cap.to_json().items() if value}
    given = overall if isinstance(overall, Mapping) else {next(iter(least)): overall}
    if set(given) != set(least):
        example = ", ".join(f"{name!r}: {12 * value:g}" for name, value in least.items())
        raise wrong_value("overall", f"say what the cap says, {cap}, e.g. {{{example}}}", overall)
    found = parse(**given)
    assert found is not None
    if any((found.to_json()[name] or 0) < value for name, value in least.items()):
        raise BadCost(f"overall={found} is less than the cap of one period, {cap}.")
    return found


def open_ledger(path: str | os.PathLike[str] | None, terms: Terms, period: str | None = None) -> Ledger:
    """The ledger in this file or database, new or continued; without one, it lives and dies with the process.

    Under terms of periods it is charged in the one of this name.

    Raises
    ------
    LedgerMismatch
        The file was opened under other terms.
    LedgerCorrupt
        The file does not verify: an entry was changed, removed or cut.
    LedgerError
        The file cannot be read or written.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import Pure, parse
    >>> ledger = open_ledger(None, Terms(cap=parse(epsilon=3), neighbours="replace", models=("dp",)))
    >>> ledger.charge(parse(epsilon=0.5), {"statistic": "mean", "model": "dp"}).number
    1
    >>> print(ledger.left())
    epsilon=2.5
    """
    if path is None:
        return MemoryLedger(terms, period)
    if is_address(path):
        from ..budget.postgres import PostgresLedger  # late: so is the driver, which few have

        return PostgresLedger(Address.read(str(path)), terms, period)
    from ..budget.sqlite import SqliteLedger  # late: not everyone needs SQLite

    return SqliteLedger(path, terms, period)
