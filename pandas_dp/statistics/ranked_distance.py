"""The distance of two quantiles with its interval."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..evidence import QuantilesApart
from ..neighbours import Setting
from ..tally import Blurred, Cells, Form, Moments, Norm, Tally, Variable
from .quantiles import QuantileRange
from .ranked_values import RankedValue


@dataclass(frozen=True)
class RankedDistance:
    """How far apart two values are that are told together; never negative."""

    first: RankedValue
    second: RankedValue
    statistic: ClassVar[str] = "iqr"

    @classmethod
    def of(cls, asked: QuantileRange) -> RankedDistance:
        """The same distance, of quantiles that have intervals."""
        ranks = (asked.lower, asked.upper)
        first, second = (
            RankedValue(asked.variable, rank, ranks, "quantile", asked.cells, most=asked.most) for rank in ranks
        )
        return cls(first, second)

    @property
    def single(self) -> QuantileRange:
        """The same distance without an interval."""
        return QuantileRange(
            self.variable, self.first.quantile, self.second.quantile, cells=self.cells, most=self.first.most
        )

    def over_rows(self, most: int) -> RankedDistance:
        """The same of rows of people, where those of a person count as so many at most."""
        return RankedDistance(self.first.over_rows(most), self.second.over_rows(most))

    @property
    def variable(self) -> Variable:
        return self.first.variable

    @property
    def cells(self) -> Cells:
        return self.first.cells

    @property
    def kind(self) -> Kind:
        return self.single.kind

    @property
    def parts(self) -> int:
        return self.first.parts

    @property
    def bins_around(self) -> int:
        return self.first.bins_around

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return self.single.to_json()

    def decided(self, setting: Setting, norm: Norm) -> RankedDistance:
        return RankedDistance(self.first.decided(setting, norm), self.second.decided(setting, norm))

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return self.first.shares(setting)

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """By theorem S of docs/proofs/looks.md."""
        return self.first.spends(parts, setting)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]:
        """Those that both are told from."""
        return self.first.tallies(setting, beside)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> QuantilesApart:
        first, second = (each.conclude(answers, setting) for each in (self.first, self.second))
        return QuantilesApart(self.statistic, np.maximum(second.values - first.values, 0), first, second)
