"""How far a statistic moves when rows of these very data leave a cell and any rows of the domain enter it.

Each function gives, for all cells, the least and the greatest number that can result; of a cell with fewer rows than
leave, anything. Proofs: docs/proofs/individual.md.
"""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from ..weaker.facts import At, Column, Facts, Line
from ..weaker.finals import Average, Final, NumberOf, Total, Variance
from ..weaker.ordered import Ordered, RankDistance, column_of
from .blocks import entries_above, spread_without_a_block

Ends = tuple[Column, Column]


@singledispatch
def extremes(final: Final, facts: Facts, out: int, into: int) -> Ends:
    raise NotImplementedError(type(final).__name__)


@extremes.register
def _count(final: NumberOf, facts: Facts, out: int, into: int) -> Ends:
    rows = facts.rows - out + into
    return rows, rows


@extremes.register(Total)
@extremes.register(Average)
def _sum(final: Total | Average, facts: Facts, out: int, into: int) -> Ends:
    """The highest leave and the least possible enter, or the other way round."""
    half, rows = final.variable.grid.half, facts.rows - out + into
    low = facts.total - facts.highest[:, :out].sum(axis=1) - into * half
    high = facts.total - facts.lowest[:, :out].sum(axis=1) + into * half
    return final.of(rows, low), final.of(rows, high)


@extremes.register
def _ordered(final: Ordered, facts: Facts, out: int, into: int) -> Ends:
    """The highest leave and the ranks of all others rise by those that enter below, or the other way round."""

    def of(line: Line, lowest: bool) -> int:
        if line.rows < out:
            return 0
        at = _lowered(line, out, into) if lowest else _raised(line, out, into)
        return final.of(line.rows - out + into, at)

    return column_of(of(line, True) for line in facts.lines), column_of(of(line, False) for line in facts.lines)


def _lowered(line: Line, out: int, into: int) -> At:
    rows = line.rows - out + into
    return lambda place: line.top if place > rows else 0 if place <= into else line.at(place - into)


def _raised(line: Line, out: int, into: int) -> At:
    return lambda place: 0 if place < 1 else line.top if place > line.rows - out else line.at(place + out)


@extremes.register
def _variance(final: Variance, facts: Facts, out: int, into: int) -> Ends:
    """Least: rows at the ends leave, and the mean of the others enters. Greatest: rows next to each other in the middle
    leave, and ends of the domain enter. Proof: theorem 2."""
    rows = facts.rows - out + into
    kept = np.maximum(facts.rows - out, 0)
    total = facts.total[:, None] - _of_ends(facts.lowest, facts.highest, out)
    squares = facts.squares[:, None] - _of_ends(facts.lowest**2, facts.highest**2, out)
    narrow = (kept[:, None] * squares - total**2).min(axis=1)
    wide = [spread_without_a_block(final, facts, out, into, above) for above in entries_above(final, facts, out, into)]
    return final.of(rows, narrow, kept), final.of(rows, np.max(wide, axis=0), rows)


def _of_ends(lowest: Column, highest: Column, out: int) -> Column:
    """cell × how many of the rows that leave are the lowest, the others being the highest: what they add up to."""
    none = np.zeros((len(lowest), 1), dtype=object)
    low, high = (np.cumsum(np.hstack([none, ends[:, :out]]), axis=1) for ends in (lowest, highest))
    return low + high[:, ::-1]


@extremes.register
def _distance(final: RankDistance, facts: Facts, out: int, into: int) -> Ends:
    pairs = [_distances(final, line, out, into) for line in facts.lines]
    return column_of(low for low, _ in pairs), column_of(high for _, high in pairs)


def _distances(final: RankDistance, line: Line, out: int, into: int) -> tuple[int, int]:
    if line.rows < out:
        return 0, 0
    found = _of_one(final, line, out, into) if max(out, into) == 1 else _of_several(final, line, out, into)
    return min(found), max(found)


def _of_several(final: RankDistance, line: Line, out: int, into: int) -> list[int]:
    """Bounds, which are attained where there are a few rows more between the ranks than leave: theorem 3."""
    rows = line.rows - out + into
    if not rows:
        return [0]
    (lower, _), (upper, _) = (end.place(rows) for end in final.ends)

    def apart(shift_lower: int, shift_upper: int) -> int:
        shifts = zip(final.ends, (shift_lower, shift_upper), strict=True)
        low, high = (end.of(rows, _shifted(line, shift)) for end, shift in shifts)
        low_parts, high_parts = (final.parts // end.parts for end in final.ends)
        return high * high_parts - low * low_parts

    if upper <= lower + 1:
        return [0, apart(-into, out)]
    found = [apart(-below, out - below) for below in range(into + 1)]
    if upper - into <= lower + 1 or lower >= line.rows - out:
        return [0, *found]
    return [*found, *(apart(left, left - into) for left in range(out + 1))]


def _shifted(line: Line, by: int) -> At:
    return lambda place: line.at(place + by)


def _of_one(final: RankDistance, line: Line, out: int, into: int) -> list[int]:
    """The local sensitivity to one row, exactly.

    Only the rank of the leaving row among those that count matters, and the distance is piecewise linear in what
    enters, with breaks at those ranks: all such places are tried.
    """
    rows = line.rows
    places = _places(final, rows, rows - out + into)
    found = []
    for leaving in {1, *places, rows} if out else {rows + 1}:
        others = _without(line.at, leaving)
        if not into:
            found.append(final.of(rows - out, _ended(others, rows - out, line.top)))
            continue
        for entering in {0, line.top, *(line.at(place) for place in places)}:
            found.append(final.of(rows - out + 1, _with(others, rows - out, entering, line.top)))
    return found


def _places(final: RankDistance, *sizes: int) -> list[int]:
    """Rows that stand within two ranks of a wanted one."""
    near = {
        end.place(size)[0] + beside for end in final.ends for size in sizes if size for beside in (-2, -1, 0, 1, 2, 3)
    }
    return sorted(place for place in near if 1 <= place <= sizes[0])


def _without(at: At, leaving: int) -> At:
    return lambda place: at(place if place < leaving else place + 1)


def _ended(at: At, rows: int, top: int) -> At:
    return lambda place: 0 if place < 1 else top if place > rows else at(place)


def _with(at: At, rows: int, entering: int, top: int) -> At:
    """The i-th least of all is the entering one, held between the (i-1)-th and the i-th of the others."""
    others = _ended(at, rows, top)
    return lambda place: max(others(place - 1), min(entering, others(place)))


__all__ = ["extremes"]
