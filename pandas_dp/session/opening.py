"""What a session is opened with, read and checked once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction

from ..cost import Cost, exact
from ..errors import BadCost, shown, wrong_value
from ..models import model_named
from ..neighbours import Relation


def read_cap(cap: Cost | None) -> Cost:
    if cap is None:
        raise BadCost("a session needs a cap: epsilon=, epsilon= with delta=, or rho=.")
    return cap


def read_relation(neighbours: object) -> Relation:
    try:
        return Relation(neighbours)
    except ValueError:
        raise wrong_value("neighbours", "be 'replace' or 'add_remove'", neighbours) from None


def read_models(models: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(models, str | list | tuple):
        raise wrong_value("models", "be a list of names, e.g. ['dp']", models)
    names = (models,) if isinstance(models, str) else tuple(models)
    odd = next((name for name in names if not isinstance(name, str)), None)
    if odd is not None:
        raise wrong_value("models", "be names, e.g. ['dp']", odd)
    if "dp" not in names:
        names = ("dp", *names)  # what keeps dp keeps every weaker promise
    return tuple(dict.fromkeys(model_named(name).name for name in names))


def read_consent(custodian: object) -> bool:
    if not isinstance(custodian, bool):
        raise wrong_value("custodian", "be True or False", custodian)
    return custodian


def read_name(name: object, otherwise: str) -> str:
    if name is not None and not isinstance(name, str):
        raise wrong_value("name", "be a string", name)
    return name or otherwise


def read_path(ledger: object) -> str | os.PathLike[str] | None:
    if ledger is not None and not isinstance(ledger, str | os.PathLike):
        raise wrong_value("ledger", "be the path of a file", ledger)
    return ledger


def read_share(per_query: object) -> Fraction:
    share = exact(per_query, "per_query")
    if share > 1:
        raise BadCost(f"per_query is a share of the cap, more than 0 and at most 1, not {shown(per_query)}.")
    return share
