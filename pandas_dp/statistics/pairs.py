"""Covariances and correlations of several columns, jointly."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Noise, Pairs
from ..neighbours import Setting
from ..tally import GRAIN, ONE_CELL, Blurred, Cells, Moments, OfPeople, Products, Variable


@dataclass(frozen=True)
class PairTable:
    """The covariance matrix of the clamped values, or with `correlation` the correlation matrix."""

    variables: tuple[Variable, ...]
    correlation: bool
    most: int | None = None  # of rows of people: as so many rows hers weigh at most
    cells: ClassVar[Cells] = Cells()
    kind: ClassVar[Kind] = "float"

    @property
    def statistic(self) -> str:
        return "corr" if self.correlation else "cov"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(
            statistic=self.statistic, of=[variable.to_json() for variable in self.variables], max_rows=self.most
        )

    def over_rows(self, most: int) -> PairTable:
        """The same over rows of people; a row without a value does not count, whatever was declared."""
        gaps = tuple(replace(each, interval=replace(each.interval, nullable=True)) for each in self.variables)
        return replace(self, variables=gaps, most=most)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Products | OfPeople, ...]:
        tally = self._products(setting)
        return (tally if self.most is None else OfPeople(tally, self.most),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Pairs:
        (answer,) = answers
        tally, k = self._products(setting), len(self.variables)
        parts = 1 if self.most is None else GRAIN
        sums, laws = (answer.table[0] / parts).astype(float), answer.laws
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
            total_noise=tuple(map(Noise, laws[first : first + k], np.array(step) / parts)),
            product_noise=tuple(map(Noise, laws[first + k :], (worth / parts).tolist())),
            size=None if tally.counted else setting.size,
            count=float(sums[0]) if tally.counted else None,
            count_noise=Noise(laws[0], 1 / parts) if tally.counted else None,
        )

    def _products(self, setting: Setting) -> Products:
        return Products(self.variables, counted=not setting.counts_public(ONE_CELL, self.variables))
