"""A look at the scores of a regression, around coefficients that a released moment matrix gave."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from ..equations.moment_matrix import MomentMatrix
from ..equations.pilots import Pilot
from ..laws import Law
from ..neighbours import Moves
from .blurred import Blurred
from .cells import ONE_CELL, Cells, Variable
from .gram import Gram
from .links import FINE, Linear, Link, Logit, Poisson
from .newton import FARTHEST, NewtonSums
from .reach import Norm
from .terms import Term, half_range

Family = Literal["logit", "poisson", "linear"]
GRAIN = 2**10  # clips are multiples of 1/GRAIN
CLIP = 4.0  # standard deviations
MOST = 2.0  # half-ranges
COUNTS = 3.0  # beside these: a rare count is not cut off


@dataclass(frozen=True)
class Told:
    """Coefficients in parts of 1/FINE, one a column, and where residuals are cut off, in their own half-ranges."""

    coefficients: tuple[int, ...]
    clip: float


@dataclass(frozen=True)
class NewtonLook:
    """Scores of a regression of the response on the columns `places`, of which the first is the constant.

    The pilot holds the terms, the response and the exposure, in this order.
    """

    family: Family
    pilot: Gram
    terms: tuple[Term, ...]
    response: Variable
    exposure: Variable | None
    places: tuple[int, ...]
    size: int | None = None  # where the pilot does not count
    uncut: bool = False  # residuals of a linear family: up to two half-ranges, which all of a yes or no are
    cells: ClassVar[Cells] = ONE_CELL

    @property
    def after(self) -> tuple[Gram]:
        return (self.pilot,)

    @property
    def columns(self) -> int:
        return 1 + sum(len(term.columns) for term in self.terms)

    @property
    def nothing(self) -> Told:
        return Told((0,) * self.columns, 1.0)

    def weights(self, norm: Norm, moves: Moves) -> Any:
        return self.at(self.nothing).weights(norm, moves)

    def reach(self, norm: Norm, moves: Moves) -> Any:
        return self.at(self.nothing).reach(norm, moves)

    def parameter(self, told: tuple[Blurred, ...]) -> Told:
        """The pilot's coefficients; the same every time, which decompositions of matrices alone do not promise."""
        (answer,) = told
        return _told(self, tuple(int(each) for each in answer.table[0]), answer.laws)

    def at(self, parameter: Told) -> NewtonSums:
        link = self._link(parameter.clip)
        return NewtonSums(self.terms, self.response, self.exposure, link, parameter.coefficients)

    def say(self, parameter: Told) -> dict[str, Any]:
        """In half-ranges of the columns."""
        return {"coef": [each / FINE for each in parameter.coefficients], "clip": parameter.clip}

    def _link(self, clip: float) -> Link:
        if self.family == "logit":
            return Logit()
        if self.family == "linear":
            return Linear(clip)
        exposures = None if self.exposure is None else _around(self.exposure)
        return Poisson(_around(self.response), clip * half_range(self.response), exposures)

    def first(self, matrix: MomentMatrix) -> Told:
        """What a released matrix says."""
        exposure = None
        places = list(self.places)
        if self.exposure is not None:
            exposure = _around(self.exposure)
            places.append(self.columns + 1)
        pilot = Pilot(matrix, places, self.columns)
        if self.family == "logit":
            return self._of(pilot.logit(), 1.0)
        if self.family == "linear":
            clip = MOST if self.uncut else _clip(CLIP * np.sqrt(pilot.around_variance), MOST)
            return self._of(pilot.linear(), clip)
        centre, half = _around(self.response)
        mean = max(centre + half * pilot.mean, 0.0)
        spread = max(pilot.variance * half**2, mean)  # counts vary as much as their mean at least
        clip = _clip(max(CLIP * np.sqrt(spread) + COUNTS, mean + CLIP * np.sqrt(spread - mean)) / half, MOST)
        return self._of(pilot.poisson(centre, half, exposure), clip)

    def _of(self, found: Any, clip: float) -> Told:
        numbers = np.rint(np.clip(np.nan_to_num(found), -FARTHEST, FARTHEST) * FINE).astype(int)
        every = np.zeros(self.columns, int)
        every[list(self.places)] = numbers
        return Told(tuple(every.tolist()), clip)


def _around(variable: Variable) -> tuple[float, float]:
    """The middle of a range, and its half."""
    return float(variable.grid.centre), half_range(variable)


def _clip(wanted: float, most: float) -> float:
    return float(np.clip(np.ceil(np.nan_to_num(wanted, nan=most, posinf=most) * GRAIN) / GRAIN, 1 / GRAIN, most))


@lru_cache(maxsize=64)
def _told(form: NewtonLook, numbers: tuple[int, ...], laws: tuple[Law, ...]) -> Told:
    table = np.array([numbers], dtype=object)
    with np.errstate(all="ignore"):
        (matrix,) = form.pilot.matrices(Blurred(table, laws), form.size)
        return form.first(matrix)
