"""The rank of each of a few public numbers: what the end of a range is chosen by."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import accumulate
from math import inf, nextafter
from typing import Any, Literal

import numpy as np

from ..dataclass import dataclass
from ..domain import Breaks
from ..neighbours import Moves
from .cells import ONE_CELL, Cells, Key
from .reach import Norm
from .sums import Counts

Column = np.ndarray[Any, Any]
BEYOND = 8  # at most one row in so many is left outside of an end

End = Literal["lower", "upper"]


@dataclass(frozen=True)
class Candidates:
    """The utility of each candidate c for the upper end of a range: -max(0, t - #{x <= c}, #{x <= b} - t), where b is
    the candidate before it and t is `outside` short of the number of rows, or an eighth of them.

    So each value stands at the least candidate that is not below it, the last one if there is none, and c is as good as
    its rank there; a row without a value stands nowhere. The lower end is the same, seen from the other side. `prior`
    is how many times each candidate takes part in the choice. Proof: docs/proofs/ranges.md.
    """

    column: Hashable
    points: tuple[float, ...]  # rising
    prior: tuple[int, ...]
    end: End
    later: int  # what follows the choice costs so many times as much
    outside: Fraction = Fraction(1, 2)

    @property
    def cells(self) -> Cells:
        return ONE_CELL

    @property
    def unit(self) -> int:
        """Utilities are whole multiples of 1/unit."""
        return BEYOND

    @property
    def counts(self) -> Counts:
        """How many values stand at each candidate: bins that are closed above, or below for the lower end."""
        inner = self.points[1:] if self.end == "lower" else [nextafter(c, inf) for c in self.points[:-1]]
        return Counts(Cells((Key(self.column, Breaks((-inf, *inner, inf))),)))

    def utilities(self, counts: Column) -> list[int]:
        """Of each candidate, in parts of the unit, from the exact counts."""
        standing = [int(count) for count in np.asarray(counts).ravel()]
        if self.end == "lower":
            standing.reverse()
        through = list(accumulate(standing))
        rows, before = through[-1], [0, *through[:-1]]
        wanted = self.unit * rows - min(int(self.unit * self.outside), rows)
        found = [-max(0, wanted - self.unit * a, self.unit * b - wanted) for a, b in zip(through, before, strict=True)]
        return found[::-1] if self.end == "lower" else found

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """Half the range of what one row does to the utilities of all candidates."""
        return Fraction(1)
