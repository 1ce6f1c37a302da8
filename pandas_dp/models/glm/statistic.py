"""Logit and Poisson regressions: a moment matrix, and then two looks at scores, each around what was told before."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ...core.arrays import Floats
from ...core.evidence.noise import Noise
from ...core.measure.cells import ONE_CELL, Cells
from ...core.measure.forms import Form
from ...core.measure.measurement import Measurement
from ...core.measure.noisy import Noisy
from ...core.neighbours import PublicFacts
from ...core.schema.interval import Kind
from ...dataclass import dataclass
from ...numeric.location.statistic import TwoStageEstimate
from ...numeric.measure_moments import Moments
from ..measure import Number, half_range
from ..moments.statistic import GramTable
from ..ols.solve_design import Design
from .evidence import Generalized, GeneralizedByPerson
from .measure_newton import FINE
from .measure_newton_stages import Family, NewtonStage

SHARES = Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)  # of the price: the matrix, and the stages


@dataclass(frozen=True)
class GeneralizedFit(TwoStageEstimate):
    """Coefficients of a design, the response and the exposure being the last terms of the table."""

    family: Family
    table: GramTable
    design: Design
    exposed: bool = False
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"

    @property
    def statistic(self) -> str:
        return self.family

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {"statistic": self.family, "of": self.table.to_json(), "formula": self.design.formula}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        first, last = self._forms(public)
        return first.asked_first, first, last

    def over_rows(self, most: int) -> GeneralizedFit:
        """The same over rows of people, with errors by person."""
        return replace(self, table=self.table.over_rows(most))

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return SHARES

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Generalized:
        pilot, *stages = answers
        forms = self._forms(public)
        told = forms[0].parameter((pilot,)), forms[1].parameter(answers[:2])
        seen = [scores_of(form, stage) for form, stage in zip(forms, stages, strict=True)]
        matrix = forms[0].matrix_of(pilot)
        size, response = forms[0].columns, forms[0].response
        unit = half_range(response) if self.family == "poisson" else 1.0
        found = Generalized(
            self.family,
            forms[0].pilot.sums.columns[:size],
            self.design,
            np.array([each.coefficients for each in told]) / FINE,
            np.array([released for released, _ in seen]),
            tuple(noise for _, (score, off, _) in seen for noise in (score, off)),
            matrix.n,
            float(response.grid.centre) * matrix.n + half_range(response) * float(matrix.matrix[0, size]),
            told[0].clip * unit,
            np.array([each.top * unit for each in told]),
        )
        if self.table.most is None:
            return found
        squares = [squares_of(form, stage) for form, stage in zip(forms, stages, strict=True)]
        return GeneralizedByPerson.of(found, np.array(squares))

    def _forms(self, public: PublicFacts) -> tuple[NewtonStage, NewtonStage]:
        first = self._form(public)
        return first, replace(first, earlier=first)

    def _form(self, public: PublicFacts) -> NewtonStage:
        pilot = self.table.measurement(public)
        beside = 1 + self.exposed
        response, *exposure = (term.variable for term in self.table.terms[-beside:] if isinstance(term, Number))
        return NewtonStage(
            self.family,
            pilot,
            self.table.terms[:-beside],
            response,
            exposure[0] if exposure else None,
            tuple(self.design.places),
            None if pilot.counted else public.size,
            most=self.table.most,
        )


def scores_of(form: NewtonStage, stage: Noisy) -> tuple[Floats, tuple[Noise, Noise, Noise]]:
    """Sums of scores and of their second order, and the noise on a score, and on products off and on the diagonal."""
    asked, size = form.at(form.nothing), form.columns
    units, second = asked.units, asked.second
    numbers = stage.table[0].astype(float) * np.array(units)
    places = list(zip(*asked.places, strict=True))
    first = next(at for at, (i, j) in enumerate(places) if i == j)
    off = next((at for at, (i, j) in enumerate(places) if i != j), first)
    score, other, own = (Noise(stage.laws[at], units[at]) for at in (0, second + off, second + first))
    return np.concatenate([numbers[:size], numbers[second:]]), (score, other, own)


def squares_of(form: NewtonStage, stage: Noisy) -> Floats:
    """Sums of products of people's scores."""
    asked, size = form.at(form.nothing), form.columns
    squares = slice(size, size + len(asked.places[0]))
    found: Floats = stage.table[0].astype(float)[squares] * np.array(asked.units[squares])
    return found
