"""A pass over the rows that count, by blocks that fit the cache, in two threads where there are many rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from ..tally import Cells, Presence, Variable
from .cells import CellNumbers, Places
from .codes import Codes
from .columns import Array, Column, Mask
from .present import Present

LONG = 2**17  # rows in a block
SHORT = 2**15  # where sums by cell need the cache as well
LONGEST = 2**20
MANY = 2**19  # rows that are worth a second thread

Part = TypeVar("Part")


class Sweep:
    """What a tally reads of each row: its raw cell, where there are keys, and its codes."""

    def __init__(
        self,
        column: Callable[[Hashable], Column],
        rows: int,
        kept: Mask | None,
        cells: Cells,
        variables: tuple[Variable | Presence, ...],
    ) -> None:
        self.rows, self.kept = rows, kept
        self.numbers = CellNumbers(cells, lambda key: Places(column(key.column), key)) if cells.keys else None
        self.codes = [Codes(column(v.column), v) for v in variables if isinstance(v, Variable)]
        self.present = [Present(column(v.column)) for v in variables if isinstance(v, Presence)]
        self.size = self.numbers.size if self.numbers else 1
        block = SHORT if cells.keys and variables else LONG
        self.step = max(block, min(2 * self.size, LONGEST))  # so that tables of sums are not touched too often

    def parts(self, work: Callable[[slice], Part]) -> list[Part]:
        """The work done on all rows: in one part, or in two at the same time."""
        if self.rows < MANY:
            return [work(slice(0, self.rows))]
        middle = self.rows // 2
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(work, [slice(0, middle), slice(middle, self.rows)]))

    def spans(self, rows: slice) -> Iterator[slice]:
        for start in range(rows.start, rows.stop, self.step):
            yield slice(start, min(start + self.step, rows.stop))

    def blocks(self, rows: slice) -> Iterator[tuple[int, Array | None, list[Array]]]:
        """How many rows of a block count, their raw cells (None: all in one), and, until the next, their codes."""
        room = [np.empty(self.step) for _ in self.codes] if rows.stop - rows.start >= self.step else None
        for span in self.spans(rows):
            here = None if self.kept is None else self.kept[span]
            for present in self.present:
                here = ~present.missing(span) if here is None else here & ~present.missing(span)
            codes = []
            for j, reader in enumerate(self.codes):
                code, missing = reader.block(span, None if room is None else room[j])
                if missing is not None:
                    here = ~missing if here is None else here & ~missing
                codes.append(code)
            numbers = None if self.numbers is None else self.numbers.block(span)
            count = span.stop - span.start
            if here is not None and not here.all():
                count = int(np.count_nonzero(here))
                codes = [code[here] for code in codes]
                numbers = None if numbers is None else numbers[here]
            yield count, numbers, codes

    def declared_blocks(self, rows: slice) -> Iterator[tuple[Array | None, list[Array]]]:
        """The same by declared cells, without the rows that are in none."""
        declared = None if self.numbers is None else self.numbers.declared()
        for _, raw, codes in self.blocks(rows):
            if raw is None or declared is None:
                yield None, codes
                continue
            cells = declared[raw]
            inside = cells >= 0
            yield (cells, codes) if inside.all() else (cells[inside], [code[inside] for code in codes])

    def settle(self, sums: Array) -> Array:
        return sums if self.numbers is None else self.numbers.settle(sums)
