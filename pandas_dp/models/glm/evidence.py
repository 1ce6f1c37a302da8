"""A logit or a Poisson regression: coefficients by two steps from those of a pilot, all released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from ...core.arrays import Array, Floats
from ...core.evidence.evidence import COMPARED, INTERVALS, Evidence
from ...core.evidence.noise import Noise
from ...dataclass import dataclass
from ...errors import NotConcluded
from ..moments.solve_moment_matrix import Column, agreed_squares
from ..ols.solve_design import Design
from ..solve_sets import agreeing_with_set, with_errors
from .solve_score_step import ScoreSteps, Stepped, score_step

FEW_EVENTS = 50  # a coefficient; with fewer the interval is not to be relied on


@dataclass(frozen=True)
class Generalized(Evidence):
    """Coefficients in the units of the columns.

    `around` are those at which the two stages were taken, a row each, one a column, in half-ranges. `released` are at
    these the sums of scores, in parts of `clip`, and the upper triangle of the curvature, in parts of `tops`; `noises`
    are those of each stage on a score and on a product off the diagonal.
    """

    family: str
    columns: tuple[Column, ...]
    design: Design
    around: Floats
    released: Floats
    noises: tuple[Noise, ...]
    count: float  # of rows, about
    total: float  # of the response
    clip: float  # in the response's own unit
    tops: Floats  # likewise
    kind: ClassVar[str] = "generalized"
    statistic: ClassVar[str] = "coef"
    default_target: ClassVar[str] = "population"

    @property
    def estimand(self) -> str:
        named = {"logit": "log odds", "poisson": "log rates"}[self.family]
        cut = f", counts cut off {self.clip:.4g} from their means" if self.family == "poisson" else ""
        few = ", of few events" if self.has_few_events else ""
        return f"{named}, by two steps of Newton from a released pilot{cut}{few}"

    @property
    def is_determined(self) -> bool:
        """Whether the steps end somewhere."""
        return self._of_population[0].problem.determines

    @property
    def is_mostly_remainder(self) -> bool:
        """Whether what the steps leave out is more of the sets than sampling and noise."""
        return self._of_population[0].problem.is_mostly_remainder

    @property
    def has_few_events(self) -> bool:
        """Whether the rarer answer, or all that was counted, is too little for so many coefficients."""
        rarer = min(self.total, self.count - self.total) if self.family == "logit" else self.total
        return rarer < FEW_EVENTS * len(self.design.names)

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
        return Stepped(self.columns, self.design, self._steps(sampling))

    def _steps(self, sampling: bool) -> ScoreSteps:
        before, last = (
            score_step(
                "logit" if self.family == "logit" else "poisson",
                self.columns,
                self.design.places,
                self.around[at],
                self.released[at],
                (self.noises[2 * at].var, self.noises[2 * at + 1].var),
                self.clip,
                float(self.tops[at]),
            )
            for at in (0, 1)
        )
        return ScoreSteps(before, last, sampling)

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
        columns = with_errors(super().measures(level, target))
        return {**columns, "statistic": statistic, "p_value": agreeing_with_set(columns, pvalues, 0.0, level)}

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


@dataclass(frozen=True, kw_only=True)
class GeneralizedByPerson(Generalized):
    """Of rows of people, many of one. `squares` are for each stage the upper triangle of sums of products of scores
    that were added up by person, in parts of the square of `clip`."""

    squares: Floats
    kind: ClassVar[str] = "generalized by person"

    @classmethod
    def of(cls, found: Generalized, squares: Floats) -> GeneralizedByPerson:
        return cls(**{each.name: getattr(found, each.name) for each in fields(found)}, squares=squares)

    @property
    def estimand(self) -> str:
        return f"{super().estimand}, errors by person"

    def _steps(self, sampling: bool) -> ScoreSteps:
        at, worth = np.ix_(self.design.places, self.design.places), self.clip**2
        one, other = (worth * agreed_squares(self.columns, each, of_rows=False)[at] for each in self.squares)
        return replace(super()._steps(sampling), meats=(one, other))
