"""A regression: coefficients, and sets that hold them, from a released moment matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from ...core.arrays import Array, Floats
from ...core.evidence.evidence import COMPARED, INTERVALS, Evidence
from ...core.evidence.noise import Noise
from ...dataclass import dataclass
from ...errors import NotConcluded
from ..moments.evidence_covariances import Gram, GramOfRows
from ..moments.solve_moment_matrix import MomentMatrix, agreed_squares, agreeing
from ..solve_sets import agreeing_with_set, with_errors
from .solve_design import Design, Regression, TwoStageRegression

YES_OR_NO = (0.5, 0.5)  # the middle of its range, and its half: what lies there spreads by its mean
EQUAL = ", assumes equal spread"
BY_PERSON = (
    "rows of one person hang together, and sums of products do not tell how much: what they say of a regression is for "
    "target='sample', the rows in the data. For the population ask the rows again, ols(..., stages=2), with errors by "
    "person."
)


@dataclass(frozen=True)
class Fit(Evidence):
    """The coefficients of a design in each cell of a moment matrix, cell by cell, or in all cells together."""

    gram: Gram
    design: Design
    together: bool = False
    cov_type: str = "nonrobust"  # the spread of residuals is the same for all rows
    kind: ClassVar[str] = "fit"
    statistic: ClassVar[str] = "coef"

    @property
    def default_target(self) -> str:
        return "population"

    @property
    def estimand(self) -> str:
        """What the coefficients are of."""
        if self.design.instruments:
            return "instrumental variables"
        response = self.gram.columns[self.design.response]
        return f"least squares{EQUAL if (response.centre, response.half) == YES_OR_NO else ''}"

    @cached_property
    def matrices(self) -> list[MomentMatrix]:
        """Of which each fit is made."""
        found = [self.gram.pooled_matrix()] if self.together else self.gram.matrices()
        heavy = not all(run.noise.gaussian for run in self.gram.runs)
        return [replace(each, noises=replace(each.noises, heavy=heavy)) for each in found]

    def regressions(self, target: str) -> list[Regression]:
        """The regression of each cell: for the population, or for the rows in the data alone."""
        return self._of_population if target == "population" else self._of_rows

    @cached_property
    def _of_population(self) -> list[Regression]:
        return [Regression(matrix, self.design) for matrix in self.matrices]

    @cached_property
    def _of_rows(self) -> list[Regression]:
        return [Regression(matrix, self.design, sampling=False) for matrix in self.matrices]

    @property
    def estimate(self) -> Floats:
        return np.concatenate([each.coef for each in self.regressions("population")])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """All values that the released sums do not speak against; everything, where they say nothing."""
        ends = [each.sets(level) for each in self.regressions(target)]
        return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])

    def std_error(self, target: str) -> Floats:
        """To first order."""
        return np.concatenate([each.std_error() for each in self.regressions(target)])

    def measures(self, level: float, target: str) -> dict[str, Array]:
        statistic, pvalues = self.against(0.0, target)
        columns = with_errors(super().measures(level, target))
        return {**columns, "statistic": statistic, "p_value": agreeing_with_set(columns, pvalues, 0.0, level)}

    def against(self, value: float, target: str) -> tuple[Floats, Floats]:
        """Each coefficient against a value: a statistic that is standard normal if it is true, and the p value.

        With more instruments than they are needed for, the statistic is a chi-square.
        """
        found, pvalues = [], []
        for each in self.regressions(target):
            bad, p = each.tested(np.full(len(self.design.names), value))
            found.append(bad if each.solution.spare else np.sign(each.coef - value) * np.sqrt(bad))
            pvalues.append(p)
        return np.concatenate(found), np.concatenate(pvalues)

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS | COMPARED

    @property
    def told(self) -> dict[str, Any]:
        return {"estimand": self.estimand, "n": [float(round(each.n)) for each in self.matrices]}

    def pooled(self, others: Sequence[Any]) -> Fit:
        if any(not isinstance(each, Fit) or each.design != self.design for each in others):
            raise NotConcluded("combine takes regressions with the same response and regressors.")
        return replace(self, gram=self.gram.pooled([each.gram for each in others]))


@dataclass(frozen=True)
class FitOfRows(Fit):
    """Of rows of people, many of one: the coefficients of the rows in the data, and how far noise may move them."""

    gram: GramOfRows
    cov_type: str = "noise alone"
    kind: ClassVar[str] = "fit of rows"

    @property
    def default_target(self) -> str:
        return "sample"

    @property
    def estimand(self) -> str:
        named = "instrumental variables" if self.design.instruments else "least squares"
        return f"{named}, of the rows as they are weighed"

    @property
    def estimate(self) -> Floats:
        return np.concatenate([each.coef for each in self.regressions("sample")])

    def regressions(self, target: str) -> list[Regression]:
        if target == "population":
            raise NotConcluded(BY_PERSON, statistic="ols")
        return self._of_rows


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
    cut: bool  # whether longer residuals are to be expected: follows from the clip, which is of released sizes
    kind: ClassVar[str] = "fit of two stages"

    @property
    def estimand(self) -> str:
        half = self.gram.columns[self.design.response].half
        cut = f", residuals cut off at {self.clip * half:.4g}" if self.cut else ""
        by = ", errors by person" if self.cov_type == "cluster" else ""
        return f"least squares{cut}{by}"

    @cached_property
    def _of_population(self) -> list[Regression]:
        return [self._fit(sampling=True)]

    @cached_property
    def _of_rows(self) -> list[Regression]:
        return [self._fit(sampling=False)]

    def _fit(self, sampling: bool) -> TwoStageRegression:
        size = len(self.around)
        columns, at = self.gram.columns[:size], self.design.places
        keeps = agreeing(columns)
        of_rows = self.cov_type != "cluster"
        squares = agreed_squares(columns, self.clip**2 * self.released[size:], of_rows)
        return TwoStageRegression(
            self.matrices[0],
            self.design,
            sampling,
            around=self.around[at],
            score=self.clip * (keeps @ self.released[:size])[at],
            score_noise=self.clip**2 * self.noises[0].var * keeps[np.ix_(at, at)],
            meat=None if self.cov_type == "nonrobust" else squares[np.ix_(at, at)],
            residuals=(float(squares[0, 0]), self.clip**4 * self.noises[2].var),
            by_person=not of_rows,
            meat_noise=self.clip**2 * self.noises[1].sd,
        )

    @property
    def told(self) -> dict[str, Any]:
        half = self.gram.columns[self.design.response].half
        return {**super().told, "clipped_at": self.clip * half}

    def pooled(self, others: Sequence[Any]) -> NoReturn:
        raise NotConcluded(
            "regressions with looks around different coefficients are not combined; ask once with the whole cost."
        )
