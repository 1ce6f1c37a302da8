"""Which columns a table has, and which rows: chosen, added, named and left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any, NoReturn, Self

import numpy as np
import pandas as pd

from ..core.lazy_import import named
from ..errors import NotFollowed, UnknownColumn, UnsupportedArgument
from .arithmetic import applied, joined
from .column import LazyColumn
from .graph import Kind, Node, constant
from .operators import Operators
from .people_tables import beside_people
from .refusals import apart, not_these_rows
from .rows import PEOPLE, RowSet
from .spelling import SideBySide

KINDS = {
    **dict.fromkeys(("number", np.number), ("number", "span")),
    **dict.fromkeys(("bool", "boolean", bool, np.bool_), ("condition",)),
    **dict.fromkeys(("datetime", "datetime64", "datetime64[ns]", np.datetime64), ("time",)),
    **dict.fromkeys(("timedelta", "timedelta64", np.timedelta64), ("span",)),
    **dict.fromkeys(("object", "str", "string", object, str), ("text",)),
}
"""What dtypes are called, and the kinds that they hold."""
DTYPES: Mapping[Kind, str] = {"number": "float64", "condition": "bool", "time": "M8[ns]", "span": "m8[ns]"}


def check_different(names: Iterable[Any]) -> None:
    """Refused where two columns would have one name."""
    given = list(names)
    if len(set(given)) < len(given):
        raise UnsupportedArgument("two columns would have one name; rename one, e.g. .rename('acres').")


class NamedColumns(Operators):
    """Columns of the same rows, by their names."""

    def __init__(self, rows: RowSet, columns: Mapping[Any, LazyColumn]) -> None:
        self._rows, self._columns = rows, dict(columns)

    # -- columns

    @property
    def columns(self) -> pd.Index:
        """The names of its columns.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> pdp.Session(epsilon=1).scan(pd.DataFrame({"size": [1.0, 2.0]})).columns.tolist()
        ['size']
        """
        return pd.Index(list(self._columns), dtype=object if not self._columns else None)

    @columns.setter
    def columns(self, names: Iterable[Any]) -> None:
        self._become(self.set_axis(names, axis=1))

    def keys(self) -> pd.Index:
        """The names of its columns."""
        return self.columns

    @property
    def dtypes(self) -> pd.Series[Any]:
        """Types of what its columns hold, as declared and written: `object` of texts, and of what nobody declared.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> farms = pdp.Session(epsilon=1).scan(pd.DataFrame({"size": [1.0, 2.0]}))
        >>> farms.assign(acres=farms["size"] * 2.471, big=farms["size"] > 1).dtypes.astype(str).to_dict()
        {'size': 'object', 'acres': 'float64', 'big': 'bool'}
        """
        types = {name: np.dtype(DTYPES.get(column.kind, "object")) for name, column in self._columns.items()}
        return pd.Series(list(types.values()), pd.Index(list(types), dtype=object))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def items(self) -> Iterator[tuple[Any, LazyColumn]]:
        """Each name and its column."""
        return ((name, self._column(name)) for name in self._columns)

    def _column(self, name: Any) -> LazyColumn:
        if not isinstance(name, Hashable) or name not in self._columns:
            names = ", ".join(repr(column) for column in [*self._columns][:12])
            more = ", …" if len(self._columns) > 12 else ""
            raise UnknownColumn(
                "a protected table gives columns by their names and rows by conditions, and it has no column of a name "
                f"that was given; it has {names}{more}."
            )
        return replace(self._columns[name], rows=self._rows, name=name)

    def _all(self) -> list[LazyColumn]:
        return [self._column(name) for name in self._columns]

    def _with(self, columns: Mapping[Any, LazyColumn], rows: RowSet | None = None) -> Self:
        return type(self)(self._rows if rows is None else rows, columns)

    def _become(self, other: NamedColumns) -> None:
        self._rows, self._columns = other._rows, other._columns

    def _changed(self, other: Self, inplace: bool) -> Any:
        if not inplace:
            return other
        self._become(other)
        return None

    # -- rows and columns by key

    def __getitem__(self, key: Any) -> Any:
        key = key(self) if callable(key) and not isinstance(key, LazyColumn) else key
        if isinstance(key, LazyColumn):
            return self._where(key)
        if isinstance(key, NamedColumns):
            return self.where(key)
        if isinstance(key, list | pd.Index):
            if any(isinstance(name, bool | np.bool_) for name in key):
                raise NotFollowed("rows are chosen by a condition, e.g. df[df['size'] > 2], not by a list.")
            check_different(key)
            return self._with({name: self._column(name) for name in key})
        if isinstance(key, slice):
            raise NotFollowed("rows are chosen by a condition, e.g. df[df['size'] > 2], not by where they stand.")
        return self._column(key)

    def _where(self, mask: LazyColumn) -> Self:
        if not mask.rows.begins(self._rows):
            raise apart(self._rows, mask.rows)
        return self._with(self._columns, self._rows.where(mask.condition()))

    def get(self, key: Any, default: Any = None) -> Any:
        """A column, or another value where there is none of this name."""
        return self[key] if isinstance(key, list) or key in self._columns else default

    def __setattr__(self, name: str, value: Any) -> None:
        """As pandas has it: a column that there is; and no new one."""
        if name.startswith("_") or name == "columns":
            super().__setattr__(name, value)
        elif name in self._columns:
            self[name] = value
        else:
            raise NotFollowed(f"a new column is set by its name in brackets, df[{name!r}] = ….")

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, LazyColumn | NamedColumns):
            self._become(self.mask(key, value))
            return
        if isinstance(key, list | pd.Index):
            values = self._values_for(value, len(key))
            for name, each in zip(key, values, strict=True):
                self[name] = each
            return
        self._columns[key] = self._as_column(value, key)

    def _values_for(self, value: Any, many: int) -> list[Any]:
        """What each of so many columns is set to."""
        if isinstance(value, SideBySide):
            return value.first(many)
        if isinstance(value, NamedColumns):
            value = [each for _, each in value.items()]
        if not isinstance(value, list | tuple):
            return [value] * many
        if len(value) != many:
            raise UnsupportedArgument("as many columns are set as are given.")
        return list(value)

    def _as_column(self, value: Any, name: Any) -> LazyColumn:
        value = value(self) if callable(value) and not isinstance(value, LazyColumn) else value
        value = value.squeeze(axis=1) if isinstance(value, NamedColumns) else value
        if isinstance(value, LazyColumn):
            return self._any(name).value(replace(self._aligned(value), name=name))
        return replace(self._any(name).value(value, "a new column"), name=name)

    def _aligned(self, value: Any) -> Any:
        """A column of a cut of these rows is missing in the others; one of more rows is taken in these."""
        if not isinstance(value, LazyColumn) or self._rows.same(value.rows):
            return value
        if value.rows.numbering == PEOPLE == self._rows.numbering:
            return beside_people(value, self._rows)
        found = replace(value, rows=self._rows)
        if value.rows.begins(self._rows):
            return found
        return found.where(found.made(RowNumbers(value.rows).within(self._rows)))

    def _any(self, name: Any = None) -> LazyColumn:
        return LazyColumn(self._rows, name, "number", constant(0.0))

    def __delitem__(self, name: Any) -> None:
        self._column(name)
        del self._columns[name]

    def pop(self, item: Any) -> LazyColumn:
        """A column, which is taken out of the table."""
        found = self._column(item)
        del self._columns[item]
        return found

    def insert(self, loc: int, column: Any, value: Any, allow_duplicates: bool = False) -> None:
        """A further column, at a place."""
        if column in self._columns:
            raise UnsupportedArgument(f"there is a column {column!r} already.", argument="column")
        columns = list(self._columns.items())
        columns.insert(loc, (column, self._as_column(value, column)))
        self._columns = dict(columns)

    def assign(self, **columns: Any) -> Self:
        """The table with further columns, each made of its own.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0] * 250}))
        >>> big = farms.assign(double=farms["size"] * 2)
        >>> big["double"].dp.mean(bounds=(0, 20), epsilon=1e6)["mean"].round(2).item()
        6.0
        """
        made = self.copy()
        for name, value in columns.items():
            made[name] = value
        return made

    def drop(
        self,
        labels: Any = None,
        *,
        axis: Any = 0,
        index: Any = None,
        columns: Any = None,
        inplace: bool = False,
        errors: str = "raise",
    ) -> Any:
        """Without these columns; or without the rows of a cut, `drop(df[df["size"] > 2].index)`."""
        if index is None and axis in (0, "index"):
            index = labels
        if isinstance(index, RowNumbers):
            kept = applied("not", index.within(self._rows))
            return self._changed(self._with(self._columns, self._rows.where(kept)), inplace)
        if index is not None:
            raise NotFollowed("drop takes columns, drop(columns=['size']); rows are chosen by a condition.")
        gone = names_of(columns if columns is not None else labels)
        for name in gone if errors == "raise" else ():
            self._column(name)
        return self._changed(self._with({n: c for n, c in self._columns.items() if n not in gone}), inplace)

    @property
    def index(self) -> RowNumbers:
        """Which rows these are: for `drop` and `loc`."""
        return RowNumbers(self._rows)

    def rename(
        self, mapper: Any = None, *, index: Any = None, columns: Any = None, axis: Any = 0, inplace: bool = False
    ) -> Any:
        """Columns under other names."""
        how = mapper if columns is None and axis in (1, "columns") else columns
        if index is not None or how is None:
            raise NotFollowed("rename takes names of columns, rename(columns={'size': 'acres'}).")
        names = [how(name) if callable(how) else how.get(name, name) for name in self._columns]
        return self._changed(self.set_axis(names, axis=1), inplace)

    def set_axis(self, labels: Iterable[Any], *, axis: Any = 0) -> Self:
        """The columns under these names; or the rows under other ones: they go with nothing that was numbered."""
        if axis not in (1, "columns"):
            return self._with(self._columns, self._rows.named())
        names = list(labels)
        if len(names) != len(self._columns) or len(set(names)) != len(names):
            raise UnsupportedArgument("as many different names are given as there are columns.", argument="labels")
        return self._with(dict(zip(names, self._columns.values(), strict=True)))

    def add_prefix(self, prefix: str) -> Self:
        """The columns with this before their names."""
        return self.set_axis([f"{prefix}{name}" for name in self._columns], axis=1)

    def add_suffix(self, suffix: str) -> Self:
        """The columns with this behind their names."""
        return self.set_axis([f"{name}{suffix}" for name in self._columns], axis=1)

    def filter(self, items: Any = None, like: str | None = None, regex: str | None = None, axis: Any = None) -> Self:
        """The columns of these names, or whose names hold a text or fit a pattern."""
        if axis in (0, "index"):
            raise NotFollowed("filter chooses columns; rows are chosen by a condition.")
        if items is not None:
            return self[[name for name in items if name in self._columns]]
        names = [n for n in self._columns if (like in str(n) if like is not None else re.search(regex or "", str(n)))]
        return self[names]

    def reindex(self, *, columns: Any = None, **others: Any) -> Self:
        """These columns in this order; what there is not is missing everywhere."""
        if columns is None or others:
            raise NotFollowed("reindex takes columns=; rows are chosen by a condition.")
        none = self._any().value(None)
        return self._with({n: self._columns[n] if n in self._columns else replace(none, name=n) for n in columns})

    def select_dtypes(self, include: Any = None, exclude: Any = None) -> Self:
        """The columns whose declared kind is one of these: 'number', 'bool', 'datetime', 'timedelta', 'object'."""
        for given in (include, exclude):
            for each in names_of(given):
                if each not in KINDS:
                    raise NotFollowed(
                        "select_dtypes takes 'number', 'bool', 'datetime', 'timedelta' and 'object'; else name the "
                        "columns."
                    )
        undeclared = [name for name, each in self._columns.items() if each.kind == "any"]
        if undeclared:
            raise NotFollowed(
                f"what column {undeclared[0]!r} holds is declared nowhere, and its values do not decide; declare it in "
                "the schema, or name the columns."
            )
        kept = {kind for each in names_of(include) for kind in KINDS[each]} if include is not None else None
        gone = {kind for each in names_of(exclude) for kind in KINDS[each]}
        columns = self._columns.items()
        return self._with({n: c for n, c in columns if (kept is None or c.kind in kept) and c.kind not in gone})

    def set_index(self, keys: Any, *, drop: bool = True, append: bool = False, inplace: bool = False) -> Any:
        """The other columns, whose rows have these as their names: they go with nothing that was numbered."""
        names = names_of(keys)
        for name in names:
            self._column(name)
        kept = {name: each for name, each in self._columns.items() if not drop or name not in names}
        levels = {**(self._rows.levels if append else {}), **{name: self._columns[name] for name in names}}
        return self._changed(self._with(kept, self._rows.named(levels)), inplace)

    def squeeze(self, axis: Any = None) -> LazyColumn:
        """The column of a table that has one."""
        if len(self._columns) != 1 or axis not in (1, "columns"):
            raise NotFollowed("squeeze makes a column of a table of one, squeeze(axis=1).")
        return self._all()[0]

    def dropna(
        self,
        *,
        axis: Any = 0,
        how: str | None = None,
        thresh: int | None = None,
        subset: Any = None,
        inplace: bool = False,
    ) -> Any:
        """The rows with a value in each of these columns; with `how="all"` in one of them, with `thresh` in so many."""
        if axis not in (0, "index"):
            raise NotFollowed("dropna(axis=1) chooses columns by what rows hold; name the columns.")
        there = [self._column(name).notna() for name in (self._columns if subset is None else names_of(subset))]
        if thresh is not None:
            many = reduce(
                lambda a, b: a + b, [each.made(applied("where", each.node, constant(1), constant(0))) for each in there]
            )
            kept = many >= thresh
        else:
            kept = there[0].made(joined("or" if how == "all" else "and", [each.node for each in there], nothing=True))
        return self._changed(self._where(kept), inplace)

    def copy(self, deep: bool = True) -> Self:
        """The table again; what is changed in the one stays as it is in the other."""
        return self._with(self._columns)

    # -- person by person

    def groupby(self, by: Any = None, **options: Any) -> Any:
        """Its rows person by person: by the column that says whose they are, alone or with others.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9, unit="id")  # so much that there is no noise to see
        >>> visits = session.scan(pd.DataFrame({"id": [*range(500)] * 2, "cost": [1.0] * 500 + [3.0] * 500}))
        >>> visits.groupby("id")["cost"].sum().dp.mean(bounds=(0, 10), epsilon=1e6)["mean"].round(2).item()
        4.0
        """
        return named("language.grouped:grouped_table")(self, by, **options)

    def duplicated(self, subset: Any = None, keep: Any = "first") -> LazyColumn:
        """Whether the person of a row has another one, with these columns alike; `subset` names whose it is."""
        return named("language.grouped:duplicated")(self, subset, keep)

    def drop_duplicates(
        self, subset: Any = None, *, keep: Any = "first", inplace: bool = False, ignore_index: bool = False
    ) -> Any:
        """One row of each person, or of each with these columns alike; `subset` names whose it is."""
        found = named("language.grouped:without_duplicates")(self, subset, keep)
        return self._changed(found.reset_index(drop=True) if ignore_index else found, inplace)

    def _named(self, name: Any) -> LazyColumn:
        """A column, or what rows are named by."""
        if isinstance(name, LazyColumn):
            return self._any().value(name)
        if isinstance(name, Hashable) and name not in self._columns and name in self._rows.levels:
            return replace(self._rows.levels[name], rows=self._rows, name=name)
        return self._column(name)

    # -- column by column

    def _each(self, of: Callable[[LazyColumn], LazyColumn], names: Iterable[Any] | None = None) -> Self:
        wanted = self._columns if names is None else names
        return self._with({**self._columns, **{name: of(self._column(name)) for name in wanted}})

    def where(self, cond: Any, other: Any = np.nan, *, inplace: bool = False, axis: Any = None) -> Any:
        """Values where a condition holds, else others."""
        return self._changed(self._chosen("where", cond, other), inplace)

    def mask(self, cond: Any, other: Any = np.nan, *, inplace: bool = False, axis: Any = None) -> Any:
        """Others where a condition holds."""
        return self._changed(self._chosen("mask", cond, other), inplace)

    def _chosen(self, how: str, cond: Any, other: Any) -> Self:
        cond, other = (each(self) if callable(each) else each for each in (cond, other))

        def one(each: LazyColumn) -> LazyColumn:
            beside = other._column(each.name) if isinstance(other, NamedColumns) else other
            return getattr(each, how)(cond._column(each.name) if isinstance(cond, NamedColumns) else cond, beside)

        return self._each(one)


class RowNumbers:
    """Which rows a table has. It shows none."""

    def __init__(self, rows: RowSet) -> None:
        self._rows = rows

    def within(self, rows: RowSet) -> Node:
        """Of which of more rows these are cut."""
        if not rows.begins(self._rows):
            raise not_these_rows()
        return joined("and", self._rows.conditions[len(rows.conditions) :], nothing=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"rows have no numbers that anybody may see, so index has no {name}; {CHOSEN}.")

    def __len__(self) -> NoReturn:
        raise UnsupportedArgument("a protected table has no length of its own; ask df.dp.groupby(key).size().")

    def __iter__(self) -> NoReturn:
        raise UnsupportedArgument(f"rows have no numbers that anybody may see; {CHOSEN}.")


CHOSEN = "choose rows by a condition, df[df['size'] > 2]"


def names_of(given: Any) -> list[Any]:
    """One name, or several."""
    if given is None:
        return []
    return (
        list(given)
        if isinstance(given, list | tuple | set | pd.Index | np.ndarray) or hasattr(given, "keys")
        else [given]
    )
