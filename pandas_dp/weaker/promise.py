"""Promises that are weaker than dp because their scale is private: one statistic at a time, noise found by looking."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np

from ..core.arguments import is_number
from ..core.evidence.evidence import Evidence
from ..core.evidence.no_interval import By
from ..core.measure.cells import Norm
from ..core.measure.measurement import Noisy, Rows
from ..core.measure.statistic import Estimator
from ..core.neighbours import PublicFacts, Relation
from ..core.promise import Option, Promise
from ..errors import BadArgument, shown
from ..numeric.measure import Counts, ExactMoments
from ..numeric.statistic_means import Mean, Spread
from ..numeric.statistic_sums import Sum
from ..quantiles.measure import Ranks
from ..quantiles.statistic import Quantile, QuantileRange, steps_of
from ..quantiles.statistic_ranked_values import RankedValue
from ..tables.statistic import Margins
from .exact import Column, ExactFacts, Final, FinalNumber, Line, LocationScale, Near, ScaledSums, Variance
from .ordered import Portions
from .statistics import estimate_of, finals_of

SPARE = 5  # ranks beyond those that a group of rows can move, as ranks are counted in two ways


def facts_of(rows: Rows, final: Final, many: int) -> ExactFacts:
    """The facts about all cells; `many` rows at either end."""
    size = final.cells.size
    if not isinstance(final, FinalNumber):
        counts = rows.fold(Counts(final.cells, final.variables))[:, 0].astype(object)
        none, no_rows = np.zeros(size, dtype=object), np.zeros((size, many), dtype=object)
        return ExactFacts(counts, none, none, no_rows, no_rows)
    counts, total, squares = rows.fold(ExactMoments(final.variable, final.cells)).astype(object).T
    low, high = rows.found("quantiles.fold_ends:Ends", final.variable, final.cells, many)

    @cache
    def near() -> Near:
        assert isinstance(final, Variance)
        around = (tuple(map(float, codes)) for codes in final.middle(counts, total, many))
        codes, starts = rows.found("quantiles.fold_ends:Middle", final.variable, final.cells, many, *around)
        return codes, starts

    return ExactFacts(counts, total, squares, low, high, near, _lines(rows, final, many))


def number_of(rows: Rows) -> int:
    """All of them, in whatever cell or none."""
    return int(rows.fold(Counts())[0, 0])


def _lines(rows: Rows, final: Final, many: int) -> tuple[Line, ...]:
    if not final.ranks:
        return ()
    beyond = final.nth + 2 * many + SPARE
    grid = final.ranks[0].variable.grid
    found = [rows.near_ranks(ranks, beyond) for ranks in final.ranks]
    return tuple(Line(near_ranks, grid.high - grid.low) for near_ranks in zip(*found, strict=True))


Asked = tuple[Final, Ranks | None]
"""A number that gets noise; or, with ranks, a value to choose."""


@dataclass(frozen=True)
class Surroundings:
    """Beside the cell's own facts, what a scale depends on."""

    public: PublicFacts
    strays: int = 0  # rows that are in no cell
    others: ExactFacts | None = None  # of the further rows
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
    asked: ClassVar[str | None] = "weaker.plan:asked_of"
    stepped: ClassVar[str] = "weaker.plan:steps_of"

    @property
    def floored(self) -> bool:
        """Whether no scale falls below what one step of the grid in one row does."""
        return self.floor is None

    @property
    def hidden(self) -> int:
        """How many rows are hidden together: so many at either end of a cell have to be known."""
        return 1

    @abstractmethod
    def asks(self, final: Final, public: PublicFacts, mechanism: str) -> tuple[Asked, ...]:
        """What is asked of the rows for a statistic."""

    @abstractmethod
    def sensitivities(self, final: Final, facts: ExactFacts, around: Surroundings, norm: Norm) -> Column:
        """For each cell a sensitivity, such that noise of that scale over epsilon in each cell keeps epsilon in all;
        in norm 2 its square, for a variance of so much over twice rho."""

    def location_scale(self, final: Portions, facts: ExactFacts, around: Surroundings) -> LocationScale:
        """Between which codes the rows of each cell lie, also those that may take their place; for promises that ask
        for the number of rows and what they bring together."""
        raise NotImplementedError(type(self).__name__)

    def scaled(self, final: Final, facts: ExactFacts, around: Surroundings, norm: Norm) -> ScaledSums:
        """The exact numbers and the reaches of the noise on them, none below the floor."""
        if isinstance(final, Portions):
            location_scale = self.location_scale(final, facts, around)
            return ScaledSums(
                final.sums(facts, location_scale), final.sensitivities(location_scale, norm), location_scale
            )
        sensitivities = self.sensitivities(final, facts, around, norm)
        if self.floored:
            sensitivities = np.maximum(sensitivities, final.least(facts) ** norm)
        return ScaledSums(final.numbers(facts).reshape(-1, 1), sensitivities.reshape(-1, 1))

    def conclude(self, statistic: Estimator, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        """The released value, without a word on the noise; what is public is released as under dp."""
        if not answers:
            return statistic.conclude((), public)
        facts = estimate_of(statistic, tuple(column for answer in answers for column in answer.table.T), public)
        step, by = self.least_of(statistic, public)
        return replace(facts, step=step, by=by, within=_ends_of(statistic))

    def least_of(self, statistic: Estimator, public: PublicFacts) -> tuple[float | None, By | None]:
        """In which steps a float is told, or one row of what size moves it by no more than the noise; from what was
        declared."""
        if isinstance(statistic, Margins):
            return self.least_of(statistic.inner, public)
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


def exact_of(statistic: Estimator, public: PublicFacts, rows: Rows) -> np.ndarray[Any, Any]:
    """The number of each cell without noise, in the column's unit: for the custodian's eyes alone."""
    statistic = statistic.single if isinstance(statistic, RankedValue) else statistic
    finals = finals_of(statistic, public)
    if not finals:
        return np.asarray(statistic.conclude((), public).estimate, dtype=float)
    exact = estimate_of(statistic, tuple(final.numbers(facts_of(rows, final, 1)) for final in finals), public)
    return np.asarray(exact.estimate, dtype=float)
