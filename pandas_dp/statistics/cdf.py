"""The cumulative distribution of a column: how many rows lie up to each of many points."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Cdf, Noise, Noises
from ..margins import Prefixes
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Cumulative, Moments, Norm, Variable


@dataclass(frozen=True)
class Distribution:
    """The share of rows up to each of `ends`, in steps above the lower end of the column's grid, to its top."""

    variable: Variable
    ends: tuple[int, ...]
    norm: Norm = 2  # of the noise that will be used
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "cdf"

    @property
    def kind(self) -> Kind:
        """A share has no unit, whatever the column has."""
        return "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.statistic, of=self.variable.to_json(), ends=list(self.ends))

    def decided(self, setting: Setting, norm: Norm) -> Distribution:
        return replace(self, norm=norm)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Cumulative, ...]:
        known = setting.counts_public(self.cells, [self.variable])
        strategy = Prefixes.planned(len(self.ends), self.norm, setting.moves.swap and not known, known)
        return (Cumulative(self.variable, self.ends, strategy),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Cdf:
        (answer,), (tally,) = answers, self.tallies(setting, ())
        laws = tuple(dict.fromkeys(answer.laws))
        which = np.array([laws.index(law) for law in answer.laws], np.intp)
        noises = Noises(tuple(map(Noise, laws)), which)
        size = setting.size if setting.counts_public(self.cells, [self.variable]) else None
        below, _ = tally.strategy.prefixes(answer.table[0].astype(float), noises.sd**2, size)
        grid = self.variable.grid
        # a bin of numbers starts where the one before ends; one of whole numbers and times at its first
        starts = [0, *(end + (self.variable.interval.kind != "float") for end in self.ends[:-1])]
        low, high = (np.array([float(grid.step * (grid.low + at)) for at in each]) for each in (starts, self.ends))
        kind, step = self.variable.interval.kind, float(grid.step)
        return Cdf(below, low, high, tally.strategy, noises, size, kind, step)
