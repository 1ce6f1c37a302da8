"""How many of a public number of blocks have so small a p value, tested against what chance would give."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Interval, Kind
from ..domain.fingerprint import said
from ..evidence import Exceeding, Noise
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, Totals, Variable


@dataclass(frozen=True)
class SmallPValues:
    """Of a column of 0 and 1, a row a block, how many are 1; where nothing is to be found, each is with probability
    `at` at most."""

    column: str
    blocks: int
    at: float
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "test_of_tests"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic=self.statistic, column=self.column, blocks=self.blocks, at=str(self.at))

    @property
    def variable(self) -> Variable:
        return Variable(self.column, Interval(Fraction(0), Fraction(1), "integer"))

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Totals, ...]:
        return (Totals(self.variable),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Exceeding:
        (answer,) = answers
        return Exceeding(self.statistic, int(answer.table[0, 0]), Noise(answer.laws[0]), self.blocks, self.at)
