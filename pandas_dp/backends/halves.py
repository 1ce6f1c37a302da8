"""Secret halves of a known number of rows, each exactly as likely as any other, handed out as the rows come.

Rows take the places 0, 1, … in the order in which they are read. Halves of places are drawn without a look at the rows,
so they are halves of the rows, whatever that order is: uniform given the order, hence uniform.
"""

from __future__ import annotations

from math import inf, isqrt
from typing import ClassVar

import numpy as np
import pandas as pd

from ..dataclass import dataclass
from ..forks import Turn
from ..noise import uniform_integers
from ..noise.bits import words
from ..tally import Resamples
from ..tally.resamples import ROOT_SCALE
from .codes import Codes
from .columns import Array, Mask
from .part import Part
from .sweep import BLOCK

HELD = 2**26  # places of all halves together that are drawn at a time
LONGEST = 2**20
SLICE = 2**13


def subset(rows: int, wanted: int) -> Mask:
    """So many of the rows, every such set alike: coins for all, then a few turned to make the number right.

    Given how many coins show heads, every choice of them is alike, and so is every choice of the ones to turn.
    """
    mask: Mask = np.unpackbits(words(-(-rows // 8), 8), count=rows).view(bool)
    surplus = int(np.count_nonzero(mask)) - wanted
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
class SumsOfHalves:
    """The numbers of all replicates in one pass: sums of codes, their squares or products. It is run once."""

    tally: Resamples
    halves: Halves
    worth_two: ClassVar[float] = inf

    def read(self, part: Part) -> Array:
        terms = self._terms(part)
        sums = np.zeros((self.tally.replicates, terms.shape[1]))
        start = 0
        for masks in self.halves.take(part.rows):
            for first in range(0, masks.shape[1], SLICE):
                some = masks[:, first : first + SLICE].astype(np.float64)
                sums += some @ terms[start + first : start + first + some.shape[1]]  # whole numbers below 2**53
            start += masks.shape[1]
        return sums.astype(np.int64)

    def merge(self, one: Array, other: Array) -> Array:
        both: Array = one + other
        return both

    def finish(self, whole: Array) -> Array:
        return np.array([[self._number(*sums) for sums in whole.tolist()]], dtype=object)

    def _terms(self, part: Part) -> Array:
        columns = [self._codes(part, at) for at in range(len(self.tally.variables))]
        if self.tally.form in ("variance", "deviation"):
            columns = [*columns, columns[0] ** 2]
        elif self.tally.form == "covariance":
            columns = [*columns, columns[0] * columns[1]]
        return np.column_stack(columns)

    def _codes(self, part: Part, at: int) -> Array:
        variable = self.tally.variables[at]
        codes, room = Codes(part.column(variable.column), variable), np.empty(part.rows)
        for start in range(part.first, part.last, BLOCK):
            span = slice(start, min(start + BLOCK, part.last))
            room[span.start - part.first : span.stop - part.first] = codes.block(span).codes
        return np.rint(room / self.tally.coarse(variable))

    def _number(self, *sums: int) -> int:
        form, drawn = self.tally.form, self.tally.drawn
        if form == "sum":
            return sums[0]
        if form == "covariance":
            return drawn * sums[2] - sums[0] * sums[1]
        variance = drawn * sums[1] - sums[0] ** 2
        return isqrt(ROOT_SCALE**2 * variance) if form == "deviation" else variance
