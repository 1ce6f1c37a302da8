"""The engine of collections in which a person may have many rows: each part has all that count of some people."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from ...core.arrays import Array
from ...core.engine.batch import Batch, Mask, Whose
from ...core.engine.fold import Fold, Part, column_of
from ...core.engine.known import KnownIds
from ...dataclass import dataclass
from ...errors import NotProtected
from ..scan.row_steps import RowStep
from ..scan.scan import Elsewhere, Partials, Pass
from .collection import found_by, partitions_of, recording
from .derivation import Derivation
from .moving import Moved, Moving, Placed
from .program import Data, Program, Shape
from .scheduler import current
from .tasks import Asked, Found, Lost, LostError

MOST = 1_024  # parts


class PeopleCollection(Elsewhere):
    """The parts of a collection as it was protected. It hands folds out and gets exact partials back."""

    called: ClassVar[str] = "a collection of Dask"
    of_people: ClassVar[bool] = True
    is_complete: ClassVar[bool] = True

    def __init__(self, moved: Moved, columns: Shape) -> None:
        self.moved, self.columns = moved, columns

    @classmethod
    def moved_from(
        cls, expr: Any, unit: Hashable, numbers: bool, says_why: bool, on_roster: Array | None = None
    ) -> Self:
        """Moves all rows of a collection, once, into as many parts as it has partitions."""
        partitions, held = partitions_of(expr.optimize())
        parts = min(max(len(partitions), 1), MOST)
        moved = Moved.of(Moving(unit, numbers, parts, expr._meta, says_why, on_roster), partitions, held, current())
        if isinstance(moved, Lost):
            raise LostError(moved.why)
        return cls(moved, Shape.of(expr))

    def check_there(self) -> None:
        """Refused where the cluster that held the rows is gone."""
        if not self.moved.is_there:
            raise NotProtected(
                "the cluster that holds the rows of this collection, moved there when it was protected, is closed or "
                "has lost them; protect it again."
            )

    def check(self) -> None:
        """Rows are counted in each pass."""

    def nothing(self) -> Batch:
        return batch_of(self.columns.nothing(), None, Whose.nobodys())

    def folded(self, tables: Sequence[Pass]) -> tuple[list[Partials], int]:
        """One pass for all of these tables."""
        ends = [_Ends.of(table, self.columns) for table in tables]
        asked = AskedOfPeople([(each.making, each.folds) for each in ends], self.moved.moving.says_why)
        columns = dict.fromkeys(name for each in ends for name in each.columns)
        get = current() if self.moved.client is None else self.moved.client.get
        found: Found = found_by(get, asked, self.moved.pieces(list(columns)), self.moved.held)
        return asked.merged([each.nothing for each in ends], found.partials), found.rows


@dataclass(frozen=True)
class Making:
    """How the rows of a table are made of those of a part, which follow their ids' labels all the way."""

    before: Sequence[RowStep]
    program: Program | None
    after: Sequence[RowStep]
    weighs_people: bool

    def part(self, frame: pd.DataFrame, whose: Whose) -> Part:
        batch = batch_of(frame, None, whose)
        for step in self.before:
            batch = step.on(batch)
        if self.program is not None:
            batch = self._made(self.program, frame, batch)
        for step in self.after:
            batch = step.on(batch)
        return Part.of_batch(batch, self.weighs_people)

    def _made(self, program: Program, frame: pd.DataFrame, rows: Batch) -> Batch:
        """What is made of the rows: each counts where the one with its label does, and is of the same person."""
        data, kept = program.on(frame)
        places = KnownIds(len(frame)).people(data.index)
        if rows.kept is not None:
            counts = np.append(rows.kept, False)[places]
            kept = counts if kept is None else kept & counts
        assert rows.whose is not None
        return batch_of(data, kept, rows.whose.at(places))


@dataclass(frozen=True)
class AskedOfPeople(Asked):
    """The folds of each table of a pass, of which every part has whole people."""

    def parts(self, placed: Placed) -> list[Part]:
        frame, whose = placed.counted()
        return [making.part(frame, whose) for making, _ in self.questions]


@dataclass(frozen=True)
class _Ends:
    """What is known of a table before a pass: how it is made, which columns that needs, and its partials of no rows."""

    making: Making
    columns: list[Hashable]
    folds: Sequence[Fold[Any, Any]]
    nothing: Partials

    @classmethod
    def of(cls, table: Pass, columns: Shape) -> _Ends:
        steps, weighs = table.table.steps, table.table.weighs_people
        derived = next((step for step in steps if isinstance(step, Derivation)), None)
        at = 0 if derived is None else steps.index(derived)
        before, after = steps[:at], steps[at:] if derived is None else steps[at + 1 :]
        shape, read = columns if derived is None else derived.shape, dict[Hashable, None]()
        batch = recording(shape.nothing(), read, Whose.nobodys())
        for step in after:
            batch = step.on(batch)
        nothing = [fold.read(Part.of_batch(batch, weighs)) for fold in table.folds]
        program = None if derived is None else derived.program(list(read))
        needed = list(read) if program is None else list(program.columns.names)
        return cls(Making(before, program, after, weighs), needed, table.folds, nothing)


def batch_of(data: Data, kept: Mask | None, whose: Whose) -> Batch:
    """The rows of a frame, or of a column taken as a frame of one."""
    return Batch(len(data), lambda name: column_of(data if isinstance(data, pd.Series) else data[name]), kept, whose)
