"""What a derived collection does to the rows of a partition: the steps of its expression, run by us, one after another.

pandas tells the dtype of a result from all rows that it is given, and what an operator does depends on dtypes: integers
wrap, `~` of True is -2 where a neighbour is missing. So each step reads and gives one dtype a column, which follows
from the types that Dask knows, whatever the rows hold: plain numbers are floats, conditions are nullable booleans.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from dask._task_spec import Task

from ...core.arrays import Mask
from ...core.engine.row_ids import KnownIds
from .refusals import check_node, nodes
from .rules import is_by_kind, listed, of_texts, places_by_kind
from .tasks import Protected

Data = pd.DataFrame | pd.Series
DATA = (pd.DataFrame, pd.Series)
OBJECTS = np.dtype(object)
OF_A_VALUE = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, NotImplementedError)


def steady(dtype: Any) -> Any:
    """The dtype as which values of this one are read, whichever there are."""
    if isinstance(dtype, pd.StringDtype | pd.DatetimeTZDtype):
        return dtype
    if not isinstance(dtype, np.dtype) and not isinstance(dtype, pd.ArrowDtype) and hasattr(dtype, "numpy_dtype"):
        return pd.BooleanDtype() if dtype.kind == "b" else pd.Float64Dtype()  # with a missing value of their own
    if isinstance(dtype, np.dtype | pd.ArrowDtype) and dtype.kind in "iufb":
        return pd.BooleanDtype() if dtype.kind == "b" else np.dtype(np.float64)
    return dtype if isinstance(dtype, np.dtype | pd.ArrowDtype) and dtype.kind in "mM" else np.dtype(object)


@dataclass(frozen=True)
class FrameShape:
    """The columns of a result and their dtypes; of a column alone its name and dtype."""

    names: tuple[Hashable, ...]
    dtypes: tuple[Any, ...]
    alone: bool

    @classmethod
    def of(cls, node: Any) -> FrameShape:
        meta = node._meta
        if meta.ndim == 1:
            return cls((meta.name,), (_dtype_of(node, meta.dtype),), alone=True)
        return cls(tuple(meta.columns), tuple(_dtype_of(node, each) for each in meta.dtypes), alone=False)

    def settled(self, data: Any) -> Data:
        """The same values in these dtypes; raises where they are none, or it is something else."""
        if self.alone:
            if not isinstance(data, pd.Series):
                raise TypeError("a column was expected")
            column = _as(data, self.dtypes[0])
            return pd.Series(column, name=self.names[0], copy=False)
        if not isinstance(data, pd.DataFrame) or tuple(data.columns) != self.names:
            raise TypeError("a frame with other columns was expected")
        if all(here == requested != OBJECTS for here, requested in zip(data.dtypes, self.dtypes, strict=True)):
            return data
        columns = [_as(data[name], dtype) for name, dtype in zip(self.names, self.dtypes, strict=True)]
        return pd.DataFrame(dict(zip(self.names, columns, strict=True)), index=data.index, columns=list(self.names))

    def nothing(self) -> Data:
        """No rows of it."""
        columns = [pd.Series([], dtype=dtype, name=name) for name, dtype in zip(self.names, self.dtypes, strict=True)]
        if self.alone:
            return columns[0]
        return pd.DataFrame(dict(zip(self.names, columns, strict=True)), columns=pd.Index(self.names, dtype=object))


def _as(column: pd.Series[Any], dtype: Any) -> pd.Series[Any]:
    if dtype == OBJECTS:
        return _objects(column)
    if column.dtype == dtype:
        return column
    if isinstance(dtype, pd.StringDtype):
        return as_texts(column, dtype)
    if dtype == np.dtype(np.float64) and hasattr(column.dtype, "numpy_dtype"):
        return pd.Series(column.to_numpy(np.float64, na_value=np.nan), index=column.index, name=column.name)
    return column.astype(dtype)


def _objects(column: pd.Series[Any]) -> pd.Series[Any]:
    """Values of any kind, each as it is alone: pandas makes floats of whole numbers beside a fraction, and nan of None
    beside a number."""
    objects = column.astype(object)
    if pd.api.types.infer_dtype(objects, skipna=False) == "string":
        return objects
    plain = objects.where(objects.notna(), np.nan)
    if pd.api.types.infer_dtype(plain, skipna=True) == "string":
        return plain
    values = np.empty(len(plain), object)
    values[:] = [_alone(value) for value in plain]
    return pd.Series(values, index=plain.index, name=plain.name, dtype=object)


def as_texts(column: pd.Series[Any], dtype: Any) -> pd.Series[Any]:
    """Each value in its own words: pandas writes a number as a time beside a time, and 1 as 1.0 beside a fraction."""
    if not isinstance(column.dtype, pd.StringDtype):
        column = _objects(column).map(str, na_action="ignore")
    return column.astype(dtype)


def cast(data: Data, dtypes: Any) -> Data:
    """As pandas does, but for values of any kind that become texts."""
    if isinstance(data, pd.Series):
        target = pd.api.types.pandas_dtype(dtypes)
        return as_texts(data, target) if _is_worded(data, target) else data.astype(target)
    requested = dtypes if isinstance(dtypes, Mapping) else dict.fromkeys(data.columns, dtypes)
    made = {name: cast(data[name], dtype) for name, dtype in requested.items() if name in data.columns}
    return assigned(data, *(each for pair in made.items() for each in pair))


def _is_worded(column: pd.Series[Any], dtype: Any) -> bool:
    return column.dtype == OBJECTS and dtype != OBJECTS and not pd.api.types.is_numeric_dtype(dtype)


def by_row(frame: pd.DataFrame, function: Callable[..., Any], args: tuple[Any, ...], given: Mapping[str, Any]) -> Any:
    """`apply(axis=1)` without the number of a row, which says how many rows stand before it."""

    def nameless(row: pd.Series[Any], *more: Any, **named: Any) -> Any:
        row.name = None
        return function(row, *more, **named)

    return frame.apply(nameless, args=args, **given)


def by_value(column: Any) -> Any:
    """For `map`: of a column that Arrow keeps it would make one type of whatever comes of all values."""
    if isinstance(column, pd.Series) and isinstance(column.dtype, pd.StringDtype | pd.ArrowDtype):
        return column.astype(object)
    return column


def without_bytes(column: Any) -> Any:
    """For `.str`, which reads bytes as texts beside texts alone."""
    if not isinstance(column, pd.Series) or column.dtype != OBJECTS:
        return column
    return column.where(np.array([not isinstance(value, bytes) for value in column], bool), np.nan)


def _alone(value: Any) -> Any:
    """A number as a float, if it is one."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, complex | np.complexfloating) and not value.imag:
        value = value.real
    if not isinstance(value, int | float | np.integer | np.floating):
        return value
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats
        return np.inf if value > 0 else -np.inf


def _dtype_of(node: Any, dtype: Any) -> Any:
    """Dask tries values that no dict has, and parts of texts that are not there: these say it themselves."""
    if type(node).__name__ == "FunctionMap" and node.accessor == "str":
        return of_texts(node.attr) or (dtype if isinstance(dtype, pd.StringDtype) else np.dtype(object))
    arg = node.operand("arg") if type(node).__name__ == "Map" else None
    if type(arg) is dict:
        numbers = all(value is None or isinstance(value, int | float | np.number) for value in arg.values())
        return np.dtype(np.float64) if numbers else np.dtype(object)
    return steady(dtype)


def assigned(frame: pd.DataFrame, *pairs: Any) -> pd.DataFrame:
    """The frame with further columns, looked up by its ids: where it has no rows, pandas takes those of a column."""
    columns = dict(zip(pairs[::2], pairs[1::2], strict=True))
    here = {
        name: column.reindex(frame.index) if isinstance(column, pd.Series) else column
        for name, column in columns.items()
    }
    made = frame.copy(deep=False)
    for name, column in here.items():
        made[name] = column
    return made


@dataclass(frozen=True)
class ProgramStep:
    """One node: its key, a task that makes it of earlier ones, and what it gives."""

    key: Any
    task: Any
    shape: FrameShape
    calls: bool = False  # a function of the analyst's, of which it shows that it fails
    before: Callable[[Any], Any] | None = None  # what is done to its columns first
    by_kind: bool = False  # an operator that has no meaning for rows by their types alone

    def on(self, values: Mapping[Any, Any]) -> Data:
        """What it gives of these; a row of which alone it fails, as where a column cannot hold a value, has none."""
        if self.before is not None:
            values = {key: self.before(value) for key, value in values.items() if key in self.task.dependencies}
        try:
            return self.shape.settled(self.task(values))
        except OF_A_VALUE as error:
            columns = {key: values[key] for key in self.task.dependencies if isinstance(values[key], DATA)}
            if self.calls or not any(map(len, columns.values())):
                raise
            is_of_types = self.by_kind and isinstance(error, TypeError)
        return self._apart(values, columns, is_of_types)

    def _apart(self, values: Mapping[Any, Any], columns: Mapping[Any, Data], is_of_types: bool) -> Data:
        """Of rows some of which fail: by kinds where their types may be why, else by halves."""
        rows = max(map(len, columns.values()))
        kinds = places_by_kind(columns.values()) if is_of_types and rows > 1 else {}
        if rows == 1 or (len(kinds) == 1 and None not in kinds and self._has_no_meaning(_taken(values, columns, [0]))):
            index = next(each.index for each in columns.values() if len(each))
            return self.shape.nothing().reindex(index)
        if len(kinds) > 1:
            made = pd.concat([self.on(_taken(values, columns, places)) for places in kinds.values()])
            return made.iloc[np.argsort(np.concatenate(list(kinds.values())))]
        halves = slice(None, rows // 2), slice(rows // 2, None)
        return pd.concat([self.on(_taken(values, columns, half)) for half in halves])

    def _has_no_meaning(self, row: Mapping[Any, Any]) -> bool:
        try:
            self.task(row)
        except TypeError:
            return True
        except OF_A_VALUE:
            pass
        return False


def _taken(values: Mapping[Any, Any], columns: Mapping[Any, Data], places: Any) -> Mapping[Any, Any]:
    """These rows of the columns, and all else as it is."""
    return {**values, **{key: each.iloc[places] for key, each in columns.items()}}


def _before(node: Any) -> Callable[[Any], Any] | None:
    if type(node).__name__ == "FunctionMap" and node.accessor == "str":
        return without_bytes
    return by_value if type(node).__name__ in ("Map", "Apply") else None


def _calls(node: Any) -> bool:
    return type(node).__name__ == "Apply" or (type(node).__name__ == "Map" and callable(node.operand("arg")))


@dataclass(frozen=True)
class Program:
    """From the rows of a partition, with these columns, to those of the collection; ids tell which row is which."""

    name: str
    columns: FrameShape
    leaves: tuple[tuple[Any, Any], ...]  # the key of each, and its column or columns
    written: Mapping[Any, list[Any]]  # lists of values that stand in the expression
    steps: tuple[ProgramStep, ...]

    @classmethod
    def of(cls, expr: Any, name: str) -> Program:
        """Of an expression whose lineage was found. It may be simplified: every node is looked at again."""
        found, written = [], dict[Any, list[Any]]()
        leaves, columns = list[tuple[Any, Any]](), dict[Hashable, Any]()
        for node in nodes(expr):
            key = (node._name, 0)
            if isinstance(node, Protected):
                assert node.operand("name") == name
                shape = FrameShape.of(node)
                leaves.append((key, shape.names[0] if shape.alone else list(shape.names)))
                columns |= dict(zip(shape.names, shape.dtypes, strict=True))
                continue
            check_node(node)
            if type(node).__name__ == "Isin":
                written[(node.values._name, 0)] = listed(node.values) or []
            task = node._task(key, 0)
            if type(node).__name__ == "Assign":
                task = Task(key, assigned, *task.args)
            if type(node).__name__ == "AsType":
                task = Task(key, cast, *task.args)
            if type(node).__name__ == "Apply" and node.frame.ndim == 2:
                task = Task(key, by_row, task.args[0], node.function, tuple(node.args), dict(node.kwargs))
            found.append(ProgramStep(key, task, FrameShape.of(node), _calls(node), _before(node), is_by_kind(node)))
        rows = FrameShape(tuple(columns), tuple(columns.values()), alone=False)
        return cls(name, rows, tuple(leaves), written, tuple(found))

    def on(self, frame: pd.DataFrame) -> tuple[Data, Mask | None]:
        """What is made of these rows, and which of that count: of each row at most the first."""
        ids = pd.RangeIndex(len(frame), name=self.name)
        rows = self.columns.settled(frame[list(self.columns.names)]).set_axis(ids)
        values: dict[Any, Any] = {key: rows[named] for key, named in self.leaves} | dict(self.written)
        made: Data = rows
        for step in self.steps:
            made = values[step.key] = step.on(values)
        if made.index.name != self.name or made.index.nlevels > 1:
            raise ValueError("the rows have lost their ids")
        return made, KnownIds(len(frame)).kept(made.index)
