"""pandas' names for lazy tables: `from pandas_dp import pandas as pd` in place of `import pandas as pd`.

What is given no lazy table or column is pandas' own. The functions here take pandas' arguments; those that look at
other rows are refused, with what to write.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, reduce
from typing import Any

import pandas as pd

from .errors import NotFollowed
from .language.column import LazyColumn
from .language.columns import NamedColumns, check_different, names_of
from .language.cuts import one_behind_the_other
from .language.table import LazyTable
from .recording.frames import also_of_shown
from .recording.record import shown_in

Lazy = LazyColumn | LazyTable


@also_of_shown
def cut(
    x: Any,
    bins: Any,
    right: bool = True,
    labels: Any = None,
    retbins: bool = False,
    precision: int = 3,
    include_lowest: bool = False,
    duplicates: Any = "raise",
    ordered: bool = True,
) -> Any:
    """Between which of public edges a number lies.

    Examples
    --------
    >>> import pandas_dp as pdp
    >>> from pandas_dp import pandas as pd
    >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
    >>> farms = session.scan(pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0] * 250}))
    >>> bands = pd.cut(farms["size"], [0, 2, 8], labels=["small", "large"])
    >>> bands.dp.value_counts(epsilon=1000)["count"].tolist()
    [500, 500]
    """
    if not isinstance(x, LazyColumn):
        of_pandas: Callable[..., Any] = pd.cut
        return of_pandas(x, bins, right, labels, retbins, precision, include_lowest, duplicates, ordered)
    if retbins or precision != 3:
        raise NotFollowed("cut gives the column alone, and names intervals by their edges; give labels=.")
    return x.cut(bins, right, labels, include_lowest)


@also_of_shown
def to_numeric(arg: Any, errors: Any = "raise", **options: Any) -> Any:
    """Numbers, also those that texts say; what says none is missing."""
    return arg.to_numeric() if isinstance(arg, LazyColumn) else pd.to_numeric(arg, errors, **options)


@also_of_shown
def to_datetime(arg: Any, errors: Any = "raise", *, format: Any = None, unit: Any = None, **options: Any) -> Any:
    """Times, of texts by a format, of numbers by a unit, of columns year, month and day; what says none is missing."""
    parts = arg if isinstance(arg, Mapping | LazyTable) and any(_is_lazy(each) for _, each in arg.items()) else None
    if parts is not None:
        return _of_parts(dict(parts.items()))
    if not isinstance(arg, LazyColumn):
        return pd.to_datetime(arg, errors=errors, format=format, unit=unit, **options)
    if any(options.values()):
        raise NotFollowed("to_datetime of a protected column takes format='%d/%m/%Y', or unit='s', and no guesses.")
    if unit is not None:
        return pd.Timestamp(0) + to_timedelta(arg, unit)
    if format is None and arg.kind != "time":
        raise NotFollowed(
            "to_datetime without format= guesses it from other rows; give format='%Y-%m-%d', or 'ISO8601'; a column of "
            "times needs none of it."
        )
    return arg if arg.kind == "time" else arg.to_datetime(format)


def _of_parts(parts: Mapping[Any, Any]) -> Any:
    known = {"year", "month", "day", "hour", "minute", "second"}
    if not {"year", "month", "day"} <= {*parts} <= known:
        raise NotFollowed(
            f"to_datetime takes the columns {', '.join(sorted(known))}, of which it needs the first three."
        )
    some = next(each for each in parts.values() if isinstance(each, LazyColumn))
    whole = {name: some.value(each).astype(int) for name, each in parts.items()}
    said = whole["year"].astype(str).str.zfill(4)
    for name in ("month", "day"):
        said = said + "-" + whole[name].astype(str).str.zfill(2)
    found = said.to_datetime("%Y-%m-%d")
    for name in ("hour", "minute", "second"):
        if name in whole:
            found = found + to_timedelta(whole[name], name)
    return replace(found, name=None)


@also_of_shown
def to_timedelta(arg: Any, unit: Any = None, errors: Any = "raise") -> Any:
    """Lengths of time, of numbers by a unit; what says none is missing."""
    if not isinstance(arg, LazyColumn):
        return pd.to_timedelta(arg, unit, errors)
    if arg.kind == "span":
        return arg
    if arg.kind == "text" or (arg.kind == "any" and unit is None):
        return arg.to_timedelta()
    return arg.astype(float) * pd.Timedelta(1, "ns" if unit is None else unit)


@also_of_shown
def isna(obj: Any) -> Any:
    """Whether a value is missing."""
    return obj.isna() if _is_lazy(obj) else pd.isna(obj)


@also_of_shown
def notna(obj: Any) -> Any:
    """Whether there is a value."""
    return obj.notna() if _is_lazy(obj) else pd.notna(obj)


isnull, notnull = isna, notna


@also_of_shown
def merge(left: Any, right: Any, *given: Any, **options: Any) -> Any:
    """The columns of a public table in which each key stands once, looked up."""
    if isinstance(right, LazyTable):
        raise NotFollowed("merge takes the scanned table first, and a public one beside it.")
    if _is_lazy(left):
        return left.merge(right, *given, **options)
    return pd.merge(left, right, *given, **options)  # noqa: PD015 - as pandas calls it


@also_of_shown
def concat(objs: Any, *, axis: Any = 0, **options: Any) -> Any:
    """Cuts of one table one behind the other, each row once; with `axis=1` columns of the same rows side by side."""
    given = list(objs.values()) if isinstance(objs, Mapping) else list(objs)
    if not any(map(_is_lazy, given)):
        return pd.concat(objs, axis=axis, **options)
    if axis in (0, "index") and {*options} <= {"ignore_index"} and all(isinstance(each, LazyTable) for each in given):
        found = one_behind_the_other(given)
        return found._with(found._columns, found._rows.named()) if options.get("ignore_index") else found
    if axis not in (1, "columns") or options:
        raise NotFollowed(
            "concat puts cuts of one table one behind the other, and columns of the same rows side by side, axis=1; "
            "other tables are scanned together."
        )
    columns: dict[Any, LazyColumn] = {}
    for each in given:
        if not _is_lazy(each):
            raise NotFollowed("concat puts columns of scanned tables beside each other, and nothing else.")
        more = dict(each.items()) if isinstance(each, LazyTable) else {_free(each.name, columns): each}
        check_different([*columns, *more])
        columns |= more
    return _beside(columns)


def _free(name: Any, columns: Mapping[Any, Any]) -> Any:
    return len([each for each in columns if isinstance(each, int)]) if name is None else name


def _beside(columns: Mapping[Any, Any]) -> LazyTable:
    some = next(each for each in columns.values() if isinstance(each, LazyColumn))
    return some._beside({name: some.value(each) for name, each in columns.items()})


@also_of_shown
def get_dummies(
    data: Any,
    prefix: Any = None,
    prefix_sep: str = "_",
    dummy_na: bool = False,
    columns: Any = None,
    sparse: bool = False,
    drop_first: bool = False,
    dtype: Any = None,
) -> Any:
    """A condition for each label that a column may have, where everyone knows which these are."""
    if not _is_lazy(data):
        return pd.get_dummies(data, prefix, prefix_sep, dummy_na, columns, sparse, drop_first, dtype)
    if isinstance(data, LazyColumn):
        return _beside(_dummies(data, prefix, prefix_sep, drop_first, dtype))
    if columns is None:
        raise NotFollowed("get_dummies of a protected table takes columns=, as its values do not decide which.")
    named = names_of(columns)
    prefixes = prefix if isinstance(prefix, list) else [prefix] * len(named)
    made = data.drop(columns=named)
    for name, each in zip(named, prefixes, strict=True):
        found = _dummies(data[name], name if each is None else each, prefix_sep, drop_first, dtype)
        made = reduce(_with_column, found.items(), made)
    return made


def _dummies(column: LazyColumn, prefix: Any, between: str, drop_first: bool, dtype: Any) -> dict[Any, LazyColumn]:
    if column.known.labels is None:
        raise NotFollowed(
            "which columns get_dummies makes is read from rows; say the labels, "
            "df['crop'].astype(pd.CategoricalDtype(['rice', 'rye']))."
        )
    labels = column.known.labels[1:] if drop_first else column.known.labels
    made = {label if prefix is None else f"{prefix}{between}{label}": column == label for label in labels}
    return made if dtype is None else {name: each.astype(dtype) for name, each in made.items()}


def _with_column(table: LazyTable, found: tuple[Any, LazyColumn]) -> LazyTable:
    table[found[0]] = found[1]
    return table


@also_of_shown
def Categorical(  # noqa: N802 - as pandas calls it
    values: Any, categories: Any = None, ordered: Any = None, dtype: Any = None, **options: Any
) -> Any:
    """A column with declared categories; what is none of them is missing."""
    if not isinstance(values, LazyColumn):
        return pd.Categorical(values, categories, ordered, dtype, **options)
    if dtype is None and categories is None:
        raise NotFollowed("pd.Categorical reads from rows which categories there are; give categories=['rice', 'rye'].")
    return values.astype(pd.CategoricalDtype(categories, ordered) if dtype is None else dtype)


class _Frames(type(pd.DataFrame)):  # type: ignore[misc]
    def __call__(cls, data: Any = None, *given: Any, **options: Any) -> Any:
        if shown_in([data]) is not None:
            return also_of_shown(cls, name="DataFrame")(data, *given, **options)
        if isinstance(data, LazyTable):
            return data.copy()
        if isinstance(data, Mapping) and any(map(_is_lazy, data.values())):
            if given or options:
                raise NotFollowed("a table of protected columns is given these alone, pd.DataFrame({'x': df['x']}).")
            return _beside(data)
        return pd.DataFrame(data, *given, **options)

    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, pd.DataFrame)


class DataFrame(pd.DataFrame, metaclass=_Frames):
    """Of columns of a protected table, a table of them; of all else a frame of pandas."""


READS_ROWS: Mapping[str, str] = {
    "qcut": "qcut takes its edges from rows; df.dp.qcut('size', 4) releases what it needs, and cut takes edges",
    "factorize": "factorize looks at other rows; map labels to numbers, df['crop'].map({'rice': 1, 'rye': 2})",
    "unique": "which values there are is read from rows; df.dp.value_counts() releases it",
    "crosstab": "crosstab counts rows; write df.dp.crosstab('crop', 'region')",
    "pivot_table": "pivot_table is a statistic of rows; write df.dp.pivot_table(...)",
    "melt": "melt gives other rows than it is given; melt the table before it is scanned",
    "wide_to_long": "wide_to_long gives other rows than it is given; do it before the table is scanned",
    "merge_asof": "merge_asof matches rows that stand next to each other; merge by keys",
    "merge_ordered": "merge_ordered orders rows; merge by keys",
}
"""What is refused of a lazy table, and what to write."""


def _refusing(name: str) -> Callable[..., Any]:
    @partial(also_of_shown, name=name)
    def function(*given: Any, **options: Any) -> Any:
        if any(map(_is_lazy, (*given, *options.values()))):
            raise NotFollowed(f"{READS_ROWS[name]}.")
        return getattr(pd, name)(*given, **options)

    return function


def _is_lazy(one: Any) -> bool:
    return isinstance(one, LazyColumn | NamedColumns)


def __getattr__(name: str) -> Any:
    return _refusing(name) if name in READS_ROWS else getattr(pd, name)


def __dir__() -> list[str]:
    return sorted({*dir(pd), *globals()})
