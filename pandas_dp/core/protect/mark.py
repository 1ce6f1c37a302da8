"""The marked frame that `protect` returns, and nothing else about it.

The object itself, and columns taken from it by name, are *whole*: they hold every row of the protected table as it was.
Whatever pandas makes of them is an ordinary frame, and *derived*, also where it happens to keep every row.
"""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd

from ...errors import NotProtected

if TYPE_CHECKING:
    from ..door.frame import FrameAccessor
    from ..door.series import SeriesAccessor


@dataclass(frozen=True)
class Origin:
    """Which session protects a table, and under what name. It stays with the object whatever is renamed."""

    owner: str
    frame: str
    unit: str | None = None  # the column that says whose a row is
    reordered: bool = False  # rows were put in another order than they were given in
    scanned: Any = None  # where its rows are, if the object only stands for them
    making: Any = None  # how they were made, where that was seen

    @property
    def taken_for(self) -> str:
        """What its rows are to whoever looks at it."""
        if self.unit is None:
            return "Protected: each row is taken for one person, and one row is what a release hides."
        return (
            f"Protected: rows of one {self.unit!r} are taken for one person, and all that one person has is what a "
            "release hides."
        )


_WRITERS = (
    *("__setitem__", "__delitem__", "update", "pop", "insert", "isetitem"),
    *(f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")),
)


_SORTERS = ("sort_values", "sort_index")


def _takes_inplace(method: Any) -> bool:
    code = getattr(inspect.unwrap(method), "__code__", None)
    return code is not None and "inplace" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _unmarking(method: Any, always: bool) -> Any:
    """The method; where it writes in place it takes the mark away before it does anything."""

    @functools.wraps(method)
    def wrapped(self: Any, *args: Any, **options: Any) -> Any:
        if always or options.get("inplace", False) is not False or any(_is_bool(arg) and arg for arg in args):
            _unmark(self)  # a True among the places may be inplace; to lose the mark is always safe
        if method.__name__ in _SORTERS:
            options.setdefault("kind", "stable")  # else other people's rows decide how ties of one person are broken
        return method(self, *args, **options)

    return wrapped


class _Marked:
    """What writes in place takes the mark away before it looks at a value: also where a mask matches no row, or values
    are in order already, pandas changes nothing, and whether it did would reveal something about the rows."""

    _dp_origin: Origin

    def __init_subclass__(cls) -> None:
        """Wrap all of pandas' methods that can write in place: one that raises half-way would leave the mark."""
        super().__init_subclass__()
        pandas = next(base for base in cls.__mro__ if base in (pd.DataFrame, pd.Series))
        for name in set(dir(pandas)) - set(vars(cls)):
            method = getattr(pandas, name)
            if name in _WRITERS or (callable(method) and not name.startswith("_") and _takes_inplace(method)):
                setattr(cls, name, _unmarking(method, always=name in _WRITERS))

    def _update_inplace(self, result: Any) -> None:  # where pandas ends almost all that is called with inplace=True
        _unmark(self)
        super()._update_inplace(result)  # type: ignore[misc]

    @property
    def loc(self) -> Any:
        return _INDEXERS["loc"]("loc", self)

    @property
    def iloc(self) -> Any:
        return _INDEXERS["iloc"]("iloc", self)

    @property
    def at(self) -> Any:
        return _INDEXERS["at"]("at", self)

    @property
    def iat(self) -> Any:
        return _INDEXERS["iat"]("iat", self)


class _Unmarking:
    """An indexer that unmarks what it writes to."""

    obj: Any

    def __setitem__(self, key: Any, value: Any) -> None:
        _unmark(self.obj)
        super().__setitem__(key, value)  # type: ignore[misc]


_INDEXERS: dict[str, Any] = {
    name: type(f"_Unmarking_{name}", (_Unmarking, type(getattr(pd.DataFrame(), name))), {})
    for name in ("loc", "iloc", "at", "iat")
}


class ProtectedFrame(_Marked, pd.DataFrame):
    """A protected table. It reads like any other; what it publishes goes through `.dp`."""

    if TYPE_CHECKING:

        @property
        def dp(self) -> FrameAccessor: ...

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    @property
    def _constructor_sliced(self) -> type[pd.Series]:
        return pd.Series

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *([self._dp_origin.taken_for] if is_whole(self) else [])])

    def _repr_html_(self) -> str | None:
        shown = super()._repr_html_()  # type: ignore[misc]
        if not shown or not is_whole(self):
            return shown
        return f"{shown}\n<p><small>{escape(self._dp_origin.taken_for)}</small></p>"

    @overload  # type: ignore[override]
    def __getitem__(self, key: str) -> ProtectedSeries: ...
    @overload
    def __getitem__(self, key: Any) -> ProtectedFrame: ...  # what is cut from it is asked in the same way
    def __getitem__(self, key: Any) -> Any:
        _check_rows(self, key)
        taken = super().__getitem__(key)
        if not is_whole(self) or not _names_columns(self, key):
            return taken
        mark = mark_series if isinstance(taken, pd.Series) else mark_frame
        marked = mark(taken, self._dp_origin)
        object.__setattr__(marked, "_dp_table", self)  # the columns of its weights live as long as it does
        return marked

    def __setitem__(self, key: Any, value: Any) -> None:
        _check_rows(self, key)
        _check_rows(self, value)
        _unmark(self)
        super().__setitem__(key, value)

    def assign(self, **columns: Any) -> Any:
        for column in columns.values():
            _check_rows(self, column)
        return super().assign(**columns)


class ProtectedSeries(_Marked, pd.Series):
    """A column of a protected table."""

    if TYPE_CHECKING:

        @property
        def dp(self) -> SeriesAccessor: ...
        def __lt__(self, other: Any) -> ProtectedSeries: ...
        def __le__(self, other: Any) -> ProtectedSeries: ...
        def __gt__(self, other: Any) -> ProtectedSeries: ...
        def __ge__(self, other: Any) -> ProtectedSeries: ...
        def __eq__(self, other: Any) -> ProtectedSeries: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> ProtectedSeries: ...  # type: ignore[override]

    @property
    def _constructor(self) -> type[pd.Series]:
        return pd.Series

    @property
    def _constructor_expanddim(self) -> type[pd.DataFrame]:
        return pd.DataFrame


def mark_frame(frame: pd.DataFrame, origin: Origin) -> ProtectedFrame:
    """The frame, marked as whole."""
    marked = ProtectedFrame(frame, copy=False)
    marked.attrs = frame.attrs
    return _marked(marked, origin)


def mark_series(series: pd.Series, origin: Origin) -> ProtectedSeries:
    """The column, marked as whole."""
    marked = ProtectedSeries(series, copy=False)
    marked.attrs = series.attrs
    return _marked(marked, origin)


def origin_of(data: object) -> Origin | None:
    """What `protect` wrote into this very object, or into the frame that it was taken from by name."""
    found = getattr(data, "_dp_origin", None) if isinstance(data, ProtectedFrame | ProtectedSeries) else None
    return found if isinstance(found, Origin) else None


def copies_on_write() -> bool:
    """Whether pandas gives an object new arrays before it writes: always from pandas 3, before with copy-on-write."""
    return int(pd.__version__.split(".")[0]) >= 3 or pd.get_option("mode.copy_on_write") is True


def is_whole(data: pd.DataFrame | pd.Series) -> bool:
    """Whether the object still holds the very data it was marked with; where nothing shows it, it is taken not to."""
    if not copies_on_write():
        return False
    mark = getattr(data, "_dp_mark", None) if isinstance(data, ProtectedFrame | ProtectedSeries) else None
    return mark is not None and mark.describes(data)


class Mark:
    """The arrays and labels that an object held when it was marked.

    The mark keeps a shallow copy, so pandas' copy-on-write gives the object new arrays before any change to it. Without
    that option, which pandas 2 has switched off, a mark says nothing.
    """

    def __init__(self, data: Any) -> None:
        self._sharing = data.copy(deep=False)
        self._arrays = _arrays(data)
        self._axes = list(data._mgr.axes)

    def describes(self, data: Any) -> bool:
        same = list(map(id, _arrays(data))) == list(map(id, self._arrays))  # which the mark keeps, so ids are theirs
        return same and all(map(pd.Index.is_, data._mgr.axes, self._axes))


def _arrays(data: Any) -> list[Any]:
    return [block.values for block in data._mgr.blocks]  # pandas has no public way to ask whether data is shared


def _marked(data: Any, origin: Origin) -> Any:
    object.__setattr__(data, "_dp_origin", origin)
    object.__setattr__(data, "_dp_mark", Mark(data))
    return data


def _unmark(data: Any) -> None:
    object.__setattr__(data, "_dp_mark", None)


def _check_rows(frame: pd.DataFrame, other: object) -> None:
    """A column or mask from elsewhere would be matched by number, not by person. The names of indexes are public."""
    if isinstance(other, pd.Series | pd.DataFrame) and other.index.name != frame.index.name:
        origin = origin_of(frame)
        order = " whose rows were put in another order," if origin is not None and origin.reordered else ""
        raise NotProtected(
            f"this Series was not cut from the protected frame,{order} so its rows would be matched by number, not by "
            "person; add the column before protect."
        )


def _names_columns(frame: pd.DataFrame, key: Any) -> bool:
    """A column label, or a list of them; never a mask, a slice or a callable."""
    if isinstance(key, list):
        return bool(key) and not any(_is_bool(label) for label in key) and all(k in frame.columns for k in key)
    return isinstance(key, str | int | tuple) and not _is_bool(key) and key in frame.columns


def _is_bool(label: object) -> bool:
    return isinstance(label, bool | np.bool_)
