"""What a promise with a private scale has to say for the corridor to keep it."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ...cost import Cost
from ...dataclass import dataclass
from ...errors import BadArgument, shown
from ...evidence import Evidence
from ...evidence.unsaid import By
from ...neighbours import Relation, Setting
from ...reading import is_number
from ...statistics import Estimator, Margins, Mean, Quantile, QuantileRange, Spread, Sum
from ...statistics.quantiles import steps_of
from ...tally import Blurred, Norm, Ranks
from ..promise import Option, Promise
from .facts import Column, Facts, Scaled, Stretch
from .finals import Final
from .portions import Portions
from .statistics import told_of

Asked = tuple[Final, Ranks | None]
"""A number to blur; or, with ranks, a value to choose."""


@dataclass(frozen=True)
class Surroundings:
    """Beside the cell's own facts, what a scale depends on."""

    setting: Setting
    strays: int = 0  # rows that are in no cell
    others: Facts | None = None  # of the further rows
    other_strays: int = 0


def read_floor(floor: Any) -> int | None:
    if floor is not None and (not is_number(floor) or floor != 0):
        raise BadArgument(
            f"floor can only be 0, which lets the noise vanish, not {shown(floor)}; leave it out.", argument="floor"
        )
    return None if floor is None else 0


FLOOR = Option("floor", None, read_floor, said="WITHOUT FLOOR: exact where the data leave the answer no room")
NTH = Option("nth", 1)


@dataclass(frozen=True)
class Weaker(Promise):
    """Adds noise to the statistic itself, on a scale that is found by looking at the data."""

    floor: int | None = None
    scale_is_public: ClassVar[bool] = False
    relations: ClassVar[tuple[Relation, ...]] = (Relation.REPLACE,)
    options: ClassVar[tuple[Option, ...]] = (FLOOR,)
    carried: ClassVar[tuple[Option, ...]] = (NTH,)

    @property
    def floored(self) -> bool:
        """Whether no scale falls below what one step of the grid in one row does."""
        return self.floor is None

    @property
    def hidden(self) -> int:
        """How many rows are hidden together: so many at either end of a cell have to be known."""
        return 1

    @abstractmethod
    def check(self, cost: Cost, mechanism: str) -> None:
        """Refuse what this promise cannot do; from the arguments alone."""

    @abstractmethod
    def asks(self, final: Final, setting: Setting, mechanism: str) -> tuple[Asked, ...]:
        """What is asked of the rows for a statistic."""

    @abstractmethod
    def reaches(self, final: Final, facts: Facts, around: Surroundings, norm: Norm) -> Column:
        """For each cell a reach, such that noise of that scale over epsilon in each cell keeps epsilon in all; in norm
        2 its square, for a variance of so much over twice rho."""

    def stretch(self, final: Portions, facts: Facts, around: Surroundings) -> Stretch:
        """Between which codes the rows of each cell lie, also those that may take their place; for promises that ask
        for the number of rows and what they bring together."""
        raise NotImplementedError(type(self).__name__)

    def scaled(self, final: Final, facts: Facts, around: Surroundings, norm: Norm) -> Scaled:
        """The exact numbers and the reaches of the noise on them, none below the floor."""
        if isinstance(final, Portions):
            stretch = self.stretch(final, facts, around)
            return Scaled(final.sums(facts, stretch), final.reaches(stretch, norm), stretch)
        reaches = self.reaches(final, facts, around, norm)
        if self.floored:
            reaches = np.maximum(reaches, final.least(facts) ** norm)
        return Scaled(final.numbers(facts).reshape(-1, 1), reaches.reshape(-1, 1))

    def tell(self, statistic: Estimator, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        """The released value, without a word on the noise; what is public is released as under dp."""
        if not answers:
            return statistic.conclude((), setting)
        told = told_of(statistic, tuple(column for answer in answers for column in answer.table.T), setting)
        step, by = self.least_of(statistic, setting)
        return replace(told, step=step, by=by, within=_ends_of(statistic))

    def least_of(self, statistic: Estimator, setting: Setting) -> tuple[float | None, By | None]:
        """In which steps a float is told, or one row of what size moves it by no more than the noise; from what was
        declared."""
        if isinstance(statistic, Margins):
            return self.least_of(statistic.inner, setting)
        if isinstance(statistic, Quantile | QuantileRange) or (
            self.floored and isinstance(statistic, Sum | Mean | Spread)
        ):
            return steps_of(statistic.variable)
        return None, None


def _ends_of(statistic: Estimator) -> tuple[float, float] | None:
    """To which ends the values of a statistic of numbers are clamped."""
    inner = statistic.inner if isinstance(statistic, Margins) else statistic
    if not isinstance(inner, Quantile | QuantileRange | Sum | Mean | Spread):
        return None
    grid, kind = inner.variable.grid, inner.variable.interval.kind
    return (float(grid.lower), float(grid.upper)) if kind in ("float", "integer") else None
