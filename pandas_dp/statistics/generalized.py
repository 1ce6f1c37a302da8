"""Logit and Poisson regressions: a moment matrix, and then a look at scores around what it says."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..domain import Kind
from ..equations.design import Design
from ..evidence import Noise
from ..evidence.generalized import Generalized
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Family, Form, Moments, NewtonLook, Number, Tally
from ..tally.links import FINE, ONE
from ..tally.terms import half_range
from .gram import GramTable
from .location import LooksAgain

Floats = np.ndarray[Any, np.dtype[np.float64]]
PILOT = Fraction(1, 4)  # of the price


@dataclass(frozen=True)
class GeneralizedFit(LooksAgain):
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

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]:
        form = self._form(setting)
        return form.pilot, form

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return PILOT, 1 - PILOT

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Generalized:
        pilot, look = answers
        form = self._form(setting)
        told, size = form.parameter((pilot,)), form.columns
        released, noises = scores_of(form, look)
        (matrix,) = form.pilot.matrices(pilot, form.size)
        centre = float(form.response.grid.centre)
        return Generalized(
            self.family,
            form.pilot.sums.columns[:size],
            self.design,
            np.array(told.coefficients) / FINE,
            released,
            noises,
            matrix.n,
            centre * matrix.n + half_range(form.response) * float(matrix.matrix[0, size]),
            told.clip * half_range(form.response) if self.family == "poisson" else 1.0,
        )

    def _form(self, setting: Setting) -> NewtonLook:
        pilot = self.table.tally(setting)
        beside = 1 + self.exposed
        response, *exposure = (term.variable for term in self.table.terms[-beside:] if isinstance(term, Number))
        return NewtonLook(
            self.family,
            pilot,
            self.table.terms[:-beside],
            response,
            exposure[0] if exposure else None,
            tuple(self.design.places),
            None if pilot.counted else setting.size,
        )


def scores_of(form: NewtonLook, look: Blurred) -> tuple[Floats, tuple[Noise, Noise, Noise]]:
    """Sums of scores and of their second order, and the noise on a score, and on products off and on the diagonal."""
    size, numbers = form.columns, look.table[0].astype(float)
    worth = np.array([1 / ONE] * size + [1 / ONE**2] * (len(numbers) - size))
    places = list(zip(*form.at(form.nothing).places, strict=True))
    first = next(at for at, (i, j) in enumerate(places) if i == j)
    off = next((at for at, (i, j) in enumerate(places) if i != j), first)
    laws = look.laws[0], look.laws[size + off], look.laws[size + first]
    one, *others = (Noise(law, 1 / ONE ** (1 if at == 0 else 2)) for at, law in enumerate(laws))
    return numbers * worth, (one, others[0], others[1])
