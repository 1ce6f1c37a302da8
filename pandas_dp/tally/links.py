"""What a row's residual and weight are, at a public predictor: whole numbers from the row's own values alone.

Residuals are parts of a clip, roots of weights parts of the root of a `top`, where they are cut off: ONE for all of it.
The predictor comes as an exact whole number; a link looks it up in a public table, so that no row's numbers depend on
how others are added up.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Protocol

import numpy as np

from ..dataclass import dataclass
from .terms import STEPS

Column = np.ndarray[Any, Any]
ONE = STEPS
FINE = 2**20  # parts of a unit of a coefficient; the predictor is in parts of 1/(FINE·STEPS)
ENTRIES = 2**11  # of a table, a unit of the predictor
ENDS = 16  # the table holds predictors from -ENDS to ENDS


class Link(Protocol):
    """How a response is modelled."""

    name: ClassVar[str]

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        """The residuals of rows and the roots of their weights, whole numbers up to ONE; None where it has none."""


@lru_cache(maxsize=1)
def middles() -> Column:
    """The predictor in the middle of each entry of a table."""
    return (np.arange(2 * ENDS * ENTRIES) + 0.5) / ENTRIES - ENDS


def looked_up(table: Column, predictor: Column) -> Column:
    """Of each predictor its entry: a division by a power of two, exact, rounded down."""
    place = np.floor(predictor * (ENTRIES / (FINE * STEPS))) + ENDS * ENTRIES
    found: Column = table[np.clip(place, 0, len(table) - 1).astype(np.intp)]
    return found


@lru_cache(maxsize=8)
def _logistic(top: float) -> tuple[Column, Column]:
    chance = 1 / (1 + np.exp(-middles()))
    return np.rint(ONE * chance), np.floor(ONE * np.sqrt(np.minimum(chance * (1 - chance) / top, 1.0)))


@dataclass(frozen=True)
class Logit:
    """Yes or no: the residual is the response, 0 or 1, less its probability; the weight is that of the binomial."""

    top: float = 0.25
    name: ClassVar[str] = "logit"

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        chances, roots = _logistic(self.top)
        yes = np.rint((response + STEPS) * (ONE / (2 * STEPS)))
        return yes - looked_up(chances, predictor), looked_up(roots, predictor)


@dataclass(frozen=True)
class Poisson:
    """Counts: residuals are cut off at `clip`, and the means that weigh at `top`. `counts` and `exposures` are the
    middle of a range and its half, in its own unit."""

    counts: tuple[float, float]
    clip: float
    top: float
    exposures: tuple[float, float] | None = None
    name: ClassVar[str] = "poisson"

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        longest = 1.0 if self.exposures is None else sum(self.exposures)
        mean = looked_up(_exponential(longest / self.clip), predictor)
        if exposure is not None and self.exposures is not None:
            share = np.rint(_own(exposure, self.exposures, longest))
            mean = np.rint(mean * np.clip(share, 0, ONE) * (1 / ONE))
        seen = np.rint(_own(response, self.counts, self.clip))
        weight = np.clip(mean * (self.clip / self.top), 0, ONE)
        return np.clip(seen - mean, -ONE, ONE), np.floor(np.sqrt(weight * ONE))


def _own(steps: Column, around: tuple[float, float], unit: float) -> Column:
    """Numbers of a column in parts of a unit, ONE for all of it."""
    centre, half = around
    found: Column = steps * (half / unit * (ONE / STEPS)) + ONE * (centre / unit)
    return found


@lru_cache(maxsize=4)
def _exponential(scale: float) -> Column:
    """Means far beyond the clip are as good as there."""
    return np.rint(np.minimum(ONE * scale * np.exp(middles()), 2.0**32))


@dataclass(frozen=True)
class Linear:
    """Any number: residuals in half-ranges are cut off at `clip`; the second sums are of squares of scores."""

    clip: float
    name: ClassVar[str] = "linear"

    def parts(self, predictor: Column, response: Column, exposure: Column | None) -> tuple[Column, Column | None]:
        away = (response - predictor * (1 / FINE)) * (1 / self.clip)
        return np.clip(np.rint(away), -ONE, ONE), None
