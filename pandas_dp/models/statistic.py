"""Moment matrices, and what is asked of them or of tables: covariances, and the coefficients of regressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.arguments import is_number, one_of
from ..core.arrays import Floats
from ..core.evidence.noise import Noise
from ..core.measure.cells import GRAIN, ONE_CELL, Cells, Variable
from ..core.measure.measurement import Form, Measurement, Noisy
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import whole_numbers
from ..core.schema.values import ByFields, Kind, said
from ..errors import UnsupportedArgument, shown
from ..numeric.measure import Counts, Moments
from ..numeric.statistic_location import TwoStageEstimate
from ..people.measure import Weighted
from .evidence import Fit, Generalized, TwoStageFit
from .glm.measure_newton import FINE
from .glm.measure_newton_stages import Family, NewtonStage, SizesStage
from .measure import Gram, Number, Term, half_range, with_gaps
from .moments.evidence import Covariances, PairOfColumns, Run
from .moments.evidence import GramSums as Sums
from .ols.solve_design import RegressionDesign
from .tables.evidence import TableFit, TableModel, outcomes_of


@dataclass(frozen=True)
class GramTable(ByFields):
    """The moment matrix of these terms, and of the constant, in each cell."""

    terms: tuple[Term, ...]
    cells: Cells = ONE_CELL
    importance: tuple[Fraction, ...] = ()
    most: int | None = None  # of rows of people: as so many rows hers weigh at most
    statistic: ClassVar[str] = "moments"
    kind: ClassVar[Kind] = "float"
    words: ClassVar = {"terms": "of"}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Gram | Weighted, ...]:
        measurement = self.measurement(public)
        return (measurement if self.most is None else Weighted(measurement, self.most),)

    def measurement(self, public: PublicFacts) -> Gram:
        """What is asked of the rows; also as the first of several stages."""
        uncounted, counted = self._measurements
        return uncounted if public.counts_public(self.cells, uncounted.variables) and not uncounted.keys else counted

    @cached_property
    def _measurements(self) -> tuple[Gram, Gram]:
        """Without the number of rows, and with it: made once, as what they are made of takes a while."""
        asked = self.cells, self.importance
        return Gram(self.terms, False, *asked), Gram(self.terms, True, *asked)

    @property
    def parts(self) -> int:
        """Of a row, in which its sums are counted."""
        return 1 if self.most is None else GRAIN

    def over_rows(self, most: int) -> GramTable:
        """The same over rows of people; a row without a value does not count, whatever was declared."""
        return replace(self, terms=tuple(with_gaps(term) for term in self.terms), most=most)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Sums:
        (answer,) = answers
        measurement = self.measurement(public)
        units = measurement.units * self.parts
        runs = groupby(zip(answer.laws, units.tolist(), strict=True))
        return Sums(
            columns=measurement.sums.columns,
            released=answer.table.astype(float) / units,
            runs=tuple(Run(Noise(law, 1 / unit), len(list(run))) for (law, unit), run in runs),
            counted=measurement.counted,
            complements=measurement.boxed,
            size=None if measurement.counted else public.size,
            independent="rows" if self.most is None else "people",
        )


@dataclass(frozen=True)
class PairTable(ByFields):
    """Covariances of the clamped values, or correlations: a moment matrix that is asked for these alone."""

    variables: tuple[Variable, ...]
    correlation: bool
    most: int | None = None  # of rows of people: as so many rows hers weigh at most
    cells: Cells = ONE_CELL
    single: bool = False  # of two columns the one number alone
    kind: ClassVar[Kind] = "float"
    words: ClassVar = {"correlation": None, "single": None}

    @property
    def statistic(self) -> str:
        return "corr" if self.correlation else "cov"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it; one cell was never said."""
        facts = super().to_json()
        return facts if self.cells.keys else {name: fact for name, fact in facts.items() if name != "cells"}

    def over_rows(self, most: int) -> PairTable:
        """The same over rows of people."""
        return replace(self, most=most)

    @property
    def table(self) -> GramTable:
        """The moment matrix that it is made of."""
        table = GramTable(tuple(map(Number, self.variables)), self.cells)
        return table if self.most is None else table.over_rows(self.most)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Gram | Weighted, ...]:
        return self.table.measurements(public, beside)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Covariances:
        gram, made = self.table.conclude(answers, public), PairOfColumns if self.single else Covariances
        return made(self.correlation, tuple(range(1, 1 + len(self.variables))), gram)


@dataclass(frozen=True)
class LeastSquaresFit:
    """The coefficients of a design in each cell of the table, or, `together`, of all its cells."""

    table: GramTable
    design: RegressionDesign
    together: bool = False
    statistic: ClassVar[str] = "ols"
    kind: ClassVar[Kind] = "float"

    @property
    def cells(self) -> Cells:
        return self.table.cells

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="ols", of=self.table, formula=self.design.formula, together=self.together)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Gram | Weighted, ...]:
        return self.table.measurements(public, beside)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Fit:
        return Fit.of(self.table.conclude(answers, public), self.design, self.together)

    def over_rows(self, most: int) -> LeastSquaresFit:
        """The same over rows of people."""
        return replace(self, table=self.table.over_rows(most))


FIRST = Fraction(2, 5)  # of the price
SIZES = Fraction(1, 20)  # likewise


class Rescored(TwoStageEstimate):
    """Scores around coefficients of the table's matrix."""

    if TYPE_CHECKING:

        @property
        def table(self) -> GramTable: ...

    @abstractmethod
    def _made(self, pilot: Gram, size: int | None) -> tuple[NewtonStage, ...]:
        """The looks at scores, after this pilot."""

    def stages(self, public: PublicFacts) -> tuple[NewtonStage, ...]:
        """The same, made once: it is asked for at every step."""
        pilot = self.table.measurement(public)
        size = None if pilot.counted else public.size
        if (pilot.counted, size) not in self._stages:
            self._stages[pilot.counted, size] = self._made(pilot, size)
        return self._stages[pilot.counted, size]

    @cached_property
    def _stages(self) -> dict[tuple[bool, int | None], tuple[NewtonStage, ...]]:
        return {}


@dataclass(frozen=True)
class TwoStageLeastSquares(Rescored):
    """The coefficients of a design, the response being the last term of the table."""

    table: GramTable
    design: RegressionDesign
    cov_type: str
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "ols"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        formula, how = self.design.formula, self.cov_type
        return said(statistic="ols", of=self.table, formula=formula, stages=2, cov_type=how)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        (form,) = self.stages(public)
        return (*form.after, form)

    def over_rows(self, most: int) -> TwoStageLeastSquares:
        """The same over rows of people, with errors by person."""
        return replace(self, table=self.table.over_rows(most), cov_type="cluster")

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        if self.stages(public)[0].sizes is None:
            return FIRST, 1 - FIRST
        return FIRST, SIZES, 1 - FIRST - SIZES

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> TwoStageFit:
        *earlier, stage = answers
        (form,) = self.stages(public)
        facts = form.parameter(tuple(earlier))
        released, noises = scores_of(form, stage)
        return TwoStageFit(
            self.table.conclude((earlier[0],), public),
            self.design,
            cov_type=self.cov_type,
            around=np.array(facts.coefficients) / FINE,
            released=released,
            noises=noises,
            clip=facts.clip,
        )

    def _made(self, pilot: Gram, size: int | None) -> tuple[NewtonStage, ...]:
        *terms, response = self.table.terms
        assert isinstance(response, Number)
        variable, places, most = response.variable, tuple(self.design.places), self.table.most
        interval = variable.interval
        uncut = interval.lower == 0 and interval.upper == 1  # it may be a yes or no, of which a rare one is no outlier
        stage = NewtonStage("linear", pilot, tuple(terms), variable, None, places, size, uncut, most=most)
        return (stage if uncut else replace(stage, sizes=SizesStage(stage)),)


SHARES = Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)  # of the price: the matrix, and the stages


@dataclass(frozen=True)
class GeneralizedFit(Rescored):
    """Coefficients of a design, the response and the exposure being the last terms of the table."""

    family: Family
    table: GramTable
    design: RegressionDesign
    exposed: bool = False
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"

    @property
    def statistic(self) -> str:
        return self.family

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.family, of=self.table, formula=self.design.formula)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        first, last = self.stages(public)
        return first.asked_first, first, last

    def over_rows(self, most: int) -> GeneralizedFit:
        """The same over rows of people, with errors by person."""
        return replace(self, table=self.table.over_rows(most))

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return SHARES

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Generalized:
        pilot, *stages = answers
        forms = self.stages(public)
        facts = forms[0].parameter((pilot,)), forms[1].parameter(answers[:2])
        seen = [scores_of(form, stage) for form, stage in zip(forms, stages, strict=True)]
        matrix = forms[0].matrix_of(pilot)
        size, response, unit = forms[0].columns, forms[0].response, forms[0].unit
        return Generalized(
            self.family,
            forms[0].pilot.sums.columns[:size],
            self.design,
            np.array([each.coefficients for each in facts]) / FINE,
            np.array([released for released, _ in seen]),
            tuple(noise for _, (score, off, _) in seen for noise in (score, off)),
            matrix.n,
            float(response.grid.centre) * matrix.n + half_range(response) * float(matrix.matrix[0, size]),
            facts[0].clip * unit,
            np.array([each.top * unit for each in facts]),
            None if self.table.most is None else np.array([*map(squares_of, forms, stages)]),
        )

    def _made(self, pilot: Gram, size: int | None) -> tuple[NewtonStage, ...]:
        beside = 1 + self.exposed
        response, *exposure = (term.variable for term in self.table.terms[-beside:] if isinstance(term, Number))
        terms, places = self.table.terms[:-beside], tuple(self.design.places)
        explained = response, exposure[0] if exposure else None
        first = NewtonStage(self.family, pilot, terms, *explained, places, size, most=self.table.most)
        return first, replace(first, earlier=first)


def scores_of(form: NewtonStage, stage: Noisy) -> tuple[Floats, tuple[Noise, Noise, Noise]]:
    """Sums of scores and of their second order, and the noise on a score, and on products off and on the diagonal."""
    asked, size = form.shape, form.columns
    units, second = asked.units, asked.second
    numbers = stage.table[0].astype(float) * np.array(units)
    places = list(zip(*asked.places, strict=True))
    first = next(at for at, (i, j) in enumerate(places) if i == j)
    off = next((at for at, (i, j) in enumerate(places) if i != j), first)
    score, other, own = (Noise(stage.laws[at], units[at]) for at in (0, second + off, second + first))
    return np.concatenate([numbers[:size], numbers[second:]]), (score, other, own)


def squares_of(form: NewtonStage, stage: Noisy) -> Floats:
    """Sums of products of people's scores."""
    asked, size = form.shape, form.columns
    squares = slice(size, size + len(asked.places[0]))
    found: Floats = stage.table[0].astype(float)[squares] * np.array(asked.units[squares])
    return found


LINKS = {"logit": "logit", "multinomial": "logit", "poisson": "log"}
COV_TYPES = ("nonrobust", "HC")
MOST = 60  # coefficients
Axis = tuple[str, tuple[Any, ...]]  # a key and its categories


@dataclass(frozen=True)
class TableRegression:
    """The coefficients of a model of the table over `cells`, whose last key is the response."""

    statistic: str
    cells: Cells
    model: TableModel
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        model = self.model
        return said(statistic=self.statistic, cells=self.cells, formula=model.formula, robust=model.robust)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Counts, ...]:
        return (Counts(self.cells),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> TableFit:
        (answer,) = answers
        return TableFit.of(self.statistic, whole_numbers(answer.table[:, 0]), Noise(answer.laws[0]), self.model)


def model_of(
    statistic: str,
    keys: Sequence[Axis],
    response: Axis,
    terms: Sequence[Sequence[str]],
    cov_type: str | None = None,
    intercept: bool = True,
) -> TableModel:
    """What explains the response by the terms, which name keys; refused where it cannot be."""
    name, answers = response
    robust = one_of("cov_type", "nonrobust" if cov_type is None else cov_type, COV_TYPES) == "HC"
    _check_answers(statistic, name, answers)
    names = [key for key, _ in keys]
    places = tuple(tuple(names.index(key) for key in term) for term in terms)
    _check_terms(statistic, places, names)
    labels = tuple(tuple(map(str, values)) for _, values in keys)
    said = tuple(map(str, answers))
    outcomes = outcomes_of(statistic, answers)
    model = TableModel(LINKS[statistic], name, said, outcomes, tuple(names), labels, places, intercept, robust)
    if not 0 < model.many <= MOST:
        raise UnsupportedArgument(
            f"{statistic} was asked for {model.many} coefficients, and 1 to {MOST} are possible; name other terms."
        )
    return model


def _check_answers(statistic: str, name: str, answers: tuple[Any, ...]) -> None:
    if statistic == "poisson" and not all(is_number(each) and each >= 0 for each in answers):
        raise UnsupportedArgument(
            f"poisson explains a count, and the categories of {shown(name)} are not all numbers from 0 on; for "
            "categories there are logit and multinomial."
        )
    if statistic == "logit" and len(answers) != 2:
        raise UnsupportedArgument(
            f"logit explains a key with two categories, and {shown(name)} has {len(answers)}; multinomial explains "
            "more."
        )
    if statistic == "multinomial" and len(answers) < 2:
        raise UnsupportedArgument(f"multinomial explains a key with two categories or more; {shown(name)} has one.")


def _check_terms(statistic: str, places: Sequence[tuple[int, ...]], names: Sequence[str]) -> None:
    if len({tuple(sorted(term)) for term in places}) < len(places):
        raise UnsupportedArgument(f"{statistic} was given a term twice; name it once.")
    for term in places:
        if not 1 <= len(set(term)) == len(term) <= 2:
            raise UnsupportedArgument(f"{statistic} multiplies two different keys at most; name them in one term.")
        if len(term) == 2 and not all((each,) in places for each in term):
            one, other = (shown(names[each]) for each in term)
            raise UnsupportedArgument(f"{one} times {other} needs both keys as terms of their own, too.")
