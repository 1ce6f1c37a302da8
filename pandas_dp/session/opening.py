"""What a session is opened with, read and checked once."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

from ..cost import Cost, Pure, exact
from ..dataclass import dataclass
from ..domain import Domain
from ..errors import BadCost, UnsupportedArgument, shown, wrong_value
from ..neighbours import Relation
from ..promises import promise_named
from ..reading import a_flag, one_of


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
    ) -> Self:
        cap, relation, identity = read_cap(cap), read_relation(neighbours), secrets.token_hex(8)
        currency = cap.concentrated() if cap.at_infinity is None else Pure(cap.at_infinity)
        promised, column = read_models(models, relation), read_unit(unit)
        check_promised_of_people(promised, column)
        return cls(
            cap,
            relation,
            promised,
            currency.part(read_share(per_query)),
            Domain.read(schema, column),
            schema,
            column,
            read_consent(custodian),
            read_name(name, identity),
            identity,
        )

    def again(self) -> Self:
        """The same for another desk: by the id a table is known for one desk's own."""
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
