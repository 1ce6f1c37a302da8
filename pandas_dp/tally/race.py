"""Which of several tables is farthest from public ones, for its size: what the next table to measure is chosen by."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from ..dataclass import dataclass
from ..neighbours import Moves
from .cells import ONE_CELL, Cells
from .distances import Distances
from .reach import Norm
from .sums import Table


@dataclass(frozen=True)
class TableRace:
    """The utility of each table is its worth times how much farther it is from its public numbers than `beyond`.

    Worths and `beyond` are whole numbers, so utilities are. Proof of the reach: docs/proofs/choosing-tables.md.
    """

    distances: Distances
    worths: tuple[int, ...]
    beyond: tuple[int, ...]
    cells: ClassVar[Cells] = ONE_CELL
    unit: ClassVar[int] = 1

    def reach(self, norm: Norm, moves: Moves) -> Fraction:
        """Half the range of what one row does to all utilities; its square in norm 2."""
        counted = self.distances.counted
        sizes = [counted.sizes[place] for place in self.distances.places]
        each = [worth * (2 if moves.swap and size > 1 else 1) for worth, size in zip(self.worths, sizes, strict=True)]
        return Fraction(max(each)) ** norm

    def utilities(self, counts: Table) -> list[int]:
        apart = self.distances.apart(counts)
        return [worth * (each - beyond) for worth, each, beyond in zip(self.worths, apart, self.beyond, strict=True)]

    def arrange(self, counts: Table) -> Table:
        """The counts themselves, of which utilities are made."""
        return counts
