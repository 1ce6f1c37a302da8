"""A column whose every row is made of that row alone, by pandas' names; nothing is read before it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from itertools import pairwise
from math import trunc
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import pandas as pd

from ..core.engine.values import is_missing
from ..core.lazy_import import named
from ..core.schema.values import plain
from ..errors import NotFollowed, UnsupportedArgument, type_of
from .arithmetic import (
    OPERATORS,
    UFUNCS,
    AmongNumbers,
    PlaceBetween,
    RoundedTo,
    applied,
    as_condition,
    as_number,
    joined,
)
from .calls import called_on_values, shows_rows
from .categories import CategoryMethods
from .clock import TimeMethods
from .constants import as_float, is_number, listed
from .expression import MIRRORED, NOT_GIVEN, Expression, Text
from .graph import MISSING, Constant, Node, SourceColumn, constant
from .known import NOTHING, Known, after, within
from .numpy_functions import called_by_numpy
from .refusals import apart, from_elsewhere, no_such_name, reading
from .spelling import TextMethods
from .texts import Counted, TextAt, WrittenOut, among_texts, as_text
from .times import SpanRead, SpanWritten, TimeRead, TimeWritten, as_time
from .values import chosen, missing, size_of

if TYPE_CHECKING:
    from ..core.door.series import SeriesAccessor

WRITTEN = "%Y-%m-%d %H:%M:%S"
ENDS = {"both": (">=", "<="), "neither": (">", "<"), "left": (">=", "<"), "right": (">", "<=")}


class LazyColumn(Expression):
    """A column of a table that `Session.scan` gives, and what is made of it. Nothing is read before it is asked.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
    >>> farms = session.scan(pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0] * 250}))
    >>> (farms["size"] * 2).dp.mean(bounds=(0, 20), epsilon=1e6)["mean"].round(2).item()
    6.0
    """

    @property
    def dp(self) -> SeriesAccessor:
        """Questions about the column, as of one of pandas.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"size": [1.0, 2.0, 3.0, 6.0] * 250}))
        >>> farms["size"].dp.sum(bounds=(0, 10), epsilon=1e6)["sum"].round(1).item()
        3000.0
        """
        found: SeriesAccessor = self.rows._source.asked_of(self).dp
        found._made = self
        return found

    def __repr__(self) -> str:
        what = "a column" if isinstance(self.node, SourceColumn) else "an expression"
        return f"<{what} of a protected table: {self.name!r}, {self.kind}; ask it by .dp>"

    # -- numbers

    def __round__(self, ndigits: int | None = None) -> Self:
        return self.round(ndigits or 0)

    def __abs__(self) -> Self:
        return self.abs()

    def abs(self) -> Self:
        """The size of a number, or of a length of time."""
        node = size_of(self.read()) if self.kind in ("span", "any") else applied("abs", self.number())
        return self.made(node, after("abs", self.known))

    def round(self, decimals: int = 0) -> Self:
        """To so many decimal digits; halves to the even one."""
        if not -300 <= int(decimals) <= 300:
            raise UnsupportedArgument("decimals must lie between -300 and 300.", argument="decimals")
        return self.made(RoundedTo((self.number(),), int(decimals)))

    def clip(self, lower: Any = None, upper: Any = None) -> Self:
        """A number, or the end of the range beyond which it lies; a missing end is none."""
        if is_number(lower) and is_number(upper) and lower > upper:
            lower, upper = upper, lower  # as pandas has it
        node, low, high = self.number(), float("-inf"), float("inf")
        if self.known.bounds is not None:
            low, high = self.known.bounds
        for how, end in (("max", lower), ("min", upper)):
            if end is None or end is pd.NA:
                continue
            given = self.value(end, "clip")
            at = given.known.bounds or (float("-inf"), float("inf"))
            always_there = isinstance(given.node, Constant) and given.node is not MISSING  # else a row may have no end
            limit = given.number()
            node = applied(how, node, limit if always_there else chosen(missing(given.read()), node, limit))
            if how == "max":
                low, high = max(low, at[0]) if always_there else low, max(high, at[1])
            else:
                low, high = min(low, at[0]), min(high, at[1]) if always_there else high
        return self.made(node, within(low, high))

    def between(self, left: Any, right: Any, inclusive: Text = "both") -> Self:
        """Whether a value lies from one end to the other; `inclusive` is "both", "neither", "left" or "right"."""
        if inclusive not in ENDS:
            raise UnsupportedArgument("inclusive must be 'both', 'neither', 'left' or 'right'.", argument="inclusive")
        low, high = ENDS[inclusive]
        return self._compared(low, left) & self._compared(high, right)

    def isin(self, values: Any) -> Self:
        """Whether a value is one of a list; missing values are one where the list has one."""
        given = listed(values, "isin")
        lost = [each for each in given if is_missing(each)]
        there = [each for each in given if not is_missing(each)]
        numbers = tuple(sorted(float(each) for each in there if is_number(each)))
        words = tuple(dict.fromkeys(str(each) for each in there if isinstance(each, str)))
        nodes = [self.isna().node] if lost else []
        if numbers and self.kind in ("number", "condition", "any"):
            nodes.append(AmongNumbers((self.number(),), numbers))
        if words and self.kind in ("text", "any"):
            nodes.append(among_texts(self.text(), words))
        timed = [
            each
            for each in there
            if not is_number(each) and (self.kind in ("time", "span") or not isinstance(each, str))
        ]
        nodes += [self._compared("==", each).node for each in timed]
        return self.made(joined("or", nodes, nothing=False))

    # -- by public tables

    def map(self, arg: Any, na_action: Text | None = None, **options: Any) -> Self:
        """What a dict, or a Series by its index, says of each value, missing where it says nothing; or, of a protected
        table, what a function gives for it, missing where it fails."""
        if na_action not in (None, "ignore"):
            raise UnsupportedArgument("na_action must be 'ignore' or None.", argument="na_action")
        if isinstance(arg, pd.Series):
            arg = dict(zip(listed(arg.index, "map"), listed(arg, "map"), strict=True))
        if isinstance(arg, np.ufunc):
            return arg(self)
        if isinstance(arg, LazyColumn):
            return named("language.people_tables:of_whom")(self, arg)
        if callable(arg) and shows_rows(self.rows) and not isinstance(arg, Mapping):
            return self.made(called_on_values(self, arg, "map", (), options, na_action is not None))
        if options or not isinstance(arg, Mapping):
            raise NotFollowed(
                f"map takes a dict or a Series of what everyone knows, not {type_of(arg)}; write a function as an "
                "expression, e.g. np.where(df['size'] > 2, 1, 0); rows of files are handed to one by df.map(f)."
            )
        return self._looked_up(dict(arg.items()))

    def replace(self, to_replace: Any = None, value: Any = NOT_GIVEN, *, regex: bool = False) -> Self:
        """Other values in place of some: of one, of a list, or by a dict."""
        if regex:
            if self.kind not in ("text", "any"):
                return self
            changed = TextMethods(self).replace(to_replace, value, regex=True)
            return changed if self.kind == "text" else self._chosen(missing(changed.node), self, changed)
        if not isinstance(to_replace, Mapping):
            one = not isinstance(to_replace, list | tuple | np.ndarray)
            keys = [to_replace] if one else listed(to_replace, "replace")
            others = listed(value, "replace") if isinstance(value, list | tuple) else [value] * len(keys)
            to_replace = dict(zip(keys, others, strict=True))
        found = self
        for key, other in to_replace.items():  # each looks at what there was before
            found = self._chosen(self.isin([key]).node, self.value(other, "replace"), found)
        return found

    def _looked_up(self, table: Mapping[Any, Any]) -> Self:
        for key, value in table.items():
            if isinstance(key, LazyColumn) or isinstance(value, LazyColumn | pd.Series | pd.DataFrame):
                raise from_elsewhere(value, "map")
        texts = [value for value in table.values() if isinstance(value, str)]
        if texts:
            if any(not isinstance(value, str) and not is_missing(value) for value in table.values()):
                raise NotFollowed("map takes a table of texts, or one of numbers; write all of them as one of both.")
            places = {value: place for place, value in enumerate(dict.fromkeys(texts))}
            numbers = {key: places[value] for key, value in table.items() if isinstance(value, str)}
            words = tuple(places)
            found = self.made(TextAt((self._numbers_of(numbers),), words), Known(labels=words))
            return self._in_order(found, table)
        known = {key: as_float(value) for key, value in table.items()}
        node = self._numbers_of(known)
        if known and all(isinstance(value, bool | np.bool_) for value in table.values()):
            return self.made(as_condition(node))
        ends = [each for each in known.values() if each == each]
        labels = tuple(dict.fromkeys(plain(each) for each in table.values() if not is_missing(each)))
        found = self.made(node, replace(within(min(ends), max(ends)), labels=labels) if ends else NOTHING)
        return self._in_order(found, table)

    def _in_order(self, found: Self, table: Mapping[Any, Any]) -> Self:
        """As pandas has it: what ordered categories become, each another one, has their order."""
        labels = [table.get(label) for label in self.known.labels or ()]
        if not self.known.ordered or not labels or any(map(is_missing, labels)) or len(set(labels)) < len(labels):
            return found
        return replace(found, known=Known(found.known.bounds, tuple(labels), ordered=True))

    # -- kinds

    def astype(self, dtype: Any, copy: Any = None, errors: Text = "raise") -> Self:
        """As numbers, texts, conditions, times, or the declared categories; what cannot be is missing."""
        if isinstance(dtype, pd.CategoricalDtype):
            if dtype.categories is None:
                return self
            labels = listed(dtype.categories, "astype")
            found = self._chosen(self.isin(labels).node, self, self.value(None))
            return replace(found, known=Known(found.known.bounds, tuple(labels), bool(dtype.ordered), True))
        name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))
        if name in ("category", "object"):
            return self
        if name.startswith(("str", "string")):
            return self.made(self._written(), Known(labels=self.known.labels) if self.kind == "text" else NOTHING)
        if name.startswith("bool"):
            return self.made(self.read() if self.kind == "condition" else applied("!=", self.number(), constant(0)))
        if name.lower().startswith(("int", "uint")):
            return self.made(applied("trunc", self.to_numeric().read()), self._numbers_known(trunc))
        if name.lower().startswith("float"):
            return self.made(self.to_numeric().read(), self._numbers_known(float))
        if name.startswith("datetime64"):
            _, _, zone = name.partition(", ")
            return self.dt.tz_convert(zone.rstrip("]")) if zone else self.made(self.time())
        if name.startswith("timedelta64"):
            return self.made(self.time("span"))
        raise NotFollowed(f"astype makes numbers, texts, conditions and times, and no {name!r} row by row.")

    def _numbers_known(self, of: Callable[[float], float]) -> Known:
        """Of numbers that a function made, which never fall where these rise."""
        bounds, labels = self.known.bounds, self.known.labels
        numbers = None if labels is None or not all(map(is_number, labels)) else map(as_float, labels)
        made = None if numbers is None else tuple(dict.fromkeys(map(of, numbers)))
        return Known(None if bounds is None else (of(bounds[0]), of(bounds[1])), made)

    def _written(self) -> Node:
        if self.kind in ("number", "condition"):
            return WrittenOut((self.read(),))
        if self.kind == "text":
            return self.text()
        if self.kind == "time":
            return TimeWritten((self.time(),), WRITTEN)
        if self.kind == "span":
            return SpanWritten((self.time("span"),))
        time = self.time()
        found = chosen(missing(time), SpanWritten((self.time("span"),)), TimeWritten((time,), WRITTEN))
        number = as_number(self.node)
        found = chosen(missing(number), found, WrittenOut((number,)))
        return chosen(missing(as_text(self.node)), found, as_text(self.node))

    @property
    def str(self) -> TextMethods[Self]:
        """Methods of texts, by pandas' names.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"crop": ["Rice", "rye"] * 500}))
        >>> farms["crop"].str.lower().str.startswith("ri").dp.share(epsilon=1e6)["share"].round(2).item()
        0.5
        """
        self.text()
        return TextMethods(self)

    @property
    def dt(self) -> TimeMethods[Self]:
        """Fields and methods of times and of lengths of time, by pandas' names.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"sown": pd.date_range("2026-01-01", periods=1000)}))
        >>> (farms["sown"].dt.year == 2026).dp.share(epsilon=1e6)["share"].round(3).item()
        0.365
        """
        if self.kind not in ("time", "span", "any"):
            raise reading(self.name, self.kind, ".dt is of times")
        return TimeMethods(self)

    @property
    def cat(self) -> CategoryMethods[Self]:
        """Methods of declared categories, by pandas' names.

        Examples
        --------
        >>> import pandas as pd, pandas_dp as pdp
        >>> session = pdp.Session(epsilon=1e9)  # so much that there is no noise to see
        >>> farms = session.scan(pd.DataFrame({"crop": ["rice", "rye"] * 500}))
        >>> crops = farms["crop"].astype(pd.CategoricalDtype(["rye", "rice"]))
        >>> crops.cat.codes.dp.mean(epsilon=1e6)["mean"].round(2).item()
        0.5
        """
        return CategoryMethods(self)

    def cut(self, edges: Any, right: bool = True, labels: Any = None, include_lowest: bool = False) -> Self:
        """What `pdp.cut` makes: between which of public edges a number lies."""
        if isinstance(edges, int | np.integer):
            raise NotFollowed("cut with a number of bins takes their edges from the rows; give the edges, [0, 5, 9].")
        ends = [as_float(each) for each in listed(edges, "cut")]
        if any(a >= b for a, b in pairwise(ends)) or len(ends) < 2:
            raise UnsupportedArgument("cut takes two edges or more, and they must rise.", argument="bins")
        place = PlaceBetween((self.number(),), tuple(ends), right, include_lowest)
        if labels is False:
            return self.made(place, Known((0.0, len(ends) - 2.0), tuple(range(len(ends) - 1))))
        if labels is None:
            labels = map(str, pd.cut([], listed(edges, "cut"), right=right, include_lowest=include_lowest).categories)
        labels = listed(labels, "cut")
        if len(labels) != len(ends) - 1 or len(set(labels)) != len(labels):
            raise UnsupportedArgument("labels= must be one fewer than edges, each another one.", argument="labels")
        found = self.made(place)._looked_up(dict(enumerate(labels)))
        return replace(found, known=Known(found.known.bounds, tuple(labels), ordered=True, are_categories=True))

    def to_datetime(self, form: Text) -> Self:
        """What `pdp.to_datetime` makes of texts: times by a format, missing where one does not have it."""
        if not isinstance(form, Text):
            raise UnsupportedArgument("to_datetime takes a format, e.g. '%Y-%m-%d'.", argument="format")
        read = TimeRead((as_text(self.node),), "time", form)
        if self.kind == "any":
            return self.made(chosen(missing(as_time(self.node, "time")), read, as_time(self.node, "time")))
        return self if self.kind == "time" else self.made(TimeRead((self.text(),), "time", form))

    def to_timedelta(self) -> Self:
        """What `pd.to_timedelta` makes of texts: lengths of time, missing where one says none."""
        return self if self.kind == "span" else self.made(SpanRead((as_text(self.node),), "span"))

    def to_numeric(self) -> Self:
        """What `pdp.to_numeric` makes: numbers, also those that texts say, missing where one says none."""
        if self.kind in ("number", "condition"):
            return self
        said = Counted((self.text(),), "number")
        return self.made(
            said if self.kind == "text" else chosen(missing(as_number(self.node)), said, as_number(self.node))
        )

    # -- rows

    def dropna(self) -> Self:
        """The rows with a value."""
        return self[self.notna()]

    def __getitem__(self, key: Any) -> Self:
        """The rows on which a condition holds."""
        cond = key(self) if callable(key) else key
        if not isinstance(cond, LazyColumn):
            raise NotFollowed("rows are chosen by a condition, e.g. df['size'][df['size'] > 2].")
        if not cond.rows.begins(self.rows):
            raise apart(self.rows, cond.rows)
        return replace(self, rows=self.rows.where(cond.condition()))

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise NotFollowed("a protected column is not changed in place; write df.loc[df['size'] > 2, 'size'] = 2.")

    @property
    def loc(self) -> Self:
        """Rows by a condition, `column.loc[mask]`."""
        return self

    def rename(self, index: Any = None) -> Self:
        """The column under another name."""
        if callable(index) or isinstance(index, Mapping):
            raise NotFollowed("rename of row numbers is not done; a column takes a name, df['size'].rename('acres').")
        return replace(self, name=index)

    def copy(self, deep: bool = True) -> Self:
        """The column itself, which nothing changes."""
        return self

    def convert_dtypes(self, **options: Any) -> Self:
        """The column itself: kinds do not follow from what rows hold."""
        return self

    def rename_axis(self, *names: Any, **options: Any) -> Self:
        """The column itself: its rows have no names."""
        return self

    def infer_objects(self, copy: Any = None) -> Self:
        """The column itself."""
        return self

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What a function of the column gives."""
        return func(self, *args, **kwargs)

    def apply(self, func: Any, args: tuple[Any, ...] = (), **options: Any) -> Self:
        """A function of numpy, value by value; of a protected table any function that keeps nothing."""
        if callable(func) and shows_rows(self.rows) and not isinstance(func, np.ufunc):
            return self.made(called_on_values(self, func, "apply", args, options))
        return self.map(func)

    def transform(self, func: Any) -> Self:
        """A function of numpy, value by value."""
        if not isinstance(func, np.ufunc):
            raise NotFollowed("transform hands a whole column to a function; write an expression, df['size'] * 2.")
        return self.map(func)

    # -- numpy

    def __array_ufunc__(self, ufunc: Any, method: Text, *inputs: Any, **options: Any) -> Any:
        name = UFUNCS.get(ufunc.__name__, ufunc.__name__)
        if method != "__call__" or options or name not in OPERATORS:
            called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
            raise NotFollowed(f"np.{called} is not done row by row here; docs/language.md lists what is.")
        column = next(each for each in inputs if isinstance(each, LazyColumn))
        if len(inputs) == 2 and name in ("+", "-", "*", "/", "//"):
            return column._combined(name, *inputs)
        if len(inputs) == 2 and name in ("==", "!=", "<", "<=", ">", ">="):
            first, second = inputs
            return (
                first._compared(name, second) if first is column else column._compared(MIRRORED.get(name, name), first)
            )
        if name in ("isnan", "abs", "neg"):
            return {"isnan": column.isna, "abs": column.abs, "neg": column.__neg__}[name]()
        takes = OPERATORS[name].takes or ("number",) * len(inputs)
        given = [column.value(each, f"np.{ufunc.__name__}") for each in inputs]
        nodes = [
            each.number() if kind == "number" else each.read() if each.kind == "condition" else _is_not_0(each)
            for kind, each in zip(takes, given, strict=True)
        ]
        return column.made(applied(name, *nodes), after(name, *(each.known for each in given)), column._named(*inputs))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return called_by_numpy(function, args, kwargs)

    if TYPE_CHECKING:  # what tables know

        def to_frame(self, name: Any = NOT_GIVEN) -> Any: ...
        def _beside(self, columns: Mapping[Any, Any]) -> Any: ...

    # -- what it is not

    def __bool__(self) -> NoReturn:
        raise UnsupportedArgument(
            "a condition on a protected table holds for each row by itself; join conditions by & and |, each in "
            "parentheses: df[(df['size'] > 2) & (df['size'] < 5)]."
        )

    def __len__(self) -> NoReturn:
        raise UnsupportedArgument(
            "nobody has counted the rows of what was made of a protected table; ask df['size'].dp.count()."
        )

    def __iter__(self) -> NoReturn:
        raise UnsupportedArgument(
            "a loop over a protected column shows its rows; write what it does as an expression, df['size'] * 2, or "
            "map a dict."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise UnsupportedArgument("a protected column shows no rows; ask it by .dp, or write it as an expression.")

    if not TYPE_CHECKING:  # a name that there is not is an error to them

        def __getattr__(self, name: Any) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            raise no_such_name(name, "df['size']", self, is_column=True)


def _is_not_0(column: Expression) -> Node:
    """As numpy has it where a condition is wanted: every number but 0, and what is missing."""
    return applied("!=", column.number(), constant(0))


def _never_in_place(name: Text) -> Callable[..., Any]:
    method = getattr(LazyColumn, name)

    @wraps(method)
    def called(self: LazyColumn, *given: Any, inplace: bool = False, **options: Any) -> Any:
        if inplace:
            raise NotFollowed(f"a protected column is not changed in place; write df['size'] = df['size'].{name}(...).")
        return method(self, *given, **options)

    return called


for _name in ("fillna", "replace", "clip", "where", "mask", "dropna", "rename", "sort_values", "sort_index"):
    setattr(LazyColumn, _name, _never_in_place(_name))
