"""Replicates on resampled rows, and which values have occurred in each cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf, isqrt
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core.arguments import shown
from ..core.arrays import Array, Mask, Table
from ..core.engine.codes import Codes
from ..core.engine.fold import AddedUp, Fold, Part
from ..core.engine.sweep import BLOCK, SumsOf, Sweep, worth_two
from ..core.forks import Turn
from ..core.measure.cells import Cells, Key, Variable
from ..core.noise.samplers.bits import permutation, uniform_integers, words
from ..quantiles.fold_ranks import positions_of
from .measure import ROOT_SCALE, Counts, Distinct, Resamples

MARKS = 2**25  # the largest table, a byte for each pair of cell and value
SPARE = 2**20  # numbers that may wait to be sorted


@dataclass(frozen=True)
class Different:
    """How many values of a variable occur in each cell. A partial is a table of marks, or a sorted set of pairs."""

    item: Variable
    cells: Cells

    @property
    def worth_two(self) -> int:
        return worth_two(self.cells)

    @property
    def width(self) -> int:
        return self.item.grid.points

    def read(self, part: Part) -> Array:
        seen = Seen(self.cells.size, self.width)
        for cell, (codes,) in Sweep(part, self.cells, (self.item,)).declared_blocks():
            seen.add(cell, positions_of(codes, self.item.grid))
        return seen.all()

    def merge(self, one: Array, other: Array) -> Array:
        return one | other if one.dtype == bool else np.union1d(one, other)

    def finish(self, whole: Array) -> Array:
        """One line a cell."""
        if whole.dtype == bool:
            found: Array = np.count_nonzero(whole.reshape(self.cells.size, self.width), axis=1)
        else:
            found = np.bincount((whole // self.width).astype(np.intp), minlength=self.cells.size)
        return found.reshape(-1, 1)


class Seen:
    """Pairs of a cell and a value in [0, width)."""

    def __init__(self, cells: int, width: int) -> None:
        self.cells, self.width = cells, width
        self.marks = np.zeros(cells * width, bool) if cells * width <= MARKS else None
        self.dtype = np.dtype(np.int64 if cells * width < 2**62 else object)
        self.found: list[Array] = []
        self.waiting = self.sorted = 0

    def add(self, cells: Array | None, values: Array) -> None:
        pairs = values if cells is None else cells.astype(self.dtype) * self.width + values
        if self.marks is not None:
            self.marks[pairs] = True
            return
        self.found.append(np.unique(pairs))
        self.waiting += len(self.found[-1])
        if self.waiting > SPARE + self.sorted:
            self._sort()

    def all(self) -> Array:
        """Marks of all pairs, or those that occurred, rising."""
        if self.marks is not None:
            return self.marks
        self._sort()
        return self.found[0]

    def _sort(self) -> None:
        self.found = [np.unique(np.concatenate([np.zeros(0, self.dtype), *self.found]))]
        self.sorted, self.waiting = len(self.found[0]), 0


HELD = 2**26  # places of all halves together that are drawn at a time
LONGEST = 2**20
SLICE = 2**13


def subset(rows: int, requested: int) -> Mask:
    """So many of the rows, every such set alike: coins for all, then a few turned to make the number right.

    Given how many coins show heads, every choice of them is alike, and so is every choice of the ones to turn.
    """
    mask: Mask = np.unpackbits(words(-(-rows // 8), 8), count=rows).view(bool)
    surplus = int(np.count_nonzero(mask)) - requested
    turned = np.zeros(0, np.int64)
    while len(turned) < abs(surplus):
        places = uniform_integers(rows, 4 * (abs(surplus) - len(turned)) + 16)
        turned = np.asarray(pd.unique(np.concatenate([turned, places[mask[places] == (surplus > 0)]])))
    mask[turned[: abs(surplus)]] = surplus < 0
    return mask


def spread(rows: int, block: int) -> Array:
    """How many of each block of places are in a half of all: coins for all, of which only the number of heads is kept,
    then so many turned, each as likely one as another."""
    sizes = np.diff([*range(0, rows, block), rows])
    heads = np.array([np.count_nonzero(np.unpackbits(words(-(-s // 8), 8), count=s)) for s in sizes.tolist()])
    surplus = int(heads.sum()) - rows // 2
    ends = np.cumsum(heads if surplus > 0 else sizes - heads)
    turned = np.zeros(0, np.int64)
    while len(turned) < abs(surplus):
        drawn = uniform_integers(int(ends[-1]), 2 * (abs(surplus) - len(turned)) + 16)
        turned = np.asarray(pd.unique(np.concatenate([turned, drawn])))
    of_each = np.bincount(np.searchsorted(ends, turned[: abs(surplus)], side="right"), minlength=len(sizes))
    return heads - of_each if surplus > 0 else heads + of_each


class Halves:
    """So many halves of so many rows, of which threads take the next rows' share."""

    def __init__(self, rows: int, replicates: int) -> None:
        self.rows, self.replicates = rows, replicates
        self.block = block_of(replicates)
        self.numbers = [spread(rows, self.block) for _ in range(replicates)]
        self.place, self.turn = 0, Turn()
        self.drawn = np.zeros((replicates, 0), bool)

    def take(self, rows: int) -> list[Array]:
        """Which of the next rows are in each half, replicate × row, in pieces; of rows beyond the known number none."""
        with self.turn.lock:
            pieces = []
            while rows:
                piece = self._next(rows)
                pieces.append(piece)
                rows -= piece.shape[1]
            return pieces

    def _next(self, rows: int) -> Array:
        if self.place >= self.rows:
            return np.zeros((self.replicates, rows), bool)
        at, inside = divmod(self.place, self.block)
        if not inside:
            size = min(self.block, self.rows - self.place)
            self.drawn = np.stack([subset(size, int(numbers[at])) for numbers in self.numbers])
        piece = self.drawn[:, inside : inside + rows]
        self.place += piece.shape[1]
        return piece


def block_of(replicates: int) -> int:
    return max(1, min(LONGEST, HELD // replicates))


def numbers_of(rows: int, replicates: int) -> int:
    """How many numbers say how each half is spread."""
    return -(-rows // block_of(replicates)) * replicates


@dataclass(frozen=True, eq=False)
class SumsOfHalves(AddedUp):
    """The numbers of all replicates in one pass: sums of codes, their squares or products. It is run once."""

    measurement: Resamples
    halves: Halves
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Array:
        terms = self._terms(part)
        sums = np.zeros((self.measurement.replicates, terms.shape[1]))
        start = 0
        for masks in self.halves.take(part.rows):
            for first in range(0, masks.shape[1], SLICE):
                some = masks[:, first : first + SLICE].astype(np.float64)
                sums += some @ terms[start + first : start + first + some.shape[1]]  # whole numbers below 2**53
            start += masks.shape[1]
        return sums.astype(np.int64)

    def finish(self, whole: Array) -> Array:
        return np.array([[self._number(*sums) for sums in whole.tolist()]], dtype=object)

    def _terms(self, part: Part) -> Array:
        columns = [self._codes(part, at) for at in range(len(self.measurement.variables))]
        if self.measurement.form in ("variance", "deviation"):
            columns = [*columns, columns[0] ** 2]
        elif self.measurement.form == "covariance":
            columns = [*columns, columns[0] * columns[1]]
        return np.column_stack(columns)

    def _codes(self, part: Part, at: int) -> Array:
        variable = self.measurement.variables[at]
        codes, room = Codes(part.column(variable.column), variable), np.empty(part.rows)
        for start in range(part.first, part.last, BLOCK):
            span = slice(start, min(start + BLOCK, part.last))
            room[span.start - part.first : span.stop - part.first] = codes.block(span).codes
        return np.rint(room / self.measurement.coarse(variable))

    def _number(self, *sums: int) -> int:
        form, drawn = self.measurement.form, self.measurement.drawn
        if form == "sum":
            return sums[0]
        if form == "covariance":
            return drawn * sums[2] - sums[0] * sums[1]
        variance = drawn * sums[1] - sums[0] ** 2
        return isqrt(ROOT_SCALE**2 * variance) if form == "deviation" else variance


GROUPS = 2**12  # so many groups of pairs of rows change places together


@dataclass(frozen=True)
class EveryCode:
    """The codes of all rows, one column a variable; a missing value is the middle of the range."""

    variables: tuple[Variable, ...]
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Array:
        room = np.empty((part.rows, len(self.variables)), order="F")
        for at, variable in enumerate(self.variables):
            codes = Codes(part.column(variable.column), variable)
            for start in range(part.first, part.last, BLOCK):
                span = slice(start, min(start + BLOCK, part.last))
                room[span.start - part.first : span.stop - part.first, at] = codes.block(span).codes
        return room

    def merge(self, one: Array, other: Array) -> Array:
        return np.concatenate([one, other])

    def finish(self, whole: Array) -> Array:
        return whole


def replicates_of(measurement: Resamples, codes: Array) -> Array:
    """One line, one whole number a replicate."""
    columns = [np.rint(c / measurement.coarse(v)) for c, v in zip(codes.T, measurement.variables, strict=True)]
    values = columns[0] if len(columns) == 1 else np.column_stack(columns)
    rows = _ROWS[measurement.design](measurement, values)
    finish = _FORMS[measurement.form]
    numbers = [finish(measurement, drawn) for drawn in shown(rows, measurement.replicates, "replicates")]
    return np.array([numbers], dtype=object)


def _half_samples(measurement: Resamples, values: Array) -> Iterator[Array]:
    for _ in range(measurement.replicates):
        yield values[subset(len(values), len(values) // 2)]


def _bootstrap_samples(measurement: Resamples, values: Array) -> Iterator[Array]:
    for _ in range(measurement.replicates):
        yield values[uniform_integers(len(values), len(values))]


def _balanced_samples(measurement: Resamples, values: Array) -> Iterator[Array]:
    """Of each pair of rows one is taken twice, and each of the two in half of the replicates."""
    order = permutation(len(values))
    pairs = len(values) // 2
    first, second, alone = order[:pairs], order[pairs : 2 * pairs], order[2 * pairs :]
    groups = min(GROUPS, pairs)
    sides = _balanced_sides(groups, measurement.replicates)
    group = np.arange(pairs) % groups  # the order is random already
    for side in sides.T:
        taken = np.where(side[group], first, second)
        yield values[np.concatenate([taken, taken, alone])]


def _balanced_sides(groups: int, replicates: int) -> Array:
    """For each group, in which half of the replicates its first rows are taken."""
    keys = words(groups * replicates, 64).reshape(groups, replicates)
    return np.argsort(keys, axis=1, kind="stable") < replicates // 2


def _sum(measurement: Resamples, drawn: Array) -> int:
    return int(drawn.sum())


def _variance(measurement: Resamples, drawn: Array) -> int:
    total, squares = int(drawn.sum()), int(np.dot(drawn, drawn))
    return len(drawn) * squares - total**2


def _deviation(measurement: Resamples, drawn: Array) -> int:
    return isqrt(ROOT_SCALE**2 * _variance(measurement, drawn))


def _covariance(measurement: Resamples, drawn: Array) -> int:
    first, second = drawn.T
    return len(drawn) * int(np.dot(first, second)) - int(first.sum()) * int(second.sum())


_ROWS: dict[str, Callable[[Resamples, Array], Iterator[Array]]] = {
    "half-sample": _half_samples,
    "multinomial": _bootstrap_samples,
    "weights": _balanced_samples,
}
_FORMS: dict[str, Callable[[Resamples, Array], int]] = {
    "sum": _sum,
    "variance": _variance,
    "deviation": _deviation,
    "covariance": _covariance,
}


def replicates(measurement: Resamples, run: Callable[[Fold[Any, Any]], Any], reads_anew: bool) -> Table:
    """The numbers of all replicates; of half samples, where rows are read from afar, without holding them."""
    if measurement.design == "half-sample" and reads_anew:
        return np.asarray(run(SumsOfHalves(measurement, Halves(measurement.size, measurement.replicates))))
    return replicates_of(measurement, run(EveryCode(measurement.variables)))


def distinct(measurement: Distinct) -> Fold[Any, Any]:
    """Declared categories are counted; of numbers it is marked which occur."""
    if isinstance(measurement.item, Key):
        return SumsOf(Counts(Cells((*measurement.cells.keys, replace(measurement.item, other=False)))))
    return Different(measurement.item, measurement.cells)
