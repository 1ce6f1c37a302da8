"""A logit or a Poisson regression: coefficients by a step of Newton from those of a pilot, both released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..equations.design import Design
from ..equations.moment_matrix import Column
from ..equations.one_step import ScoreStep, Stepped
from ..equations.pilots import FARTHEST
from ..equations.sets import with_errors_told
from ..errors import NotConcluded
from .agreeing import agreed_squares, agreeing
from .base import COMPARED, INTERVALS, Array, Evidence
from .noise import Floats, Noise

FEW_EVENTS = 50  # a coefficient; with fewer the interval is not to be relied on


@dataclass(frozen=True)
class Generalized(Evidence):
    """Coefficients in the units of the columns.

    `around` are the pilot's, one a column, in half-ranges; `released` are at these the sums of scores and the upper
    triangle of the curvature, in parts of `clip`, with `noises` on a score, and off and on the diagonal.
    """

    family: str
    columns: tuple[Column, ...]
    design: Design
    around: Floats
    released: Floats
    noises: tuple[Noise, Noise, Noise]
    count: float  # of rows, about
    total: float  # of the response
    clip: float = 1.0  # in the response's own unit
    kind: ClassVar[str] = "generalized"
    statistic: ClassVar[str] = "coef"
    default_target: ClassVar[str] = "population"

    @property
    def estimand(self) -> str:
        named = {"logit": "log odds", "poisson": "log rates"}[self.family]
        cut = f", counts cut off {self.clip:.4g} from their means" if self.family == "poisson" else ""
        few = ", of few events" if self.has_few_events else ""
        return f"{named}, by one step of Newton from a released pilot{cut}{few}"

    @property
    def is_told(self) -> bool:
        """Whether one step from the pilot is short enough to say anything."""
        return self._of_population[0].problem.tells

    @property
    def is_mostly_remainder(self) -> bool:
        """Whether what one step leaves out is more of the sets than sampling and noise."""
        return self._of_population[0].problem.is_mostly_remainder

    @property
    def has_few_events(self) -> bool:
        """Whether the rarer answer, or all that was counted, is too little for so many coefficients."""
        rarer = min(self.total, self.count - self.total) if self.family == "logit" else self.total
        return rarer < FEW_EVENTS * len(self.design.names)

    @cached_property
    def _agreeing(self) -> Floats:
        return agreeing(self.columns)

    @cached_property
    def _curvature(self) -> Floats:
        return agreed_squares(self.columns, self.clip * self.released[len(self.columns) :])

    def regressions(self, target: str) -> list[Stepped]:
        """The fit: for the population, or for the rows in the data alone."""
        return self._of_population if target == "population" else self._of_rows

    @property
    def matrices(self) -> list[Stepped]:
        """One fit: there are no groups."""
        return self._of_population

    @cached_property
    def _of_population(self) -> list[Stepped]:
        return [self._fit(sampling=True)]

    @cached_property
    def _of_rows(self) -> list[Stepped]:
        return [self._fit(sampling=False)]

    def _fit(self, sampling: bool) -> Stepped:
        at = self.design.places
        step = ScoreStep(
            self.around[at],
            self.clip * (self._agreeing @ self.released[: len(self.columns)])[at],
            self._curvature[np.ix_(at, at)],
            self.clip**2 * self.noises[0].var,
            self.clip**2 * self.noises[1].var,
            self._agreeing[np.ix_(at, at)],
            self._skew,
            self._bent,
            sampling,
            self._at_cap,
        )
        return Stepped(self.columns, self.design, step)

    @property
    def _at_cap(self) -> bool:
        """Whether the pilot's coefficients were cut off."""
        constant, *slopes = np.abs(self.around[self.design.places])
        return bool(constant >= 2 * FARTHEST or (np.array(slopes) >= FARTHEST).any())

    @property
    def _bent(self) -> float:
        """Of squares of how fast weights grow: (1 - 2p)² = 1 - 4p(1 - p) of a yes or no, doubled because it is
        greatest in rows that are far out, and again as far as the growth differs between rows."""
        if self.family == "poisson":
            return 1.0
        share = float(self._curvature[0, 0]) / max(self.count, 1.0)
        return float(np.clip(2 * (1 - 4 * share), 0.02, 1.0)) * (2 - self._skew**2)

    @property
    def _skew(self) -> float:
        if self.family == "poisson":
            return 1.0
        return float(np.clip(1 - 2 * self.total / max(self.count, 1.0), -1.0, 1.0))

    @property
    def estimate(self) -> Floats:
        return self.regressions("population")[0].coef

    def std_error(self, target: str) -> Floats:
        """To first order."""
        return self.regressions(target)[0].std_error()

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All values that the released sums do not speak against; everything, where they say nothing."""
        return self.regressions(target)[0].sets(level)

    def against(self, value: float, target: str) -> tuple[Floats, Floats]:
        """Each coefficient against a value: a statistic that is standard normal if it is true, and the p value."""
        bad, pvalues = self.regressions(target)[0].tested(np.full(len(self.design.names), value))
        return np.sign(self.estimate - value) * np.sqrt(bad), pvalues

    def measures(self, level: float, target: str) -> dict[str, Array]:
        statistic, pvalues = self.against(0.0, target)
        return {**with_errors_told(super().measures(level, target)), "statistic": statistic, "p_value": pvalues}

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS | COMPARED

    @property
    def told(self) -> dict[str, Any]:
        return {"few_events": self.has_few_events}

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded(
            f"{self.family} regressions around different pilots are not combined; ask once with the whole cost."
        )
