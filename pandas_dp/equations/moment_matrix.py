"""Sums of products of columns as they were released: the matrix, and which released number moves which entry of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from ..dataclass import dataclass

Floats = np.ndarray[Any, np.dtype[np.float64]]
Places = np.ndarray[Any, np.dtype[np.intp]]
Sort = Literal["constant", "number", "product", "level", "hat", "slope"]


@dataclass(frozen=True)
class Column:
    """A column of the expansion: the constant, a number, one level of a categorical, one function of a spline.

    It is counted in half-ranges around a centre: u = (x - centre) / half.
    """

    name: str  # as a coefficient of it is called: "Intercept", "age", "C(region)[e]"
    term: Hashable  # what it belongs to: a label of the table, or for a product or a slope a pair of them
    level: Hashable = None  # which category of the term it stands for, or which knot, where it stands for one
    centre: float = 0.0
    half: float = 1.0
    sort: Sort = "number"

    def to_json(self) -> dict[str, Any]:
        """Itself as a label holds it; what no JSON has is text."""
        level = self.level if isinstance(self.level, str | int | float | None) else str(self.level)
        pair = isinstance(self.term, tuple) and self.sort in PAIRS
        term = list(self.term) if pair and isinstance(self.term, tuple) else self.term
        return {**vars(self), "term": term, "level": level}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Column:
        """What was written; names that a later version may add are not read."""
        known = {name: facts[name] for name in cls.__dataclass_fields__ if name in facts}
        term = known["term"]
        return cls(**{**known, "term": tuple(term) if isinstance(term, list) else term})


PAIRS = ("product", "slope")


@dataclass(frozen=True)
class Noises:
    """Independent errors of known variance, and by how much each moves entries (row, column) and (column, row)."""

    variances: Floats  # one a released number
    number: Places  # one an entry that a number moves: which number,
    row: Places  # where, row <= column,
    column: Places
    factor: Floats  # and how far
    heavy: bool = False  # whether their tails are heavier than those of normal noise: Laplace noise
    ties: Floats | None = None  # orthonormal, a row a number: what the numbers were made to agree in moves no more


@dataclass(frozen=True)
class MomentMatrix:
    """The sums of u_i u_j over the rows of one cell, u_0 = 1 first, each blurred: what least squares starts from."""

    columns: tuple[Column, ...]
    matrix: Floats  # square and symmetric
    noises: Noises
    size_public: bool = False  # whether entry (0, 0) is exact

    @property
    def n(self) -> float:
        """How many rows there are, or about how many."""
        return float(self.matrix[0, 0])

    def moved(self, weights: Floats) -> Floats:
        """By how much each released number moves matrix @ weights: a row for each number, a column for each column."""
        noises = self.noises
        moved = np.zeros((len(noises.variances), len(self.columns)))
        np.add.at(moved, (noises.number, noises.row), noises.factor * weights[noises.column])
        off = noises.row != noises.column
        at = noises.number[off], noises.column[off]
        np.add.at(moved, at, noises.factor[off] * weights[noises.row[off]])
        if noises.ties is None:
            return moved
        spread = np.sqrt(noises.variances)[:, None]
        return np.asarray(moved - noises.ties @ (noises.ties.T @ (spread * moved)) / spread)

    def covariance(self, weights: Floats, places: Sequence[int] | slice = slice(None)) -> Floats:
        """That of the noise in (matrix @ weights)[places]."""
        moved = self.moved(weights)[:, places]
        return np.asarray((moved.T * self.noises.variances) @ moved)
