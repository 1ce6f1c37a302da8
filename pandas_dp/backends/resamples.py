"""Replicates of a statistic on resampled rows, one after another: never more than a few columns at a time.

Which rows a replicate takes is drawn exactly uniformly from the operating system's randomness, without a look at them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, isqrt
from typing import ClassVar

import numpy as np

from ..dataclass import dataclass
from ..noise import permutation, uniform_integers
from ..noise.bits import words
from ..progress import shown
from ..tally import Resamples, Variable
from ..tally.resamples import ROOT_SCALE
from .codes import Codes
from .columns import Array
from .halves import subset
from .part import Part
from .sweep import BLOCK

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


def replicates_of(tally: Resamples, codes: Array) -> Array:
    """One line, one whole number a replicate."""
    columns = [np.rint(c / tally.coarse(v)) for c, v in zip(codes.T, tally.variables, strict=True)]
    values = columns[0] if len(columns) == 1 else np.column_stack(columns)
    rows = _ROWS[tally.design](tally, values)
    finish = _FORMS[tally.form]
    numbers = [finish(tally, drawn) for drawn in shown(rows, tally.replicates, "replicates")]
    return np.array([numbers], dtype=object)


def _half_samples(tally: Resamples, values: Array) -> Iterator[Array]:
    for _ in range(tally.replicates):
        yield values[subset(len(values), len(values) // 2)]


def _bootstrap_samples(tally: Resamples, values: Array) -> Iterator[Array]:
    for _ in range(tally.replicates):
        yield values[uniform_integers(len(values), len(values))]


def _balanced_samples(tally: Resamples, values: Array) -> Iterator[Array]:
    """Of each pair of rows one is taken twice, and each of the two in half of the replicates."""
    order = permutation(len(values))
    pairs = len(values) // 2
    first, second, alone = order[:pairs], order[pairs : 2 * pairs], order[2 * pairs :]
    groups = min(GROUPS, pairs)
    sides = _balanced_sides(groups, tally.replicates)
    group = np.arange(pairs) % groups  # the order is random already
    for side in sides.T:
        taken = np.where(side[group], first, second)
        yield values[np.concatenate([taken, taken, alone])]


def _balanced_sides(groups: int, replicates: int) -> Array:
    """For each group, in which half of the replicates its first rows are taken."""
    keys = words(groups * replicates, 64).reshape(groups, replicates)
    return np.argsort(keys, axis=1, kind="stable") < replicates // 2


def _sum(tally: Resamples, drawn: Array) -> int:
    return int(drawn.sum())


def _variance(tally: Resamples, drawn: Array) -> int:
    total, squares = int(drawn.sum()), int(np.dot(drawn, drawn))
    return len(drawn) * squares - total**2


def _deviation(tally: Resamples, drawn: Array) -> int:
    return isqrt(ROOT_SCALE**2 * _variance(tally, drawn))


def _covariance(tally: Resamples, drawn: Array) -> int:
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
