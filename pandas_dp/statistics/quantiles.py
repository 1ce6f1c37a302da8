"""Values by their rank: median, quantiles, least, greatest, and the distance of two quantiles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from fractions import Fraction
from typing import Any

import numpy as np

from ..cost import exact
from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..errors import BadCost, UnsupportedArgument, wrong_value
from ..evidence import Unsaid
from ..evidence.unsaid import By
from ..evidence.unsaid import Why as NoInterval
from ..neighbours import Setting
from ..reading import is_number, whole_number
from ..tally import ONE_CELL, Blurred, Cells, Moments, Ranks, Variable
from .estimator import Estimator, whole_numbers
from .offered import Columns, Statistic

MOST_INSIDE = 1000


@dataclass(frozen=True)
class Quantile:
    """The grid point at the quantile; the least at 0, the greatest at 1."""

    variable: Variable
    quantile: Fraction
    statistic: str = "quantile"
    cells: Cells = ONE_CELL
    nth: int = 1  # from the least or the greatest
    most: int | None = None  # rows of one person that count, where each may have several
    why: NoInterval = "chosen"  # it has no interval; no part of the question

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic,
            of=self.variable.to_json(),
            quantile=str(self.quantile),
            cells=self.cells.to_json(),
            nth=self.nth,
            max_rows=self.most,
        )

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Ranks, ...]:
        ends = 1 if self.quantile in (0, 1) else 0  # how far inside they aim is the mechanism's to say
        return (Ranks(self.variable, self.quantile, self.cells, ends, self.most),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Unsaid:
        (answer,) = answers
        why = "end" if self.quantile in (0, 1) else self.why
        return Unsaid(self.statistic, values_at(self.variable, answer), why, *steps_of(self.variable))


@dataclass(frozen=True)
class QuantileRange:
    """How far apart two quantiles are; never negative."""

    variable: Variable
    lower: Fraction = Fraction(1, 4)
    upper: Fraction = Fraction(3, 4)
    statistic: str = "iqr"
    cells: Cells = ONE_CELL
    most: int | None = None
    why: NoInterval = "chosen"  # it has no interval; no part of the question

    @property
    def kind(self) -> Kind:
        kind = self.variable.interval.kind
        return "timedelta" if kind == "datetime" else kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        between = [str(self.lower), str(self.upper)]
        asked = {"of": self.variable.to_json(), "between": between, "cells": self.cells.to_json()}
        return said(statistic=self.statistic, **asked, max_rows=self.most)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Ranks, ...]:
        return tuple(Ranks(self.variable, q, self.cells, most=self.most) for q in (self.lower, self.upper))

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Unsaid:
        low, high = (values_at(self.variable, answer) for answer in answers)
        return Unsaid(self.statistic, np.maximum(high - low, 0), self.why, *steps_of(self.variable))


def steps_of(variable: Variable) -> tuple[float | None, By | None]:
    """In which steps a float is told, and what they follow from."""
    interval = variable.interval
    if interval.kind != "float":
        return None, None
    return float(interval.least), "bounds" if interval.resolution is None else "resolution"


def values_at(variable: Variable, answer: Blurred) -> np.ndarray[Any, Any]:
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
    place, takers, size = whole_number("nth", nth, 1, MOST_INSIDE), columns.takers_of("nth"), columns.setting.size
    if place > 1 and takers is not None:
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
