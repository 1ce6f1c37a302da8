"""What stands under a word: what a subject registers at home is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


@cache
def named(word: str) -> Callable[..., Any]:
    """The class or function of a word such as "people.fold:PeopleInCells".

    Examples
    --------
    >>> named("core.engine.sweep:SumsOf").__name__
    'SumsOf'
    """
    module, _, path = word.partition(":")
    found: Any = import_module(f"{__name__.partition('.')[0]}.{module}")
    for name in path.split("."):
        found = getattr(found, name)
    made: Callable[..., Any] = found
    return made


@cache
def import_all(package: str) -> None:
    """Every file of a folder: whoever adds one gets what it holds known by its name."""
    for module in iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")


def modules_of(role: str, saying: str = "") -> Iterator[ModuleType]:
    """The files of that role in every subject, e.g. `statistic.py`, `statistic_means.py`, in which these words stand.

    Examples
    --------
    >>> "pandas_dp.survival.statistic" in [module.__name__ for module in modules_of("statistic")]
    True
    """
    house = Path(__file__).parents[1]
    for path in sorted(house.rglob(f"{role}*.py")):
        is_of_role = path.stem.partition("_")[0] == role and path.parents[1] != house / "core"
        if is_of_role and saying in path.read_text("utf-8"):
            yield import_module(".".join((house.name, *path.relative_to(house).with_suffix("").parts)))
