"""The best of a few public candidates, each with a column: that whose total is the largest."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..core.evidence.no_interval import Name
from ..core.evidence.noise import Noise
from ..core.measure.cells import ONE_CELL, Cells, Variable
from ..core.measure.measurement import Noisy
from ..core.neighbours import PublicFacts
from ..core.schema.values import ByFields, Interval, Kind
from ..numeric.measure import Moments, Totals
from .evidence import Exceeding
from .measure import Contest


@dataclass(frozen=True)
class ChosenName(ByFields):
    """The name of a candidate; `variables` are on one grid, one for each of the names."""

    names: tuple[str, ...]
    variables: tuple[Variable, ...]
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "choose"
    kind: ClassVar[Kind] = "name"

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Contest, ...]:
        return (Contest(self.variables),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Name:
        (answer,) = answers
        return Name(self.statistic, np.array([self.names[int(answer.table[0, 0])]], dtype=object), self.names)


@dataclass(frozen=True)
class SmallPValues(ByFields):
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
        return {**super().to_json(), "at": str(self.at)}

    @property
    def variable(self) -> Variable:
        return Variable(self.column, Interval(Fraction(0), Fraction(1), "integer"))

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Totals, ...]:
        return (Totals(self.variable),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Exceeding:
        (answer,) = answers
        return Exceeding(self.statistic, int(answer.table[0, 0]), Noise(answer.laws[0]), self.blocks, self.at)
