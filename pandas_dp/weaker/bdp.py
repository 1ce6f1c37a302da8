"""Bootstrap DP: between any two tables of as many rows, each of which occurs in the actual data.

It is differential privacy with the declared domain replaced by the rows that occur, as cells and values together; in a
derived frame also by the absent row. So the noise is as wide as the data, which its scale gives away.
See docs/proofs/weaker/bootstrap-dp.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any, ClassVar

import numpy as np

from ..core.arguments import one_of
from ..core.budget.cost import Cost
from ..core.measure.cells import Norm
from ..core.neighbours import PublicFacts
from ..core.promise import Option
from ..errors import UnknownMechanism, UnsupportedArgument
from .exact import (
    FINE,
    Average,
    Column,
    ExactFacts,
    Final,
    LocationScale,
    NumberOf,
    StepTotal,
    Variance,
    nullable,
    roots_up,
    up,
)
from .ordered import Ordered, Portions, RankDistance, column_of
from .promise import Asked, Surroundings, Weaker


@dataclass(frozen=True)
class OccurringEnds:
    """For each cell whether a row occurs, and the ends of the codes, 0 where none does; whether a row in no cell, or
    none, may occur."""

    occupied: Column
    low: Column
    high: Column
    absent: bool

    @property
    def several(self) -> bool:
        """Whether a row can leave one cell for another."""
        return int(self.occupied.sum()) > 1

    def widths(self, final: StepTotal) -> Column:
        """How far a total moves when a row of the cell takes the place of another."""
        return up(self.high - self.low, final.variable.grid.factor)

    def sizes(self, final: StepTotal) -> Column:
        """And when a row comes or goes."""
        least, greatest = self._amounts(final)
        return np.maximum(abs(least), abs(greatest))

    def alone_in_table(self, final: StepTotal) -> Column:
        """The sensitivity of each cell's total by itself: rows elsewhere add nothing."""
        if not (self.absent or self.several):
            return self.widths(final)
        least, greatest = self._amounts(final)
        return np.maximum(greatest, 0) - np.minimum(least, 0)

    def _amounts(self, final: StepTotal) -> tuple[Column, Column]:
        """What the least and the greatest row bring to a total, rounded away from the truth."""
        offset, factor = final.offset, final.variable.grid.factor
        least, greatest = (self.low + offset) // factor, up(self.high + offset, factor)
        return np.where(self.occupied, least, 0), np.where(self.occupied, greatest, 0)


def occurring(facts: ExactFacts, around: Surroundings) -> OccurringEnds:
    """The facts about the rows in the data and the further rows together."""
    there, low, high = facts.occupied, facts.lowest[:, 0], facts.highest[:, 0]
    if around.others is not None:
        more = around.others
        low = np.where(there & more.occupied, np.minimum(low, more.lowest[:, 0]), low + more.lowest[:, 0])
        high = np.where(there & more.occupied, np.maximum(high, more.highest[:, 0]), high + more.highest[:, 0])
        there = there | more.occupied
    strays = around.strays + around.other_strays > 0
    return OccurringEnds(there.astype(bool), low, high, around.public.adjacency.vanish or strays)


@singledispatch
def of_fixed_size(final: Final, facts: ExactFacts, found: OccurringEnds) -> Column:
    """How far the number of each cell moves between two tables of as many rows, of those that occur, one row apart."""
    raise NotImplementedError(type(final).__name__)


@of_fixed_size.register
def _average(final: Average, facts: ExactFacts, found: OccurringEnds) -> Column:
    moved = up((found.high - found.low) * 2**FINE, np.maximum(facts.rows, 1))
    return np.where(facts.rows > 0, moved, 0)


@of_fixed_size.register
def _variance(final: Variance, facts: ExactFacts, found: OccurringEnds) -> Column:
    """R²/n, or R²(n − 1)/n² without the correction; R/√n and R√(n − 1)/n of the root."""
    rows = np.maximum(facts.rows, 1)
    square = (found.high - found.low) ** 2 * 2**FINE
    moved = up(square, rows) if final.ddof else up(square * (rows - 1), rows**2)
    return np.where(facts.rows > 1, roots_up(moved) if final.root and not final.late else moved, 0)


@of_fixed_size.register
def _ordered(final: Ordered, facts: ExactFacts, found: OccurringEnds) -> Column:
    grid = final.variable.grid
    width = (found.high + grid.half) // grid.factor - (found.low + grid.half) // grid.factor
    share = column_of(final.largest_share(line.rows) if line.rows else 0 for line in facts.lines)
    return share * width


SCALES = ("auto", "i", "ii", "iii", "iv")


def read_cells(cells: Any) -> str:
    return str(one_of("cells", cells, ("private", "public")))


def read_scale(scale: Any) -> str:
    return str(one_of("scale", scale, SCALES))


CELLS = Option("cells", "private", read_cells, said="in which cell each row is was declared public")
SCALE = Option("scale", "auto", read_scale)
FURTHER_ROWS = Option("further_rows", is_rows=True, said="given further rows may take a row's place")


@dataclass(frozen=True)
class BootstrapDP(Weaker):
    """Weaker than differential privacy: no row can be distinguished from another row of the same data.

    Rows that do not occur are ruled out at once.
    """

    cells: str = "private"  # whether everyone knows in which cell a row is
    scale: str = "auto"  # how the scales of a table of sums are found
    further_rows: Any = field(default=None, compare=False)  # that may take the place of a row
    name: ClassVar[str] = "bdp"
    weaker_than: ClassVar[str] = "idp"
    title: ClassVar[str] = "bootstrap DP, which is weaker than DP"
    keeps: ClassVar[str] = "bootstrap DP, which is weaker"
    without_bounds: ClassVar[str] = ""
    together: ClassVar[str] = "hides a row of these very data only among the rows that occur in them"
    options: ClassVar[tuple[Option, ...]] = (*Weaker.options, CELLS, SCALE, FURTHER_ROWS)

    def check(self, cost: Cost, mechanism: str) -> None:
        if self.scale == "iii" and self.cells == "private":
            raise UnsupportedArgument(
                "scale='iii' takes it as known in which cell each row is; say so with cells='public', or use 'iv'.",
                argument="scale",
            )
        if self.scale in ("i", "ii", "iv") and self.cells == "public":
            raise UnsupportedArgument(
                f"scale={self.scale!r} hides in which cell a row is; cells='public' goes with 'iii' or 'auto'.",
                argument="scale",
            )

    def asks(self, final: Final, public: PublicFacts, mechanism: str) -> tuple[Asked, ...]:
        is_public = self.cells == "public"
        if is_public and not final.cells.keys:
            raise UnsupportedArgument("cells='public' is about tables and groups; leave it out.", argument="cells")
        if isinstance(final, RankDistance):
            return tuple(each for end in final.ends for each in self.asks(end, public, mechanism))
        if isinstance(final, Ordered) and mechanism in ("auto", "exponential") and final.nth == 1 and not is_public:
            return ((final, final.ranks[0]),)
        if mechanism == "exponential":
            raise UnknownMechanism(
                "mechanism 'exponential' is offered for quantiles in all rows or in private cells; leave it out.",
                mechanism=mechanism,
            )
        if is_public and isinstance(final, NumberOf):
            raise UnsupportedArgument(
                "cells='public' says that everyone knows in which cell each row is, and so how many are in each; "
                "these counts need no release.",
                argument="cells",
            )
        if is_public and public.adjacency.vanish:
            raise UnsupportedArgument(
                "with cells='public' a derived frame would also reveal which rows are in no cell; query the "
                "whole frame, or leave cells= out.",
                argument="cells",
            )
        if is_public and nullable(final.variables):
            raise UnsupportedArgument(
                "cells='public' needs a column declared complete: who has a value is private where it may be missing.",
                argument="cells",
            )
        if is_public or isinstance(final, NumberOf | StepTotal) or public.counts_public(final.cells, final.variables):
            return ((_late(final), None),)
        if isinstance(final, Average | Variance):
            return ((Portions(final.variable, final.cells, isinstance(final, Variance)), None),)
        raise UnsupportedArgument(
            "under 'bdp' noise on a rank's value needs a public number of rows; ask a whole frame, give "
            "cells='public', or leave mechanism= and nth= out.",
            argument="mechanism",
        )

    def sensitivities(self, final: Final, facts: ExactFacts, around: Surroundings, norm: Norm) -> Column:
        found = occurring(facts, around)
        if isinstance(final, NumberOf):
            return np.full_like(facts.rows, self._of_counts(final, found))
        if isinstance(final, StepTotal):
            return self._of_totals(final, found, norm)
        return of_fixed_size(final, facts, found) ** norm

    def location_scale(self, final: Portions, facts: ExactFacts, around: Surroundings) -> LocationScale:
        """A cell where no row occurs takes the ends of all others, so that its answer does not stand out."""
        found = occurring(facts, around)
        here, low, high = found.occupied, found.low, found.high
        if here.any():
            low, high = np.where(here, low, low[here].min()), np.where(here, high, high[here].max())
        return final.location_scale(low, high, self.floored)

    def _of_totals(self, final: StepTotal, found: OccurringEnds, norm: Norm) -> Column:
        """The reaches by the scale asked for, or by that of least total variance, which the data decide: only here."""
        least = final.least_steps if self.floored else 0
        within, alone = (np.maximum(each, least) ** norm for each in (found.widths(final), found.sizes(final)))
        if self.cells == "public":
            return within
        most, several = sorted(alone, reverse=True), found.several or (self.floored and len(alone) > 1)
        crossing = sum(most[:2]) if several else most[0] if found.absent else 0
        touched = 2 if several else int(found.absent)  # cells, by a row that leaves one
        methods = {
            "i": np.full_like(within, max(*within, crossing)),
            "ii": len(within) * np.maximum(found.alone_in_table(final), least) ** norm,
            "iv": np.maximum(within, touched * alone),
        }
        if self.scale != "auto":
            return methods[self.scale]
        return min(methods.values(), key=lambda sensitivities: int((sensitivities ** (3 - norm)).sum()))

    def _of_counts(self, final: NumberOf, found: OccurringEnds) -> int:
        """Two counts move when a row leaves one cell for another; the square of the norm is 2 as well. So it is taken
        of any declared cells, as under dp: a scale that said whether two of them are occupied would give a row away.
        Without a floor nothing is added where nothing can move."""
        moved = found.several or (found.occupied.any() and found.absent)
        return (2 if final.cells.size > 1 else 1) if self.floored or moved else 0


def _late(final: Final) -> Final:
    """A variance moves little where it is large, and its root at zero most of all: the noise goes to the variance."""
    return replace(final, late=True) if isinstance(final, Variance) and final.root else final
