"""A table with the sums of its rows, of its columns, and of all: noisy cells added up, at no cost."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..evidence import Amounts
from ..neighbours import Setting
from ..tally import Blurred, Moments, Table, Tally
from .estimator import Around, whole_numbers


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

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        asked: tuple[Tally, ...] = self.inner.tallies(setting, beside)
        return asked

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Amounts:
        inner: Amounts = self.inner.conclude(answers, setting)
        return replace(inner, values=self.added(inner.values), margins=(self.rows, self.columns))

    def added(self, cells: Table) -> Table:
        """Cells with their totals."""
        exact = object if cells.dtype.kind == "i" else float  # sums of int64 may not fit into it
        table = cells.astype(exact).reshape(self.rows, self.columns)
        wide = np.column_stack([table, table.sum(axis=1)])
        whole = np.vstack([wide, wide.sum(axis=0)]).ravel()
        return whole_numbers(whole) if exact is object else whole
