"""What `.dp` offers under one name: each statistic says it of itself, in its own file, and is found there."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Protocol

from ..dataclass import dataclass
from ..domain import Domain
from ..neighbours import Setting
from ..tally import Cells, Key, Presence, Variable
from .estimator import Estimator


class Columns(Protocol):
    """What a statistic may know when it is asked: what is declared of columns, and what everyone knows of the rows."""

    @property
    def domain(self) -> Domain: ...

    @property
    def setting(self) -> Setting: ...

    def variable(self, column: Hashable) -> Variable:
        """A column with a range; refused without."""

    def condition(self, column: Hashable) -> Variable:
        """One of true and false; refused where it was declared to hold anything else."""

    def presence(self, column: Hashable) -> Variable | Presence | None:
        """What tells whether a row has a value here; None where every row has one."""

    def key(self, column: Hashable) -> Key:
        """A column with categories; refused without."""

    def takers_of(self, option: str) -> str | None:
        """The promises that offer it, as a refusal names them; None where this question's promise does."""


@dataclass(frozen=True)
class Statistic:
    """A name, what it makes of a column, and what may be asked of it.

    `make` takes the columns, one of them, the cells and the statistic's own arguments; it refuses what it cannot be
    asked of, before anything is paid. Whether it takes a bootstrap, and in what unit it is, its estimator says.
    """

    name: str
    makes: type
    make: Callable[..., Estimator]
    shows_error: bool = False  # a groupby shows its interval, and its standard error where it has one, beside it
    sorts_by: tuple[str, ...] = ()  # keywords about categories that it takes without keys
    counts_keys: bool = False  # needs no column beside keys

    def of(self, columns: Columns, column: Hashable, cells: Cells, **arguments: Any) -> Estimator:
        return self.make(columns, column, cells, **arguments)


@cache
def offered() -> dict[str, Statistic]:
    """Every statistic that a file of this room declares, by name.

    Examples
    --------
    >>> sorted(offered())[:4]
    ['count', 'iqr', 'max', 'mean']
    """
    found = []
    for module in pkgutil.iter_modules(importlib.import_module(__package__).__path__):
        declared = vars(importlib.import_module(f"{__package__}.{module.name}")).values()
        found += [each for each in declared if isinstance(each, Statistic)]
    return {statistic.name: statistic for statistic in found}


def names_of(capability: type) -> str:
    """The statistics whose estimators have it, as a sentence lists them."""
    *others, last = sorted(name for name, each in offered().items() if issubclass(each.makes, capability))
    return f"{', '.join(others)} and {last}"
