"""What was asked, as a value: every keyword has been read, nothing has been looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import Any

from ...dataclass import dataclass
from ...numeric.bootstrap.evidence import Bootstrap
from ..budget.cost import Cost
from ..label.layout import Layout
from ..measure.cells import Variable
from ..measure.statistic import Estimator
from ..noise.mechanisms import Named
from ..schema.states import States


@dataclass(frozen=True)
class Request:
    """How the answer is to be paid for, and how sure its intervals should be."""

    cost: Cost | None = None  # None: the session's share per query
    width: float | None = None  # in place of a cost: the noise's interval is to be this wide
    model: str = "dp"
    mechanism: Named = "auto"
    confidence: float = 0.95
    bootstrap: Bootstrap | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)  # of the promise, where not usual
    note: str | None = None  # what the asker wants to be remembered


@dataclass(frozen=True)
class Asked:
    """One statistic of one column, or of several together.

    `importance` is by how much less its variance is to be than that of another part of the question, about.
    """

    column: Any
    estimator: Estimator
    together: tuple[Any, ...] = ()
    importance: Fraction = Fraction(1)


@dataclass(frozen=True)
class Question:
    """All that one release answers, and the table it fills."""

    statistic: str
    parts: tuple[Asked, ...]
    layout: Layout
    request: Request

    @cached_property
    def columns(self) -> list[Any]:
        named = [part.together if part.column is None else (part.column,) for part in self.parts]
        return list(dict.fromkeys(column for columns in named for column in columns if column is not None))

    @cached_property
    def finds_keys(self) -> bool:
        """Whether its cells are an answer, and not known beforehand."""
        return any(getattr(type(part.estimator), "finds_keys", False) for part in self.parts)

    @cached_property
    def zone(self) -> str | None:
        """The time zone of its points in time, where they have one; UTC where they have several."""
        variables = [
            getattr(part.estimator, "variable", None) for part in self.parts if part.estimator.kind == "datetime"
        ]
        zones = {variable.interval.tz for variable in variables if isinstance(variable, Variable)} - {None}
        return zones.pop() if len(zones) == 1 else "UTC" if zones else None

    @property
    def needed(self) -> list[Any]:
        """Every column that is read."""
        return [*self.columns, *(key.column for part in self.parts for key in part.estimator.cells.keys)]

    @property
    def by(self) -> list[Any]:
        """What sorts rows into cells, declared or found; the states of a column are what is asked of it."""
        if self.finds_keys:
            return self.columns
        keys = self.parts[0].estimator.cells.keys
        return [key.name for key in keys if not isinstance(key.labels, States)]
