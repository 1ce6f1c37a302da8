"""Tables in memory that are scanned: a program asks about their rows and cannot read them.

They are folded by the engine for rows in memory, without pyarrow; what expressions make of them is computed block by
block.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from ...core.arrays import Array, Column, Mask
from ...core.engine.fold import Batch, Part, Plain, Whose, column_of
from ...core.engine.rows import FoldedRows, PandasRows
from ...core.lazy_import import named
from ...core.schema.declared import OPEN, Declared
from ...errors import NotFollowed, PrivacyError
from ...language.evaluation import Selected, column_of_node, holds, made_along
from ...language.gathered import GatheredRows, WithPeople
from ...language.given import Given
from ...language.graph import Kind, Node
from ...language.known import Fact
from ...language.persons import OfPerson
from ...people.fold_ids import EVERYBODYS
from .row_steps import RowStep
from .scan import Scanned

if TYPE_CHECKING:
    from ...core.schema.schema import Domain

KINDS: Mapping[str, Kind] = {"float": "number", "integer": "number", "datetime": "time", "timedelta": "span"}
FEW = 1 / 2  # of all rows: where no more are kept they are put together


def facts_in(frame: pd.DataFrame, domain: Domain) -> dict[Hashable, Fact]:
    """What is declared of each column. Of others the values are of any kind, whatever their dtype, which all rows
    together decided; times are in UTC."""
    facts = {name: _declared(domain.said_of(name)) for name in frame.columns}
    ordered = {name for name in frame.columns if getattr(frame[name].dtype, "ordered", False)}
    return {name: replace(fact, is_ordered=name in ordered) for name, fact in facts.items()}


def _declared(said: Declared | None) -> Fact:
    if said is None or said.dtype in OPEN:
        return Fact("any")
    if said.kind is None:
        listed = () if said.listed is None else said.listed.values
        return Fact("text" if all(isinstance(each, str) for each in listed) else "any")
    kind = "condition" if said.dtype.startswith("bool") else KINDS[said.kind]
    return Fact(kind, said.tz, is_float=said.kind == "float")


@dataclass(frozen=True, eq=False, repr=False)
class TableInMemory:
    """The columns of a frame as they were when it was scanned, and whose its rows are, where a person has many."""

    _frame: pd.DataFrame  # no public name leads to rows, also not from what a traceback holds
    whose: Whose | None = None
    kept: ClassVar[Mask | None] = None  # of rows of which not all count
    is_complete = True
    is_cut = False
    shows_rows: ClassVar[bool] = False  # whether a program gets them, and may hand them to a function

    @classmethod
    def of_people(cls, frame: pd.DataFrame, unit: Hashable, numbers: bool, on_roster: Array | None) -> TableInMemory:
        """People are known by the hashes of their ids, as in files."""
        return cls(frame, Whose.of_part(*EVERYBODYS.by_row(frame[unit], numbers), 1, 0, on_roster))

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("the rows of a scanned table stay in its session; ask it by .dp.")

    def nothing(self) -> Batch:
        return Batch(0, lambda name: column_of(self._series(name).iloc[:0]), whose=Whose.nobodys())

    def _series(self, name: Hashable) -> pd.Series[Any]:
        """A column of the frame, or one beside them."""
        return name._series if isinstance(name, Given) else self._frame[name]


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

    @property
    def is_whole(self) -> bool:
        return not self.steps and not self.source.is_cut

    def check(self) -> None:
        """Nobody can write into it."""

    def refuse(self, plan: Any) -> None:
        named("engines.scan.scan_refusals:check_derives")(plan, self)

    def rows(self, measurements: Iterable[Any]) -> FoldedRows:
        part = Part.of_batch(self._held.batch, self.weighs_people)
        return FoldedRows(PandasRows.engine(part), measurements)

    def on_nothing(self) -> Batch:
        return self.on(self.source.nothing())

    def readable(self) -> HeldRows:
        """Its rows, for functions of a program that is shown them."""
        if isinstance(self._held, HeldBatch):
            raise NotFollowed("rows that were made of all rows of a person are handed to no function.")
        return self._held

    @property
    def _held(self) -> HeldRows | HeldBatch:
        """Its rows. Nothing is computed of them before they are asked about."""
        found: HeldRows | HeldBatch = made_along(self, InMemoryScan._next)
        return found

    def _next(self, before: HeldRows | HeldBatch | None) -> HeldRows | HeldBatch:
        held = HeldRows.of(self.source) if before is None else before
        done = 0 if self.before is None else len(self.before.steps)
        return reduce(lambda rows, step: rows.then(step), self.steps[done:], held)


def pickable(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of types that Arrow cannot pick rows from, as views of texts, as objects: always, and not only where a
    condition keeps few."""
    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, pd.ArrowDtype):
            column: Any = frame.iloc[:, place]
            try:
                column.array.__arrow_array__().slice(0, 0).take(np.zeros(0, np.int64))
            except NotImplementedError:
                values: Any = pd.Series(np.asarray(column.array, dtype=object), frame.index, dtype=object)
                frame.isetitem(place, values)
    return frame


class HeldBatch:
    """Rows that were made of all rows together, as those of people are."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def then(self, step: RowStep) -> HeldBatch:
        return HeldBatch(step.on(self.batch))


class HeldRows:
    """Rows of a table, all or those at some places: the columns that it has, and those that are made of them. What a
    block of rows is computed to depends on these rows alone."""

    def __init__(
        self,
        rows: int,
        columns: Columns,
        whose: Whose | None,
        made: Mapping[Hashable, Node] = MappingProxyType({}),
        kept: Mask | None = None,
        gathered: PickedRows | None = None,
    ) -> None:
        self.size, self._columns, self.whose, self.made, self.kept = rows, columns, whose, made, kept
        self._gathered = gathered

    @classmethod
    def of(cls, table: TableInMemory) -> HeldRows:
        return cls(len(table._frame), Columns(table._series), table.whose, kept=table.kept)

    def __len__(self) -> int:
        return self.size

    def column(self, name: Hashable) -> Column:
        """As the table has it, or as all rows of a person make it."""
        if self._gathered is not None and isinstance(name, OfPerson):
            return self._gathered.column(name)
        return self._columns.column(name)

    def then(self, step: RowStep) -> HeldRows | HeldBatch:
        if isinstance(step, WithPeople):
            return self.gathering()
        if not isinstance(step, Selected):
            return HeldBatch(step.on(self.batch))
        rows = self if step.condition is None else self._keeping(step.condition)
        made = {**self.made, **step.columns}
        return HeldRows(rows.size, rows._columns, rows.whose, made, rows.kept, rows._gathered)

    def gathering(self) -> HeldRows:
        """The same rows, which make what looks at all rows of a person."""
        assert self.whose is not None, "these rows are people's"
        gathered = PickedRows(GatheredRows(self, self.whose.person))
        return HeldRows(self.size, self._columns, self.whose, self.made, self.kept, gathered)

    @cached_property
    def batch(self) -> Batch:
        return Batch(self.size, self._read, self.kept, self.whose)

    def _read(self, name: Hashable) -> Column:
        return column_of_node(self.made[name], self) if name in self.made else self.column(name)

    def _keeping(self, condition: Node) -> HeldRows:
        """Those on which it holds: put together, or by a mask where they are many."""
        mask = holds(condition, self)
        kept = mask if self.kept is None else self.kept & mask
        places = np.flatnonzero(kept)
        if len(places) > self.size * FEW:
            return HeldRows(self.size, self._columns, self.whose, self.made, kept, self._gathered)
        whose = None if self.whose is None else self.whose.at(places)
        gathered = None if self._gathered is None else self._gathered.at(places)
        return HeldRows(len(places), Columns(self._columns.series, places), whose, self.made, gathered=gathered)


class PickedRows:
    """What all rows of a person make, at some places."""

    def __init__(self, rows: GatheredRows, places: Array | None = None) -> None:
        self._rows, self._places = rows, places
        self._found: WeakKeyDictionary[OfPerson, Plain] = WeakKeyDictionary()

    def column(self, name: OfPerson) -> Plain:
        if self._places is None:
            return self._rows.made(name)
        found = self._found.get(name)
        if found is None:
            whole = self._rows.made(name)
            found = self._found[name] = Plain(whole.values[self._places], whole.levels)
        return found

    def at(self, places: Array) -> PickedRows:
        return PickedRows(self._rows, places if self._places is None else self._places[places])


class Columns:
    """Those of a frame, or the same at some places: each is picked and read once."""

    def __init__(self, of: Callable[[Hashable], pd.Series[Any]], places: Array | None = None) -> None:
        self._of, self._places = of, places
        self._found: dict[Hashable, tuple[pd.Series[Any], Column]] = {}

    def series(self, name: Hashable) -> pd.Series[Any]:
        return self._read(name)[0]

    def column(self, name: Hashable) -> Column:
        return self._read(name)[1]

    def _read(self, name: Hashable) -> tuple[pd.Series[Any], Column]:
        found = self._found.get(name)
        if found is None:
            series = self._of(name) if self._places is None else self._of(name).take(self._places)
            found = series, column_of(series)
            if self._places is not None or not isinstance(name, Given):  # kept by whoever asks
                self._found[name] = found
        return found
