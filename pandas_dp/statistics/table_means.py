"""Tables of means with their margins: counts, sums and means from the same measurements, all made to agree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..evidence import Evidence, Noise, TableMeans
from ..neighbours import Setting
from ..tally import Blurred
from .estimator import whole_numbers
from .means import Mean
from .moments import moments
from .tables import Noisy, TableOfMargins


@dataclass(frozen=True)
class MeansOfMargins(TableOfMargins):
    """The `shown` margins of what follows from the moments of a variable: how many rows, their sum, or their mean.

    Counts, sums and squares are fitted with the same weights, so a sum is the count times the mean wherever the
    noise leaves that mean within its bounds, to which it is cut.
    """

    inner: Mean
    says: str = "mean"  # or "count", or "sum"

    @property
    def statistic(self) -> str:
        return self.says

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "says": self.says}

    @property
    def kind(self) -> Kind:
        return "integer" if self.says == "count" else self.inner.kind

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        tally = moments(self.inner.variable, self.cells, setting)
        grid = tally.variable.grid
        step, centre = float(grid.code_step), float(grid.centre)
        square = step**2 * 2.0 ** tally.shifts[2]
        count, total, squares = (
            [answer.table[:, place].astype(float) * worth for answer in answers]
            for place, worth in enumerate((1.0, step, square))
        )
        count_noise, total_noise, squares_noise = (
            [Noise(answer.laws[place], worth) for answer in answers] for place, worth in enumerate((1.0, step, square))
        )
        weighed = tuple(noise.var for noise in total_noise)
        counts = self._tables(count, Noisy("count", count_noise, 0.0, weighed))
        if self.says == "count":
            return counts if self.fitted else replace(counts, values=whole_numbers(np.rint(counts.values)))
        if self.says == "sum":
            sums = [s + centre * n for s, n in zip(total, count, strict=True)]
            pairs = zip(total_noise, count_noise, strict=True)
            noises = [replace(s, plus=(n.times(abs(centre)),)) if centre else s for s, n in pairs]
            return self._tables(sums, Noisy("sum", noises, 0.0 if grid.lower >= 0 else -np.inf, weighed))
        return TableMeans(
            counts,
            self._tables(total, Noisy("total", total_noise, weighed=weighed)),
            self._tables(squares, Noisy("squares", squares_noise, weighed=weighed)),
            centre,
            step * grid.half,
        )
