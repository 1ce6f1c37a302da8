"""What stands under a word: what a subject registers at home is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


@cache
def named(word: str) -> Callable[..., Any]:
    """The class or function of a word such as "people.fold:PeopleInCells".

    Examples
    --------
    >>> named("core.engine.totals:SumsOf").__name__
    'SumsOf'
    """
    module, _, path = word.partition(":")
    found: Any = import_module(f"{__name__.partition('.')[0]}.{module}")
    for name in path.split("."):
        found = getattr(found, name)
    made: Callable[..., Any] = found
    return made
