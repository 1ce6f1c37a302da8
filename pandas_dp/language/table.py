"""A table whose every row is made of one row of its source, by pandas' names; nothing is read before it is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, NoReturn, Self

import pandas as pd

from ..core.lazy_import import named
from ..errors import NotFollowed, UnsupportedArgument
from .across import ACROSS, FUNCTIONS
from .arithmetic import applied
from .calls import called_on_rows, shows_rows
from .categories import order_by
from .column import LazyColumn
from .columns import NamedColumns, names_of
from .constants import listed
from .expression import NOT_GIVEN
from .graph import Node, constant
from .located import Located, Placed
from .numpy_functions import called_by_numpy
from .operators import ARITHMETIC, COMPARISONS, SYNONYMS
from .public_tables import joined_with
from .reader import QueryReader
from .refusals import no_such_name

if TYPE_CHECKING:
    from ..core.door.frame import FrameAccessor

SHOWN = 30  # columns, in a repr


class LazyTable(NamedColumns):
    """What `Session.scan` gives, and what is cut from it or made of it. It shows no row.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
    >>> farms = session.scan(pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0] * 250}))
    >>> farms[farms["size"] > 2]["size"].dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
    4.5
    """

    @property
    def dp(self) -> FrameAccessor:
        """Questions about the table, as of one of pandas.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"crop": ["rice", "rye"] * 500}))
        >>> farms.dp.value_counts(categories={"crop": ["rice", "rye"]}, epsilon=1000)["count"].tolist()
        [500, 500]
        """
        found: FrameAccessor = self._rows._source.asked(self).dp
        return found

    # -- rows and columns by key

    @property
    def loc(self) -> Located:
        """Rows by a condition and columns by name: `loc[mask]`, `loc[mask, "y"]`, and `loc[mask, "y"] = 0`."""
        return Located(self)

    @property
    def iloc(self) -> Placed:
        """Columns by where they stand: `iloc[:, :2]`."""
        return Placed(self)

    def query(self, expr: str, **options: Any) -> Self:
        """The rows on which an expression holds, e.g. `query("size > 2 and crop == 'rice'")`."""
        ((_, found),) = self._read(expr, _names_of_caller(options))
        return self._where(found)

    def eval(self, expr: str, *, inplace: bool = False, **options: Any) -> Any:
        """The column that an expression is, or the table with those that its lines name, `z = x + n`."""
        made, names = self.copy(), _names_of_caller(options)
        lines = made._read(expr, names)
        if len(lines) == 1 and lines[0][0] is None:
            return lines[0][1]
        return self._changed(made, inplace)

    def _read(self, expr: str, names: Mapping[str, Any]) -> list[tuple[str | None, Any]]:
        found: list[tuple[str | None, Any]] = []
        for line in str(expr).strip().splitlines():
            if line.strip():
                ((name, value),) = QueryReader(self._column, names).assigned(line)
                if name is not None:
                    self[name] = value
                found.append((name, value))
        return found

    # -- rows as a whole

    def sort_values(
        self,
        by: Any = None,
        *,
        axis: Any = 0,
        ascending: Any = True,
        inplace: bool = False,
        kind: str = "quicksort",
        na_position: str = "last",
        ignore_index: bool = False,
        key: Any = None,
    ) -> Any:
        """The same rows in another order, on which only what looks at the rows of a person depends."""
        if key is not None:
            raise NotFollowed("sorting with key= hands a whole column to a function.")
        columns = [self._named(name) for name in names_of(by)]
        rows = self._rows.sorted(order_by(columns, ascending, na_position) if columns else None)
        return self._changed(self._with(self._columns, rows.renumbered() if ignore_index else rows), inplace)

    def sort_index(
        self, *, ascending: bool = True, inplace: bool = False, ignore_index: bool = False, **options: Any
    ) -> Any:
        """The same rows in the order in which they were scanned."""
        rows = self._rows.sorted_back(ascending)
        return self._changed(self._with(self._columns, rows.named() if ignore_index else rows), inplace)

    def reset_index(self, level: Any = None, *, drop: bool = False, inplace: bool = False) -> Any:
        """The same rows, numbered anew: they go with nothing that was numbered before. What they were named by becomes
        columns."""
        levels = self._rows.levels
        if drop is not True and (not levels or level is not None):
            raise NotFollowed("reset_index makes a column of row numbers, which are nobody's business; give drop=True.")
        columns = self._columns if drop else {**levels, **self._columns}
        return self._changed(self._with(columns, self._rows.renumbered()), inplace)

    def convert_dtypes(self, **options: Any) -> Self:
        """The table itself: kinds do not follow from what rows hold."""
        return self.copy()

    def rename_axis(self, *names: Any, inplace: bool = False, **options: Any) -> Any:
        """The table itself: its rows have no names."""
        return self._changed(self.copy(), inplace)

    def infer_objects(self, copy: Any = None) -> Self:
        """The table itself."""
        return self.copy()

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function of the table gives."""
        return func(self, *args, **kwargs)

    def map(self, f: Callable[[Any], Any], na_action: str | None = None, **options: Any) -> Self:
        """What a function makes of the rows, batch by batch; each row that it gives is one that it was given.

        The function gets a frame of some rows, whose numbers are floats and whose texts are objects, and gives a frame
        with the index of those that it keeps. Of several rows with one label the first counts. It must treat each row
        by itself: where a batch ends depends on how files are laid out, and a function that looks at other rows is not
        covered. It is called on no rows first, to learn which columns it gives.

        Parameters
        ----------
        f : callable
            From a DataFrame to a DataFrame. It is not called before a question is paid for.

        Examples
        --------
        >>> import numpy as np, pyarrow as pa, pyarrow.dataset as ds, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(ds.dataset(pa.table({"size": [1.0, 10.0, 100.0, 1000.0] * 250})))
        >>> logs = farms.map(lambda rows: rows.assign(size=np.log10(rows["size"])))
        >>> logs["size"].dp.mean(bounds=(0, 5), epsilon=1e6)["mean"].round(2).item()
        1.5
        """
        if shows_rows(self._rows):  # pandas' meaning
            return self._each(lambda each: each.map(f, na_action, **options))
        return self._rows._source.mapped(self, f)

    # -- column by column

    def astype(self, dtype: Any, copy: Any = None, errors: str = "raise") -> Self:
        """Columns as other kinds; a dict says which."""
        if isinstance(dtype, Mapping):
            return self._each(lambda each: each.astype(dtype[each.name]), dtype)
        return self._each(lambda each: each.astype(dtype))

    def fillna(self, value: Any = None, *, inplace: bool = False) -> Any:
        """This in place of missing values; a dict says what in which column."""
        if isinstance(value, Mapping):
            return self._changed(self._each(lambda each: each.fillna(value[each.name]), value), inplace)
        return self._changed(self._each(lambda each: each.fillna(value)), inplace)

    def replace(self, to_replace: Any = None, value: Any = None, *, inplace: bool = False, regex: bool = False) -> Any:
        """Other values in place of some, in all columns, or in each those that a dict names."""
        if isinstance(to_replace, Mapping) and any(isinstance(each, Mapping) for each in to_replace.values()):
            made = self._each(lambda each: each.replace(to_replace[each.name], regex=regex), to_replace)
        else:
            made = self._each(lambda each: each.replace(to_replace, value, regex=regex))
        return self._changed(made, inplace)

    def round(self, decimals: int | Mapping[Any, int] = 0) -> Self:
        """To so many decimal digits; a dict says how many in which column."""
        if isinstance(decimals, Mapping):
            return self._each(lambda each: each.round(decimals[each.name]), [n for n in decimals if n in self._columns])
        return self._each(lambda each: each.round(decimals))

    def clip(self, lower: Any = None, upper: Any = None) -> Self:
        """Numbers, or the end of the range beyond which they lie."""
        return self._each(lambda each: each.clip(lower, upper))

    def isin(self, values: Any) -> Self:
        """Whether values are among a list; a dict gives a list for each column."""
        if isinstance(values, Mapping):
            return self._each(lambda each: each.isin(values.get(each.name, [])))
        return self._each(lambda each: each.isin(values))

    def _operated(self, how: str, other: Any, reflected: bool = False) -> Self:
        name = {sign: name for name, sign in ARITHMETIC.items()}[how]
        return self._over(f"__{'r' * reflected}{name}__", other)

    def _compared(self, how: str, other: Any) -> Self:
        return self._over({sign: name for name, sign in COMPARISONS.items()}[how], other)

    def _joined(self, how: str, other: Any) -> Self:
        return self._over(f"__{how}__", other)

    def __neg__(self) -> Self:
        return self._each(lambda each: -each)

    def __invert__(self) -> Self:
        return self._each(lambda each: ~each)

    def __round__(self, ndigits: int | None = None) -> Self:
        return self.round(ndigits or 0)

    def __abs__(self) -> Self:
        return self._each(abs)

    def _over(self, name: str, other: Any, **options: Any) -> Self:
        """A method of each column with the one of the same name, a constant, or one of a list or a dict."""
        if isinstance(other, LazyTable):
            return self._each(lambda each: getattr(each, name)(other._column(each.name), **options))
        if isinstance(other, LazyColumn):
            raise NotFollowed("a table goes with a column by axis=0, df[['x', 'y']].div(df['n'], axis=0).")
        if isinstance(other, list | tuple):
            other = dict(zip(self._columns, other, strict=True))
        if isinstance(other, pd.Series):
            other = dict(zip(listed(other.index, name), listed(other, name), strict=True))
        if isinstance(other, Mapping):
            return self._each(lambda each: getattr(each, name)(other[each.name], **options))
        return self._each(lambda each: getattr(each, name)(other, **options))

    # -- across columns

    def agg(self, func: Any = None, axis: Any = 0) -> Any:
        """A statistic across the columns of each row, `agg("sum", axis=1)`, or several of them side by side."""
        if axis in (1, "columns") and isinstance(func, list):
            return self._any()._beside({name: self._across(name, axis) for name in map(_called, func)})
        return self._across(_called(func), axis)

    def apply(self, func: Any, axis: Any = 0, args: tuple[Any, ...] = (), **options: Any) -> Any:
        """What a function makes of each column; with `axis=1` a statistic by its name or as numpy's function, and of a
        protected table what any function gives for each row, missing where it fails."""
        if axis in (1, "columns") and callable(func) and func not in FUNCTIONS and shows_rows(self._rows):
            return self._by_rows(func, args, **options)
        if axis in (1, "columns"):
            return self.agg(func, axis)
        return self._each(
            lambda each: _a_column((func if callable(func) else getattr(type(each), func))(each, *args, **options))
        )

    def transform(self, func: Any, axis: Any = 0, *args: Any, **options: Any) -> Any:
        """What a function makes of each column."""
        return self.agg(func, axis) if axis in (1, "columns") else self.apply(func, 0, args, **options)

    def _by_rows(
        self, func: Any, args: tuple[Any, ...], raw: bool = False, result_type: Any = None, **options: Any
    ) -> Any:
        if raw or result_type not in (None, "expand", "reduce") or not self._columns:
            raise NotFollowed("apply hands each row to a function as a Series; leave raw= and result_type= out.")
        found = called_on_rows(self._all(), func, args, options, result_type == "expand")
        column = self._any()
        if isinstance(found, Node):
            return column.made(found)
        return column._beside({name: column.made(node) for name, node in found.items()})

    def _across(self, how: str, axis: Any = 0, skipna: bool = True, ddof: int = 1) -> LazyColumn:
        if axis not in (1, "columns"):
            raise NotFollowed(f"a protected table answers by .dp alone; write df.dp.{how}(...), or {how}(axis=1).")
        return self._any().made(*ACROSS[how](self._all(), skipna=skipna, ddof=ddof))

    def dot(self, other: Any) -> LazyColumn:
        """The sum of the columns of each row, each times a public weight."""
        weights = (
            other.to_dict()
            if isinstance(other, pd.Series)
            else dict(zip(self._columns, listed(other, "dot"), strict=True))
        )
        nodes = [applied("*", self._column(name).number(), constant(float(weights[name]))) for name in self._columns]
        return self._any().made(reduce(lambda a, b: applied("+", a, b), nodes))

    __matmul__ = dot

    # -- with public tables

    def join(
        self, other: Any, on: Any = None, how: str = "left", lsuffix: str = "", rsuffix: str = "", **options: Any
    ) -> Self:
        """Columns of a public table, looked up by its index; with `how="inner"` the rows whose key it has."""
        if isinstance(other, pd.Series | LazyColumn):
            other = other.to_frame()
        if isinstance(other, LazyTable) and not options:
            return named("language.people_tables:joined_by_index")(self, other, on, how, (lsuffix, rsuffix))
        if not isinstance(other, pd.DataFrame) or on is None or options:
            raise NotFollowed("join takes a public table with its keys as index, and on= the columns that hold them.")
        keys = names_of(on)
        right = other.reset_index()
        return joined_with(self, right, keys, list(right.columns[: len(keys)]), how, (lsuffix, rsuffix))

    def merge(
        self,
        right: Any,
        how: str = "inner",
        on: Any = None,
        left_on: Any = None,
        right_on: Any = None,
        left_index: bool = False,
        right_index: bool = False,
        suffixes: tuple[str, str] = ("_x", "_y"),
        validate: str | None = None,
        **options: Any,
    ) -> Self:
        """Columns of a public table in which each key stands once."""
        if isinstance(right, pd.Series | LazyColumn):
            right = right.to_frame()
        if isinstance(right, LazyTable) and not options:
            left, other = (left_on, right_on) if on is None else (on, on)
            found = None if left_index else left, None if right_index else other
            return named("language.people_tables:merged")(self, right, *found, how, suffixes)
        if (
            not isinstance(right, pd.DataFrame)
            or options
            or left_index
            or validate not in (None, "m:1", "many_to_one", "1:1", "one_to_one")
        ):
            raise NotFollowed(
                "merge takes a public table in which each key stands once, and on=, or left_on= and right_on=."
            )
        if right_index:
            return self.join(right, left_on if left_on is not None else on, how, *suffixes)
        both = [name for name in right.columns if name in self._columns]
        keys = names_of(left_on if left_on is not None else both if on is None else on)
        theirs = names_of(right_on if right_on is not None else keys)
        return joined_with(self, right, keys, theirs, how, suffixes, keep=keys != theirs)

    # -- what it is

    def __repr__(self) -> str:
        names = [
            f"  {name!r}: {'undeclared' if each.kind == 'any' else each.kind}"
            for name, each in [*self._columns.items()][:SHOWN]
        ]
        more = [] if len(self._columns) <= SHOWN else [f"  and {len(self._columns) - SHOWN} more"]
        return "\n".join([self._rows._source.heading(self), *names, *more, self._rows._source.footing()])

    def __bool__(self) -> NoReturn:
        raise UnsupportedArgument("a protected table is neither true nor false; ask it by .dp.")

    def __len__(self) -> int:
        source = self._rows._source
        if not source.says_how_many(self):
            raise UnsupportedArgument(
                "a protected table has no length of its own where its number of rows is not public; ask df.dp.size(), "
                "or as the keeper of the files count their rows with pyarrow."
            )
        source.scanned.check()
        return int(source.scanned.size)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it has, where everyone knows both: of all rows, under neighbours="replace".

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> farms = pdp.Session(epsilon=1).scan(pd.DataFrame({"size": [1.0, 2.0], "crop": ["rice", "rye"]}))
        >>> farms.shape, len(farms)
        ((2, 2), 2)
        """
        if not self._rows._source.says_how_many(self):
            raise AttributeError("shape")
        return len(self), len(self._columns)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Self:
        first, *others = inputs
        if first is not self or method != "__call__" or options or any(isinstance(each, LazyTable) for each in others):
            raise NotFollowed(f"np.{ufunc.__name__} of a table takes the table first, and constants; name a column.")
        return self._each(lambda each: ufunc(each, *others))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return called_by_numpy(function, args, kwargs)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise UnsupportedArgument("a protected table shows no rows; ask it by .dp.")

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name not in self._columns:
                raise no_such_name(name, "df", self, is_column=False)
            if hasattr(pd.DataFrame, name):
                raise AttributeError(f"{name!r} is a name of pandas; the column is df[{name!r}].", name=name, obj=self)
            return self._column(name)


def _called(func: Any) -> str:
    """The name of a statistic."""
    name = FUNCTIONS.get(func) if callable(func) else func
    if name not in ACROSS:
        raise NotFollowed(
            f"across the columns of a row there are {', '.join(ACROSS)}; write a function of a row as an expression, "
            "df['x'] + df['y']; rows of files are handed to one by df.map(f)."
        )
    return str(name)


def _a_column(found: Any) -> LazyColumn:
    if not isinstance(found, LazyColumn):
        raise NotFollowed("apply takes a function that makes a column of a column, e.g. lambda x: x * 2.")
    return found


def _statistic(how: str) -> Callable[..., Any]:
    def method(
        self: LazyTable, axis: Any = 0, skipna: bool = True, ddof: int = 1, numeric_only: bool = False
    ) -> LazyColumn:
        table = self.select_dtypes(["number", "bool"]) if numeric_only else self
        return table._across(how, axis, skipna, ddof)

    return method


def _by_column(name: str) -> Callable[..., Any]:
    def method(self: LazyTable, other: Any, axis: Any = "columns", **options: Any) -> LazyTable:
        if isinstance(other, LazyColumn) and axis in (0, "index"):
            return self._each(lambda each: getattr(each, name)(other, **options))
        return self._over(name, other, **options)

    return method


def _alone(name: str) -> Callable[..., Any]:
    def method(self: LazyTable) -> LazyTable:
        return self._each(lambda each: getattr(each, name)())

    return method


for _name in ACROSS:
    setattr(LazyTable, _name, _statistic(_name))
for _name in (*ARITHMETIC, *(f"r{name}" for name in ARITHMETIC), *SYNONYMS, *COMPARISONS):
    setattr(LazyTable, _name, _by_column(_name))
for _name in ("isna", "notna", "isnull", "notnull", "abs"):
    setattr(LazyTable, _name, _alone(_name))


def _names_of_caller(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """What `@name` may stand for: names of whoever called query or eval."""
    if "local_dict" in options:
        return dict(options["local_dict"])
    frame = sys._getframe(2)
    return {**frame.f_globals, **frame.f_locals}


def _to_frame(self: LazyColumn, name: Any = NOT_GIVEN) -> LazyTable:
    """A table of this column alone."""
    called = self.name if name is NOT_GIVEN else name
    return LazyTable(self.rows, {called: replace(self, name=called)})


def _beside(self: LazyColumn, columns: Mapping[Any, LazyColumn]) -> LazyTable:
    """A table of columns of these rows."""
    return LazyTable(self.rows, {name: replace(each, name=name) for name, each in columns.items()})


for _name, _function in (("to_frame", _to_frame), ("_beside", _beside)):
    setattr(LazyColumn, _name, _function)  # a table knows columns, and not the other way round
