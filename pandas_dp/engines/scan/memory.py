"""Tables in memory that are scanned: a program asks about their rows and cannot read them.

They are folded by the engine for rows in memory, without pyarrow; what expressions make of them is computed block by
block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from threading import local
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
import pandas as pd

from ...core.arrays import Array, Block, Column, Mask
from ...core.engine.fold import LONGEST_KEPT, Batch, Part, Plain, Whose, column_of
from ...core.engine.rows import FoldedRows, PandasRows
from ...core.lazy_import import named
from ...core.schema.declared import OPEN, Declared
from ...errors import PrivacyError
from ...people.fold_ids import EVERYBODYS
from ..expressions import ColumnNode, TextOf, TimeOf, as_objects, spelled
from .row_steps import Keep, Kind, NewColumns, RowStep
from .scan import Scanned

if TYPE_CHECKING:
    from ...core.schema.schema import Domain

KINDS: Mapping[str, Kind] = {"float": "number", "integer": "number", "datetime": "time", "timedelta": "span"}
BLOCK = 2**16  # rows of which conditions are evaluated at a time
FEW = 1 / 2  # of all rows: where no more are kept they are put together


def kinds_of(frame: pd.DataFrame, domain: Domain) -> dict[Hashable, Kind]:
    """What values are taken for: what is declared; of other columns what their dtype suggests."""
    return {name: _declared(domain.said_of(name)) or _suggested(dtype) for name, dtype in frame.dtypes.items()}


def _declared(said: Declared | None) -> Kind | None:
    if said is None or said.dtype in OPEN:
        return None
    if said.kind is None:
        return "text"
    return "condition" if said.dtype.startswith("bool") else KINDS[said.kind]


def _suggested(dtype: Any) -> Kind:
    if isinstance(dtype, pd.CategoricalDtype):
        return _suggested(dtype.categories.dtype)
    if isinstance(dtype, pd.ArrowDtype):
        return named("engines.scan.sources:kind_of")(dtype.pyarrow_dtype)
    if pd.api.types.is_bool_dtype(dtype):
        return "condition"
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return "time"
    return "span" if pd.api.types.is_timedelta64_dtype(dtype) else "text"


def zone_of(dtype: Any) -> Any:
    """The time zone of a column, if it has one."""
    return getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)


@dataclass(frozen=True, eq=False, repr=False)
class TableInMemory:
    """The columns of a frame as they were when it was scanned, and whose its rows are, where a person has many."""

    frame: pd.DataFrame
    whose: Whose | None = None
    is_complete = True

    @classmethod
    def of_people(cls, frame: pd.DataFrame, unit: Hashable, numbers: bool, on_roster: Array | None) -> TableInMemory:
        """People are known by the hashes of their ids, as in files."""
        return cls(frame, Whose.of_part(*EVERYBODYS.by_row(frame[unit], numbers), 1, 0, on_roster))

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("the rows of a scanned table stay in its session; ask it by .dp.")

    def nothing(self) -> Batch:
        return Batch(0, lambda name: column_of(self.frame[name].iloc[:0]), whose=Whose.nobodys())


@dataclass(frozen=True, eq=False)
class InMemoryScan(Scanned):
    """A table in memory, and what is done to its rows. What a condition found is kept as long as this."""

    source: TableInMemory  # type: ignore[assignment]  # whose rows nobody else reads
    before: InMemoryScan | None = None  # what it was before the last step
    is_at_hand: ClassVar[bool] = True

    def then(self, *steps: RowStep) -> InMemoryScan:
        return replace(self, steps=(*self.steps, *steps), before=self)

    def of_people(self) -> InMemoryScan:
        return replace(self, weighs_people=True, before=self)

    def check(self) -> None:
        """Nobody can write into it."""

    def refuse(self, plan: Any) -> None:
        named("engines.scan.scan_refusals:check_derives")(plan, self)

    def rows(self, measurements: Iterable[Any]) -> FoldedRows:
        part = Part.of_batch(self.held.batch, self.weighs_people)
        return FoldedRows(PandasRows.engine(part), measurements)

    def on_nothing(self) -> Batch:
        return self.on(self.source.nothing())

    @cached_property
    def held(self) -> HeldRows | HeldBatch:
        """Its rows. Nothing is computed of them before they are asked about."""
        held = HeldRows.of(self.source) if self.before is None else self.before.held
        done = 0 if self.before is None else len(self.before.steps)
        return reduce(lambda rows, step: rows.then(step), self.steps[done:], held)


class HeldBatch:
    """Rows that were made of all rows together, as those of people are."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def then(self, step: RowStep) -> HeldBatch:
        return HeldBatch(step.on(self.batch))


class HeldRows:
    """Rows of a table, all or those at some places: the columns that it has, and those that steps make of them. What a
    block of rows is computed to depends on these rows alone."""

    def __init__(
        self,
        rows: int,
        column: Callable[[Hashable], pd.Series[Any]],
        whose: Whose | None,
        made: tuple[NewColumns, ...] = (),
        kept: Mask | None = None,
    ) -> None:
        self.size, self.column, self.whose, self.made, self.kept = rows, column, whose, made, kept
        self.latest = local()

    @classmethod
    def of(cls, table: TableInMemory) -> HeldRows:
        return cls(len(table.frame), table.frame.__getitem__, table.whose)

    def then(self, step: RowStep) -> HeldRows | HeldBatch:
        if isinstance(step, NewColumns):
            return HeldRows(self.size, self.column, self.whose, (*self.made, step), self.kept)
        return self._keeping(step) if isinstance(step, Keep) else HeldBatch(step.on(self.batch))

    @cached_property
    def batch(self) -> Batch:
        return Batch(self.size, self.reader, self.kept, self.whose)

    def view(self, rows: slice) -> Batch:
        """Some of them, computed. The latest is kept by each thread, as several columns are read of one block."""
        if getattr(self.latest, "rows", None) == rows:
            kept: Batch = self.latest.view
            return kept
        size = len(range(self.size)[rows])
        plain = Batch(size, lambda name: column_of(self.column(name).iloc[rows]))
        found = reduce(lambda batch, step: step.on(batch), self.made, plain)
        if size <= LONGEST_KEPT:
            self.latest.rows, self.latest.view = rows, found
        return found

    def reader(self, name: Hashable) -> Column:
        for step in reversed(self.made):
            node = step.columns.get(name)
            if node is None:
                continue
            if not isinstance(node, ColumnNode | TextOf | TimeOf):
                return self._texts(name) if hasattr(node, "spelled") else Computed(self, name)
            name = node.column
        return column_of(self.column(name))

    def _texts(self, name: Hashable) -> Column:
        """Each different text once, over all blocks."""
        places: dict[str | None, int] = {}
        codes = np.full(self.size, -1, np.int64)
        for rows in self._blocks():
            numbers, texts = spelled(self.view(rows).column(name))
            found = np.array([*(places.setdefault(text, len(places)) for text in texts), -1], np.int64)
            codes[rows] = found[numbers]
        return Plain(codes, Plain(as_objects(list(places))))

    def _keeping(self, condition: Keep) -> HeldRows:
        """Those on which it holds: put together, or by a mask where they are many."""
        holds = np.empty(self.size, bool)
        for rows in self._blocks():
            holds[rows] = condition.on(self.view(rows)).kept
        kept = holds if self.kept is None else self.kept & holds
        places = np.flatnonzero(kept)
        if len(places) > self.size * FEW:
            return HeldRows(self.size, self.column, self.whose, self.made, kept)
        whose = None if self.whose is None else self.whose.at(places)
        return HeldRows(len(places), Picked(self.column, places).column, whose, self.made)

    def _blocks(self) -> Iterable[slice]:
        return (slice(start, min(start + BLOCK, self.size)) for start in range(0, self.size, BLOCK))


class Picked:
    """Columns at some places, each picked once."""

    def __init__(self, column: Callable[[Hashable], pd.Series[Any]], places: Array) -> None:
        self.of, self.places = column, places
        self.found: dict[Hashable, pd.Series[Any]] = {}

    def column(self, name: Hashable) -> pd.Series[Any]:
        if name not in self.found:
            self.found[name] = self.of(name).take(self.places)
        return self.found[name]


class Computed:
    """Numbers or conditions that are computed when a block of them is read."""

    levels: Column | None = None

    def __init__(self, rows: HeldRows, name: Hashable) -> None:
        self.rows, self.name, self.size = rows, name, rows.size

    def block(self, rows: slice) -> Block:
        made = self.rows.view(rows)
        return made.column(self.name).block(slice(0, len(made)))
