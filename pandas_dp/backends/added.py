"""The fold of sums: of a tally's monomials, by cell."""

from __future__ import annotations

from typing import NamedTuple

from ..dataclass import dataclass
from ..tally import ExactMoments, Sums
from ..tally.sums import Table
from .part import Part
from .sweep import Sweep, worth_two
from .totals import Totals, fits_int64


class Added(NamedTuple):
    """So many rows were read; one line a cell, one column a monomial."""

    rows: int
    sums: Table


@dataclass(frozen=True)
class SumsOf:
    """The sums of a tally's monomials, before they are arranged: that divides, so it comes last."""

    tally: Sums | ExactMoments

    @property
    def worth_two(self) -> float:
        return worth_two(self.tally.cells)

    def read(self, part: Part) -> Added:
        sweep = Sweep(part, self.tally.cells, self.tally.variables)
        totals = Totals(self.tally, sweep.size, part.rows)
        plain = self.tally.monomials == ((), (0,)) and sweep.kept is None and not self.tally.cells.keys
        done = _plain_total(sweep) if plain else None
        if done is None:
            for block in sweep.blocks():
                totals.add(block)
        else:
            totals.sums[:, 0] = done
        return Added(part.rows, sweep.settle(totals.sums.T))

    def merge(self, one: Added, other: Added) -> Added:
        rows = one.rows + other.rows
        first = one.sums if fits_int64(self.tally, rows) else one.sums.astype(object)
        return Added(rows, first + other.sums)

    def finish(self, whole: Added) -> Table:
        return self.tally.arrange(whole.sums)


def _plain_total(sweep: Sweep) -> tuple[int, int] | None:
    """The number of rows and the sum of a column of whole numbers."""
    total = 0
    for span in sweep.spans():
        part = sweep.codes[0].total(span)
        if part is None:
            return None
        total += part
    return sweep.rows, total
