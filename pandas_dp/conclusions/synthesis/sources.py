"""Which tables of a synthesis come from where, in words."""

from __future__ import annotations

from collections.abc import Iterable

from ...margins import Kept
from .bounds import bounds_of
from .described import Described


def sources_of(of: Described) -> dict[str, str]:
    """The tables that were measured, that everybody knows, and that have a bound; all others are fitted."""
    measured = [kept for kept in of.tables if not of.is_public([of.keys.each[place] for place in kept])]
    named = {
        "measured": _listed([str(of.names[place]) for place in kept] for kept in measured),
        "public": _listed(_columns(of, each.kept) for each in of.public),
        "bounded": _listed(_columns(of, bound.kept) for bound in bounds_of(of)),
    }
    return {**{source: tables for source, tables in named.items() if tables}, "fitted": "all others"}


def _listed(tables: Iterable[list[str]]) -> str:
    return ", ".join(dict.fromkeys(" × ".join(names) or "All" for names in tables))


def _columns(of: Described, places: Kept) -> list[str]:
    """The names of columns of the model."""
    every = [*of.shown, *of.keys.each]
    return [next(str(key.name) for key in every if key.place == place) for place in places]
