"""Covariances and correlations of several columns, jointly."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np

from ..domain import Kind
from ..evidence import Noise, Pairs
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Products, Variable


@dataclass(frozen=True)
class PairTable:
    """The covariance matrix of the clamped values, or with `correlation` the correlation matrix."""

    variables: tuple[Variable, ...]
    correlation: bool
    cells: ClassVar[Cells] = Cells()
    kind: ClassVar[Kind] = "float"

    @property
    def statistic(self) -> str:
        return "corr" if self.correlation else "cov"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {"statistic": self.statistic, "of": [variable.to_json() for variable in self.variables]}

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Products, ...]:
        return (self._products(setting),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Pairs:
        (answer,) = answers
        tally, k = self._products(setting), len(self.variables)
        sums, laws = answer.table[0].astype(float), answer.laws
        step = [float(v.grid.code_step) for v in self.variables]
        pairs = list(combinations_with_replacement(range(k), 2))
        shifts = tally.shifts[-len(pairs) :]
        worth = np.array([step[i] * step[j] * 2.0**s for (i, j), s in zip(pairs, shifts, strict=True)])
        first = 1 if tally.counted else 0
        return Pairs(
            correlation=self.correlation,
            half=np.array([s * v.grid.half for s, v in zip(step, self.variables, strict=True)]),
            total=sums[first : first + k] * step,
            product=sums[first + k :] * worth,
            total_noise=tuple(map(Noise, laws[first : first + k], step)),
            product_noise=tuple(map(Noise, laws[first + k :], worth.tolist())),
            size=None if tally.counted else setting.size,
            count=float(sums[0]) if tally.counted else None,
            count_noise=Noise(laws[0]) if tally.counted else None,
        )

    def _products(self, setting: Setting) -> Products:
        return Products(self.variables, counted=not setting.counts_public(ONE_CELL, self.variables))
