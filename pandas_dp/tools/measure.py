"""The totals of several columns: what the best of a few public candidates is chosen by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import ClassVar

from ..core.measure.cells import ONE_CELL, Cells, Norm, Variable
from ..core.neighbours import Adjacency
from ..numeric.measure import Totals


@dataclass(frozen=True)
class Contest:
    """The utility of each candidate: the total of its column, in steps of the one grid that all columns are on.

    A row that lacks a value adds nothing there. Proof of the sensitivity: docs/proofs/tools/tools.md.
    """

    variables: tuple[Variable, ...]
    cells: ClassVar[Cells] = ONE_CELL
    planned: ClassVar[str] = "tools.run_contest:planned"
    unit: ClassVar[int] = 1  # utilities are whole steps

    @property
    def made_of(self) -> tuple[Totals, ...]:
        """What is asked of the rows in its place: the total of each candidate, in their order."""
        return tuple(Totals(variable) for variable in self.variables)

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """Half the range of what one row does to the totals of all candidates; its square in norm 2."""
        kinds = Counter(_adds(variable) for variable in self.variables)
        ends = [each for each, times in kinds.items() for _ in range(min(times, 2))]
        swapped = [Fraction(b - a + d - c, 2) for (a, b), (c, d) in permutations(ends, 2)]
        alone = [Fraction(b - c, 2) for (_, b), (c, _) in permutations(ends, 2)]
        return max([Fraction(0), *(swapped if adjacency.swap else []), *(alone if adjacency.vanish else [])]) ** norm


def _adds(variable: Variable) -> tuple[int, int]:
    """The least and the greatest that a row adds."""
    low, high = variable.grid.low, variable.grid.high
    return (min(low, 0), max(high, 0)) if variable.nullable else (low, high)
