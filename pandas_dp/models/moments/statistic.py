"""Sums of products of columns: the moment matrix of several terms, in each cell."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import Any, ClassVar

from ...core.evidence.noise import Noise
from ...core.measure.blurred import Blurred
from ...core.measure.cells import ONE_CELL, Cells, Variable
from ...core.neighbours import Setting
from ...core.schema.categories import said
from ...core.schema.interval import Kind
from ...dataclass import dataclass
from ...numeric.measure_moments import Moments
from ...people.measure import GRAIN, OfPeople
from ..measure import Number, Term, with_gaps
from .evidence_covariances import Covariances, Run
from .evidence_covariances import Gram as Sums
from .evidence_covariances import GramOfRows as RowSums
from .measure import Gram


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

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Gram | OfPeople, ...]:
        tally = self.tally(setting)
        return (tally if self.most is None else OfPeople(tally, self.most),)

    def tally(self, setting: Setting) -> Gram:
        """What is asked of the rows; also as the first of several looks."""
        variables = [variable for term in self.terms for variable in term.variables]
        levels = any(term.keys for term in self.terms)
        counted = levels or not setting.counts_public(self.cells, variables)
        return Gram(self.terms, counted, self.cells, self.importance)

    @property
    def parts(self) -> int:
        """Of a row, in which its sums are counted."""
        return 1 if self.most is None else GRAIN

    def over_rows(self, most: int) -> GramTable:
        """The same over rows of people; a row without a value does not count, whatever was declared."""
        return replace(self, terms=tuple(with_gaps(term) for term in self.terms), most=most)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Sums:
        return self.sums(answers, setting, Sums if self.most is None else RowSums)

    def sums(self, answers: tuple[Blurred, ...], setting: Setting, kind: type[Sums] = Sums) -> Sums:
        """As evidence that takes rows for independent, or not."""
        (answer,) = answers
        tally = self.tally(setting)
        units = tally.units * self.parts
        runs = groupby(zip(answer.laws, units.tolist(), strict=True))
        return kind(
            columns=tally.sums.columns,
            released=answer.table.astype(float) / units,
            runs=tuple(Run(Noise(law, 1 / unit), len(list(run))) for (law, unit), run in runs),
            counted=tally.counted,
            complements=tally.boxed,
            size=None if tally.counted else setting.size,
        )


@dataclass(frozen=True)
class PairTable:
    """Covariances of the clamped values, or correlations: a moment matrix that is asked for these alone."""

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
        """The same over rows of people."""
        return replace(self, most=most)

    @property
    def table(self) -> GramTable:
        """The moment matrix that it is made of."""
        table = GramTable(tuple(map(Number, self.variables)))
        return table if self.most is None else table.over_rows(self.most)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Gram | OfPeople, ...]:
        return self.table.tallies(setting, beside)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Covariances:
        gram = self.table.conclude(answers, setting)
        return Covariances(self.correlation, tuple(range(1, 1 + len(self.variables))), gram)
