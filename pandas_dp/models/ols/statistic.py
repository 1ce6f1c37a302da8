"""Least squares of one column on others: a moment matrix that is asked for one design of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...core.measure.cells import ONE_CELL, Cells, Variable
from ...core.measure.forms import Form
from ...core.measure.measurement import Measurement
from ...core.measure.noisy import Noisy
from ...core.neighbours import PublicFacts
from ...core.schema.interval import Kind
from ...dataclass import dataclass
from ...numeric.location.statistic import TwoStageEstimate
from ...numeric.measure_moments import Moments
from ...people.measure import OfPeople
from ..glm.measure_newton import FINE
from ..glm.measure_newton_stages import MOST, NewtonStage, SizesStage
from ..glm.statistic import scores_of
from ..measure import Number
from ..moments.evidence_covariances import GramOfRows
from ..moments.measure import Gram
from ..moments.statistic import GramTable
from .evidence import Fit, FitOfRows, TwoStageFit
from .solve_design import Design


@dataclass(frozen=True)
class LeastSquaresFit:
    """The coefficients of a design in each cell of the table, or, `together`, of all its cells."""

    table: GramTable
    design: Design
    together: bool = False
    statistic: ClassVar[str] = "ols"
    kind: ClassVar[Kind] = "float"

    @property
    def cells(self) -> Cells:
        return self.table.cells

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        asked = {"statistic": self.statistic, "of": self.table.to_json(), "formula": self.design.formula}
        return {**asked, "together": True} if self.together else asked

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Gram | OfPeople, ...]:
        return self.table.measurements(public, beside)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Fit:
        gram = self.table.conclude(answers, public)
        if isinstance(gram, GramOfRows):
            return FitOfRows(gram, self.design, self.together)
        return Fit(gram, self.design, self.together)

    def over_rows(self, most: int) -> LeastSquaresFit:
        """The same over rows of people."""
        return replace(self, table=self.table.over_rows(most))


FIRST = Fraction(2, 5)  # of the price
SIZES = Fraction(1, 20)  # likewise


@dataclass(frozen=True)
class TwoStageLeastSquares(TwoStageEstimate):
    """The coefficients of a design, the response being the last term of the table."""

    table: GramTable
    design: Design
    cov_type: str
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "ols"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        asked = {"statistic": self.statistic, "of": self.table.to_json(), "formula": self.design.formula}
        return {**asked, "stages": 2, "cov_type": self.cov_type}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        form = self._form(public)
        return (*form.after, form)

    def over_rows(self, most: int) -> TwoStageLeastSquares:
        """The same over rows of people, with errors by person."""
        return replace(self, table=self.table.over_rows(most), cov_type="cluster")

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        if self._form(public).sizes is None:
            return FIRST, 1 - FIRST
        return FIRST, SIZES, 1 - FIRST - SIZES

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> TwoStageFit:
        *earlier, stage = answers
        form = self._form(public)
        told = form.parameter(tuple(earlier))
        released, noises = scores_of(form, stage)
        return TwoStageFit(
            self.table.sums((earlier[0],), public),
            self.design,
            cov_type=self.cov_type,
            around=np.array(told.coefficients) / FINE,
            released=released,
            noises=noises,
            clip=told.clip,
            cut=told.clip < MOST,
        )

    def _form(self, public: PublicFacts) -> NewtonStage:
        pilot = self.table.measurement(public)
        *terms, response = self.table.terms
        assert isinstance(response, Number)
        size, places = None if pilot.counted else public.size, tuple(self.design.places)
        uncut = from_0_to_1(response.variable)
        most = self.table.most
        form = NewtonStage("linear", pilot, tuple(terms), response.variable, None, places, size, uncut, most=most)
        return form if uncut else replace(form, sizes=SizesStage(form))


def from_0_to_1(variable: Variable) -> bool:
    """Whether it is declared so: it may be a yes or no, of which a rare one is no outlier."""
    return variable.interval.lower == 0 and variable.interval.upper == 1
