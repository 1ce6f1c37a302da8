"""How many rows have each key, of keys that nobody declared: those that are shown, and what is left of all rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Found, Noise
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Occurring
from ..tally import Found as Shown
from .estimator import whole_numbers


@dataclass(frozen=True)
class FoundCounts:
    """The keys that occur, where they are shown, with the rows of each; `other` are all rows but those."""

    tally: Occurring
    other: bool = False
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "integer"
    statistic: ClassVar[str] = "count"
    finds_keys: ClassVar[bool] = True

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="count", found=self.tally.to_json(), other=self.other)

    def needs_rows(self, setting: Setting) -> bool:
        """Whether the number of all rows is private, and wanted."""
        return self.other and setting.size is None

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Any, ...]:
        """The keys that occur, which are no sums: a plan of their own asks for them."""
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Found:
        (shown,) = answers
        assert isinstance(shown, Shown)
        counts, rows = whole_numbers(shown.table[:, 0]), None
        if self.other:
            total = setting.size if shown.rows is None else shown.rows
            counts = np.append(counts, whole_numbers(np.array([total], dtype=object)) - counts.sum())
            rows = None if shown.rows is None else Noise(shown.laws[1])
        noise = Noise(shown.laws[0], 1 / shown.unit)
        how = (shown.threshold, shown.unit, self.other, rows, self.tally.key.spelling)
        return Found("count", counts, noise, *how)
