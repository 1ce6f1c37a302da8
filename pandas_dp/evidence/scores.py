"""Scores of rows that are sums over columns: additive models and discriminants of released sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from ..equations import Column, Fit
from ..errors import NotConcluded
from .base import Array, Evidence
from .codec import Seen
from .features import Feature, as_numbers
from .noise import Floats

YES_OR_NO = (0.5, 0.5)  # centre and half of a column of zeros and ones


@dataclass(frozen=True)
class Scores(Evidence):
    """Coefficients of the columns, the constant first; of a discriminant one set below the other, one a class.

    A number counts from the middle of its range, beyond the ends as the ends. `offset` and `slope` make
    log odds of the second class of the score of an additive classifier. Nothing is said of errors: what was shrunk has
    none that a theory follows.
    """

    of: Literal["gam", "gam_classifier", "discriminant"]
    values: Seen
    columns: tuple[Column, ...]
    response: Any
    ridge: float
    target: Feature | None = None
    offset: float = 0.0
    slope: float = 0.0
    statistic: ClassVar[str] = "coef"
    kind: ClassVar[str] = "scores"
    has_intervals: ClassVar[bool] = False

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def noisy(self) -> int:
        return 0

    def interval(self, level: float, target: str) -> NoReturn:
        raise NotConcluded(
            f"coefficients of {self.of} are shrunk against noise, so no interval of theirs holds; moments(...).dp.ols "
            "has intervals.",
        )

    @property
    def coefficients(self) -> Floats:
        """One row a score, the constant first."""
        return np.asarray(self.values, dtype=float).reshape(-1, 1 + len(self.columns))


def design(columns: tuple[Column, ...], given: dict[Any, NDArray[Any]]) -> Floats:
    """What rows have in each column, from the values of their terms.

    A missing number is in the middle of its range, or of its knots; what is no declared level is in none.
    """
    splines = {each.term for each in columns if each.sort == "hat"}
    hats = {term: [one.level for one in columns if one.term == term] for term in splines}
    found = []
    for each in columns:
        values = given[each.term]
        if each.sort == "level":
            found.append(np.array([_is(value, each.level) for value in values.tolist()], dtype=float))
        elif each.sort == "hat":
            knots = np.array(hats[each.term], dtype=float)
            numbers = as_numbers(values)
            numbers = np.where(np.isnan(numbers), (knots[0] + knots[-1]) / 2, numbers)
            found.append(np.interp(numbers, knots, (knots == each.level).astype(float)))
        else:
            steps = as_numbers(values) - each.centre
            found.append(np.clip(np.where(np.isnan(steps), 0.0, steps), -each.half, each.half))
    rows = len(next(iter(given.values()))) if given else 0
    return np.stack(found, axis=1) if found else np.zeros((rows, 0))


def _is(value: Any, level: Any) -> bool:
    same = value == level
    return isinstance(same, bool | np.bool_) and bool(same)


def scores_of(of: Any, fit: Fit, columns: Sequence[Column], places: Sequence[int], response: int) -> Scores:
    """The fit in the units of the columns."""
    used, own = tuple(columns[place] for place in places), columns[response]
    yes = is_yes_or_no(own)
    centre, half = (0.0, 1.0) if yes else (own.centre, own.half)
    values = np.concatenate([[centre + half * fit.constant], half * fit.coefficients / [each.half for each in used]])
    target = Feature(own.term, (False, True)) if yes else None
    return Scores(of, values, used, own.term, fit.ridge, target, fit.offset, fit.slope)


def is_yes_or_no(column: Column) -> bool:
    return column.sort == "number" and (column.centre, column.half) == YES_OR_NO
