"""An engine that hands frames over as Arrow does: in record batches of a scan, some empty, folded by its threads."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from ..backends import Fold, Part, Scan, Scanned, Seen
from ..backends.batch import Batch, Whose
from ..backends.sources import batch_of
from ..dataclass import dataclass
from .split import Split

KEPT = "kept"


class InBatches:
    """Scans the rows of a frame whose columns have Arrow types; of any other it is `Split`. People are told apart in
    parts that are closed under them.

    Answers are those of Arrow's readers, and reads are counted as those of files are.
    """

    has_many_rows = False

    def __init__(self, rows: Part, seed: int = 0) -> None:
        self.rows, self.random = rows, Random(seed)  # which says nothing of any row
        self.table = as_arrow(rows)
        self.reads_anew = self.table is not None

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        """What each fold finds, in one pass.

        Examples
        --------
        >>> import pandas as pd
        >>> from pandas_dp.backends import Part
        >>> from pandas_dp.backends.folds import fold_of
        >>> from pandas_dp.tally import Counts
        >>> InBatches(Part.whole(pd.DataFrame({"x": [1, 2, 3]}), None)).run([fold_of(Counts())])[0].tolist()
        [[3]]
        """
        if self.table is None:
            return Split(self.rows, self.random.randint(0, 9)).run(folds)
        data, rows, person = self.rows.data, len(self.table), self.rows.person
        assert isinstance(data, pd.DataFrame | pd.Series)
        named = data.to_frame().columns if isinstance(data, pd.Series) else data.columns
        names: dict[Hashable, str] = {name: str(at) for at, name in enumerate(named)}
        steps = (Named(names, isinstance(data, pd.Series)),)
        if person is not None:
            several = PeopleInBatches(self.table.schema, self.table, [0, rows], person, self.random.randint(2, 5))
            return Scan(Scanned(several, Seen(), steps, weighs_people=True)).run(folds)
        cuts = sorted(self.random.randint(0, rows) for _ in range(self.random.randint(1, 4)))
        source = InMemoryBatches(self.table.schema, self.table, [0, *cuts, rows])
        table = Scanned(source, Seen(rows, counted=True), steps)
        return Scan(table).run(folds)


def as_arrow(rows: Part) -> pa.Table | None:
    """The frame, and which of its rows count; None where a column has no Arrow type, or another value there."""
    data = rows.data
    assert isinstance(data, pd.DataFrame | pd.Series)
    series = [data] if isinstance(data, pd.Series) else [data.iloc[:, at] for at in range(data.shape[1])]
    columns = [_as_arrow(each) for each in series]
    if any(each is None for each in columns):
        return None
    kept = np.ones(len(data), bool) if rows.kept is None else rows.kept
    here = slice(rows.first, rows.last)
    made = {str(at): each for at, each in enumerate(columns)} | {KEPT: pa.array(kept)}
    return pa.table(made)[here]


def _as_arrow(values: pd.Series[Any]) -> Any:
    kinds = "biufMm" if isinstance(values.dtype, np.dtype) else ""
    text = isinstance(values.dtype, pd.StringDtype)
    masked = isinstance(values.array, pd.arrays.IntegerArray | pd.arrays.FloatingArray | pd.arrays.BooleanArray)
    arrow = isinstance(values.dtype, pd.ArrowDtype)
    listed = isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.categories.inferred_type == "string"
    if not (text or masked or arrow or listed or (kinds and values.dtype.kind in kinds)):
        return None
    try:
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None


@dataclass(frozen=True)
class Named:
    """Columns by the frame's own names, and only the rows that count."""

    names: dict[Hashable, str]
    alone: bool  # one column, whatever it is asked for as

    def on(self, batch: Batch) -> Batch:
        """The batch as the frame would be read.

        Examples
        --------
        >>> import numpy as np
        >>> from pandas_dp.backends.columns import Plain
        >>> columns = {"0": Plain(np.array([1.5])), "kept": Plain(np.array([True]))}
        >>> Named({"x": "0"}, alone=False).on(Batch(1, columns.__getitem__)).kept.tolist()
        [True]
        """
        kept, _ = batch.column(KEPT).block(slice(0, len(batch)))
        return Batch(len(batch), lambda name: batch.column("0" if self.alone else self.names[name]), kept, batch.whose)


@dataclass(frozen=True)
class InMemoryBatches:
    """A table, cut at these places, as a source."""

    has_footers: ClassVar[bool] = True
    schema: pa.Schema
    table: pa.Table
    cuts: Sequence[int]

    def count(self) -> int:
        """All rows.

        Examples
        --------
        >>> table = pa.table({"x": [1, 2]})
        >>> InMemoryBatches(table.schema, table, [0, 2]).count()
        2
        """
        return len(self.table)

    def check(self) -> None:
        """Nothing can change.

        Examples
        --------
        >>> table = pa.table({"x": [1, 2]})
        >>> InMemoryBatches(table.schema, table, [0, 2]).check()
        """

    def pieces(self, columns: Sequence[str]) -> Generator[Any]:
        """Each as a scan opens it.

        Examples
        --------
        >>> table = pa.table({"x": [1, 2]})
        >>> [len(batch) for piece in InMemoryBatches(table.schema, table, [0, 1, 2]).pieces(["x"]) for batch in piece()]
        [1, 1]
        """
        asked = self.table.select(list(columns))
        for first, last in zip(self.cuts, self.cuts[1:], strict=False):
            yield partial(_once, asked[first:last])


@dataclass(frozen=True)
class PeopleInBatches(InMemoryBatches):
    """All rows in each of so many parts, in which some of the people count; each part numbers its own."""

    person: np.ndarray[Any, Any]
    parts: int

    def pieces(self, columns: Sequence[str]) -> Generator[Any]:
        """Each as a scan opens it.

        Examples
        --------
        >>> table = pa.table({"x": [1, 2, 3]})
        >>> source = PeopleInBatches(table.schema, table, [0, 3], np.array([0, 1, 2]), 2)
        >>> [batch.whose.person.tolist() for piece in source.pieces(["x"]) for batch in piece()]
        [[0, -1, 1], [-1, 0, -1]]
        """
        for part in range(self.parts):
            mine = (self.person >= 0) & (self.person % self.parts == part)
            names, numbers = np.unique(self.person[mine], return_inverse=True)
            person = np.full(len(self.person), -1, np.int32)
            person[mine] = numbers
            yield partial(_of_people, self.table.select(list(columns)), Whose(person, names.astype(np.int64)))


def _of_people(table: pa.Table, whose: Whose) -> Iterator[Batch]:
    batch = batch_of(table)
    yield Batch(len(batch), batch.column, whose=whose)


def _once(table: pa.Table) -> Iterator[Batch]:
    yield batch_of(table)
