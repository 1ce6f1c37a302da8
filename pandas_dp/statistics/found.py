"""How many rows have each key, of keys that nobody declared: those that are shown, and what is left of all rows."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Found, Noise
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Occurring
from ..tally import Found as Shown
from .estimator import whole_numbers


@dataclass(frozen=True)
class FoundCounts:
    """The keys that occur, where they are shown, with the rows of each; `other` are all rows but those.

    Of people with several keys, the weight of each key in place of their number.
    """

    tally: Occurring
    other: bool = False
    cells: ClassVar[Cells] = ONE_CELL
    finds_keys: ClassVar[bool] = True

    @property
    def weighs(self) -> bool:
        """Whether people share themselves out over their keys."""
        return self.tally.unit > 1

    @property
    def statistic(self) -> str:
        return "weight" if self.weighs else "count"

    @property
    def kind(self) -> Kind:
        return "float" if self.weighs else "integer"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.statistic, found=self.tally.to_json(), other=self.other)

    def needs_rows(self, setting: Setting) -> bool:
        """Whether the number of all rows is private, and wanted."""
        return self.other and setting.size is None

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Any, ...]:
        """The keys that occur, which are no sums: a plan of their own asks for them."""
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Found:
        (shown,) = answers
        assert isinstance(shown, Shown)
        counts, rows, least = whole_numbers(shown.table[:, 0]), None, self.tally.weight_of_one(self.tally.most or 1)
        if self.weighs:
            counts = counts / shown.unit
        if self.other:
            total = setting.size if shown.rows is None else shown.rows
            counts = np.append(counts, whole_numbers(np.array([total], dtype=object)) - counts.sum())
            rows = None if shown.rows is None else Noise(shown.laws[1])
        noise = Noise(shown.laws[0], 1 / shown.unit)
        how = (shown.threshold, least, self.other, rows, self.tally.key.spelling)
        return Found(self.statistic, counts, noise, *how)
