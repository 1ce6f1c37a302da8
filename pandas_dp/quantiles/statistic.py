"""Quantiles, their differences, and the cumulative distribution of a column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..core.arguments import is_number, whole_number
from ..core.budget.cost import exact
from ..core.evidence.no_interval import By, Unsaid
from ..core.evidence.no_interval import Why as NoInterval
from ..core.evidence.noise import Noise, Noises
from ..core.measure.cells import ONE_CELL, ByNorm, Cells, Norm, Variable
from ..core.measure.measurement import Noisy
from ..core.measure.statistic import Columns, Estimator, Statistic
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import whole_numbers
from ..core.schema.values import ByFields, Kind, said
from ..errors import BadCost, UnsupportedArgument, wrong_value
from ..numeric.measure import Moments
from ..tables.planning.prefixes import Prefixes
from .evidence import Cdf
from .measure import Cumulative, Ranks


@dataclass(frozen=True)
class Distribution(ByFields, ByNorm):
    """The share of rows up to each of `ends`, in steps above the lower end of the column's grid, to its top."""

    variable: Variable
    ends: tuple[int, ...]
    norm: Norm = 2  # of the noise that will be used
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "cdf"

    @property
    def kind(self) -> Kind:
        """A share has no unit, whatever the column has."""
        return "float"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Cumulative, ...]:
        known = public.counts_public(self.cells, [self.variable])
        strategy = Prefixes.planned(len(self.ends), self.norm, public.adjacency.swap and not known, known)
        return (Cumulative(self.variable, self.ends, strategy),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Cdf:
        (answer,), (measurement,) = answers, self.measurements(public, ())
        laws = tuple(dict.fromkeys(answer.laws))
        which = np.array([laws.index(law) for law in answer.laws], np.intp)
        noises = Noises(tuple(map(Noise, laws)), which)
        size = public.size if public.counts_public(self.cells, [self.variable]) else None
        below, _ = measurement.strategy.prefixes(answer.table[0].astype(float), noises.sd**2, size)
        grid = self.variable.grid
        # a bin of numbers starts where the one before ends; one of whole numbers and times at its first
        starts = [0, *(end + (self.variable.interval.kind != "float") for end in self.ends[:-1])]
        low, high = (np.array([float(grid.step * (grid.low + at)) for at in each]) for each in (starts, self.ends))
        kind, step = self.variable.interval.kind, float(grid.step)
        return Cdf(below, low, high, measurement.strategy, noises, size, kind, step)


MOST_INSIDE = 1000


@dataclass(frozen=True)
class Quantile(ByFields):
    """The grid point at the quantile; the least at 0, the greatest at 1."""

    variable: Variable
    quantile: Fraction
    statistic: str = "quantile"
    cells: Cells = ONE_CELL
    nth: int = 1  # from the least or the greatest
    most: int | None = None  # rows of one person that count, where each may have several
    why: NoInterval = "chosen"  # it has no interval; no part of the question
    words: ClassVar = {"why": None}

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Ranks, ...]:
        ends = 1 if self.quantile in (0, 1) else 0  # how far inside they aim is the mechanism's to say
        return (Ranks(self.variable, self.quantile, self.cells, ends, self.most),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Unsaid:
        (answer,) = answers
        why = "end" if self.quantile in (0, 1) else self.why
        return Unsaid(self.statistic, values_at(self.variable, answer), why, *steps_of(self.variable))


@dataclass(frozen=True)
class QuantileRange(ByFields):
    """How far apart two quantiles are; never negative."""

    variable: Variable
    lower: Fraction = Fraction(1, 4)
    upper: Fraction = Fraction(3, 4)
    statistic: str = "iqr"
    cells: Cells = ONE_CELL
    most: int | None = None
    why: NoInterval = "chosen"  # it has no interval; no part of the question
    words: ClassVar = {"lower": None, "upper": None, "why": None}

    @property
    def kind(self) -> Kind:
        kind = self.variable.interval.kind
        return "timedelta" if kind == "datetime" else kind

    def to_json(self) -> dict[str, Any]:
        return said(**super().to_json(), between=(self.lower, self.upper))

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Ranks, ...]:
        return tuple(Ranks(self.variable, q, self.cells, most=self.most) for q in (self.lower, self.upper))

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Unsaid:
        low, high = (values_at(self.variable, answer) for answer in answers)
        return Unsaid(self.statistic, np.maximum(high - low, 0), self.why, *steps_of(self.variable))


def steps_of(variable: Variable) -> tuple[float | None, By | None]:
    """In which steps a float is told, and what they follow from."""
    interval = variable.interval
    if interval.kind != "float":
        return None, None
    return float(interval.least), "bounds" if interval.resolution is None else "resolution"


def values_at(variable: Variable, answer: Noisy) -> np.ndarray[Any, Any]:
    """Steps above the lower end of the grid, in the column's unit; whole numbers stay whole."""
    grid, steps = variable.grid, answer.table[:, 0]
    if grid.step.denominator == 1 and variable.interval.kind != "float":
        return whole_numbers((steps.astype(object) + grid.low) * int(grid.step))
    return np.asarray((steps.astype(object) + grid.low).astype(float) * float(grid.step))


def _quantile(fixed: Fraction | None, name: str) -> Callable[..., Estimator]:
    def make(columns: Columns, column: Hashable, cells: Cells, q: object = 0.5, nth: object = 1) -> Estimator:
        quantile = fixed if fixed is not None else share(q)
        return Quantile(columns.variable(column), quantile, name, cells, _place(nth, columns))

    return make


def _place(nth: object, columns: Columns) -> int:
    """How many values from the end."""
    place, size = whole_number("nth", nth, 1, MOST_INSIDE), columns.public.size
    takers = columns.takers_of("nth") if place > 1 else None
    if takers is not None:
        raise UnsupportedArgument(
            f"nth= is offered with model={takers}; under 'dp' ask for a quantile near the end, such as quantile(0.99).",
            nth=nth,
        )
    if size and place > size:  # of no rows any answer says as much
        raise wrong_value("nth", f"be at most the public number of rows, {size}", nth)
    return place


def _iqr(columns: Columns, column: Hashable, cells: Cells) -> Estimator:
    return QuantileRange(columns.variable(column), cells=cells)


def share(q: object, among: object = None) -> Fraction:
    """A quantile's rank: the fraction that was meant, to a part in a million.

    Examples
    --------
    >>> share(0.1), share(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        found = Fraction(0) if is_number(q) and q == 0 else exact(q, "q")
    except BadCost:
        found = Fraction(-1)
    if not 0 <= found <= 1:
        raise wrong_value("q", "be a number from 0 to 1, or a list of such", q if among is None else among)
    return found.limit_denominator(10**6)


MIN = Statistic("min", Quantile, _quantile(Fraction(0), "min"))
MAX = Statistic("max", Quantile, _quantile(Fraction(1), "max"))
MEDIAN = Statistic("median", Quantile, _quantile(Fraction(1, 2), "median"), shows_error=True)
QUANTILE = Statistic("quantile", Quantile, _quantile(None, "quantile"), shows_error=True)
IQR = Statistic("iqr", QuantileRange, _iqr, shows_error=True)
