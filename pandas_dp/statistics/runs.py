"""Tables of counts in which runs of ordered keys are told best: all ages from 18 to 64, by region."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from ..domain import Kind
from ..errors import CostNotOffered
from ..evidence import Noise, RunTables
from ..margins import ByEffects, Kept, Measured, Metric, RunsWanted, Wanted, cost_of_runs
from ..neighbours import Setting
from ..tally import Counts, Moments, Norm, RunTable, Tally
from .effects import TableOfEffects


@dataclass(frozen=True)
class TableOfRuns(TableOfEffects):
    """The `shown` margins of counts; `wanted` says of each key which of its runs matter."""

    wanted: tuple[Wanted, ...] = ()

    @property
    def kind(self) -> Kind:
        return "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "ranges": list(self.wanted)}

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(Metric(size, each) for size, each in zip(self.cells.shape, self.wanted, strict=True))

    def decided(self, setting: Setting, norm: Norm) -> Self:
        """With the effects, and their shares of the cost."""
        if norm == 1:
            raise CostNotOffered(
                "ranges are measured with Gaussian noise, which epsilon= alone does not pay. Give rho=, or epsilon= "
                "with delta=; or ask for cdf, whose shares between any two points take epsilon= too."
            )
        if isinstance(self.spending, Measured):
            return self
        assert isinstance(self.spending, ByEffects)
        wanted = RunsWanted(self.metrics, tuple(zip(self.shown, self.spending.of_each, strict=True)))
        return replace(self, spending=wanted.measured(setting.moves.swap, self.spending.largest))

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        whole = self._whole(setting)
        assert isinstance(whole, Counts)
        return tuple(RunTable(whole, kept, self.metrics) for kept in self.measured.tables)

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """The dearest move of all rows together."""
        return cost_of_runs(self.metrics, Measured(self.measured.tables, tuple(parts)), setting.moves.swap)

    def _tables(
        self,
        statistic: str,
        numbers: Sequence[Any],
        noises: Sequence[Noise],
        lower: float = -np.inf,
        weighed: tuple[float, ...] | None = None,
    ) -> RunTables:
        """What noisy numbers say of the tables shown."""
        found = self._told(statistic, np.zeros(0), noises, lower)
        each = zip(self.measured.tables, numbers, strict=True)
        noisy: dict[Kept, Any] = {kept: np.asarray(table, float) for kept, table in each}
        return replace(found, values=self.lattice.fitted(noisy, found.effects))

    def _told(
        self,
        statistic: str,
        values: Any,
        noises: Sequence[Noise],
        lower: float = -np.inf,
        weighed: tuple[float, ...] | None = None,
    ) -> RunTables:
        lattice, tables = self.lattice, self.measured.tables
        each = (statistic, values, lattice.sizes, lattice.shown, tables, tuple(noises), True, lower)
        return RunTables(*each, wanted=self.wanted)
