"""The engine for a frame in memory: in two threads where there are many rows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any

from .fold import Fold
from .part import Part

MANY = 2**18  # rows: with fewer, a table of the points of a grid is larger than they are


class InMemory:
    """Runs one fold after the other, as a block of one column fits the cache, and those of several may not."""

    reads_anew = False

    def __init__(self, rows: Part) -> None:
        self.rows, self.has_many_rows = rows, rows.rows >= MANY

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        return [self._found(fold) for fold in folds]

    def _found(self, fold: Fold[Any, Any]) -> Any:
        if self.rows.rows < fold.worth_two:
            return fold.finish(fold.read(self.rows))
        with ThreadPoolExecutor(2) as pool:
            return fold.finish(reduce(fold.merge, pool.map(fold.read, self.rows.cut(self.rows.rows // 2))))
