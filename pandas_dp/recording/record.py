"""How one operation on a protected table is carried out: by pandas for the eyes, by the language for the answers."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import re
import sys
import zoneinfo
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray, ExtensionDtype
from pandas.api.indexers import BaseIndexer
from pandas.tseries.offsets import BaseOffset

from ..core.engine.rows import silence
from ..core.lazy_import import named
from ..errors import NotFollowed, PrivacyError
from ..language.clock import WeekMethods
from ..language.column import LazyColumn
from ..language.columns import NamedColumns
from ..language.graph import Lost, Node, lost_in
from ..language.rows import RowSet
from ..language.spelling import Parts, SideBySide
from ..language.table import LazyTable
from .callers import is_followed
from .names import COUNTED, SAME, class_of
from .seen import Seen, find_seen, plain, seen, was_read

Lazy = LazyTable | LazyColumn
Data = pd.DataFrame | pd.Series
GROUPS = tuple(
    each
    for name, each in vars(pd.api.typing).items()
    if name.endswith(("GroupBy", "Groupby", "Resampler", "Window", "Rolling", "Expanding"))
)
"""What pandas makes of a table, and what makes tables in turn."""


class Shown:
    """What a program holds of a protected table: what pandas has, for the eyes, and what the library saw being made.

    `_dp_made` is of the language; what is not followed is made of `Lost` nodes. `_dp_rows` are rows of its source.
    """

    _dp_made: Any
    _dp_rows: RowSet
    _dp_kind: Any

    def _dp_real(self) -> Any:
        """What pandas has, for pandas alone."""
        raise NotImplementedError


SEVERAL = (Parts, SideBySide, WeekMethods)
"""What the language makes of a column that is neither one nor a table, and gives columns in turn."""


# -- arguments

SIMPLE = frozenset([bool, int, float, str, type(None)])


def flat(given: Any) -> Iterator[Any]:
    """All that is in lists, tuples, dicts and slices."""
    if isinstance(given, list | tuple):
        if type(given) not in (list, tuple):
            yield given
        for each in given:
            yield from flat(each)
    elif isinstance(given, dict):
        if type(given) is not dict:
            yield given
        yield from flat([*given, *given.values()])
    elif isinstance(given, slice):
        yield from (given.start, given.stop, given.step)
    else:
        yield given


def mapped(given: Any, of: Callable[[Any], Any]) -> Any:
    """An argument, each thing in it as `of` makes it."""
    kind = type(given)
    if kind in SIMPLE or (kind is dict and not given):
        return given
    if kind is list or kind is tuple:
        return kind([mapped(each, of) for each in given])
    if kind is dict:
        return {mapped(name, of): mapped(each, of) for name, each in given.items()}
    if kind is slice:
        return slice(mapped(given.start, of), mapped(given.stop, of), mapped(given.step, of))
    return of(given)


def called(function: Callable[..., Any], of: Callable[[Any], Any], args: Any, options: Any) -> Any:
    """What a function gives for arguments, each as `of` makes it."""
    return function(*mapped(list(args), of), **mapped(dict(options), of))


def bare(given: Any) -> Any:
    """As pandas takes it."""
    return given._dp_real() if isinstance(given, Shown) else plain(given)


def language_of(given: Shown) -> Any:
    """What the language has of it."""
    return given.__dict__.get("_dp_several", given._dp_made)


def lazy(given: Any) -> Any:
    """As the language takes it: a value that is known as read is no constant."""
    if isinstance(given, Shown):
        return language_of(given)
    read = find_seen(given)
    if read is not None:
        raise NotFollowed(was_read(read))
    return given


def resolved(given: Any, table: Any) -> Any:
    """What a function of the table gives, in its place."""
    return given(table) if callable(given) and not isinstance(given, Shown) else given


def shown_in(given: Any) -> Shown | None:
    """The first protected table, or what was made of one, among arguments."""
    return next((each for each in flat(given) if isinstance(each, Shown)), None)


KNOWN = SIMPLE | {
    *(bytes, complex, range, object, np.dtype, re.Pattern, slice),
    *(collections.Counter, collections.OrderedDict),
    *(dt.date, dt.datetime, dt.time, dt.timedelta, dt.timezone, decimal.Decimal, fractions.Fraction, zoneinfo.ZoneInfo),
    *(pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval, type(pd.NaT), type(pd.NA), type(...), type(NotImplemented)),
}
"""Of what nothing runs that somebody else wrote."""
HOLDING: tuple[type, ...] = (set, frozenset, type({}.keys()), type({}.values()), type({}.items()))
OF_ROWS = (pd.DataFrame, pd.Series, pd.Index, ExtensionArray, np.ndarray)
PARTS = (np.generic, np.dtype, ExtensionDtype, BaseOffset, BaseIndexer, pd.Grouper, type(pd.api.extensions.no_default))
"""What arguments are, of pandas and numpy, that calls nothing of the analyst's."""
OF_PANDAS = ("pandas", "numpy", "pandas_dp")


def runs_code(name: str, args: Any, options: Any, of: Any = None) -> bool:
    """Whether pandas may call what the analyst wrote on rows: a function, or a method of an object of their own class.
    What renames columns gets their names alone, which of what is not followed may be values."""
    if name in ("rename", "rename_axis") and not (isinstance(of, Shown) and is_lost(of._dp_made)):
        args = [] if options.get("axis") in (1, "columns") else args
        options = {key: each for key, each in options.items() if key != "columns"}
    known = map(_is_known, flat([args, options]))
    return not all(known) or (name in BY_NAME and any(map(_is_added, flat([args, options]))))


BY_NAME = ("agg", "aggregate", "apply", "map", "transform")
"""What takes methods of pandas by their names."""
ACCESSORS = frozenset(["cat", "dt", "list", "plot", "sparse", "str", "struct"])
CLASSES = (pd.DataFrame, pd.Series, *GROUPS)
OWN = frozenset(each for of in CLASSES for each in {*dir(of)} - (getattr(of, "_accessors", set()) - ACCESSORS))
"""What pandas has by itself."""


def _is_added(given: Any) -> bool:
    """Whether it is the name of what the analyst added to pandas, as an accessor is."""
    return isinstance(given, str) and given not in OWN and any(hasattr(each, given) for each in CLASSES)


def has_function(name: str, given: Any) -> bool:
    """Whether a function is given."""
    return any(callable(each) and not isinstance(each, np.ufunc | Shown) for each in flat(given))


def _is_known(given: Any) -> bool:
    kind = type(given)
    if kind in KNOWN or isinstance(given, Shown):
        return True
    if isinstance(given, Seen):
        return True
    if kind is np.ufunc:
        return getattr(np, given.__name__, None) is given
    if isinstance(given, type):
        return given in KNOWN or _is_of_pandas(given)
    if kind in HOLDING:
        return all(map(_is_known, flat([*given])))
    if isinstance(given, OF_ROWS):
        return _holds_known(given)
    if isinstance(given, pd.CategoricalDtype):
        return given.categories is None or _holds_known(given.categories)
    if kind is type(np.sum):
        return True
    return _is_of_pandas(kind) and (isinstance(given, PARTS) or kind.__module__.startswith("pandas_dp"))


def _is_of_pandas(kind: type) -> bool:
    """Whether a class is theirs, and not one that says so."""
    module = kind.__module__ if isinstance(kind.__module__, str) else ""
    return module.partition(".")[0] in OF_PANDAS and getattr(sys.modules.get(module), kind.__name__, None) is kind


def _holds_known(given: Any) -> bool:
    """Whether all that rows, or their names, are compared with is known."""
    if not _is_of_pandas(type(given)):
        return False
    if isinstance(given, pd.DataFrame):
        return all(map(_holds_known, (given.index, given.columns, *(each.array for _, each in given.items()))))
    if isinstance(given, pd.Series):
        return _holds_known(given.index) and _holds_known(given.array)
    if isinstance(given, pd.MultiIndex):
        return all(map(_holds_known, given.levels))
    if isinstance(given.dtype, pd.CategoricalDtype):
        return _holds_known(given.dtype.categories)
    of_arrow = isinstance(given.dtype, pd.ArrowDtype) or getattr(given.dtype, "storage", "") == "pyarrow"
    if given.dtype.kind not in "OV" or of_arrow:
        return True
    values = given.tolist() if given.ndim == 1 else np.asarray(given).ravel().tolist()
    return {*map(type, values)} <= KNOWN or all(map(_is_known, flat(values)))


# -- what was read


def rise(given: Any, to: str = "values") -> None:
    """Something was shown, or left, of all sources of what it is made of."""
    for each in flat(given):
        if isinstance(each, Shown):
            each._dp_rows._source.shows(to)


def tried(do: Callable[[], Any], given: Any, of_program: Callable[[Exception], bool] = lambda error: False) -> Any:
    """What pandas gives; where it raises, rows may have decided that, unless it follows from what is written.

    Warnings tell of rows, and are not given.
    """
    try:
        with np.errstate(all="ignore"), silence():
            return do()
    except Exception as error:
        if not of_program(error):
            rise(given)
        raise


# -- what was made

NOT_OURS = (PrivacyError, AttributeError, TypeError, ValueError, LookupError, ArithmeticError, RecursionError)
"""What the language raises where it has no such operation, or not with these arguments."""


def rows_of(made: Any) -> RowSet:
    """Of a table or a column."""
    rows: RowSet = made.rows if isinstance(made, LazyColumn) else made._rows
    return rows


def columns_of(made: Any) -> dict[Any, LazyColumn]:
    """Of a table, or the one that a column is."""
    return {made.name: made} if isinstance(made, LazyColumn) else dict(made.items())


def nodes_of(made: Any) -> list[Node]:
    """All that a table or a column is made of."""
    if isinstance(made, LazyColumn | NamedColumns):
        return [*rows_of(made).conditions, *(each.node for each in columns_of(made).values())]
    return [made] if isinstance(made, Lost) else []


def reason_in(given: Any) -> Lost | None:
    """The first operation that was not followed, in what goes into another one."""
    made = (each._dp_made for each in flat(given) if isinstance(each, Shown))
    return next((found for each in made if (found := lost_in(nodes_of(each))) is not None), None)


def is_lost(made: Any) -> bool:
    """Whether nobody saw its rows, and with them its columns, being made."""
    if isinstance(made, LazyTable):
        return any(isinstance(each, Lost) for each in made._rows.conditions)
    return isinstance(made.node if isinstance(made, LazyColumn) else made, Lost)


def lost(rows: RowSet, out: Data, reason: Lost) -> Lazy:
    """What stands for rows that nobody saw being made."""
    if isinstance(out, pd.Series):
        return LazyColumn(rows, out.name, "any", reason)
    gone = rows.where(reason)
    return LazyTable(gone, {name: LazyColumn(gone, name, "any", reason) for name in out.columns})


def why_not(what: str, reason: str) -> Lost:
    """A sentence that names the operation and the way."""
    return Lost((), f"this {what} was not made row by row: {reason.rstrip('.')}.")


def named_lost(column: LazyColumn, name: Any) -> LazyColumn:
    """The same in a table: what is asked of that may be far from where the column was written."""
    reason = column.node.reason.replace("this column was", f"column {name!r} was", 1)  # type: ignore[attr-defined]
    return replace(column, node=Lost((), reason))


def in_language(made: Any, name: str, args: Any, options: Mapping[str, Any]) -> Any:
    """What the language makes by the method of this name."""
    if isinstance(made, Lost):
        raise NotFollowed(made.reason)
    found = getattr(made, name if hasattr(type(made), name) else SAME.get(name, name))
    return called(found, lazy, args, options) if callable(found) and not isinstance(found, Lazy) else found


def followed(rows: RowSet, name: str, out: Any, do: Callable[[], Any], given: Any) -> Any:
    """What the language makes, if it is what pandas shows; else why it does not, in words that have nothing of
    Python's."""
    said = f"{name} is not done row by row with these arguments"
    try:
        found = do()
    except NOT_OURS as error:
        ours = isinstance(error, PrivacyError) or (isinstance(error, AttributeError) and error.obj is not None)
        said = str(error) if ours else said
    else:
        if isinstance(out, pd.Series) and isinstance(found, LazyColumn):
            return found if found.name is out.name else replace(found, name=out.name)
        if isinstance(out, pd.DataFrame) and isinstance(found, LazyTable) and _has_columns_of(found, name, out):
            return found
        if not isinstance(out, Data) or isinstance(found, SEVERAL):
            return found
    reason = reason_in(given) or why_not("column" if isinstance(out, pd.Series) else "table", said)
    return lost(rows, out, reason) if isinstance(out, Data) else reason


FILLED = {**dict.fromkeys(("split", "rsplit", "partition", "rpartition")), "pd.get_dummies": False}
"""Where pandas leaves out columns that no row has, and what stands in them."""


def _has_columns_of(found: LazyTable, name: str, out: pd.DataFrame) -> bool:
    all_the_same = name == "select_dtypes" or (name in FILLED and {*out.columns} <= {*found})
    return all_the_same or list(found) == list(out.columns)


def _with_all(me: Shown, name: str, out: Any, made: Lazy) -> Any:
    """What pandas made, with all columns that were asked for, whatever rows hold."""
    if not isinstance(made, LazyTable) or is_lost(made):
        return out
    if name == "select_dtypes":
        return me._dp_real()[[*made]]
    return out.reindex(columns=[*made], fill_value=FILLED[name]) if name in FILLED else out


# -- one call


def carried_out(
    me: Shown, name: str, real: Callable[[], Any], args: Any, options: Any, library: str | None = None
) -> Any:
    """One call of a name: `real` is pandas' own. `library` carries it out, if it is not the analyst."""

    def do() -> Any:
        if library is not None and not is_followed(library, me._dp_rows._source.core.opening.follows):
            raise NotFollowed(f"{library} carried it out; if it is yours, Session(follows=[{library!r}])")
        return in_language(language_of(me), name, args, options)

    if name in ("map", "apply") and isinstance(me._dp_made, Lazy) and has_function(name, [args, options]):
        found = _of_function(me, do)
        if found is not None:
            return found
    given = [me, args, options]
    if runs_code(name, args, options, me):
        rise(given)
    return told(me, name, tried(real, given, lambda error: is_of_program(me, name, error, given[1:])), do, given[1:])


def _of_function(me: Shown, do: Callable[[], Any]) -> Any:
    """What a function gives for each row, called once, by the language; None where it is not followed."""
    try:
        made = do()
    except NOT_OURS:
        return None
    except BaseException:  # which tells of a row
        rise(me)
        raise
    out = named("recording.sources:values_of")(made, me._dp_real().index)
    return None if out is None else dressed(out, made, me)


def is_of_program(me: Shown, name: str, error: Exception, given: Any = ()) -> bool:
    """Whether it was raised by what is written: a column that is not there, an argument that is none."""
    if isinstance(error, KeyError):
        of_columns = name in ("__getitem__", "__delitem__", "pop") or (name == "drop" and "columns" in given[1])
        by_rows = not {"index", "labels"}.isdisjoint(given[1]) or any(isinstance(each, slice) for each in given[0])
        named = of_columns and not by_rows and shown_in(given) is None
        return me._dp_kind == "table" and named and not is_lost(me._dp_made)
    if name == "__bool__":
        return True
    trace = error.__traceback__  # of `tried`, then of what it did, then of pandas
    called_in = None if trace is None or trace.tb_next is None else trace.tb_next.tb_next
    return isinstance(error, TypeError) and called_in is None


BY_ROWS = ("eval", "loc", "query", "squeeze", "xs")
"""Where rows decide what pandas gives, a table, a column or a value; and what runs methods that the language lacks."""


def told(me: Shown, name: str, out: Any, do: Callable[[], Any], given: Any) -> Any:
    """What a program gets for what pandas made: followed, or not and why; or read from the rows."""
    all_given = [me, given]
    if isinstance(out, (*GROUPS, pd.DataFrame, pd.Series)):
        made = followed(me._dp_rows, name, out, do, all_given)
        if name in BY_ROWS and is_lost(made):
            rise(all_given)
        return dressed(_with_all(me, name, out, made), made, me)
    if out is NotImplemented:
        return out
    if type(out) is tuple and out and all(isinstance(each, Data) for each in out):  # of divmod
        return tuple(
            told(me, name, each, lambda place=place: do()[place], given)  # type: ignore[misc]
            for place, each in enumerate(out)
        )
    word = _class(name, me)
    if word == "fact":
        return out
    for_eyes = word == "shown" and (out is not None or not any(hasattr(each, "write") for each in flat(given)))
    rise(all_given, "shown" if for_eyes else "values")
    if for_eyes or out is None:
        return out
    if isinstance(out, pd.api.extensions.ExtensionArray | np.ndarray):
        out = out.copy()  # what is written into it reaches no row
        if isinstance(out, pd.api.extensions.ExtensionArray) and pd.__version__.startswith("2."):
            return out  # whose view asks the methods by which it would be known as read
    column = getattr(me._dp_made, "name", None)
    what = "index" if me._dp_kind == "index" else "value" if name.startswith("__") else name
    return seen(out, f"the {what} of {'the rows' if column is None else column}")


def _class(name: str, me: Shown) -> str:
    """What something bare is that leaves: names of columns are facts where no row decided them."""
    if me._dp_kind == "index" or name.startswith(("np.", "pd.")):
        return "fact" if name in ("name", "names") else "values"
    made = me._dp_made
    if name in COUNTED and me._dp_rows._source.says_how_many(made):
        return "fact"
    word = class_of(name, me._dp_kind)
    return "values" if word == "fact" and is_lost(made) else word


def dressed(out: Any, made: Any, me: Shown) -> Any:
    """What pandas made, as a program has it."""
    found: Any = named("recording.frames:dressed")(out, made, me)
    return found
