"""Nodes on rows: a column that is made block by block when it is read, and conditions as masks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.arrays import Block, Column, Mask
from ..core.engine.fold import Batch, Plain
from .graph import Node, Program, Readable, SomeRows, SourceColumn, blocks
from .values import as_column


class Computed:
    """Numbers or conditions, made anew of each block that is read."""

    levels: Column | None = None

    def __init__(self, node: Node, rows: Readable) -> None:
        self.program, self.kind = Program.of([node]), node.kind
        self.rows, self.size = rows, len(rows)
        for name in self.program.reads():
            rows.column(name)  # so that whoever notes what is read hears of it

    def block(self, rows: slice) -> Block:
        (found,) = self.program.run(SomeRows(self.rows, rows))
        return as_column(self.kind, found, rows.stop - rows.start).block(slice(0, rows.stop - rows.start))


def column_of_node(node: Node, rows: Readable) -> Column:
    """What a node is on some rows, as a column that questions read."""
    if isinstance(node, SourceColumn):
        return rows.column(node.column)
    if node.kind in ("number", "condition"):
        return Computed(node, rows)
    program = Program.of([node])
    if node.kind == "any":
        parts = [program.run(SomeRows(rows, block))[0] for block in blocks(len(rows))]
        if all(isinstance(part, Plain) and part.levels is None for part in parts):
            dtypes = {part.values.dtype for part in parts}
            if len(dtypes) == 1:  # of others no array holds all values as they are
                return Plain(np.concatenate([part.values for part in parts]))
    (found,) = program.run(rows)
    return as_column(node.kind, found, len(rows))


def holds(condition: Node, rows: Readable) -> Mask:
    """On which of the rows a condition holds."""
    program, found = Program.of([condition]), np.empty(len(rows), bool)
    for block in blocks(len(rows)):
        (made,) = program.run(SomeRows(rows, block))
        found[block] = made
    return found


@dataclass(frozen=True)
class Selected:
    """Of the rows those on which a condition holds; of them further columns, or other ones of the same names."""

    condition: Node | None
    columns: Mapping[Hashable, Node]

    def on(self, batch: Batch) -> Batch:
        kept = batch.kept
        if self.condition is not None:
            mask = holds(self.condition, batch)
            kept = mask if kept is None else kept & mask

        def read(name: Hashable) -> Column:
            return column_of_node(self.columns[name], batch) if name in self.columns else batch.column(name)

        return Batch(len(batch), read, kept, batch.whose)


def made_along(last: Any, make: Callable[[Any, Any], Any]) -> Any:
    """What is made of each of a chain and of what was made of the one before it, kept with each. However long the chain
    is, nothing here calls itself."""
    waiting = [last]
    while "_kept" not in vars(waiting[-1]) and waiting[-1].before is not None:
        waiting.append(waiting[-1].before)
    found = None
    for each in reversed(waiting):
        if "_kept" not in vars(each):
            vars(each)["_kept"] = make(each, found)
        found = vars(each)["_kept"]
    return found
