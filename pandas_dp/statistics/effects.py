"""Tables that agree, from effects that are measured by themselves: the mean, each key, each pair of keys, and so on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from ..dataclass import dataclass
from ..errors import CostNotOffered
from ..evidence import EffectTables, Tables
from ..margins import ByEffects, Kept, Lengths, Measured
from ..neighbours import Setting
from ..tally import Counts, EffectTable, Moments, Norm, Tally, Totals, lengths_of
from .table_means import MeansOfMargins
from .tables import Noisy, TableOfMargins


@dataclass(frozen=True)
class TableOfEffects(TableOfMargins):
    """The `shown` margins of the cells of `inner`, from the effects they are made of, each measured by itself."""

    gaussian_alone: ClassVar[str] = (
        "effects are measured with Gaussian noise, which epsilon= alone does not pay: Laplace noise would grow "
        "with every key of a table. Give rho=, which buys far less noise for many tables, or epsilon= with "
        "delta=; or leave out measure='effects'."
    )

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "measure": "effects"}

    def decided(self, setting: Setting, norm: Norm) -> Self:
        """With the effects, and their shares of the cost."""
        if norm == 1:
            raise CostNotOffered(self.gaussian_alone)
        if isinstance(self.spending, Measured):
            return self
        assert isinstance(self.spending, ByEffects)
        return replace(self, spending=self._planned(self.spending, setting))

    def _planned(self, spending: ByEffects, setting: Setting) -> Measured:
        return spending.measured(self.shown, self.cells.shape, self._lengths(setting))

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        return tuple(EffectTable(self._whole(setting), kept) for kept in self.measured.tables)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return self.measured.shares

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """The dearest move of all rows together, which is less than what each table would cost alone."""
        return Measured(self.measured.tables, tuple(parts)).cost_by_effects(self.cells.shape, self._lengths(setting))

    def _whole(self, setting: Setting) -> Counts | Totals | Moments:
        (whole,) = self.inner.tallies(setting, ())
        assert isinstance(whole, Counts | Totals | Moments)
        return whole

    def _lengths(self, setting: Setting) -> Lengths:
        return lengths_of(self._whole(setting), setting.moves)[0]

    def _interior(self, numbers: Sequence[Any]) -> None:
        """No cell is measured by itself."""

    def _tables(self, numbers: Sequence[Any], noisy: Noisy) -> Tables:
        """What noisy effects say of the tables shown."""
        found = self._told(np.zeros(0), noisy)
        each = zip(self.measured.tables, numbers, self._times, strict=True)
        measured: dict[Kept, Any] = {kept: np.asarray(table, float) / times for kept, table, times in each}
        return replace(found, values=self.lattice.fitted(measured, found.effects))

    def _told(self, values: Any, noisy: Noisy) -> Tables:
        lattice, tables = self.lattice, self.measured.tables
        apart = tuple(noise.times(1 / times) for noise, times in zip(noisy.noises, self._times, strict=True))
        each = (noisy.statistic, values, lattice.sizes, lattice.shown, tables, apart, True, noisy.lower)
        return EffectTables(*each, lattice.rectangle)

    @property
    def _times(self) -> list[int]:
        """How many times what it tells each table is measured: of an effect as often as it has cells."""
        return [prod(self.cells.shape[place] for place in kept) for kept in self.measured.tables]


@dataclass(frozen=True)
class MeansOfEffects(TableOfEffects, MeansOfMargins):
    """The `shown` margins of what follows from the moments of a variable, each told by effects."""
