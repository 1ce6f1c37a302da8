"""How far a statistic moves when rows of these very data leave a cell and any rows of the domain enter it.

Each function gives the least and the greatest number that can result. Proofs: docs/proofs/individual.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import singledispatch

from ..tally import Average, Facts, Final, NumberOf, Ordered, RankDistance, Total, Variance
from ..tally.facts import At

Ends = tuple[int, int]


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
    low = facts.total - sum(facts.highest[:out]) - into * half
    high = facts.total - sum(facts.lowest[:out]) + into * half
    return final.of(rows, low), final.of(rows, high)


@extremes.register
def _ordered(final: Ordered, facts: Facts, out: int, into: int) -> Ends:
    """The highest leave and the ranks of all others rise by those that enter below, or the other way round."""
    assert facts.line is not None
    line, rows = facts.line, facts.rows - out + into

    def lowered(place: int) -> int:
        return line.top if place > rows else 0 if place <= into else line.at(place - into)

    def raised(place: int) -> int:
        return 0 if place < 1 else line.top if place > facts.rows - out else line.at(place + out)

    return final.of(rows, lowered), final.of(rows, raised)


@extremes.register
def _variance(final: Variance, facts: Facts, out: int, into: int) -> Ends:
    """One row at most; which one: an end, or next to a target. What enters: an end, or the mean of the others."""
    half = final.variable.grid.half
    found = []
    leaving = {*facts.lowest, *facts.highest, *facts.near} if out else {0}
    for code in leaving:
        rows = facts.rows - out
        total, squares = facts.total - out * code, facts.squares - out * code**2
        if not into:
            found.append(final.of(rows, total, Fraction(squares)))
            continue
        for entering in (half, -half):
            found.append(final.of(rows + 1, total + entering, Fraction(squares + entering**2)))
        if rows + 1 > final.ddof:
            spread = squares - Fraction(total**2, rows) if rows else Fraction(0)
            found.append(final.rounded(spread / (rows + 1 - final.ddof)))
    return min(found), max(found)


@extremes.register
def _distance(final: RankDistance, facts: Facts, out: int, into: int) -> Ends:
    """One row at most. Only where the leaving row stands among the ranks that count matters, and the distance is
    piecewise linear in what enters, with breaks at those ranks: all such places are tried."""
    assert facts.line is not None
    line, rows = facts.line, facts.rows
    places = _places(final, rows, rows - out + into)
    found = []
    for leaving in {1, *places, rows} if out else {rows + 1}:
        others = _without(line.at, leaving)
        if not into:
            found.append(final.of(rows - out, _ended(others, rows - out, line.top)))
            continue
        for entering in {0, line.top, *(line.at(place) for place in places)}:
            found.append(final.of(rows - out + 1, _with(others, rows - out, entering, line.top)))
    return min(found), max(found)


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
