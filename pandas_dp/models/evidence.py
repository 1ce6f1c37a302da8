"""Coefficients of regressions, and sets that hold them, from released sums. They cannot reach rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import COMPARED, INTERVALS, Evidence
from ..core.evidence.noise import Noise
from ..errors import NotConcluded
from .glm.measure_newton_stages import MOST
from .glm.solve_score_step import ScoreSteps, score_step
from .moments.evidence import GramSums
from .moments.solve import MatrixColumn, MomentMatrix, agreed_squares, agreeing, unit_map
from .ols.solve_design import Regression, RegressionDesign, TwoStageEquations
from .solve_sets import agreeing_with_set, with_errors
from .solve_solution import Coefficients

YES_OR_NO = (0.5, 0.5)  # the middle of its range, and its half: what lies there spreads by its mean
EQUAL = ", assumes equal spread"
BY_PERSON = (
    "rows of one person hang together, and sums of products do not tell how much: what they say of a regression is for "
    "target='sample', the rows in the data. For the population ask the rows again, ols(..., stages=2), with errors by "
    "person."
)


class RegressionEvidence(Evidence):
    """Coefficients, of one regression or of one for each group, below each other."""

    has_groups: ClassVar[bool] = True
    procedure: ClassVar[str] = (
        "least badness of fit of the released sums among all coefficients that the hypothesis allows, chi-square"
    )

    @property
    def default_target(self) -> str:
        return "population"

    @abstractmethod
    def _made(self, sampling: bool) -> Sequence[Coefficients]:
        """The regression of each group: for the population, or for the rows in the data alone."""

    @property
    @abstractmethod
    def terms(self) -> dict[str, list[int]]:
        """The places of the coefficients of each term but the constant."""

    @property
    def noise_said(self) -> str | None:
        """What noise was taken into account, where its mechanism does not say all of it."""
        return None

    def mean(self, linear: Floats) -> Floats:
        """Of the response, by its linear predictor."""
        return linear

    def slope(self, mean: Floats) -> Floats:
        """How that follows the predictor."""
        return np.ones(len(mean))

    def regressions(self, target: str) -> Sequence[Any]:
        """The same, made once."""
        sampling = target == "population"
        if sampling not in self._regressions:
            self._regressions[sampling] = self._made(sampling)
        return self._regressions[sampling]

    @cached_property
    def _regressions(self) -> dict[bool, Sequence[Coefficients]]:
        return {}

    @property
    def estimate(self) -> Floats:
        return np.concatenate([each.coef for each in self.regressions(self.default_target)])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All values that the released sums do not speak against; everything, where they say nothing."""
        ends = [each.sets(level) for each in self.regressions(target)]
        return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])

    def std_error(self, target: str) -> Floats:
        """To first order."""
        return np.concatenate([each.std_error() for each in self.regressions(target)])

    def measures(self, level: float, target: str) -> dict[str, Array]:
        statistic, pvalues = self.against(0.0, target)
        shown = with_errors(super().measures(level, target))
        columns = {"coef": shown.pop(self.statistic), **shown}
        return {**columns, "statistic": statistic, "p_value": agreeing_with_set(columns, pvalues, 0.0, level)}

    def against(self, value: float, target: str) -> tuple[Floats, Floats]:
        """Each coefficient against a value: a statistic that is standard normal if it is true, and the p value.

        With more instruments than they are needed for, the statistic is a chi-square.
        """
        found, pvalues = [], []
        for each in self.regressions(target):
            bad, p = each.tested(np.full(len(each.coef), value))
            found.append(bad if each.solution.spare else np.sign(each.coef - value) * np.sqrt(bad))
            pvalues.append(p)
        return np.concatenate(found), np.concatenate(pvalues)

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS | COMPARED


@dataclass(frozen=True)
class Fit(RegressionEvidence):
    """The coefficients of a design in each cell of a moment matrix, cell by cell, or in all cells together.

    Of rows of people, many of one, they are those of the rows in the data, and noise alone is allowed for.
    """

    gram: GramSums
    design: RegressionDesign
    together: bool = False
    cov_type: str = "nonrobust"  # the spread of residuals is the same for all rows
    kind: ClassVar[str] = "fit"
    accessor: ClassVar[str] = "models.accessor:FitAccessor"
    statistic: ClassVar[str] = "coef"

    @classmethod
    def of(cls, gram: GramSums, design: RegressionDesign, together: bool = False) -> Fit:
        return cls(gram, design, together, "nonrobust" if gram.independent == "rows" else "noise alone")

    @property
    def default_target(self) -> str:
        return "population" if self.gram.independent == "rows" else "sample"

    @property
    def estimand(self) -> str:
        """What the coefficients are of."""
        named = "instrumental variables" if self.design.instruments else "least squares"
        if self.gram.independent == "people":
            return f"{named}, of the rows as they are weighed"
        response = self.gram.columns[self.design.response]
        equal = not self.design.instruments and (response.centre, response.half) == YES_OR_NO
        return f"{named}{EQUAL if equal else ''}"

    @property
    def terms(self) -> dict[str, list[int]]:
        return self.design.terms

    @property
    def columns(self) -> tuple[MatrixColumn, ...]:
        return self.gram.columns

    @cached_property
    def matrices(self) -> list[MomentMatrix]:
        """Of which each fit is made."""
        found = [self.gram.pooled_matrix()] if self.together else self.gram.matrices()
        heavy = not all(run.noise.gaussian for run in self.gram.runs)
        return [replace(each, noises=replace(each.noises, heavy=heavy)) for each in found]

    def _made(self, sampling: bool) -> list[Regression]:
        if sampling and self.default_target == "sample":
            raise NotConcluded(BY_PERSON, statistic="ols")
        return [Regression.of(matrix, self.design, sampling) for matrix in self.matrices]

    @property
    def follows(self) -> dict[str, Any]:
        return {"estimand": self.estimand, "n": [float(round(each.n)) for each in self.matrices]}

    def pooled(self, others: Sequence[Any]) -> Fit:
        if any(not isinstance(each, Fit) or each.design != self.design for each in others):
            raise NotConcluded("combine takes regressions with the same response and regressors.")
        return replace(self, gram=self.gram.pooled([each.gram for each in others]))


@dataclass(frozen=True, kw_only=True)
class TwoStageFit(Fit):
    """The coefficients of a design.

    `around` are those of the scores, one a column of the regressors' terms, in half-ranges; `released` are sums of
    residuals times columns and the upper triangle of sums of products of these, residuals in parts of `clip`, which is
    in half-ranges of the response; with `noises` on a score, and on a product off and on the diagonal.
    """

    around: Floats
    released: Floats
    noises: tuple[Noise, Noise, Noise]
    clip: float
    kind: ClassVar[str] = "fit of two stages"
    accessor: ClassVar[str] = "models.accessor:TwoStageAccessor"
    default_target: ClassVar[str] = "population"  # whose errors are by person, where rows are of people

    @property
    def estimand(self) -> str:
        half = self.gram.columns[self.design.response].half
        cut = f", residuals cut off at {self.clip * half:.4g}" if self.clip < MOST else ""
        by = ", errors by person" if self.cov_type == "cluster" else ""
        return f"least squares{cut}{by}"

    def _made(self, sampling: bool) -> list[Regression]:
        size = len(self.around)
        columns, at = self.gram.columns[:size], self.design.places
        every, keeps = np.eye(len(self.gram.columns)), agreeing(columns)
        of_rows = self.cov_type != "cluster"
        squares = agreed_squares(columns, self.clip**2 * self.released[size:], of_rows)
        (matrix,) = self.matrices
        problem = TwoStageEquations(
            matrix,
            every[at],
            every[self.design.response],
            sampling=sampling,
            around=self.around[at],
            score=self.clip * (keeps @ self.released[:size])[at],
            score_noise=self.clip**2 * self.noises[0].var * keeps[np.ix_(at, at)],
            meat=None if self.cov_type == "nonrobust" else self._corrected * squares[np.ix_(at, at)],
            residuals=(float(squares[0, 0]), self.clip**4 * self.noises[2].var),
            by_person=not of_rows,
            meat_noise=self.clip**2 * self.noises[1].sd,
        )
        return [Regression.of(matrix, self.design, sampling, problem)]

    @property
    def _corrected(self) -> float:
        """What HC1 multiplies variances of HC0 by: n / (n - k)."""
        (matrix,), size = self.matrices, len(self.design.places)
        return matrix.n / max(matrix.n - size, 1.0) if self.cov_type == "HC1" else 1.0

    @property
    def follows(self) -> dict[str, Any]:
        half = self.gram.columns[self.design.response].half
        return {**super().follows, "clipped_at": self.clip * half}

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded(
            "regressions with looks around different coefficients are not combined; ask once with the whole cost."
        )


FEW_EVENTS = 50  # a coefficient; with fewer the interval is not to be relied on


@dataclass(frozen=True)
class Generalized(RegressionEvidence):
    """Coefficients in the units of the columns.

    `around` are those at which the two stages were taken, a row each, one a column, in half-ranges. `released` are at
    these the sums of scores, in parts of `clip`, and the upper triangle of the curvature, in parts of `tops`; `noises`
    are those of each stage on a score and on a product off the diagonal. Of rows of people, many of one, `squares` are
    for each stage the upper triangle of sums of products of scores that were added up by person, in parts of the square
    of `clip`.
    """

    family: str
    columns: tuple[MatrixColumn, ...]
    design: RegressionDesign
    around: Floats
    released: Floats
    noises: tuple[Noise, ...]
    count: float  # of rows, about
    total: float  # of the response
    clip: float  # in the response's own unit
    tops: Floats  # likewise
    squares: Floats | None = None
    kind: ClassVar[str] = "generalized"
    accessor: ClassVar[str] = "models.accessor:GeneralizedAccessor"
    statistic: ClassVar[str] = "coef"

    @property
    def estimand(self) -> str:
        named = {"logit": "log odds", "poisson": "log rates"}[self.family]
        cut = f", counts cut off {self.clip:.4g} from their means" if self.family == "poisson" else ""
        few = ", of few events" if self.has_few_events else ""
        by = "" if self.squares is None else ", errors by person"
        return f"{named}, by two steps of Newton from a released pilot{cut}{few}{by}"

    @property
    def is_determined(self) -> bool:
        """Whether the steps end somewhere."""
        return self._steps.determines

    @property
    def is_mostly_remainder(self) -> bool:
        """Whether what the steps leave out is more of the sets than sampling and noise."""
        return self._steps.is_mostly_remainder

    @property
    def has_few_events(self) -> bool:
        """Whether the rarer answer, or all that was counted, is too little for so many coefficients."""
        rarer = min(self.total, self.count - self.total) if self.family == "logit" else self.total
        return rarer < FEW_EVENTS * len(self.design.names)

    @property
    def terms(self) -> dict[str, list[int]]:
        return self.design.terms

    def mean(self, linear: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-linear)) if self.family == "logit" else np.exp(linear))

    def slope(self, mean: Floats) -> Floats:
        return np.asarray(mean * (1 - mean)) if self.family == "logit" else mean

    @property
    def matrices(self) -> Sequence[Coefficients]:
        """One fit: there are no groups."""
        return self.regressions("population")

    @property
    def _steps(self) -> ScoreSteps:
        problem = self.regressions("population")[0].problem
        assert isinstance(problem, ScoreSteps)
        return problem

    def _made(self, sampling: bool) -> list[Coefficients]:
        places = np.ix_(self.design.places, self.design.places)
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
        meats = None
        if self.squares is not None:
            one, other = (agreed_squares(self.columns, each, of_rows=False)[places] for each in self.squares)
            meats = self.clip**2 * one, self.clip**2 * other
        units = np.asarray(np.linalg.inv(unit_map(self.columns)[places].T))
        return [Coefficients(ScoreSteps(before, last, sampling, meats), units, np.zeros(len(units)))]

    @property
    def follows(self) -> dict[str, Any]:
        return {"few_events": self.has_few_events}

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded(
            f"{self.family} regressions around different pilots are not combined; ask once with the whole cost."
        )
