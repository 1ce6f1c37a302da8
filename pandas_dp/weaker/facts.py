"""What a promise with a private scale has to know of the rows in each cell. For the house alone: never released."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dataclass import dataclass
from ..quantiles.measure_ranks import Ladder

Column = np.ndarray[Any, Any]
At = Callable[[int], int]
"""The position of the i-th least row, from 1 on; before the first the grid's lower end, after the last its upper."""


Near = tuple[Column, Column]
"""Codes near the middle of each cell's rows, rising, and where those of each cell start. Of equal ones no more are kept
than were asked for; of the others none is left out between two that are here."""


@dataclass(frozen=True)
class Facts:
    """One line a cell, of Python's integers. Codes are centred, as everywhere; `lowest` rises and `highest` falls, as
    many of each as were asked for, with 0 where there are not so many rows."""

    rows: Column
    total: Column
    squares: Column
    lowest: Column
    highest: Column
    near: Callable[[], Near] | None = None  # read when asked for, once
    lines: tuple[Line, ...] = ()

    @property
    def occupied(self) -> Column:
        return self.rows > 0


@dataclass(frozen=True)
class Line:
    """A cell's rows in order, as far as the wanted ranks need them."""

    ladders: tuple[Ladder, ...]
    top: int

    @property
    def rows(self) -> int:
        return self.ladders[0].rows

    def at(self, place: int) -> int:
        if place < 1:
            return 0
        if place > self.rows:
            return self.top
        for ladder in self.ladders:
            inside = place - 1 - ladder.below
            if 0 <= inside < ladder.inside:
                return ladder.at(inside)
        raise IndexError(place)


@dataclass(frozen=True)
class Stretch:
    """For each cell the code at which y is 0, and how far from it y is 1. `zero` where all codes there are one, and
    nobody asked for a floor: then no distance is left when the noise has been added."""

    low: Column
    width: Column
    zero: Column


@dataclass(frozen=True)
class Scaled:
    """What looking finds: the exact numbers, and for each how far neighbours move it. It goes no further."""

    numbers: Column  # cell × number
    sensitivities: Column
    stretch: Stretch | None = None  # between which codes, where portions were added up
