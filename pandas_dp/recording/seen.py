"""Values that are known as read from rows: what is computed of them is read, too, and an expression refuses them.

This helps, and guarantees nothing: a text made of such a value, `float(m)`, a truth, and whatever compiled code makes
of it are plain. A value prints, compares and is hashed as the plain one, and is pickled as it.
"""

from __future__ import annotations

import copy
import datetime as dt
import inspect
import re
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, ValuesView
from functools import cache
from typing import Any, SupportsIndex

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from ..errors import NotFollowed
from ..language.refusals import NUMBERS, words


class Seen:
    """Was read from rows; `of` says what it is."""

    __slots__ = ()
    of = "a value of the rows"
    of_type: Any
    """Whose values these are."""

    @classmethod
    def made(cls, value: Any) -> Any:
        """A plain value as one that was read."""
        return cls(value)  # type: ignore[call-arg]

    def plain(self) -> Any:
        """The value itself."""
        return self.of_type(self)

    def __repr__(self) -> str:
        return repr(self.plain())

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return copy.copy, (self.plain(),)

    def __copy__(self) -> Any:
        return seen(copy.copy(self.plain()), self.of)

    def __deepcopy__(self, memo: Any) -> Any:
        return seen(copy.deepcopy(self.plain(), memo), self.of)


class _OfNumpy(Seen):
    """What numpy's functions make of it was read; where there are protected columns it is theirs to say."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(_takes_over(each) and type(each) not in (pd.Series, pd.DataFrame) for each in inputs):
            return NotImplemented
        return seen(getattr(ufunc, method)(*map(plain, inputs), **plain(options)), self.of)

    def __array_function__(self, function: Callable[..., Any], types: Iterable[type], args: Any, options: Any) -> Any:
        if not all(issubclass(each, Seen | np.ndarray) for each in types):
            return NotImplemented
        return seen(function(*plain(args), **plain(options)), self.of)


class _Number(_OfNumpy):
    """A number of Python, with what else numbers of numpy have: but `dtype`, by which numpy's mean makes it plain."""

    __slots__ = ()
    ndim, shape, size = 0, (), 1

    def plain(self) -> Any:
        return self.of_type((float if isinstance(self, float) else int).__pos__(self))  # type: ignore[arg-type]

    def __str__(self) -> str:
        return str(self.plain())


class _Text(Seen):
    __slots__ = ()

    def __radd__(self, other: Any) -> Any:
        return seen(other + self.plain(), self.of) if isinstance(other, str) else NotImplemented


class _Reduced(Seen):
    """A date or a time of Python."""

    __slots__ = ()

    @classmethod
    def made(cls, value: Any) -> Any:
        return cls(*value.__reduce__()[1])

    def plain(self) -> Any:
        return self.of_type(*self.of_type.__reduce__(self)[1])


class _Moment(Seen):
    """A point or a length of time of pandas: no subclass of it can be made, so a copy becomes one."""

    __slots__ = ()

    @classmethod
    def made(cls, value: Any) -> Any:
        again, parts = cls.of_type.__reduce__(value)
        found = again(*parts)
        found.__class__ = cls
        return found

    def plain(self) -> Any:
        again, parts = self.of_type.__reduce__(self)
        return again(*parts)


class _Column(Seen):
    """An index or an array of pandas, likewise."""

    __slots__ = ()

    @classmethod
    def made(cls, value: Any) -> Any:
        found = cls.of_type.view(value)
        found.__class__ = cls
        return found

    def plain(self) -> Any:
        found = self.of_type.view(self)
        found.__class__ = self.of_type
        return found


class _Array(_OfNumpy):
    def __array_finalize__(self, made_of: Any) -> None:
        self.of = getattr(made_of, "of", Seen.of)

    @classmethod
    def made(cls, value: Any) -> Any:
        return value.view(cls)

    def plain(self) -> Any:
        return np.ndarray.view(self, np.ndarray)  # type: ignore[call-overload]


class _Container(Seen):
    __slots__ = ()


CONTAINERS = (list, tuple, dict)
FAMILIES: list[tuple[tuple[type, ...], type[Seen]]] = [
    ((bool, np.bool_, Seen, type(pd.NaT), pd.MultiIndex), Seen),
    ((float, int, np.floating, np.integer), _Number),
    ((str,), _Text),
    ((pd.Timestamp, pd.Timedelta), _Moment),
    ((dt.date, dt.time, dt.timedelta), _Reduced),
    ((pd.Index, ExtensionArray), _Column),
    ((np.ndarray,), _Array),
    (CONTAINERS, _Container),
]
"""Whose values are which; of the first there are none."""
TYPES = (np.generic, pd.Index, ExtensionArray, dt.date, dt.time, dt.timedelta)
SIDES = words("add sub mul truediv floordiv mod pow divmod matmul")
OPERATORS = {f"__{side}{name}__" for name in SIDES for side in ("", "r")}
TOLD = OPERATORS | words(
    "__neg__ __pos__ __abs__ __round__ __floor__ __ceil__ __trunc__ __getitem__ __iter__ __reversed__"
)
OF_COLUMNS = words("__getitem__ __iter__ min max mean median std sum item tolist to_list to_numpy unique")
PLAIN = words("dtype ndim shape size data flags tz tzinfo unit maketrans view")
"""What is not told: numpy and pandas ask for it themselves, or a family has its own."""


INNER = words("_engine _get_engine_target _can_use_libjoin")
"""What pandas itself asks of an index, and decides by its exact type."""
UNDER = "__slots__ __module__ __doc__ __annotations__ __firstlineno__ __static_attributes__"


@cache
def _kind(of: type) -> type[Seen] | None:
    """The class of values of a type that were read."""
    family = next((family for types, family in FAMILIES if issubclass(of, types)), Seen)
    if family is Seen or not (of in (float, int, str, np.ndarray, *CONTAINERS) or issubclass(of, TYPES)):
        return None
    number = float if issubclass(of, float | np.floating) else int
    base = number if family is _Number else str if family is _Text else of
    told = {name: _told(of, name, family) for name in dir(of) if _is_told(of, name, family)}
    body = {"of_type": of, "__module__": of.__module__} | told
    if family is not _Column:
        return type(of.__name__, (family, base), body)
    of_family = {name: own for each in (Seen, family) for name, own in vars(each).items() if name not in words(UNDER)}
    inner = {name: _as_plain(name) for name in INNER if hasattr(of, name)}
    return type(of.__name__, (of, family), of_family | inner | body)  # in this order, or no object can become one


def _is_told(of: type, name: str, family: type[Seen]) -> bool:
    own, has_its_own = inspect.getattr_static(of, name), hasattr(family, name) != hasattr(Seen, name)
    if name in PLAIN or has_its_own or isinstance(own, classmethod | staticmethod | type):
        return False
    if family is _Column:
        return name in OF_COLUMNS
    if not callable(own) and (family in (_Array, _Number) or not hasattr(own, "__get__")):
        return False
    return name in TOLD or not name.startswith("_")


def _told(of: type, name: str, family: type[Seen]) -> Any:
    """A method or a property of plain values, of which what it gives was read."""
    own = getattr(of, name)
    if not callable(own):
        return property(lambda self: seen(getattr(self.plain(), name), self.of))

    def method(self: Any, *args: Any, **options: Any) -> Any:
        if name in OPERATORS and args and (_takes_over(args[0]) or (of is str and isinstance(args[0], np.ndarray))):
            return NotImplemented
        found = own(self if issubclass(family, _Container) else self.plain(), *plain(args), **plain(options))
        return found if found is NotImplemented else seen(found, self.of)

    return method


def _as_plain(name: str) -> property:
    return property(lambda self: getattr(self.plain(), name))


def _takes_over(other: Any) -> bool:
    """Whether an operator is left to the other side: to columns and tables of whatever kind."""
    return hasattr(other, "__array_ufunc__") and not isinstance(other, Seen | np.generic | np.ndarray)


def seen(value: Any, of: str) -> Any:
    """A value as one that was read from rows; truths, and what no class is for, stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> m = seen(2.5, "the mean of x")
    >>> m * 2, (m * 2).of, isinstance(m, float), find_seen([0, (1, np.sqrt(m))]).of
    (5.0, 'the mean of x', True, 'the mean of x')
    """
    kind = _kind(type(value))  # type: ignore[arg-type]
    if kind is not None:
        found = kind.made(value)
        found.of = of
        return found
    if isinstance(value, KeysView | ValuesView | ItemsView):
        return seen([*value], of)
    return (seen(each, of) for each in value) if isinstance(value, Iterator) else value


def plain(value: Any) -> Any:
    """A value without what it says, and so what containers hold: for pandas, where this is known already."""
    value = value.plain() if isinstance(value, Seen) else value
    if type(value) in (list, tuple):
        return type(value)(plain(each) for each in value)
    if type(value) is dict:
        return {plain(key): plain(each) for key, each in value.items()}
    return value


def find_seen(value: Any) -> Seen | None:
    """What in an argument was read from rows: it itself, in lists, sets, dicts and slices, or the name of an index."""
    if isinstance(value, Seen):
        return value
    if isinstance(value, slice):
        value = (value.start, value.stop, value.step)
    elif isinstance(value, dict):
        value = (*value, *value.values())
    elif isinstance(value, pd.Series | pd.DataFrame):
        value = (*value.index.names, *getattr(value, "columns", ()), getattr(value, "name", None))
    elif isinstance(value, np.ndarray) and value.dtype == object:
        value = value.ravel().tolist()
    if isinstance(value, list | tuple | set | frozenset):
        return next((found for each in value if (found := find_seen(each)) is not None), None)
    return None


def was_read(found: Seen) -> str:
    """Why an expression is not followed that has a value of the rows."""
    parts = re.fullmatch(r"the (\w+) of (.+)", found.of)
    if parts is None or parts[1] not in NUMBERS:
        return f"{found.of} was read from the rows; write what anybody knows beforehand, or what .dp released."
    statistic, column = parts.groups()
    release = f'm = df["{column}"].dp.{statistic}(...)["{statistic}"].item()'
    return f"{found.of} was read from the rows. Release it, {release}, and write m in its place."


def has_read(found: Seen, argument: str, column: Any, statistic: str) -> NotFollowed:
    """Why a question is not asked that has a value of the rows in an argument."""
    ways = {"bounds": f'df["{column}"].dp.{statistic}(bounds="private")', "categories": "df.dp.find_categories(...)"}
    ways["weights"] = "the column itself"
    way = f", or {ways[argument]}" if argument in ways else ""
    what = f"{argument}= has {found.of}, which was read from the rows"
    return NotFollowed(f"{what}; {argument} are what anybody knows beforehand{way}.", argument=argument)


def refuse_read(
    statistic: str, column: Any, names: Iterable[str], given: Iterable[Any], options: dict[str, Any]
) -> None:
    """Refused a question in whose arguments a value of the rows is."""
    for name, value in (*zip(names, given, strict=False), *options.items()):
        found = None if isinstance(value, pd.DataFrame) else find_seen(value)
        if found is not None:
            raise has_read(found, name, column, statistic)
