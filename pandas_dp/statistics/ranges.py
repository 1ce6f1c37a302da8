"""The ends of a range, chosen among public numbers: what to declare of a column of which nothing is known."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import named, said
from ..domain.preferred import preferred
from ..evidence import Unsaid
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Candidates, Cells, End, Moments

LATER = 4  # a choice is taken to be a fifth of what it and the question that follows cost together
STEEP = 3  # a candidate takes part as often as its distance from zero, to this power, is smaller than the farthest
AT_ZERO = 64  # times as often as the candidates next to it: most ranges begin there


@dataclass(frozen=True)
class ChosenBound:
    """An end of a range, one of a few public candidates; `ends` are those that are chosen together."""

    column: Hashable
    smallest: Fraction
    largest: Fraction
    end: End = "upper"
    ends: tuple[End, ...] = ("upper",)
    kind: ClassVar[Kind] = "float"

    @property
    def statistic(self) -> str:
        return "choose_bound" if len(self.ends) == 1 else "choose_bounds"

    @property
    def cells(self) -> Cells:
        return ONE_CELL

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        among = [str(self.smallest), str(self.largest)]
        return said(statistic=self.statistic, column=named(self.column), among=among, end=self.end)

    @property
    def candidates(self) -> tuple[Fraction, ...]:
        """Rising; of two ends that are chosen, on both sides of zero."""
        above = preferred(self.smallest, self.largest)
        return above if len(self.ends) == 1 else (*(-c for c in reversed(above)), Fraction(0), *above)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Candidates, ...]:
        found, later = self.candidates, LATER * len(self.ends)
        points, prior = tuple(map(float, found)), tuple(map(self._prior, found))
        return tuple(Candidates(self.column, points, prior, end, later) for end in self.ends)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Unsaid:
        """Ends that met, or came in the wrong order, are the least range around both."""
        places = sorted(int(answer.table[0, 0]) for answer in answers)
        low, high = places[0], places[-1]
        if len(places) == 2 and low == high:
            low, high = (low, high + 1) if high + 1 < len(self.candidates) else (low - 1, high)
        chosen = self.candidates[low if self.end == "lower" else high]
        return Unsaid(self.statistic, np.array([float(chosen)]), "range")

    def _prior(self, candidate: Fraction) -> int:
        if not candidate:
            return AT_ZERO * self._prior(self.smallest)
        return int((self.largest / abs(candidate)) ** STEEP)
