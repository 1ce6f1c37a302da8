"""A pass over the rows of a part that count, by blocks that fit the cache."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ..measure.cells import Cells, Presence, Variable
from .batch import Mask, Present
from .bincounts import Rooms
from .cells import CellNumbers, Places
from .part import Part
from .ruler import Codes

BLOCK = 2**17
LONGEST = 2**20
MANY = 2**19  # rows that are worth a second thread, if they are sorted into cells
VERY_MANY = 2**24  # and if not

ROOMS = Rooms()


def worth_two(cells: Cells) -> int:
    """Rows from which on a second thread is worth starting."""
    return MANY if cells.keys else VERY_MANY


class SweptBlock(NamedTuple):
    """The rows of a block that count: how many, in which raw cells (None: all in one), codes, sums of codes; and whose
    they are, where that matters."""

    rows: int
    cells: Array | None
    codes: list[Array]
    totals: list[float | None]
    people: Array | None = None

    def only(self, here: Mask) -> SweptBlock:
        return SweptBlock(
            int(np.count_nonzero(here)),
            None if self.cells is None else self.cells[here],
            [code[here] for code in self.codes],
            [None for _ in self.codes],
            None if self.people is None else self.people[here],
        )


class Readers:
    """How keys and variables are read in a part's data: prepared once for all parts of it."""

    def __init__(self, part: Part, cells: Cells, variables: tuple[Variable | Presence, ...]) -> None:
        column = part.column
        self.numbers = CellNumbers(cells, lambda key: Places(column(key.column), key)) if cells.keys else None
        self.codes = [Codes(column(v.column), v) for v in variables if isinstance(v, Variable)]
        self.present = [Present(column(v.column)) for v in variables if isinstance(v, Presence)]


class Sweep:
    """What a measurement reads of each row of a part: its raw cell, where there are keys, and its codes."""

    def __init__(self, part: Part, cells: Cells, variables: tuple[Variable | Presence, ...]) -> None:
        self.part, self.kept, self.rows = part, part.kept, part.rows
        readers = part.once((cells, variables), lambda: Readers(part, cells, variables))
        self.numbers, self.codes, self.present = readers.numbers, readers.codes, readers.present
        self.size = self.numbers.size if self.numbers else 1
        self.step = max(BLOCK, min(2 * self.size, LONGEST))  # so that tables of sums are not touched too often

    def spans(self) -> Iterator[slice]:
        """In rows of the data, not of the part."""
        for start in range(self.part.first, self.part.last, self.step):
            yield slice(start, min(start + self.step, self.part.last))

    def blocks(self) -> Iterator[SweptBlock]:
        """Each block is valid until the next."""
        person = self.part.person
        for span in self.spans():
            rows = span.stop - span.start
            found = [codes.block(span, ROOMS.room(f"codes {j}", rows)) for j, codes in enumerate(self.codes)]
            lost = [present.missing(span) for present in self.present]
            lost += [measured.missing for measured in found if measured.missing is not None]
            keep = [~mask for mask in lost] + ([] if self.kept is None else [self.kept[span]])
            here = reduce(np.logical_and, keep) if keep else None
            block = SweptBlock(
                rows,
                None if self.numbers is None else self._cells(self.numbers, span),
                [measured.codes for measured in found],
                [measured.total for measured in found],
                None if person is None else person[span],
            )
            yield block if here is None or here.all() else block.only(here)

    def _cells(self, numbers: CellNumbers, span: slice) -> Array:
        return numbers.block(span, ROOMS.room(f"cells {numbers.dtype}", span.stop - span.start, numbers.dtype))

    def declared_blocks(self) -> Iterator[tuple[Array | None, list[Array]]]:
        """The same by declared cells, without the rows that are in none."""
        declared = None if self.numbers is None else self.numbers.declared()
        for _, raw, codes, *_ in self.blocks():
            if raw is None or declared is None:
                yield None, codes
                continue
            cells = declared[raw]
            inside = cells >= 0
            yield (cells, codes) if inside.all() else (cells[inside], [code[inside] for code in codes])

    def blocks_of_people(self) -> Iterator[tuple[Array, Array | None, list[Array]]]:
        """Whose each row of a declared cell is, its cell, and its codes."""
        declared = None if self.numbers is None else self.numbers.declared()
        for _, raw, codes, _, people in self.blocks():
            assert people is not None
            if raw is None or declared is None:
                yield people, None, codes
                continue
            cells = declared[raw]
            inside = cells >= 0
            every = bool(inside.all())
            yield (
                (people, cells, codes) if every else (people[inside], cells[inside], [code[inside] for code in codes])
            )

    def settle(self, sums: Array) -> Array:
        return sums if self.numbers is None else self.numbers.settle(sums)
