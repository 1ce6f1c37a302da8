"""What `groupby` of a lazy table gives: columns and tables person by person, by pandas' names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, NoReturn

import pandas as pd

from ..errors import NotFollowed, UnsupportedArgument, type_of
from .across import FUNCTIONS
from .arithmetic import applied, joined
from .by_person import OF_EACH_ROW, ONE_VALUE, Gathering, OfRows, plain
from .column import LazyColumn
from .columns import names_of
from .graph import always
from .known import CONDITION
from .people_tables import unit_of
from .refusals import LISTED
from .rows import RowSet
from .table import LazyTable
from .values import missing


class ByPerson:
    """Rows person by person, of one column or of several."""

    def __init__(self, gathering: Gathering, columns: Mapping[Any, LazyColumn], as_index: bool) -> None:
        self._gathering, self._as_index = gathering, as_index
        self._columns = {
            name: OfRows(each.rows, name, each.kind, each.node, each.zone, each.known, gathering)
            for name, each in columns.items()
        }

    def _people(self, columns: Mapping[Any, LazyColumn]) -> LazyTable:
        """A table of these, with a row for each person."""
        made = {name: self._gathering.of_people(each) for name, each in columns.items()}
        found = LazyTable(self._gathering.people, made)
        return found if self._as_index else found.reset_index()

    def _rows(self) -> OfRows:
        """Any column of the rows."""
        return OfRows(self._gathering.rows, None, "condition", always(True), None, CONDITION, self._gathering)

    def size(self) -> Any:
        """How many rows each has."""
        found = self._people({"size": self._rows()._of("count")})
        return replace(found["size"], name=None) if self._as_index else found

    def cumcount(self, ascending: bool = True) -> LazyColumn:
        """How many rows of the person stand before each."""
        return plain(self._rows().cumcount(ascending))

    def _kept(self, condition: LazyColumn, most: int | None) -> RowSet:
        somebodys = applied("not", missing(self.cumcount().number()))  # whose rows are counted, and nobody else's
        rows = self._gathering.rows.where(applied("and", somebodys, condition.condition()))
        if self._gathering.grouped.keys or most is None:
            return rows
        return replace(rows, most=most if rows.most is None else min(most, rows.most))

    def _at_most(self, n: int, ascending: bool) -> RowSet:
        if not isinstance(n, int) or isinstance(n, bool):
            raise UnsupportedArgument("head and tail take a whole number of rows.", argument="n")
        if n < 0:
            return self._kept(self.cumcount(not ascending) >= -n, None)
        return self._kept(self.cumcount(ascending) < n, max(n, 1))

    def _nth(self, n: Any) -> RowSet:
        places = list(n) if isinstance(n, list | tuple) else [n]
        if not places or not all(isinstance(each, int) for each in places):
            raise UnsupportedArgument("nth takes a whole number, or a list of them.", argument="n")
        found = [self.cumcount(each >= 0) == (each if each >= 0 else -each - 1) for each in places]
        return self._kept(self.cumcount().made(joined("or", [e.node for e in found], nothing=False)), len({*places}))

    def filter(self, func: Any, dropna: bool = True) -> NoReturn:
        """Not done: a condition by what a person has is `transform`."""
        raise NotFollowed(
            "filter hands the rows of a person to a function; write a condition of what they have, "
            "visits[visits.groupby('id')['cost'].transform('count') > 3]."
        )

    def __iter__(self) -> Iterator[Any]:
        raise UnsupportedArgument("a loop over people shows who they are; write what it does as agg or transform.")

    def __len__(self) -> int:
        raise UnsupportedArgument(
            "how many people there are is released by visits['id'].dp.nunique(), and shown to nobody."
        )


class GroupedColumn(ByPerson):
    """A column person by person."""

    def __init__(self, gathering: Gathering, column: LazyColumn, as_index: bool) -> None:
        super().__init__(gathering, {column.name: column}, as_index)
        self._name = column.name

    @property
    def _column(self) -> OfRows:
        return self._columns[self._name]

    def _made(self, found: LazyColumn) -> Any:
        table = self._people({self._name: found})
        return table[self._name] if self._as_index else table

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """One value of each person: by the name of a statistic, a function of the column, or several of them."""
        if func is None and kwargs:
            return self._people({name: _statistic(self._column, how) for name, how in kwargs.items()})
        if isinstance(func, list | tuple):
            return self._people({_called(how): _statistic(self._column, how) for how in func})
        if isinstance(func, Mapping):
            return self._people({name: _statistic(self._column, how) for name, how in func.items()})
        return self._made(_statistic(self._column, func, *args, **kwargs))

    aggregate = agg

    def apply(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function makes of the column of a person; it is shown no values."""
        return self._made(_statistic(self._column, func, *args, **kwargs))

    def transform(self, func: Any, *args: Any, **kwargs: Any) -> LazyColumn:
        """The same rows, with what a statistic is of all rows of their person."""
        return plain(_row_by_row(self._column, func, *args, **kwargs))

    def head(self, n: int = 5) -> LazyColumn:
        """The first rows of each person, in the order of the rows."""
        return plain(replace(self._column, rows=self._at_most(n, ascending=True)))

    def tail(self, n: int = 5) -> LazyColumn:
        """The last rows of each person."""
        return plain(replace(self._column, rows=self._at_most(n, ascending=False)))

    def nth(self, n: Any) -> LazyColumn:
        """The row of each person at this place, or those at these."""
        return plain(replace(self._column, rows=self._nth(n)))

    def __getattr__(self, name: str) -> NoReturn:
        raise _no_such(name, self)


class GroupedTable(ByPerson):
    """A table person by person.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1e9, unit="id")  # so much that there is no noise to see
    >>> visits = session.scan(pd.DataFrame({"id": [*range(500)] * 2, "cost": [1.0] * 500 + [3.0] * 500}))
    >>> people = visits.groupby("id").agg(total=("cost", "sum"), visits=("cost", "size"))
    >>> (people["total"] / people["visits"]).dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
    2.0
    """

    def __init__(
        self,
        gathering: Gathering,
        columns: Mapping[Any, LazyColumn],
        as_index: bool,
        whole: Mapping[Any, LazyColumn] | None = None,
    ) -> None:
        super().__init__(gathering, columns, as_index)
        self._whole = self._columns if whole is None else whole

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list | pd.Index):
            return GroupedTable(self._gathering, {name: self._found(name) for name in key}, self._as_index)
        return GroupedColumn(self._gathering, self._found(key), self._as_index)

    def _found(self, name: Any) -> LazyColumn:
        known = {**dict(self._gathering.by), **self._columns}
        return LazyTable(self._gathering.rows, known)._column(name)

    def _numbers(self) -> GroupedTable:
        table = LazyTable(self._gathering.rows, self._columns).select_dtypes(["number", "bool"])
        return GroupedTable(self._gathering, dict(table.items()), self._as_index)

    def _each(self, of: Callable[[OfRows], LazyColumn]) -> dict[Any, LazyColumn]:
        return {name: of(each) for name, each in self._columns.items()}

    def agg(self, func: Any = None, *args: Any, **kwargs: Any) -> Any:
        """One value of each person of each column, or of those that are named: `agg(total=("cost", "sum"))`."""
        if func is None:
            return self._people({name: self._found_by(of) for name, of in kwargs.items()})
        if isinstance(func, Mapping):
            several = any(isinstance(how, list) for how in func.values())
            each = [(of, how) for of, hows in func.items() for how in (hows if isinstance(hows, list) else [hows])]
            made = {(of, _called(how)) if several else of: _statistic(self._of(of), how) for of, how in each}
            return self._people(made)
        if isinstance(func, list):
            return self._people(
                {(name, _called(how)): _statistic(each, how) for name, each in self._columns.items() for how in func}
            )
        if callable(func) and func not in FUNCTIONS and func is not len:
            return self._people(self._each(lambda each: _statistic(each, func, *args, **kwargs)))
        name = _called(func)
        return self.size() if name == "size" else getattr(self, name)(*args, **kwargs)

    aggregate = agg

    def _found_by(self, of: Any) -> LazyColumn:
        """By a column and a statistic of it, `("cost", "sum")`."""
        if isinstance(of, pd.NamedAgg):
            of = of.column, of.aggfunc
        if not isinstance(of, tuple) or len(of) != 2:
            raise UnsupportedArgument("agg takes names of new columns, total=('cost', 'sum').")
        return _statistic(self._of(of[0]), of[1])

    def _of(self, name: Any) -> OfRows:
        return GroupedColumn(self._gathering, self._found(name), self._as_index)._column

    def apply(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function makes of the table of a person; it is shown no values."""
        found = _shown_nothing(func, LazyTable(self._gathering.rows, self._columns), *args, **kwargs)
        if isinstance(found, Mapping | pd.Series):
            return self._people({name: _as_column(each, self._rows()) for name, each in found.items()})
        table = self._people({None: _as_column(found, self._rows())})
        return table[None] if self._as_index else table

    def transform(self, func: Any, *args: Any, **kwargs: Any) -> LazyTable:
        """The same rows, each column with what a statistic is of all rows of their person."""
        made = self._each(lambda each: plain(_row_by_row(each, func, *args, **kwargs)))
        return LazyTable(self._gathering.rows, made)

    def _cut(self, rows: RowSet) -> LazyTable:
        return LazyTable(rows, {name: plain(each) for name, each in self._whole.items()})

    def head(self, n: int = 5) -> LazyTable:
        """The first rows of each person, in the order of the rows."""
        return self._cut(self._at_most(n, ascending=True))

    def tail(self, n: int = 5) -> LazyTable:
        """The last rows of each person."""
        return self._cut(self._at_most(n, ascending=False))

    def nth(self, n: Any) -> LazyTable:
        """The row of each person at this place, or those at these."""
        return self._cut(self._nth(n))

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function of this gives."""
        return func(self, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._columns or hasattr(pd.DataFrame, name):
            raise _no_such(name, self)
        return self[name]


def _no_such(name: str, asked: object) -> AttributeError:
    if name.startswith("_"):
        return AttributeError(name)
    return AttributeError(f"{name!r} is not done person by person here; {LISTED} lists what is.", name=name, obj=asked)


def _called(how: Any) -> str:
    """The name of a statistic, or of a function."""
    if how is len:
        return "size"
    if callable(how):
        return FUNCTIONS.get(how) or str(getattr(how, "__name__", "function"))
    if how not in (*ONE_VALUE, *OF_EACH_ROW):
        raise NotFollowed(f"of the rows of a person there are {', '.join(ONE_VALUE)}, and functions of these.")
    return str(how)


def _statistic(column: OfRows, how: Any, *args: Any, **kwargs: Any) -> LazyColumn:
    """By its name, or by a function of the column."""
    if callable(how) and how not in FUNCTIONS and how is not len:
        return _as_column(_shown_nothing(how, column, *args, **kwargs), column)
    found: LazyColumn = getattr(column, _called(how))(*args, **kwargs)
    return found


def _row_by_row(column: OfRows, how: Any, *args: Any, **kwargs: Any) -> LazyColumn:
    if how == "cumcount":
        return column.cumcount(*args, **kwargs)
    return _statistic(column, how, *args, **kwargs)


def _shown_nothing(f: Callable[..., Any], given: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function makes of columns without values, called once, when it is written."""
    try:
        return f(given, *args, **kwargs)
    except NotFollowed:
        raise
    except Exception as error:
        raise NotFollowed(
            f"the function is handed no values of a person, but columns of which it may take {', '.join(ONE_VALUE)}, "
            f"and it raised {type(error).__name__}; write it by these."
        ) from error


def _as_column(found: Any, like: LazyColumn) -> LazyColumn:
    if isinstance(found, LazyTable | ByPerson):
        raise NotFollowed(f"a function of a person gives one value, not {type_of(found)}.")
    return replace(like.value(found, "what a function of a person gives"), name=like.name)


def _of_column(name: str, by_row: bool) -> Callable[..., Any]:
    method = getattr(OfRows, name)

    @wraps(method)
    def called(self: GroupedColumn, *args: Any, **kwargs: Any) -> Any:
        found = method(self._column, *args, **kwargs)
        return plain(found) if by_row else self._made(found)

    return called


def _of_table(name: str, by_row: bool) -> Callable[..., Any]:
    method = getattr(OfRows, name)

    @wraps(method)
    def called(self: GroupedTable, *args: Any, numeric_only: bool = False, **kwargs: Any) -> Any:
        found = self._numbers() if numeric_only else self
        made = found._each(lambda each: method(each, *args, **kwargs))
        if by_row:
            return LazyTable(self._gathering.rows, {each: plain(column) for each, column in made.items()})
        return self._people(made)

    return called


for _name in (*ONE_VALUE, *OF_EACH_ROW):
    if _name != "size":
        setattr(GroupedColumn, _name, _of_column(_name, _name in OF_EACH_ROW))
        setattr(GroupedTable, _name, _of_table(_name, _name in OF_EACH_ROW))


def grouped_table(
    table: LazyTable,
    by: Any = None,
    level: Any = None,
    as_index: bool = True,
    dropna: bool = True,
    **options: Any,
) -> GroupedTable:
    """The rows of a table person by person."""
    names = _keys(table, by, level)
    gathering = Gathering.of(table._rows, [table._named(name) for name in names], dropna)
    keys = [name for name in names if not isinstance(name, LazyColumn)]
    columns = dict(table.items())
    return GroupedTable(gathering, {name: columns[name] for name in columns if name not in keys}, as_index, columns)


def _keys(table: LazyTable, by: Any, level: Any) -> list[Any]:
    if level is None:
        return [by] if isinstance(by, LazyColumn) else names_of(by)
    levels = [*table._rows.levels]
    return [levels[each] if isinstance(each, int) and each < len(levels) else each for each in names_of(level)]


def grouped_column(column: LazyColumn, by: Any = None, **options: Any) -> GroupedColumn:
    """The rows of a column person by person."""
    grouped = grouped_table(LazyTable(column.rows, {}), by, **options)
    return GroupedColumn(grouped._gathering, column, grouped._as_index)


def duplicated(table: LazyTable, subset: Any, keep: Any) -> LazyColumn:
    """Whether the person of a row has another one with these columns alike, before it, behind it, or anywhere."""
    rows = _alike(table, subset)
    if keep is False:
        return plain(rows._rows()._of("count") > 1)
    if keep not in ("first", "last"):
        raise UnsupportedArgument("keep must be 'first', 'last' or False.", argument="keep")
    return rows.cumcount(keep == "first") > 0


def without_duplicates(table: LazyTable, subset: Any, keep: Any) -> LazyTable:
    """The rows of which no other one of the same person has these columns alike."""
    rows = _alike(table, subset)
    return table._with(table._columns, rows._kept(~duplicated(table, subset, keep), 1))


def _alike(table: LazyTable, subset: Any) -> GroupedTable:
    names = [*table.keys()] if subset is None else names_of(subset)
    unit = unit_of(table._rows)
    if unit is None or not any(table._column(name).node is unit for name in names):
        raise NotFollowed(
            "which rows are alike is looked at among those of one person, drop_duplicates('id'), by the column that "
            "says whose they are; else choose rows by a condition."
        )
    return grouped_table(table, names, dropna=False)
