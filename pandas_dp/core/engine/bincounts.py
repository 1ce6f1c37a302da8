"""Room for what is computed on the way, kept by each thread: memory that is given back and asked for anew costs more
than most of what is done in it."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import Array

LONGEST = 2**20  # beyond, nothing is kept


class Rooms(threading.local):
    """Each by a name; what is in one is valid until the same thread asks for it again."""

    def __init__(self) -> None:
        self.held: dict[str, Array] = {}

    def room(self, name: str, rows: int, dtype: Any = np.float64) -> Array:
        """An array of so many places, with anything in them."""
        held = self.held.get(name)
        if held is None or len(held) < rows:
            held = np.empty(rows, dtype)
            if rows <= LONGEST:
                self.held[name] = held
        return held[:rows]


FEW = 2**14  # numbers: with fewer, numpy's own is quicker


def counts(numbers: Array, size: int) -> Array:
    """How often each number occurs."""
    if not _fit(numbers, size):
        return np.bincount(numbers, minlength=size)
    return _product(numbers, _ones(len(numbers).bit_length())[: len(numbers)], size)


def sums(numbers: Array, values: Array, size: int) -> Array:
    """The sum of the values at each number, in float64."""
    return _product(numbers, values, size) if _fit(numbers, size) else np.bincount(numbers, values, size)


def _fit(numbers: Array, size: int) -> bool:
    """Whether each has a place: a sparse matrix does not look."""
    narrow = numbers.dtype == np.int32 and FEW <= len(numbers) < 2**31
    return narrow and int(numbers.min()) >= 0 and int(numbers.max()) < size


@lru_cache(maxsize=4)
def _ones(bits: int) -> Array:
    return np.ones(2**bits, np.int32)


def _product(numbers: Array, values: Array, size: int) -> Array:
    """A matrix of one column, whose product with 1 adds up what stands in a row, in the order in which it does."""
    from scipy.sparse import csc_array  # late: it takes a while

    matrix = csc_array((values, numbers, np.array([0, len(numbers)], np.int32)), shape=(size, 1))
    return np.asarray(matrix @ np.ones(1, values.dtype))
