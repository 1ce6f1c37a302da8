"""A regression by two looks: a released moment matrix, and scores of rows around what it says, with their squares."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..dataclass import dataclass
from ..equations.agreeing import agreed_squares, agreeing
from ..equations.design import Regression
from ..equations.two_looks import RegressionOfTwoLooks
from ..errors import NotConcluded
from .fit import Fit
from .noise import Floats, Noise


@dataclass(frozen=True, kw_only=True)
class TwoLooksFit(Fit):
    """The coefficients of a design.

    `around` are those of the scores, one a column of the regressors' terms, in half-ranges; `released` are sums of
    residuals times columns and the upper triangle of sums of products of these, residuals in parts of `clip`, which is
    in half-ranges of the response; with `noises` on a score, and on a product off and on the diagonal.
    """

    around: Floats
    released: Floats
    noises: tuple[Noise, Noise, Noise]
    clip: float
    cut: bool  # whether longer residuals are to be expected: known before rows are looked at
    kind: ClassVar[str] = "fit of two looks"

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

    def _fit(self, sampling: bool) -> RegressionOfTwoLooks:
        size = len(self.around)
        columns, at = self.gram.columns[:size], self.design.places
        keeps = agreeing(columns)
        of_rows = self.cov_type != "cluster"
        squares = agreed_squares(columns, self.clip**2 * self.released[size:], of_rows)
        return RegressionOfTwoLooks(
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
