"""What a promise with a private scale has to know of the rows in one cell. For the house alone: never released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .ranks import Ladder

At = Callable[[int], int]
"""The position of the i-th least row, from 1 on; before the first the grid's lower end, after the last its upper."""


@dataclass(frozen=True)
class Facts:
    """Codes are centred, as everywhere; `lowest` rises and `highest` falls, as many of each as were asked for."""

    rows: int
    total: int = 0
    squares: int = 0
    lowest: tuple[int, ...] = ()
    highest: tuple[int, ...] = ()
    near: tuple[int, ...] = ()  # the codes on both sides of what a variance is most moved by
    line: Line | None = None


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
            positions = ladder.positions
            if 0 <= inside < len(positions):  # type: ignore[arg-type]
                return int(positions[inside])  # type: ignore[index]
        raise IndexError(place)
