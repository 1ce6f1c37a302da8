"""The engine of tables that are scanned: batches are read and folded by threads, and no row is kept."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar

from ...core.engine.fold import Batch, ChangedError, Fold, Part, read_on
from ...core.engine.rows import FoldedRows
from ...core.forks import Turn
from ...core.lazy_import import named
from ...core.schema.declared import Declared
from .row_steps import RowStep

if TYPE_CHECKING:
    from .sources import Opened, ScanSource


THREADS = 8  # at most
Partials = list[Any]
Found = tuple[list[Partials], int]  # of each table, and in how many rows


class RowsElsewhere(ABC):
    """Rows that are folded where they are: folds go there, and partials come back."""

    called: ClassVar[str]
    of_people: bool = False  # whether each part has all rows that count of some people

    def check_there(self) -> None:  # noqa: B027 - most stay
        """Refuse where the rows are gone."""

    @abstractmethod
    def folded(self, tables: Sequence[Pass]) -> Found:
        """The partials of each table, in one pass, and how many rows there were."""

    @abstractmethod
    def nothing(self) -> Batch:
        """No rows of it."""


class NumberOfRows:
    """How many rows a source has: None before the first pass where nobody said it; `counted` where a pass, or footers,
    did. `lost` once a pass has found others."""

    def __init__(self, rows: int | None = None, counted: bool = False) -> None:
        self.rows, self.counted, self.lost = rows, counted, False


@dataclass(frozen=True, eq=False)
class Scanned:
    """A source, and what is done to its rows, each by itself, before they are asked about."""

    source: ScanSource | RowsElsewhere
    seen: NumberOfRows
    steps: tuple[RowStep, ...] = ()
    weighs_people: bool = False  # whether all rows of each person are asked about
    declared: Mapping[Hashable, Declared] = field(default_factory=dict)  # of columns that were made
    is_at_hand: ClassVar[bool] = False

    def then(self, *steps: RowStep) -> Scanned:
        return Scanned(self.source, self.seen, (*self.steps, *steps))

    def declaring(self, declared: Mapping[Hashable, Declared]) -> Scanned:
        return replace(self, declared=declared)

    def of_people(self) -> Scanned:
        return replace(self, weighs_people=True)

    @property
    def is_whole(self) -> bool:
        """Whether its rows are those of the source."""
        return not self.steps

    @property
    def size(self) -> int | None:
        """How many rows the source has, where that is known."""
        return self.seen.rows

    def check(self) -> None:
        """Refused where a pass found other rows than were scanned."""
        named("engines.scan.scan_refusals:check_unchanged")(self)

    def refuse(self, plan: Any) -> None:
        """What one pass, or two, over rows in parts cannot answer."""
        named("engines.scan.scan_refusals:check_scannable")(plan, self)

    def per_person(self, core: Any, subject: Any, made: Any) -> Any:
        """A row for each person, made of theirs."""
        return named("engines.scan.table:people_of")(core, subject, subject.data, made)

    def rows(self, measurements: Iterable[Any]) -> FoldedRows:
        """To be read in a pass."""
        return FoldedRows(Scan(self), measurements)

    def together(self) -> Several:
        """Rows of this source that several questions read in one pass."""
        return Several(self.source)

    def is_same(self, other: Scanned) -> bool:
        """Whether the same was done to the same rows."""
        return self.starts(other) and other.starts(self)

    def on(self, batch: Batch) -> Batch:
        return reduce(lambda rows, step: step.on(rows), self.steps, batch)

    @property
    def has_everyone(self) -> bool:
        """Whether it has a row for each person on a roster, and no other."""
        return bool(self.steps) and getattr(self.steps[-1], "everyone", False)

    @property
    def called(self) -> str:
        """What it is, in words."""
        return self.source.called if isinstance(self.source, RowsElsewhere) else "a scanned table"

    def on_nothing(self) -> Batch:
        """What becomes of no rows."""
        if isinstance(self.source, RowsElsewhere):
            return self.on(self.source.nothing())
        from .sources import Recorder  # with pyarrow

        return self.on(Recorder(self.source.schema).batch())

    def starts(self, other: Scanned) -> bool:
        """Whether the other one is this one, to which more was done."""
        mine = len(self.steps)
        return self.source is other.source and self.steps == other.steps[:mine]


@dataclass(frozen=True)
class Scan:
    """Runs all folds in one pass over the rows, of one table or of several that come from one source."""

    table: Scanned
    reads_anew: ClassVar[bool] = True
    has_many_rows: ClassVar[bool] = False

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        return run_together([(self.table, folds)])[0]


class Several:
    """Rows of tables that come from one source, all of whose folds run in the pass of whichever is asked first."""

    def __init__(self, source: ScanSource | RowsElsewhere) -> None:
        self.source = source
        self.tables: list[tuple[ScanWithOthers, FoldedRows]] = []

    def reads(self, table: Scanned) -> bool:
        """Whether a table comes from this source."""
        return self.source is table.source

    def rows(self, table: Scanned, measurements: Iterable[Any]) -> FoldedRows:
        engine = ScanWithOthers(table, self)
        rows = FoldedRows(engine, measurements)
        self.tables.append((engine, rows))
        return rows


@dataclass(frozen=True, eq=False)
class ScanWithOthers:
    """The engine of one of several tables."""

    table: Scanned
    several: Several
    reads_anew: ClassVar[bool] = True
    has_many_rows: ClassVar[bool] = False

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        waiting = [(each.table, rows.waiting()) for each, rows in self.several.tables if each is not self]
        others = [(table, requested) for table, requested in waiting if requested]
        questions = [(table, [each.fold for each in requested]) for table, requested in others]
        mine, *theirs = run_together([(self.table, folds), *questions])
        for (_, requested), found in zip(others, theirs, strict=True):
            for each, what in zip(requested, found, strict=True):
                each.found = what
        return mine


def run_together(questions: Sequence[tuple[Scanned, Sequence[Fold[Any, Any]]]]) -> list[list[Any]]:
    """One pass for tables of one source, each with its own folds."""
    source, seen = questions[0][0].source, questions[0][0].seen
    tables = [Pass(table, folds) for table, folds in questions]
    try:
        if isinstance(source, RowsElsewhere):
            partials, rows = source.folded(tables)
        else:
            source.check()
            partials, rows = _read(source, tables)
            source.check()
        if seen.rows not in (None, rows):
            raise ChangedError
        seen.rows, seen.counted = rows, True
    except ChangedError:
        seen.lost = True
        raise
    return [each.finished(found) for each, found in zip(tables, partials, strict=True)]


@dataclass(frozen=True)
class Pass:
    """The folds of one table."""

    table: Scanned
    folds: Sequence[Fold[Any, Any]]

    def read(self, batch: Batch, mine: Partials | None = None) -> Partials:
        """Of one more batch, perhaps in the place of partials that nobody else has."""
        part = Part.of_batch(self.table.on(batch), self.table.weighs_people)
        if mine is None:
            return [fold.read(part) for fold in self.folds]
        return [read_on(fold, part, partial) for fold, partial in zip(self.folds, mine, strict=True)]

    def merged(self, one: Partials, other: Partials) -> Partials:
        return [fold.merge(a, b) for fold, a, b in zip(self.folds, one, other, strict=True)]

    def finished(self, partials: Partials) -> list[Any]:
        return [fold.finish(partial) for fold, partial in zip(self.folds, partials, strict=True)]

    def elsewhere(self) -> Pass:
        """As it travels: what is done to rows, and not where these are."""
        return Pass(Scanned(None, NumberOfRows(), self.table.steps, self.table.weighs_people), self.folds)  # type: ignore[arg-type]


class Taken:
    """What was found in some of the rows: one partial a fold of each table."""

    def __init__(self, tables: Sequence[Pass]) -> None:
        self.tables, self.rows, self.partials = tables, 0, list[Partials]()

    @property
    def found(self) -> Found:
        return self.partials, self.rows

    def read(self, batch: Batch) -> None:
        self.rows += len(batch)
        before = self.partials or (None for _ in self.tables)
        self.partials = [table.read(batch, mine) for table, mine in zip(self.tables, before, strict=True)]

    def add(self, partials: list[Partials], rows: int) -> None:
        """What was found elsewhere, which is not changed."""
        self.rows += rows
        pairs = zip(self.tables, self.partials, partials, strict=True)
        self.partials = [table.merged(one, other) for table, one, other in pairs] if self.partials else partials


def merged(tables: Sequence[Pass], *found: Found) -> Found:
    """What was found in all of these rows."""
    whole = Taken(tables)
    for each in found:
        whole.add(*each)
    return whole.found


class Taker:
    """Folds what it takes of the pieces, one after another."""

    def __init__(self, tables: Sequence[Pass], pieces: Generator[Opened], turn: Turn) -> None:
        self.pieces, self.turn, self.found = pieces, turn, Taken(tables)

    def work(self) -> Taken:
        try:
            for batch in self._batches():
                self.found.read(batch)
                del batch  # before the next one is read
        except BaseException as error:
            with self.turn.lock:
                self.pieces.close()  # so that the others end, too
            if isinstance(
                error, KeyboardInterrupt
            ):  # a function's own: those of whoever sits there go to the main thread
                raise RuntimeError("a function of rows raised KeyboardInterrupt") from error
            raise
        return self.found

    def _batches(self) -> Iterator[Batch]:
        """Those with rows, or with people."""
        batches = chain.from_iterable(piece() for piece in iter(self._next, None))
        return filter(lambda batch: len(batch) or (batch.whose is not None and len(batch.whose.names)), batches)

    def _next(self) -> Opened | None:
        with self.turn.lock:
            return next(self.pieces, None)


def _read(source: ScanSource, tables: Sequence[Pass]) -> Found:
    from .sources import Recorder  # with pyarrow

    recorder = Recorder(source.schema)
    nothing = [table.read(recorder.batch()) for table in tables]
    pieces, turn = source.pieces([str(name) for name in recorder.read]), Turn()
    takers = [Taker(tables, pieces, turn) for _ in range(min(THREADS, os.cpu_count() or 1))]
    with ThreadPoolExecutor(len(takers)) as pool:
        futures = [pool.submit(copy_context().run, taker.work) for taker in takers]  # numpy's silence is the context's
        done = [future.result() for future in futures]
    return merged(tables, (nothing, 0), *(each.found for each in done if each.partials))
