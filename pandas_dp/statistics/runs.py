"""Tables of counts and sums in which runs of ordered keys are told best: all ages from 18 to 64, by region."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from ..dataclass import dataclass
from ..domain import Kind
from ..evidence import RunTables
from ..margins import ByEffects, Measured, Metric, RunsWanted, Wanted, cost_of_runs, planned_levels
from ..neighbours import Setting
from ..tally import Counts, Moments, Norm, RunTable, Tally, Totals, ends_of
from .counts import Count
from .effects import TableOfEffects
from .levels import TableOfLevels
from .tables import Noisy


@dataclass(frozen=True)
class TableOfRuns(TableOfEffects):
    """The `shown` margins of counts or sums; `wanted` says of each key which of its runs matter."""

    wanted: tuple[Wanted, ...] = ()

    @property
    def kind(self) -> Kind:
        return "float" if self.inner.kind == "integer" else self.inner.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "ranges": list(self.wanted)}

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(Metric(size, each) for size, each in zip(self.cells.shape, self.wanted, strict=True))

    def decided(self, setting: Setting, norm: Norm) -> Any:
        """Under Laplace noise other sums are better: of blocks."""
        if norm == 2:
            return super().decided(setting, norm)
        assert isinstance(self.spending, ByEffects)
        tables = tuple(zip(self.shown, self.spending.of_each, strict=True))
        free = isinstance(self.inner, Count) and setting.moves.swap and min(self.cells.shape) > 1
        digits, measured = planned_levels(self.metrics, tables, free, self.spending.largest)
        return TableOfLevels(self.inner, self.shown, measured, digits=digits, wanted=self.wanted)

    def _planned(self, spending: ByEffects, setting: Setting) -> Measured:
        tables = tuple(zip(self.shown, spending.of_each, strict=True))
        wanted = RunsWanted(self.metrics, tables, ends_of(self._whole(setting)))
        return wanted.measured(setting.moves.swap, spending.largest)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        whole = self._whole(setting)
        return tuple(RunTable(whole, kept, self.metrics) for kept in self.measured.tables)

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """The dearest move of all rows together."""
        spent = Measured(self.measured.tables, tuple(parts))
        return cost_of_runs(self.metrics, spent, setting.moves.swap, ends_of(self._whole(setting)))

    def _whole(self, setting: Setting) -> Counts | Totals:
        (whole,) = self.inner.tallies(setting, ())
        assert isinstance(whole, Counts | Totals)
        return whole

    @property
    def _times(self) -> list[int]:
        return [1] * len(self.measured.tables)

    def _told(self, values: Any, noisy: Noisy) -> RunTables:
        lattice, tables = self.lattice, self.measured.tables
        each = (noisy.statistic, values, lattice.sizes, lattice.shown, tables, tuple(noisy.noises), True, noisy.lower)
        return RunTables(*each, wanted=self.wanted)
