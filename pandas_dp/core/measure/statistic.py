"""What `.dp` offers under one name: each statistic says it of itself, in its own file, and is found there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, runtime_checkable

from ...errors import UnsupportedArgument
from ..evidence.evidence import Evidence
from ..lazy_import import modules_of
from ..neighbours import PublicFacts
from ..schema.schema import Domain
from ..schema.values import ByFields, Kind
from .cells import Cells, Key, Presence, Variable
from .measurement import Form, Measurement, Noisy

NOT_OFFERED = {
    "weaker promises": ("model", "{0} is offered with model='dp' only, which keeps the weaker promises too."),
    "weights": ("weights", "{0} is not weighted; weights=None asks about the rows as they are."),
    "a weight": ("weights", "{0} takes no weights; weights= is taken by {takers}."),
    "a design": (
        "weights",
        "{0} is not weighted, and this table has a design; weights=None asks about the rows as they are.",
    ),
    "bootstrap": ("bootstrap", "{0} takes no bootstrap=; {takers} do."),
    "bootstrap by moments": ("bootstrap", "{0} takes no bootstrap= by moments, which give {takers} their errors."),
    "bootstrap by moments alone": (
        "bootstrap",
        "{0} takes no bootstrap= by moments, which give {takers} their errors; resample='weights' can, with noise as "
        "wide as the range.",
    ),
    "bootstrap of ranks": (
        "bootstrap",
        "{0} takes no bootstrap=: replicates of ranks would have noise as wide as the range. median and quantile have "
        "intervals without it, and so has each quantile of a cdf; leave it out.",
    ),
    "many rows": (
        None,
        "{0} counts rows, and here a person may have many; ask it of people, e.g. of a table with one row a person.",
    ),
    "rows of people": (
        None,
        "{0} is not offered over rows of people, some of whom have many; ask about people, one row each: people = "
        "table.groupby({unit!r})[...].mean(), then people.dp.{0}(bounds=...).",
    ),
}
"""For each way of asking in which some statistics are not offered: its argument, and what is said of a statistic."""


def not_offered(way: str, statistic: str, **facts: object) -> UnsupportedArgument:
    """The refusal of a statistic that is not offered in this way."""
    argument, sentence = NOT_OFFERED[way]
    return UnsupportedArgument(sentence.format(statistic, **facts), statistic=statistic, argument=argument)


class Estimator(Protocol):
    """A frozen question about one column (or none, or several), asked in each cell.

    An estimator never sees rows. `beside` holds the moments that other questions of the same release ask for; an
    estimator that can be answered from one of them asks for nothing of its own.
    """

    @property
    def statistic(self) -> str: ...

    @property
    def cells(self) -> Cells: ...

    @property
    def kind(self) -> Kind:
        """The unit of the answer."""

    def to_json(self) -> dict[str, Any]:
        """All that was asked, as plain JSON for a fingerprint: stored releases are recognised by it for ever.

        Its words stay when classes and fields are renamed, and what is left at its default is not among them.
        """

    def measurements(self, public: PublicFacts, beside: Collection[Any]) -> tuple[Measurement | Form, ...]: ...

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        """The evidence, from the answers to `measurements` in their order."""


class Around(ByFields):
    """An estimator around another one: of the same statistic, in the same cells and unit."""

    inner: Any

    def to_json(self) -> dict[str, Any]:
        """What was asked of the inner one, and what this one says beside."""
        return {**self.inner.to_json(), **super().to_json()}

    @property
    def statistic(self) -> str:
        return str(self.inner.statistic)

    @property
    def cells(self) -> Cells:
        cells: Cells = self.inner.cells
        return cells

    @property
    def kind(self) -> Kind:
        kind: Kind = self.inner.kind
        return kind

    @property
    def variable(self) -> Any:
        """What it measures: a table of a variable has the variable's time zone."""
        return self.inner.variable


@runtime_checkable
class ReweightsAlone(Protocol):
    """An estimator that would divide the noise differently if no other used its measurements."""

    def alone(self, measurement: Measurement) -> Measurement:
        """Sums of the same numbers in the same order, so that it can be computed from either."""


class Columns(Protocol):
    """What a statistic may know when it is asked: what is declared of columns, and what everyone knows of the rows."""

    @property
    def domain(self) -> Domain: ...

    @property
    def public(self) -> PublicFacts: ...

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
    """Every statistic that a subject declares, by name.

    Examples
    --------
    >>> sorted(offered())[:4]
    ['count', 'iqr', 'kurt', 'max']
    """
    declared = (each for module in modules_of("statistic", " = Statistic(") for each in vars(module).values())
    return {each.name: each for each in declared if isinstance(each, Statistic)}


def names_of(capability: type) -> str:
    """The statistics whose estimators have it, as a sentence lists them."""
    *others, last = sorted(name for name, each in offered().items() if issubclass(each.makes, capability))
    return f"{', '.join(others)} and {last}"
