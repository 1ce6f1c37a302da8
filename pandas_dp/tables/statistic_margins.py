"""A table with the sums of its rows, of its columns, and of all: noisy cells added up, at no cost."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.evidence.evidence import Evidence
from ..core.measure.measurement import Measurement
from ..core.measure.noisy import Noisy
from ..core.measure.statistic import Around, whole_numbers
from ..core.neighbours import PublicFacts
from ..dataclass import dataclass
from ..numeric.evidence_sums import Amounts
from ..numeric.measure_distinct import Table
from ..numeric.measure_moments import Moments
from ..surveys.evidence import SurveyedMargins


@dataclass(frozen=True)
class Margins(Around):
    """The cells of `inner`, read as rows × columns, with one more of each for totals."""

    inner: Any  # counts or sums, of rows or of people
    rows: int
    columns: int

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        inner: dict[str, Any] = self.inner.to_json()
        return {**inner, "margins": [self.rows, self.columns]}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement, ...]:
        asked: tuple[Measurement, ...] = self.inner.measurements(public, beside)
        return asked

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        inner: Amounts = self.inner.conclude(answers, public)
        return replace(inner, values=self.added(inner.values), margins=(self.rows, self.columns))

    def added(self, cells: Table) -> Table:
        """Cells with their totals."""
        exact = object if cells.dtype.kind == "i" else float  # sums of int64 may not fit into it
        table = cells.astype(exact).reshape(self.rows, self.columns)
        wide = np.column_stack([table, table.sum(axis=1)])
        whole = np.vstack([wide, wide.sum(axis=0)]).ravel()
        return whole_numbers(whole) if exact is object else whole


@dataclass(frozen=True)
class WeightedMargins(Margins):
    """The same of a weighted table, whatever it says of its cells: margins say it of their cells together."""

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        shares: tuple[Fraction, ...] = self.inner.shares(public)
        return shares

    def spends(self, parts: Sequence[Fraction], public: PublicFacts) -> Fraction:
        spent: Fraction = self.inner.spends(parts, public)
        return spent

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        return SurveyedMargins(self.inner.conclude(answers, public), self.rows, self.columns)
