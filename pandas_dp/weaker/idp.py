"""Individual DP: between the actual data and each of their neighbours over the declared domain.

The noise is calibrated to how far neighbours of *these* data move the statistic. That is much weaker than it sounds:
the scale is a function of the data, and neighbours are answered on scales of their own.
See docs/proofs/weaker/individual.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, ClassVar

import numpy as np

from ..core.arguments import whole_number
from ..core.budget.cost import Cost, Pure
from ..core.evidence.no_interval import By
from ..core.measure.cells import Norm
from ..core.measure.statistic import Estimator
from ..core.neighbours import PublicFacts, Relation
from ..core.promise import Option
from ..core.schema.values import called
from ..errors import CostNotOffered, NoBounds, UnknownMechanism
from ..numeric.statistic_means import Mean
from ..numeric.statistic_sums import Sum
from ..tables.statistic import Margins
from .exact import (
    At,
    Average,
    Column,
    ExactFacts,
    Final,
    FinalNumber,
    Line,
    Near,
    NumberOf,
    StepTotal,
    Variance,
    nullable,
)
from .ordered import Ordered, RankDistance, column_of
from .promise import NTH, Asked, Surroundings, Weaker

__all__ = [
    "extremes",
]


def spread_without_a_block(final: Variance, facts: ExactFacts, out: int, into: int, above: int) -> Column:
    """For each cell the greatest rows·(sum of squared distances from the mean), when so many rows leave and as many
    enter as `into` says, `above` of them at the upper end of the domain and the rest at the lower.

    As the block moves up the spread rises, then falls (docs/proofs/weaker/individual.md, theorem 2): halving finds the
    top.
    """
    half, rows = final.variable.grid.half, facts.rows - out + into
    total, squares = facts.total + (2 * above - into) * half, facts.squares + into * half**2
    if out:
        assert facts.near is not None
        gone, gone_squares = _block(facts.near(), out, rows, total)
        total, squares = total - gone, squares - gone_squares
    return rows * squares - total**2


def entries_above(final: Variance, facts: ExactFacts, out: int, into: int) -> range:
    """How many of those that enter may stand at the upper end, in one cell or another, where a spread is widest: as
    many as bring the sum of codes nearest to zero, whichever rows leave."""
    half = final.variable.grid.half
    lacking = into * half - facts.total
    least = (lacking + facts.lowest[:, :out].sum(axis=1)) // (2 * half)
    most = -(-(lacking + facts.highest[:, :out].sum(axis=1)) // (2 * half))
    return range(min(np.clip(least, 0, into)), max(np.clip(most, 0, into)) + 1)


def _block(near: Near, out: int, rows: Column, total: Column) -> tuple[Column, Column]:
    """The sum, and that of squares, of the block that leaves."""
    codes, starts = near
    sums = np.concatenate([np.zeros(1, object), np.cumsum(codes)])
    squares = np.concatenate([np.zeros(1, object), np.cumsum(codes * codes)])
    first, last = starts[:-1].copy(), np.maximum(starts[1:] - out, starts[:-1])
    last_of_all = len(codes) - 1
    while (first < last).any():
        at = (first + last) // 2
        lower, upper = codes[np.minimum(at, last_of_all)], codes[np.minimum(at + out, last_of_all)]
        gone = sums[np.minimum(at + out, len(codes))] - sums[at]
        rises = (upper * (rows + 1) + lower * (rows - 1) < 2 * (total - gone)).astype(bool) & (first < last)
        first, last = np.where(rises, at + 1, first), np.where(rises | (first >= last), last, at)
    end = np.minimum(first + out, len(codes))
    return sums[end] - sums[first], squares[end] - squares[first]


Ends = tuple[Column, Column]


@singledispatch
def extremes(final: Final, facts: ExactFacts, out: int, into: int) -> Ends:
    raise NotImplementedError(type(final).__name__)


@extremes.register
def _count(final: NumberOf, facts: ExactFacts, out: int, into: int) -> Ends:
    rows = facts.rows - out + into
    return rows, rows


@extremes.register(StepTotal)
@extremes.register(Average)
def _sum(final: StepTotal | Average, facts: ExactFacts, out: int, into: int) -> Ends:
    """The highest leave and the least possible enter, or the other way round."""
    half, rows = final.variable.grid.half, facts.rows - out + into
    low = facts.total - facts.highest[:, :out].sum(axis=1) - into * half
    high = facts.total - facts.lowest[:, :out].sum(axis=1) + into * half
    return final.of(rows, low), final.of(rows, high)


@extremes.register
def _ordered(final: Ordered, facts: ExactFacts, out: int, into: int) -> Ends:
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
def _variance(final: Variance, facts: ExactFacts, out: int, into: int) -> Ends:
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
def _distance(final: RankDistance, facts: ExactFacts, out: int, into: int) -> Ends:
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


MOST_TOGETHER = 100  # rows in a group; the scale of a larger one would take long to find


def read_group(group: Any) -> int:
    return whole_number("group", group, 1, MOST_TOGETHER)


GROUP = Option("group", 1, read_group, adjacency="{} rows {how} together")
TRUNCATED = Option("truncated", False, said="TRUNCATED to within one of the truth, which gives rows away")


@dataclass(frozen=True)
class Individual(Weaker):
    """Weaker than differential privacy: nobody in these data is given away more than epsilon says, if the scale of the
    noise were the same on all neighbours; it is not."""

    group: int = 1  # rows that are hidden together
    name: ClassVar[str] = "idp"
    title: ClassVar[str] = "individual DP, which is weaker than DP"
    keeps: ClassVar[str] = "individual DP, which is weaker"
    without_bounds: ClassVar[str] = " for quantiles"
    together: ClassVar[str] = "hides a row of these very data, if the scale of the noise is not counted"
    options: ClassVar[tuple[Option, ...]] = (GROUP, *Weaker.options)
    carried: ClassVar[tuple[Option, ...]] = (NTH, TRUNCATED)
    relations: ClassVar[tuple[Relation, ...]] = tuple(Relation)

    @property
    def hidden(self) -> int:
        return self.group

    def check(self, cost: Cost, mechanism: str) -> None:
        if mechanism not in ("auto", "laplace"):
            raise UnknownMechanism(
                f"mechanism {mechanism!r} is not offered under 'idp', which adds Laplace noise; leave it out.",
                mechanism=mechanism,
            )
        if not isinstance(cost, Pure):
            raise CostNotOffered(
                f"model 'idp' adds Laplace noise and cannot spend {cost}; give epsilon= alone.", cost=str(cost)
            )

    def least_of(self, statistic: Estimator, public: PublicFacts) -> tuple[float | None, By | None]:
        """A row may become the farther end of the range: sums and means move by half of it, whatever the rows are."""
        inner = statistic.inner if isinstance(statistic, Margins) else statistic
        if isinstance(inner, Mean) and not public.adjacency.swap:  # a row that comes moves it by a little less
            return super().least_of(statistic, public)
        if not isinstance(inner, Sum | Mean) or inner.variable.interval.kind not in ("float", "integer"):
            return super().least_of(statistic, public)
        grid = inner.variable.grid
        return float(grid.upper - grid.lower) / 2, "range"

    def asks(self, final: Final, public: PublicFacts, mechanism: str) -> tuple[Asked, ...]:
        if isinstance(final, FinalNumber) and final.variable.interval.unbounded:
            self._check_inner(final, public)
        return ((final, None),)

    def _check_inner(self, final: FinalNumber, public: PublicFacts) -> None:
        """Without bounds only values of ranks that no end of the range can reach, whatever rows are replaced: so it is
        known how many there are."""
        column = final.variable.column
        if not isinstance(final, Ordered | RankDistance):
            raise NoBounds(
                f"{called(column)} has no declared bounds. Under 'idp' a row may become any value, so the noise of "
                "what is added up is as wide as they are; pass bounds=, or ask with model='bdp', which needs none.",
                column=column,
                missing="both",
            )
        size = public.size if public.counts_public(final.cells, final.variables) else None
        ends = final.ends if isinstance(final, RankDistance) else (final,)
        if size is None or not all(end.is_inner(size, self.group) for end in ends):
            private = "it is private how many values there are"
            why = private if size is None else f"this one is too near the end of {size:,} values"
            raise NoBounds(
                f"{called(column)} has no declared bounds. Under 'idp' only quantiles of a public number of values, "
                f"with others on either side, need none, and here {why}; pass bounds=, or ask with model='bdp'.",
                column=column,
                missing="both",
            )

    def sensitivities(self, final: Final, facts: ExactFacts, around: Surroundings, norm: Norm) -> Column:
        """The sensitivity of each cell; people that leave or enter it bring a share each: see the proof, theorem 1."""
        group, crossing, swap = self.group, final.cells.size > 1, around.public.adjacency.swap
        absent = around.public.adjacency.vanish or bool(final.cells.keys) or nullable(final.variables)
        now, found = final.numbers(facts), np.zeros_like(facts.rows)
        changes = _changes(group, group if crossing else min(group, facts.rows[0]), absent, crossing)
        for out, into in changes if swap else _comings_and_goings(group):
            least, greatest = extremes(final, facts, out, into)
            moved = np.maximum(greatest - now, now - least)
            if crossing:
                moved = -(-moved * (2 if swap else 1) * group // (out + into))
            found = np.where(facts.rows >= out, np.maximum(found, moved), found)
        return found


def _changes(group: int, most: int, absent: bool, crossing: bool) -> Iterator[tuple[int, int]]:
    """How many rows may leave a cell, `most` at most, and how many may enter it; in one cell only those changes that do
    not come of another when a row is replaced by its like."""
    for out in range(most + 1):
        for into in range(group + 1) if absent else (out,):
            if (out or into) and (crossing or out == most or (absent and into == group)):
                yield out, into


def _comings_and_goings(group: int) -> Iterator[tuple[int, int]]:
    """The same where no row is replaced: so many come or go in all."""
    for out in range(group + 1):
        for into in range(group + 1 - out):
            if out or into:
                yield out, into
