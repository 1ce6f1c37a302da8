"""Scores that were released column by column, made to agree in what they say twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .moment_matrix import Column, Floats


def agreeing(columns: Sequence[Column]) -> Floats:
    """What keeps of scores what they do not contradict: all levels of a categorical are the constant, and a number
    apart for each level is the number."""
    ties = [tie for tie in _ties(columns) if tie.any()]
    size = len(columns)
    if not ties:
        return np.eye(size)
    basis, _ = np.linalg.qr(np.array(ties).T)
    return np.asarray(np.eye(size) - basis @ basis.T)


def agreed_squares(columns: Sequence[Column], upper: Floats, of_rows: bool = True) -> Floats:
    """A square of sums of products over the columns, from its upper triangle: of rows, none of which has two levels of
    a categorical, or of people, whose rows may."""
    size = len(columns)
    found = np.zeros((size, size))
    found[np.triu_indices(size)] = upper
    found = np.triu(found) + np.triu(found, 1).T
    levels = [(c.term, c.level) if of_rows and c.sort == "level" else None for c in columns]
    for at, one in enumerate(levels):
        for to, other in enumerate(levels):
            if one and other and one != other and one[0] == other[0]:
                found[at, to] = 0.0  # no row has both
    keeps = agreeing(columns)
    return np.asarray(keeps @ found @ keeps)


def _ties(columns: Sequence[Column]) -> list[Floats]:
    """Sums of columns that are 0 in every row."""
    numbers = {column.term: at for at, column in enumerate(columns) if column.sort == "number"}
    found: dict[Any, Floats] = {}
    for at, column in enumerate(columns):
        if column.sort not in ("level", "slope"):
            continue
        whole = numbers.get(column.term[1]) if column.sort == "slope" and isinstance(column.term, tuple) else 0
        if whole is not None:
            tie = found.setdefault((column.sort, column.term), np.zeros(len(columns)))
            tie[at], tie[whole] = 1.0, -1.0
    return list(found.values())
