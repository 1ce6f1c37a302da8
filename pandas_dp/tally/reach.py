"""The reach, elsewhere called *sensitivity*: how far one person can move the exact answers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from ..neighbours import Moves
from .cells import Cells, Presence, Variable

Norm = Literal[1, 2]
"""1: sums of absolute changes, what Laplace noise needs. 2: sums of *squared* changes, what Gaussian noise needs."""


def farthest(
    moves: Moves,
    cells: Cells,
    variables: Iterable[Variable | Presence],
    *,
    within: Fraction | int,
    alone: Fraction | int,
) -> Fraction:
    """The reach (sensitivity) of a table of cells: the farthest that one person can move it.

    It is in the norm that `within` and `alone` are in, which say what one row can do inside its cell.

    within: a row stays in its cell and its values change. alone: a row comes or goes, which it also does when its
    value may be missing or belong to no declared cell. A row that leaves one cell for another does so twice, in two
    cells, and that adds up in either norm.
    """
    absent = moves.vanish or bool(cells.keys) or any(v.nullable for v in variables)
    reaches = [Fraction(0)]
    if moves.swap:
        reaches.append(Fraction(within))
        if cells.size > 1:
            reaches.append(Fraction(2 * alone))
    if absent:
        reaches.append(Fraction(alone))
    return max(reaches)
