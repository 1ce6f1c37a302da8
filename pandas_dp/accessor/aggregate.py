"""What `agg` was asked for: which statistic of which column."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ..errors import UnsupportedArgument, type_of

IN_AGG = ("categories",)  # of statistics that sort rows by them


def pairs_of(func: Any, columns: Sequence[Hashable]) -> list[tuple[Hashable, str]]:
    """Column and statistic of everything that an `agg` asks for."""
    wanted = func if isinstance(func, Mapping) else dict.fromkeys(columns, func)
    return [(column, name) for column, given in wanted.items() for name in names_of(given)]


def names_of(given: Any) -> list[str]:
    """The statistics that an `agg` names, each once."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        odd = next((name for name in names if not isinstance(name, str)), given) if isinstance(names, list) else given
        raise UnsupportedArgument(f"agg takes names of statistics, e.g. ['mean', 'count'], not {type_of(odd)}.")
    if not names:
        raise UnsupportedArgument("agg was given no statistic; name one or more, e.g. ['mean', 'count'].")
    if len(set(names)) < len(names):
        raise UnsupportedArgument("agg was given a statistic twice; name each once.")
    return list(names)
