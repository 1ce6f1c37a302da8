"""Tables made nonnegative, or rounded to whole numbers, so that they still add up.

What is kept, and why: docs/proofs/tables/tables.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csc_array, eye_array, hstack, vstack
from scipy.sparse.linalg import LinearOperator, cg

from ..core.arrays import Floats
from ..core.evidence.noise import Noises
from ..core.label.layout import Released
from ..errors import NotConcluded
from ..numeric.evidence_sums import Amounts
from .evidence import Tables
from .planning.margins import Margin, in_turn, join, largest_within, meet

EXACT, NEARLY = 1e-11, 1e-9  # of the table's size: where margins stop to be improved, and where they count as kept
SHORT = 1e-9  # the least part of a step
STEPS = 200
INNER = 500  # of conjugate gradients


@dataclass(frozen=True)
class Nearest:
    """The problem: cells over all keys, those that can be, and margins as (target, slack)."""

    cells: Floats
    possible: NDArray[np.bool_]
    margins: Mapping[Margin, tuple[Floats, float]]

    def solve(self) -> Floats | None:
        """None where no table has the margins that are to be kept."""
        multipliers = self._swept(np.zeros(len(self._targets)))
        table, value, slope = self._at(multipliers)
        for _ in range(STEPS):
            if self._off(slope) <= EXACT:
                break
            step = self._newton(table, slope)
            length, rise = 1.0, float(slope @ step)
            there = self._at(multipliers + step)
            while (
                there[1] < value + 1e-4 * length * rise and self._off(there[2]) >= self._off(slope) and length > SHORT
            ):
                length /= 2
                there = self._at(multipliers + length * step)
            if length > SHORT:
                multipliers, (table, value, slope) = multipliers + length * step, there
                continue
            multipliers, last = self._swept(multipliers), slope
            table, value, slope = self._at(multipliers)
            if self._off(slope) <= NEARLY and self._off(slope) >= self._off(last):
                break
        return table if self._off(slope) <= NEARLY else None

    def _off(self, slope: Floats) -> float:
        """How far margins miss, as a share of the table's size."""
        return float(np.abs(slope).max(initial=0.0)) / self._size

    def _at(self, multipliers: Floats) -> tuple[Floats, float, Floats]:
        """The best table at these prices, the dual's value there, and its slope."""
        table = np.maximum(self.cells + self._spread(multipliers), 0.0) * self._allowed
        slope = self._targets - self._slacks * multipliers - self._sums(table)
        value = float(self._targets @ multipliers - (self._slacks * multipliers**2).sum() / 2 - (table**2).sum() / 2)
        return table, value, slope

    def _newton(self, table: Floats, slope: Floats) -> Floats:
        margin = (table > 0).astype(np.float64)
        diagonal = self._sums(margin) + self._slacks
        ridge = np.where(diagonal > 0, 1e-10 * max(float(diagonal.max()), 1.0), 1.0)

        def curve(multipliers: Floats) -> Floats:
            return self._sums(margin * self._spread(multipliers)) + (self._slacks + ridge) * multipliers

        every = (len(slope), len(slope))
        scale = 1 / (diagonal + ridge)
        rough = min(1e-2, self._off(slope))
        step, _ = cg(
            LinearOperator(every, matvec=curve, dtype=np.float64),
            slope,
            rtol=max(rough, 1e-12),
            maxiter=INNER,
            M=LinearOperator(every, matvec=lambda multipliers: scale * multipliers, dtype=np.float64),
        )
        return np.asarray(step)

    def _spread(self, multipliers: Floats) -> Floats:
        """Each margin's prices over all cells that it adds up."""
        found, at = np.zeros(self.cells.shape), 0
        for margin in self.margins:
            shape = [size if place in margin else 1 for place, size in enumerate(self.cells.shape)]
            count = int(np.prod(shape))
            found += multipliers[at : at + count].reshape(shape)
            at += count
        return found

    def _swept(self, multipliers: Floats) -> Floats:
        """The best prices of one margin that is to be kept after the other: slow, but sure to raise the dual."""
        multipliers, at = multipliers.copy(), 0
        for margin, (target, slack) in self.margins.items():
            part = slice(at, at + np.size(target))
            at = part.stop
            if not slack:
                raw = np.where(self._allowed > 0, self.cells + self._spread(multipliers), -np.inf)
                apart = np.moveaxis(raw, margin, range(len(margin))).reshape(np.size(target), -1)
                multipliers[part] -= lowered_by(apart, np.asarray(target).ravel())
        return multipliers

    def _sums(self, table: Floats) -> Floats:
        parts = [added_up(table, margin).ravel() for margin in self.margins]
        return np.concatenate(parts)

    @cached_property
    def _targets(self) -> Floats:
        return np.concatenate([np.asarray(target, dtype=np.float64).ravel() for target, _ in self.margins.values()])

    @cached_property
    def _slacks(self) -> Floats:
        return np.concatenate([np.full(np.size(target), slack) for target, slack in self.margins.values()])

    @cached_property
    def _allowed(self) -> Floats:
        """0 for cells that cannot be, and for those in a margin's cell that must stay empty."""
        allowed = self.possible.astype(np.float64)
        for margin, (target, slack) in self.margins.items():
            if not slack:
                shape = [size if place in margin else 1 for place, size in enumerate(self.cells.shape)]
                allowed *= (np.asarray(target) > 0).reshape(shape)
        return allowed

    @cached_property
    def _size(self) -> float:
        return float(max(np.abs(self._targets).max(initial=0.0), np.abs(self.cells).max(initial=0.0), 1e-300))


def lowered_by(rows: Floats, totals: Floats) -> Floats:
    """How much each row is to be lowered, and then cut at 0, to have its total."""
    falling = -np.sort(-rows, axis=1)
    with np.errstate(invalid="ignore"):
        each = (np.cumsum(falling, axis=1) - totals[:, np.newaxis]) / np.arange(1, rows.shape[1] + 1)
        above = (falling > each) & np.isfinite(each)
    last = rows.shape[1] - 1 - np.argmax(above[:, ::-1], axis=1)
    return np.where(above.any(axis=1), each[np.arange(len(rows)), last], np.maximum(falling[:, 0], 0.0))


def onto_simplex(values: Floats, total: float) -> Floats:
    """The nearest point, in squares, without negative entries and with this sum."""
    return np.maximum(values - lowered_by(values[np.newaxis], np.array([total])), 0.0)


def added_up(table: Floats, margin: Margin) -> Floats:
    """The margin that keeps the keys at these places."""
    return np.asarray(table.sum(axis=tuple(place for place in range(table.ndim) if place not in margin)))


Whole = NDArray[np.float64]  # floats that are whole

SAME = 1e-7  # what is as near to a whole number as this is one
FAR = 100.0  # what one more than rounding costs, when rounding costs 1


def whole_tables(
    tables: Mapping[Margin, Floats], possible: NDArray[np.bool_], lowest: float = -np.inf
) -> dict[Margin, Whole] | None:
    """Whole tables that agree as these do, small ones first; nothing below `lowest`, 0 or none, or where none can be.

    The total is the nearest whole number. Of two tables and the one over all their keys no number moves by one or
    more; of others none does unless their margins leave no choice. None where it cannot be done table by table.
    """
    found: dict[Margin, Whole] = {(): np.asarray(np.rint(tables[()]))}
    found |= _rectangle(tables, lowest)
    every = tuple(range(possible.ndim))
    for margin in tables:
        if margin in found:
            continue
        order = in_turn(largest_within(margin, found))
        if order is None:
            return None
        keys, whole = order[0], found[order[0]]
        for each in order[1:]:
            both = join(keys, each)
            there = _within(possible, every, both) > 0
            goal = _within(tables[margin], margin, both)
            put = _put_together(goal, there, keys, whole, each, found[each], lowest)
            if put is None:
                return None
            keys, whole = both, put
        there = _within(possible, every, margin) > 0
        found[margin] = _shared_out(tables[margin], there, margin, keys, whole, lowest)
        if np.any(found[margin][~there]) or (margin and found[margin].min() < lowest):
            return None
    return {margin: found[margin] for margin in tables}


def _rectangle(tables: Mapping[Margin, Floats], lowest: float) -> dict[Margin, Whole]:
    """Two tables without a common key, and the one over all their keys, at once."""
    sides = [margin for margin in tables if margin and len(margin) < len(max(tables, key=len))]
    if len(tables) != 4 or len(sides) != 2 or meet(*sides) or join(*sides) not in tables:
        return {}
    down, across = sides
    keys = join(down, across)
    cells = _flat(tables[keys], keys, (), down, across)
    sums = _sums(cells)
    whole = _transported(cells, _floor(sums), -_floor(-sums), lowest, None, float(np.rint(tables[()])))
    if whole is None:
        return {}
    table = _unflat(whole, tables[keys].shape, keys, (), down, across)
    return {down: _within(table, keys, down), across: _within(table, keys, across), keys: table}


def _put_together(
    goal: Floats, possible: NDArray[np.bool_], keys: Margin, first: Whole, other: Margin, second: Whole, lowest: float
) -> Whole | None:
    """The whole table near `goal`, over the keys of both, with these two margins."""
    both, common = join(keys, other), meet(keys, other)
    down = tuple(place for place in keys if place not in common)
    across = tuple(place for place in other if place not in common)
    cells = _flat(goal, both, common, down, across)
    sums = [_flat(first, keys, common, down, ()).ravel(), _flat(second, other, common, (), across).ravel()]
    fixed = ~_flat(possible, both, common, down, across).ravel()
    whole = _transported(cells, np.concatenate(sums), np.concatenate(sums), lowest, fixed)
    return None if whole is None else _unflat(whole, goal.shape, both, common, down, across)


def _transported(
    cells: Floats,
    least: Floats,
    most: Floats,
    lowest: float,
    fixed: NDArray[np.bool_] | None,
    total: float | None = None,
) -> Whole | None:
    """Slices of whole cells, each rounded up or down, the sums of rows, then columns, within these whole bounds.

    A linear programme on a network, so its corners are whole; among them the nearest in sums of |error|. Where rounding
    alone does not do, cells move further that are not `fixed`; without that, none do.
    """
    floor = np.maximum(_floor(cells), lowest)
    rest = np.where(cells - floor > SAME, cells - floor, 0.0).ravel()
    partial = np.flatnonzero(rest)
    up: list[Move] = [(partial, 1.0, 1 - 2 * rest[partial], np.ones(len(partial)))]
    tries = [up]
    if fixed is not None:
        free = np.flatnonzero(~fixed)
        far = np.full(len(free), FAR)
        tries += [[*up, (free, 1.0, far, np.inf * far), (free, -1.0, far, floor.ravel()[free] - lowest)]]
    for adjacency in tries:
        raised = _solved(adjacency, floor, least, most, total)
        if raised is not None:
            return np.asarray(floor + raised)
    return None


Move = tuple[NDArray[np.intp], float, Floats, Floats]
"""Cells that may move, the direction, what a step costs each, and how far each may go."""


def _solved(adjacency: list[Move], floor: Floats, least: Floats, most: Floats, total: float | None) -> Whole | None:
    slices, rows, columns = floor.shape
    piece, row, column = np.indices(floor.shape).reshape(3, -1)
    ends = (piece * rows + row, slices * rows + piece * columns + column)
    cells = np.concatenate([cell for cell, *_ in adjacency])
    signs = np.concatenate([np.full(len(cell), sign) for cell, sign, *_ in adjacency])
    if not len(cells):
        sums_are = _sums(floor)
        return np.zeros(floor.shape) if np.all((least <= sums_are) & (sums_are <= most)) else None
    at = np.tile(np.arange(len(cells)), 2)
    sums = csc_array(
        (np.tile(signs, 2), (np.concatenate([end[cells] for end in ends]), at)), shape=(len(least), len(cells))
    )
    low, high = least - _sums(floor), most - _sums(floor)
    if total is not None:
        sums = vstack([sums, csc_array(signs[np.newaxis])], format="csc")
        low, high = np.append(low, total - floor.sum()), np.append(high, total - floor.sum())
    cost = np.concatenate([cost for _, _, cost, _ in adjacency])
    farthest = np.concatenate([far for *_, far in adjacency])
    slack = -eye_array(len(low))  # the sums themselves, between their bounds
    bounds = np.vstack([np.column_stack([np.zeros(len(cost)), farthest]), np.column_stack([low, high])])
    found = linprog(  # type: ignore[call-overload]  # the stubs want bounds as pairs
        np.append(cost, np.zeros(len(low))),
        A_eq=hstack([sums, slack], format="csc"),
        b_eq=np.zeros(len(low)),
        bounds=bounds,
        method="highs-ipm",  # with a crossover to a corner; on large tables steadier than the simplex method
    )
    if found.x is None:
        return None
    moved = np.rint(found.x[: len(cost)])
    assert np.abs(moved - found.x[: len(cost)]).max() < 1e-3, "a corner of a network is whole"
    raised = np.bincount(cells, signs * moved, floor.size)
    return np.asarray(raised.reshape(floor.shape))


def _sums(cells: Floats) -> Floats:
    """The sums of the rows, then the columns, of every slice."""
    return np.concatenate([cells.sum(axis=2).ravel(), cells.sum(axis=1).ravel()])


def _shared_out(
    table: Floats, possible: NDArray[np.bool_], margin: Margin, keys: Margin, given: Whole, lowest: float
) -> Whole:
    """What each cell over `keys` has got, shared out among the categories of the other keys, key by key.

    By whole parts, and one more for those with the largest rests. If what there is to share differs from the parts by
    more than such rounding, all parts are first raised or lowered alike.
    """
    for place in margin:
        if place in keys:
            continue
        keys = join(keys, (place,))
        axis = keys.index(place)
        parts = np.moveaxis(_within(table, margin, keys), axis, -1)
        there = np.moveaxis(_within(possible, margin, keys) > 0, axis, -1).reshape(-1, parts.shape[-1])
        rows = _one_more(parts.reshape(there.shape), there, given.ravel(), lowest)
        given = np.moveaxis(rows.reshape(parts.shape), -1, axis)
    return given


def _one_more(parts: Floats, there: NDArray[np.bool_], given: Whole, lowest: float) -> Whole:
    """A row of whole numbers near each row of parts, with the given sum, of which only those `there` can be."""
    many = there.sum(axis=1)
    least = _floor(parts)
    over = given - least.sum(axis=1)
    for row in np.flatnonzero(((over < 0) | (over > many)) & (many > 0)):
        some = there[row]
        alike = parts[row, some] + (given[row] - parts[row].sum()) / many[row]
        parts[row, some] = alike if np.isinf(lowest) else onto_simplex(parts[row, some], given[row])
        least[row] = _floor(parts[row])
        over[row] = given[row] - least[row].sum()
    last = np.where(there, least - parts, np.inf)
    rank = np.argsort(np.argsort(last, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(least + (rank < over[:, np.newaxis]))


def _floor(numbers: Floats) -> Whole:
    return np.asarray(np.floor(numbers + SAME))


def _within(table: NDArray[Any], margin: Margin, keys: Margin) -> NDArray[Any]:
    """A table over the keys `kept`, added up to fewer keys."""
    return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(margin) if place not in keys)))


def _flat(table: NDArray[Any], margin: Margin, *groups: Margin) -> NDArray[Any]:
    """The table with an axis for each group of its keys."""
    order = [margin.index(place) for group in groups for place in group]
    shape = [int(np.prod([table.shape[margin.index(place)] for place in group], dtype=int)) for group in groups]
    return np.asarray(table.transpose(order).reshape(shape))


def _unflat(flat: Floats, shape: tuple[int, ...], margin: Margin, *groups: Margin) -> Floats:
    """The way back."""
    order = [margin.index(place) for group in groups for place in group]
    return np.asarray(flat.reshape([shape[axis] for axis in order]).transpose(np.argsort(order)))


def counts_of(released: Released) -> Amounts | Tables:
    """What a table of counts released; any other is refused."""
    evidence = released.evidence
    counts = evidence[0] if len(evidence) == 1 else None
    reason = None if counts is None else counts.not_adjusted_because()
    if reason is not None:
        raise NotConcluded(reason)
    if isinstance(counts, Amounts | Tables) and counts.statistic == "count":
        if not np.isfinite(counts.estimate.astype(float)).all():
            raise NotConcluded("numbers of this table are withheld; adjust the release that it was made from.")
        return _numbers_of(counts) if isinstance(counts, Amounts) and counts.shares_noise else counts
    held = ", ".join(dict.fromkeys(each.statistic for each in evidence))
    raise NotConcluded(f"only a table of one count for each cell can be adjusted; this release holds {held}.")


def _numbers_of(part: Amounts) -> Amounts:
    """The numbers alone, which is all that is adjusted: their noise stays in the label."""
    if isinstance(part.noise, Noises) and (not part.noise.are_known or (part.noise.which < 0).any()):
        raise NotConcluded(
            "this table has impossible cells, which adjustment cannot see here; adjust the stored release first, then "
            "take the margin: tables.releases[name].dp.nonnegative().dp.margin(...)."
        )
    return replace(part, noise=None)
