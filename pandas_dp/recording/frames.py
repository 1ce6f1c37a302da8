"""Frames and columns of pandas that know what they were made of in the language, or why nobody does.

pandas never meets them: each operation is done by a plain frame that shares their values, so what pandas makes of rows
on its way is nobody's business, and a name that is not wrapped here leads to `_mgr`, which counts as read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial, wraps
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..core.protect.mark import copies_on_write
from ..errors import NotFollowed
from ..language.column import LazyColumn
from ..language.graph import Lost, lost_in
from ..language.table import LazyTable
from .callers import library_of
from .names import SHOWN
from .record import (
    GROUPS,
    Shown,
    bare,
    carried_out,
    followed,
    lazy,
    lost,
    mapped,
    nodes_of,
    of_program,
    reason_in,
    rise,
    shown_in,
    told,
)

if TYPE_CHECKING:
    from ..core.door.frame import FrameAccessor
    from ..core.door.series import SeriesAccessor

PLAIN = (pd.DataFrame, pd.Series)
set_on = object.__setattr__
WHAT = {pd.DataFrame: "table", pd.Series: "column"}
NOT_SHOWN = (
    "a function of pandas made it, and shows the library nothing of how; `from pandas_dp import pandas as pd` has those "
    "that are followed"
)


def dressed(out: Any, made: Any, me: Shown) -> Any:
    """What pandas made, as a program has it."""
    if isinstance(out, pd.DataFrame):
        found: Any = ProtectedFrame._from_mgr(out._mgr, out._mgr.axes)
    elif isinstance(out, pd.Series):
        found = ProtectedSeries._from_mgr(out._mgr, out._mgr.axes)
        set_on(found, "_name", out.name)
    else:
        return Shadow(out, made, me._dp_rows, "groups")
    set_on(found, "_dp_made", made)
    set_on(found, "_dp_rows", made._rows if isinstance(made, LazyTable) else made.rows)
    attrs = getattr(me, "_attrs", None) or out._attrs
    set_on(found, "_attrs", dict(attrs))
    return found


class Recorded(Shown):
    """What frames and columns have in common."""

    _dp_mgr: Any

    # -- what pandas has

    @property
    def _mgr(self) -> Any:
        """What pandas' functions take of an object: they may hand out anything of it."""
        if not _is_seen(sys._getframe(1)):
            rise(self, "values")
        return self._dp_mgr

    @_mgr.setter
    def _mgr(self, manager: Any) -> None:
        set_on(self, "_dp_mgr", manager)
        if "_dp_made" in self.__dict__:
            self._dp_lose("it was changed by other means than pandas' public names")

    def _dp_lose(self, why: str) -> None:
        rows, real = self._dp_rows, self._dp_real()
        from .record import lost

        set_on(self, "_dp_made", lost(rows, real, Lost((), f"this table was not made row by row: {why}.")))

    def _dp_changeable(self) -> Any:
        """The same, for what writes in place: nothing of this object changes before it succeeded."""
        return self._dp_real().copy(deep=not copies_on_write())

    def _dp_become(self, real: Any, made: Any) -> None:
        set_on(self, "_dp_mgr", real._mgr)
        if isinstance(real, pd.Series):
            set_on(self, "_name", real.name)
        set_on(self, "_dp_made", made)
        set_on(self, "_dp_rows", made._rows if isinstance(made, LazyTable) else made.rows)

    def _dp_write(self, name: str, method: Callable[..., Any], args: Any, options: Any) -> Any:
        """In place: by pandas on a copy, by the language on another, and then both."""
        real = self._dp_changeable()
        rise_if_not = [self, args, options]

        def write() -> Any:
            return method(real, *mapped(list(args), bare), **mapped(dict(options), bare))

        try:
            out = write()
        except Exception as error:
            if not of_program(name, self, error):
                rise(rise_if_not, "values")
            raise
        options = {key: value for key, value in options.items() if key != "inplace"}
        made = self._dp_made.copy()

        def do() -> Any:
            if lost_in(nodes_of(self._dp_made)) is not None and not isinstance(made, LazyTable):
                raise NotFollowed("it was not made row by row before")
            if isinstance(made, LazyColumn) and name in WRITE_AT:
                return _written_at(name, made, *mapped(list(args), lazy))
            if name in WRITE_AT[1:]:
                getattr(made, name[4:])[mapped(args[0], lazy)] = mapped(args[1], lazy)
                return made
            if name == "__setitem__" and isinstance(args[0], str | int | float):
                made[args[0]] = _taken(self, made, *args)
                return made
            found = getattr(made, name)(*mapped(list(args), lazy), **mapped(options, lazy))
            return found if isinstance(found, LazyTable | LazyColumn) and name not in WRITERS else made

        before = self._dp_made
        self._dp_become(real, followed(self._dp_rows, name, real, do, rise_if_not))
        return None if out is None else told(self, name, out, lambda: before[args[0]], rise_if_not, dressed)

    # -- what the library has

    def _dp_built(self, kind: Any, *given: Any, **options: Any) -> Any:
        """What a function of pandas makes of this object: it shows the library nothing of how."""
        real = kind(*given, **options)
        if sys._getframe(1).f_code.co_filename.endswith(MISSING):
            return dressed(real, self._dp_made.isna(), self)
        reason = Lost((), f"this {WHAT[kind]} was not made row by row: {NOT_SHOWN}.")
        return dressed(real, lost(self._dp_rows, real, reason_in(self) or reason), self)

    @property
    def _constructor(self) -> Any:
        return partial(self._dp_built, pd.Series if self._dp_kind == "column" else pd.DataFrame)

    @property
    def _constructor_sliced(self) -> Any:
        return partial(self._dp_built, pd.Series)

    @property
    def _constructor_expanddim(self) -> Any:
        return partial(self._dp_built, pd.DataFrame)

    def __finalize__(self, other: Any, method: Any = None, **options: Any) -> Any:
        """Of pandas' own functions concat is followed; what they made else is not."""
        given = [each for each in getattr(other, "objs", [other]) if isinstance(each, Recorded)]
        if not given or method != "concat":
            return self
        from ..pandas import concat

        axis = 1 if isinstance(self, pd.DataFrame) and any(each.ndim == 1 for each in given) else None
        real = self._dp_real()
        lazies = lambda: mapped(list(other.objs), lazy)  # noqa: E731

        def do() -> Any:
            beside = axis == 1 or (
                sum(each._dp_real().shape[-1] for each in given) == len(real.columns)
                and len(given) > 1
                and set(real.columns) != set(given[0]._dp_real().columns)
            )
            return concat(lazies(), axis=1 if beside else 0)

        made = followed(given[0]._dp_rows, f"pd.{method or 'merge'}", real, do, given)
        set_on(self, "_dp_made", made)
        set_on(self, "_dp_rows", given[0]._dp_rows)
        set_on(self, "_attrs", dict(given[0]._attrs))
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        given = [inputs, options]
        out = _tried(self, lambda: getattr(ufunc, method)(*mapped(list(inputs), bare), **mapped(options, bare)))
        return told(
            self,
            f"np.{ufunc.__name__}",
            out,
            lambda: getattr(ufunc, method)(*mapped(list(inputs), lazy), **mapped(options, lazy)),
            given,
            dressed,
        )

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """np.where and what else the language has gives a column; what numpy makes else was read."""

        def made() -> Any:
            return function(*mapped(list(args), lazy), **mapped(kwargs, lazy))

        out = _tried(self, lambda: function(*mapped(list(args), bare), **mapped(kwargs, bare)))
        if isinstance(out, np.ndarray) and out.shape == (len(self._dp_mgr.axes[-1]),):
            shown = pd.Series(out, index=self._dp_mgr.axes[-1])
            try:
                found = made()
            except Exception:  # noqa: BLE001 - then it was read
                found = None
            if isinstance(found, LazyColumn):
                return dressed(shown, found, self)
        return told(self, f"np.{function.__name__}", out, made, [args, kwargs], dressed)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        rise(self, "values")
        return np.asarray(self._dp_real(), dtype)

    # -- what is asked

    def _dp_asked(self) -> Any:
        """What a question has of it: all of the table as it was protected, or what stands for what was made of it."""
        made, source = self._dp_made, self._dp_rows._source
        reason = lost_in([*self._dp_rows.conditions, *([made.node] if isinstance(made, LazyColumn) else [])])
        if reason is not None:
            raise NotFollowed(reason.reason)
        return source.asked(made) if isinstance(made, LazyTable) else source.asked_of(made)

    @property
    def loc(self) -> Any:
        return Indexer(self, "loc")

    @property
    def iloc(self) -> Any:
        return Indexer(self, "iloc")

    @property
    def at(self) -> Any:
        return Indexer(self, "at")

    @property
    def iat(self) -> Any:
        return Indexer(self, "iat")

    @property
    def plot(self) -> Any:
        rise(self, "shown")
        return self._dp_real().plot

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(func, tuple):
            func, name = func
            return func(*args, **{**kwargs, name: self})
        return func(self, *args, **kwargs)

    def __copy__(self, deep: bool = True) -> Any:
        made = self._dp_made.copy()
        return dressed(self._dp_real().copy(), made, self)

    __deepcopy__ = __copy__

    def __dir__(self) -> list[str]:
        names = [each for each in getattr(self, "_dp_made", ()) if isinstance(each, str)] if self.ndim == 2 else []
        return [*dir(type(self)), *filter(str.isidentifier, names)]

    def _ipython_key_completions_(self) -> list[Any]:
        return [*self._dp_made] if self.ndim == 2 else []

    def __reduce__(self) -> Any:
        rise(self, "values")
        return self._dp_real().__reduce__()

    def __getstate__(self) -> Any:
        rise(self, "values")
        return self._dp_real().__getstate__()

    def _footing(self) -> str:
        made = self._dp_made
        whole = isinstance(made, LazyTable) and self._dp_rows._source.has_all(made)
        return self._dp_rows._source.taken_for if whole else ""

    def __repr__(self) -> str:
        rise(self, "shown")
        said = repr(self._dp_real())
        return "\n".join([said, *filter(None, [self._footing()])])


class ProtectedFrame(Recorded, pd.DataFrame):
    """A protected table, and what is made of it. It reads like any other; what it publishes goes through `.dp`."""

    _dp_kind = "table"

    if TYPE_CHECKING:

        @property
        def dp(self) -> FrameAccessor: ...

    def _dp_real(self) -> pd.DataFrame:
        return pd.DataFrame._from_mgr(self._dp_mgr, self._dp_mgr.axes)

    def _repr_html_(self) -> str | None:
        rise(self, "shown")
        said = self._dp_real()._repr_html_()  # type: ignore[operator]
        foot = self._footing()
        return f"{said}\n<p><small>{escape(foot)}</small></p>" if said and foot else said

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.columns:  # which may have been read from rows
            return self[name]
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in ("attrs", "flags"):
            set_on(self, name, value)
        elif name == "columns":
            self._dp_write("set_axis", lambda real, names, axis: set_on(real, "columns", names), (value,), {"axis": 1})
        elif name == "index":
            self._dp_write("set_axis", lambda real, labels: set_on(real, "index", bare(labels)), (value,), {})
        elif name in self._dp_made:
            self[name] = value
        else:  # no column, of which pandas warns
            pd.DataFrame.__setattr__(self._dp_real(), name, bare(value))
            set_on(self, name, value)

    def assign(self, **columns: Any) -> Any:
        made = self.copy()
        for name, value in columns.items():
            made[name] = value(made) if callable(value) and not isinstance(value, Shown) else value
        return made

    def __setitem__(self, key: Any, value: Any) -> None:
        key, value = (each(self) if callable(each) and not isinstance(each, Shown) else each for each in (key, value))
        self._dp_write("__setitem__", pd.DataFrame.__setitem__, (key, value), {})

    def items(self) -> Iterator[Any]:
        for name in self.columns:
            yield name, self[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.columns)

    def __len__(self) -> int:
        if not self._dp_rows._source.says_how_many(self._dp_made):
            rise(self, "values")
        return len(self._dp_real())


class ProtectedSeries(Recorded, pd.Series):
    """A column of a protected table, or what is made of it."""

    _dp_kind = "column"

    if TYPE_CHECKING:

        @property
        def dp(self) -> SeriesAccessor: ...
        def __lt__(self, other: Any) -> ProtectedSeries: ...
        def __le__(self, other: Any) -> ProtectedSeries: ...
        def __gt__(self, other: Any) -> ProtectedSeries: ...
        def __ge__(self, other: Any) -> ProtectedSeries: ...
        def __eq__(self, other: Any) -> ProtectedSeries: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> ProtectedSeries: ...  # type: ignore[override]

    def _dp_real(self) -> pd.Series:
        real = pd.Series._from_mgr(self._dp_mgr, self._dp_mgr.axes)
        set_on(real, "_name", self.__dict__.get("_name"))
        return real

    @property
    def name(self) -> Any:
        return self.__dict__.get("_name")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in ("attrs", "flags"):
            set_on(self, name, value)
        elif name == "name":
            real = self._dp_changeable()
            real.name = value
            made = self._dp_made.rename(value)
            self._dp_become(real, made)
        else:
            self._dp_write("__setattr__", pd.Series.__setattr__, (name, value), {})

    def __len__(self) -> int:
        if not self._dp_rows._source.says_how_many(self._dp_made):
            rise(self, "values")
        return len(self._dp_real())

    def __iter__(self) -> Iterator[Any]:
        rise(self, "values")
        from .seen import seen

        return iter([seen(each, f"a value of {self.name}") for each in self._dp_real()])


class Shadow(Shown):
    """What pandas makes of rows that is neither a table nor a column: `.str`, groups, windows, row numbers."""

    def __init__(self, real: Any, made: Any, rows: Any, kind: str) -> None:
        self._real, self._dp_made, self._dp_rows, self._dp_kind = real, made, rows, kind

    def _dp_real(self) -> Any:
        return self._real

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = _tried(self, lambda: getattr(self._real, name))
        if isinstance(found, GROUPS):
            return self[name]
        if callable(found) and not isinstance(found, PLAIN):

            @wraps(found)
            def called(*args: Any, **options: Any) -> Any:
                def real() -> Any:
                    return found(*mapped(list(args), bare), **mapped(options, bare))

                return carried_out(self, name, real, args, options, dressed, library_of(sys._getframe(1)))

            return called
        return carried_out(self, name, lambda: found, (), {}, dressed)

    def __getitem__(self, key: Any) -> Any:
        return carried_out(self, "__getitem__", lambda: self._real[mapped(key, bare)], (key,), {}, dressed)

    def __setattr__(self, name: str, value: Any) -> None:
        set_on(self if name.startswith("_") else self._real, name, value)

    def __dir__(self) -> Any:
        return dir(self._real)

    def __contains__(self, key: Any) -> bool:
        rise(self, "values")
        return key in self._real

    def __repr__(self) -> str:
        rise(self, "shown")
        return repr(self._real)

    def __iter__(self) -> Iterator[Any]:
        rise(self, "values")
        return iter(self._real)

    def __len__(self) -> int:
        rise(self, "values")
        return len(self._real)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        rise(self, "values")
        return np.asarray(self._real, dtype)


def _tried(me: Shown, read: Callable[[], Any]) -> Any:
    """What pandas gives; where it raises, rows may have decided that."""
    try:
        return read()
    except Exception:
        rise(me, "values")
        raise


def _operator(name: str) -> Callable[..., Any]:
    def operated(self: Any, *other: Any) -> Any:
        rise([self, other], "values")
        return getattr(self._real, name)(*map(bare, other))

    return operated


for _sign in (
    "add",
    "radd",
    "sub",
    "rsub",
    "mul",
    "rmul",
    "truediv",
    "floordiv",
    "mod",
    "and",
    "or",
    "xor",
    "invert",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
):
    setattr(Shadow, f"__{_sign}__", _operator(f"__{_sign}__"))


class Indexer:
    """`.loc` and its like."""

    def __init__(self, of: Recorded, name: str) -> None:
        self._of, self._name = of, name

    def __call__(self, axis: Any = None) -> Any:
        return self

    def __getitem__(self, key: Any) -> Any:
        of, name = self._of, self._name
        key = _resolved(key, of)
        made = Lost((), "") if name in ("at", "iat") else None

        def do() -> Any:
            where = of._dp_made if isinstance(of._dp_made, LazyColumn) else getattr(of._dp_made, name)
            return where[mapped(key, lazy)]

        try:
            out = getattr(of._dp_real(), name)[mapped(key, bare)]
        except Exception:
            rise([of, key], "values")
            raise
        del made
        return told(of, name, out, do, key, dressed)

    def __setitem__(self, key: Any, value: Any) -> None:
        of, name = self._of, self._name
        key = _resolved(key, of)

        def write(real: Any, key: Any, value: Any) -> None:
            getattr(real, name)[key] = value

        of._dp_write(f"_dp_{name}", write, (key, value), {})


def _resolved(key: Any, of: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(_resolved(each, of) for each in key)
    return key(of) if callable(key) and not isinstance(key, Shown) else key


INSIDE = ("pandas", "numpy")  # what pandas does on its own way is nobody's operation


MISSING, CONCAT = ("dtypes/missing.py", "dtypes\\missing.py"), ("reshape/concat.py", "reshape\\concat.py")


def _caller(frame: Any) -> str | None:
    """The library that calls; isna and notna of pandas only call the methods of these names."""
    found = library_of(frame)
    return None if found == "pandas" and frame.f_code.co_filename.endswith(MISSING) else found


def _for_pandas(of: Any) -> Any:
    if not _is_seen(sys._getframe(2)):
        rise(of, "values")
    return of._dp_real()


def _is_seen(frame: Any) -> bool:
    """Whether a function of pandas is at work whose result is recorded: concat, isna, notna."""
    for _ in range(12):
        if frame is None:
            return False
        if frame.f_code.co_filename.endswith((*CONCAT, *MISSING)):
            return True
        frame = frame.f_back
    return False


WRITERS = ("__setitem__", "__delitem__", "update", "pop", "insert", "isetitem")
WRITE_AT = ("__setitem__", "_dp_loc", "_dp_iloc", "_dp_at", "_dp_iat")


def _written_at(name: str, column: LazyColumn, key: Any, value: Any) -> LazyColumn:
    """Into a column where a condition holds."""
    if name not in WRITE_AT[:2] or not isinstance(key, LazyColumn):
        raise NotFollowed("a column is written to where a condition holds, x[x > 2] = 0")
    return column.mask(key, value)


def _taken(me: Recorded, table: LazyTable, name: Any, value: Any) -> LazyColumn:
    """What is written into a column; what is not followed is one column that is not."""

    def do() -> LazyColumn:
        return table._as_column(lazy(value), name)

    found: LazyColumn = followed(table._rows, "__setitem__", pd.Series(name=name, dtype=object), do, [me, value])
    return found


TAKES_TABLE = ("where", "mask", "__getitem__")
READS_NAMES = ("query", "eval")


def _wrapping(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def called(self: Any, *args: Any, **options: Any) -> Any:
        library = _caller(sys._getframe(1))
        if library in INSIDE:
            return method(_for_pandas(self), *args, **options)
        if name in TAKES_TABLE:
            args = tuple(each(self) if callable(each) and not isinstance(each, Shown) else each for each in args)
            options = {k: v(self) if callable(v) and not isinstance(v, Shown) else v for k, v in options.items()}
        if name in READS_NAMES and "local_dict" not in options:
            frame = sys._getframe(1)
            names = {**frame.f_globals, **frame.f_locals}
            options = {
                **options,
                "local_dict": {each: names[each] for each in re.findall(r"@(\w+)", str(args[:1])) if each in names},
            }
        if name in WRITERS or (isinstance(options.get("inplace"), bool | np.bool_) and options["inplace"]):
            return self._dp_write(name, method, args, options)

        def real() -> Any:
            return method(self._dp_real(), *mapped(list(args), bare), **mapped(dict(options), bare))

        return carried_out(self, name, real, args, options, dressed, library)

    return called


def _property(name: str) -> Any:
    def get(self: Any) -> Any:
        library = _caller(sys._getframe(1))
        if library in INSIDE:
            return getattr(_for_pandas(self), name)
        return carried_out(self, name, lambda: getattr(self._dp_real(), name), (), {}, dressed, library)

    return property(get)


def _accessor(name: str) -> Any:
    def get(self: Any) -> Any:
        if library_of(sys._getframe(1)) in INSIDE:
            return getattr(_for_pandas(self), name)
        real = _tried(self, lambda: getattr(self._dp_real(), name))
        if name in SHOWN:
            rise(self, "shown")
            return real
        made = followed(self._dp_rows, name, None, lambda: getattr(self._dp_made, name), self)
        return Shadow(real, made, self._dp_rows, KINDS.get(name, "groups"))

    return property(get)


KINDS = {"str": "text", "dt": "time", "cat": "category", "index": "index"}
INPLACE = {
    f"__i{name}__": f"__{name}__"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
}
LEFT = {
    "__class__",
    "__new__",
    "__init__",
    "__setattr__",
    "__getattr__",
    "__getattribute__",
    "__init_subclass__",
    "__subclasshook__",
    "__dir__",
    "__doc__",
    "__sizeof__",
    "__hash__",
    "__finalize__",
    "__delattr__",
    "__getstate__",
    "__setstate__",
    "__reduce_ex__",
    "__format__",
    "__str__",
    "__class_getitem__",
    "dp",
    "attrs",
    "flags",
}


def _changing(name: str) -> Callable[..., Any]:
    def changed(self: Any, other: Any) -> Any:
        found = getattr(self, name)(other)
        self._dp_become(found._dp_real(), found._dp_made)
        return self

    return changed


def _wrap(cls: Any, pandas: Any) -> None:
    """Every public name and operator of pandas that the class does not have itself."""
    own = {name for base in cls.__mro__[: cls.__mro__.index(pandas)] for name in vars(base)}
    for name in sorted(set(dir(pandas)) - own - LEFT):
        if name.startswith("_") and not (name.startswith("__") and name.endswith("__")):
            continue
        found = getattr(pandas, name)
        static = vars(next(base for base in pandas.__mro__ if name in vars(base)))[name]
        if name in INPLACE:
            setattr(cls, name, _changing(INPLACE[name]))
        elif isinstance(static, classmethod | staticmethod):
            continue
        elif isinstance(found, type) or name in KINDS:
            setattr(cls, name, _accessor(name))
        elif callable(found):
            if hasattr(object, name) and getattr(object, name) is found:
                continue
            setattr(cls, name, _wrapping(name, found))
        elif not name.startswith("__"):
            setattr(cls, name, _property(name))


_wrap(ProtectedFrame, pd.DataFrame)
_wrap(ProtectedSeries, pd.Series)


def shown(frame: pd.DataFrame, table: LazyTable) -> ProtectedFrame:
    """A frame of pandas, and the table of the language that it shows."""
    found: Any = ProtectedFrame._from_mgr(frame._mgr, frame._mgr.axes)
    set_on(found, "_dp_made", table)
    set_on(found, "_dp_rows", table._rows)
    set_on(found, "_attrs", frame.attrs)
    return found


def also_of_shown(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """A function of the language by pandas' name, also of protected tables: there pandas shows, and it is recorded."""
    called = function.__name__ if name is None else name

    @wraps(function)
    def of_any(*given: Any, **options: Any) -> Any:
        me = shown_in([given, options])
        if me is None:
            return function(*given, **options)
        try:
            out = getattr(pd, called)(*mapped(list(given), bare), **mapped(options, bare))
        except Exception:
            rise([given, options], "values")
            raise

        def do() -> Any:
            return function(*mapped(list(given), lazy), **mapped(options, lazy))

        if isinstance(out, pd.Categorical):
            out = pd.Series(out, index=me._dp_real().index, name=me._dp_real().name)
        return told(me, f"pd.{called}", out, do, [given, options], dressed)

    return of_any
