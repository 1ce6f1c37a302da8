"""Sums of products of columns: the moment matrix of several terms, in each cell."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, groupby
from typing import Any, ClassVar

import numpy as np

from ...core.evidence.noise import Noise
from ...core.measure.cells import ONE_CELL, Cells, Variable
from ...core.measure.noisy import Noisy
from ...core.neighbours import PublicFacts
from ...core.schema.categories import said
from ...core.schema.interval import Kind
from ...dataclass import dataclass
from ...numeric.measure_moments import Moments
from ...people.measure import GRAIN, OfPeople
from ..measure import Term, with_gaps
from .evidence_covariances import Gram as Sums
from .evidence_covariances import GramOfRows as RowSums
from .evidence_covariances import Run
from .evidence_pairs import Pairs
from .measure import Gram, Products


@dataclass(frozen=True)
class GramTable:
    """The moment matrix of these terms, and of the constant, in each cell."""

    terms: tuple[Term, ...]
    cells: Cells = ONE_CELL
    importance: tuple[Fraction, ...] = ()
    most: int | None = None  # of rows of people: as so many rows hers weigh at most
    statistic: ClassVar[str] = "moments"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic,
            of=[term.to_json() for term in self.terms],
            cells=self.cells.to_json(),
            importance=[str(each) for each in self.importance],
            max_rows=self.most,
        )

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Gram | OfPeople, ...]:
        measurement = self.measurement(public)
        return (measurement if self.most is None else OfPeople(measurement, self.most),)

    def measurement(self, public: PublicFacts) -> Gram:
        """What is asked of the rows; also as the first of several stages."""
        variables = [variable for term in self.terms for variable in term.variables]
        levels = any(term.keys for term in self.terms)
        counted = levels or not public.counts_public(self.cells, variables)
        return Gram(self.terms, counted, self.cells, self.importance)

    @property
    def parts(self) -> int:
        """Of a row, in which its sums are counted."""
        return 1 if self.most is None else GRAIN

    def over_rows(self, most: int) -> GramTable:
        """The same over rows of people; a row without a value does not count, whatever was declared."""
        return replace(self, terms=tuple(with_gaps(term) for term in self.terms), most=most)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Sums:
        return self.sums(answers, public, Sums if self.most is None else RowSums)

    def sums(self, answers: tuple[Noisy, ...], public: PublicFacts, kind: type[Sums] = Sums) -> Sums:
        """As evidence that takes rows for independent, or not."""
        (answer,) = answers
        measurement = self.measurement(public)
        units = measurement.units * self.parts
        runs = groupby(zip(answer.laws, units.tolist(), strict=True))
        return kind(
            columns=measurement.sums.columns,
            released=answer.table.astype(float) / units,
            runs=tuple(Run(Noise(law, 1 / unit), len(list(run))) for (law, unit), run in runs),
            counted=measurement.counted,
            complements=measurement.boxed,
            size=None if measurement.counted else public.size,
        )


@dataclass(frozen=True)
class PairTable:
    """The covariance matrix of the clamped values, or with `correlation` the correlation matrix."""

    variables: tuple[Variable, ...]
    correlation: bool
    most: int | None = None  # of rows of people: as so many rows hers weigh at most
    cells: ClassVar[Cells] = Cells()
    kind: ClassVar[Kind] = "float"

    @property
    def statistic(self) -> str:
        return "corr" if self.correlation else "cov"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic, of=[variable.to_json() for variable in self.variables], max_rows=self.most
        )

    def over_rows(self, most: int) -> PairTable:
        """The same over rows of people; a row without a value does not count, whatever was declared."""
        gaps = tuple(replace(each, interval=replace(each.interval, nullable=True)) for each in self.variables)
        return replace(self, variables=gaps, most=most)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Products | OfPeople, ...]:
        measurement = self._products(public)
        return (measurement if self.most is None else OfPeople(measurement, self.most),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Pairs:
        (answer,) = answers
        measurement, k = self._products(public), len(self.variables)
        parts = 1 if self.most is None else GRAIN
        sums, laws = (answer.table[0] / parts).astype(float), answer.laws
        step = [float(v.grid.code_step) for v in self.variables]
        pairs = list(combinations_with_replacement(range(k), 2))
        shifts = measurement.shifts[-len(pairs) :]
        worth = np.array([step[i] * step[j] * 2.0**s for (i, j), s in zip(pairs, shifts, strict=True)])
        first = 1 if measurement.counted else 0
        return Pairs(
            correlation=self.correlation,
            half=np.array([s * v.grid.half for s, v in zip(step, self.variables, strict=True)]),
            total=sums[first : first + k] * step,
            product=sums[first + k :] * worth,
            total_noise=tuple(map(Noise, laws[first : first + k], np.array(step) / parts)),
            product_noise=tuple(map(Noise, laws[first + k :], (worth / parts).tolist())),
            size=None if measurement.counted else public.size,
            count=float(sums[0]) if measurement.counted else None,
            count_noise=Noise(laws[0], 1 / parts) if measurement.counted else None,
        )

    def _products(self, public: PublicFacts) -> Products:
        return Products(self.variables, counted=not public.counts_public(ONE_CELL, self.variables))
