"""The sum with the error that sampling gives it, from the moments that a mean has."""

from __future__ import annotations

from collections.abc import Collection
from math import sqrt
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Bootstrap, Means, MomentSums, added
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Variable
from .moments import in_units, moments


@dataclass(frozen=True)
class PopulationSum:
    """The sum in each cell, of so many rows of the population as the whole table has.

    Where rows are left out, or lack a value, they count as 0 (docs/proofs/bootstrap.md).
    """

    variable: Variable
    bootstrap: Bootstrap
    cells: Cells = ONE_CELL
    statistic: ClassVar[str] = "sum"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        asked = self.variable.to_json(), self.cells.to_json(), self.bootstrap.to_json()
        return said(statistic="sum", of=asked[0], cells=asked[1], bootstrap=asked[2])

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Moments, ...]:
        return (moments(self.variable, self.cells, setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Means:
        (answer,) = answers
        sums = in_units(moments(self.variable, self.cells, setting), answer, setting)
        rows = setting.most if setting.size is None else setting.size
        if sums.count is not None:
            grid = self.variable.grid
            sums = _of_all_rows(sums, (float(grid.lower), float(grid.upper)), rows or 0)
        return Means(sums, self.bootstrap, rows or 0)


def _of_all_rows(sums: MomentSums, ends: tuple[float, float], rows: int) -> MomentSums:
    """The sums over that many rows, those that are not counted here having the value 0.

    The noise of the count is in both sums. That of the squares is taken as wide as the spread would have it if both
    sums erred to the same side.
    """
    assert sums.count is not None
    assert sums.count_noise is not None
    low, high = min(ends[0], 0.0), max(ends[1], 0.0)
    middle, half = (low + high) / 2, (high - low) / 2
    away = sums.centre - middle  # from a code of zero to the middle of what a row can add
    of_count = sums.half**2 + away**2 - middle**2
    weights = _as_wide(of_count, half * sums.centre), _as_wide(2 * away, half)
    return MomentSums(
        centre=middle,
        half=half,
        total=sums.total + sums.centre * sums.count - middle * rows,
        squares=of_count * sums.count + 2 * away * sums.total - sums.squares + middle**2 * rows,
        total_noise=added([(sums.total_noise, 1.0, 1), (sums.count_noise, sums.centre, 1)]),
        squares_noise=added(
            [(sums.squares_noise, 1.0, 1), (sums.total_noise, weights[1], 1), (sums.count_noise, weights[0], 1)]
        ),
        size=rows,
    )


def _as_wide(weight: float, mean: float) -> float:
    """For a noise that weighs so much in the squares: as much as makes up for twice the mean times it in the sum."""
    return sqrt(weight**2 + 4 * abs(weight * mean))
