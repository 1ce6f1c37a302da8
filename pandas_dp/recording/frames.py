"""Frames and columns of pandas that know what they were made of in the language, or why nobody does.

pandas never meets them: each operation is done by a plain frame that shares their values, so what pandas makes of rows
on its way is nobody's business, and a name that is not wrapped here leads to `_mgr`, which counts as read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial, wraps
from html import escape
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd

from ..core.lazy_import import named
from ..core.protect.mark import copies_on_write
from ..errors import NotFollowed
from ..language.column import LazyColumn
from ..language.graph import lost_in
from ..language.table import LazyTable
from .names import SAME
from .record import (
    SEVERAL,
    Shown,
    bare,
    called,
    followed,
    is_lost,
    is_of_program,
    lazy,
    lost,
    mapped,
    named_lost,
    reason_in,
    resolved,
    rise,
    rows_of,
    runs_code,
    shown_in,
    told,
    tried,
    why_not,
)
from .shadows import Indexer, Shadow
from .wrapping import CONCAT, MISSING, WRITERS, is_seen, wrap

if TYPE_CHECKING:
    from ..core.door.frame import FrameAccessor
    from ..core.door.series import SeriesAccessor

set_on = object.__setattr__
HOUSE = os.path.dirname(os.path.dirname(__file__)) + os.sep
WHAT = {pd.DataFrame: "table", pd.Series: "column"}
NOT_SHOWN = (
    "a function of pandas made it, and shows the library nothing of how; `from pandas_dp import pandas as pd` has "
    "those that are followed"
)


def dressed(out: Any, made: Any, me: Shown) -> Any:
    """What pandas made, as a program has it."""
    found: Any
    if isinstance(made, SEVERAL):
        reason = why_not("column", "it is many in one; take one of them, e.g. .str[0]")
        found = dressed(out, lost(me._dp_rows, out, reason), me)
        set_on(found, "_dp_several", made)
        return found
    if isinstance(out, pd.DataFrame):
        found = FRAME._from_mgr(out._mgr, out._mgr.axes)
    elif isinstance(out, pd.Series):
        found = COLUMN._from_mgr(out._mgr, out._mgr.axes)
        set_on(found, "_name", out.name)
    else:
        return Shadow(out, made, me._dp_rows, "groups")
    _keep(found, made)
    set_on(found, "_attrs", dict(getattr(me, "_attrs", None) or out._attrs))
    return found


def _keep(found: Any, made: Any) -> None:
    set_on(found, "_dp_made", made)
    set_on(found, "_dp_rows", rows_of(made))


def _taken(table: LazyTable, name: Any, value: Any, given: Any) -> Any:
    """What is written into a column: where it is not followed, it is one column that is not."""
    column = pd.Series(name=name, dtype=object)
    found = followed(table._rows, "__setitem__", column, lambda: table._as_column(lazy(value), name), given)
    return named_lost(found, name) if is_lost(found) else found


class Recorded(Shown):
    """What frames and columns have in common."""

    _dp_mgr: Any

    # -- what pandas has

    @property
    def _mgr(self) -> Any:
        """What pandas' functions take of an object: they may hand out anything of it."""
        if not is_seen(sys._getframe(1)):
            rise(self)
        return self._dp_mgr

    @_mgr.setter
    def _mgr(self, manager: Any) -> None:
        set_on(self, "_dp_mgr", manager)
        if "_dp_made" in self.__dict__:
            reason = why_not("table", "it was changed by other means than pandas' public names")
            set_on(self, "_dp_made", lost(self._dp_rows, self._dp_real(), reason))

    def _dp_become(self, real: Any, made: Any) -> None:
        set_on(self, "_dp_mgr", real._mgr)
        if isinstance(real, pd.Series):
            set_on(self, "_name", real.name)
        _keep(self, made)

    def _dp_write(
        self,
        name: str,
        method: Callable[..., Any],
        args: Any,
        options: Any,
        write_made: Callable[..., Any] | None = None,
    ) -> Any:
        """In place: by pandas on a copy, by the language on another, and then, where neither raised, both."""
        real, before, given = self._dp_real().copy(deep=not copies_on_write()), self._dp_made, [self, args, options]
        if runs_code(name, args, options, self):
            rise(given)
        is_known = partial(is_of_program, self, name, given=[args, options])
        out = tried(lambda: called(method, bare, (real, *args), options), given, is_known)
        made = before.copy()

        def do() -> Any:
            if is_lost(before):
                raise NotFollowed("it was not made row by row before")
            if isinstance(made, LazyColumn) and name in ("__setitem__", "loc") and isinstance(args[0], ProtectedSeries):
                return called(made.mask, lazy, args, {})
            if name == "__setitem__" and isinstance(args[0], str | int | float):
                made[args[0]] = _taken(made, args[0], args[1], given)
                return made
            write = partial(write_made, made) if write_made is not None else getattr(made, SAME.get(name, name))
            found = called(write, lazy, args, {key: each for key, each in options.items() if key != "inplace"})
            return made if name in WRITERS or not isinstance(found, LazyTable | LazyColumn) else found

        self._dp_become(real, followed(self._dp_rows, name, real, do, given))
        if name != "pop":
            return None if out is None else self
        return told(self, name, out, lambda: before[args[0]], given)

    # -- what the library has

    def _dp_built(self, kind: Any, *given: Any, **options: Any) -> Any:
        """What a function of pandas makes of this object: it shows the library nothing of how, but for isna."""
        real = called(kind, bare, given, options)
        if sys._getframe(1).f_code.co_filename.endswith(MISSING):
            return dressed(real, self._dp_made.isna(), self)
        if isinstance(given[0], dict) and all(isinstance(each, Shown) for each in given[0].values()):
            made = self._dp_made
            column = made if isinstance(made, LazyColumn) else made._any()
            do = partial(column._beside, mapped(given[0], lazy))
            return dressed(real, followed(self._dp_rows, "pd.concat", real, do, given), self)
        reason = reason_in(self) or why_not(WHAT[kind], NOT_SHOWN)
        return dressed(real, lost(self._dp_rows, real, reason), self)

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
        """Where pandas' own concat hands out what it made."""
        frame = sys._getframe(1)
        while frame is not None and not (
            frame.f_code.co_name == "concat" and frame.f_code.co_filename.endswith(CONCAT)
        ):
            frame = frame.f_back  # type: ignore[assignment]
        if method != "concat" or frame is None:
            return self
        concat = named("pandas:concat")
        axis, given = frame.f_locals.get("orig_axis", frame.f_locals.get("axis", 0)), list(other.objs)
        me: Any = next((each for each in given if isinstance(each, Shown)), self)
        made = followed(
            me._dp_rows, "pd.concat", self._dp_real(), lambda: called(concat, lazy, (given,), {"axis": axis}), given
        )
        _keep(self, made)
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        do, into = partial(called, getattr(ufunc, method)), options.get("out", ())
        if [*options] == ["out"] and len(into) == 1 and isinstance(into[0], Recorded):
            found = getattr(ufunc, method)(*inputs)
            into[0]._dp_become(found._dp_real(), found._dp_made)
            return into[0]
        if method == "at" and isinstance(inputs[0], Recorded):
            return inputs[0]._dp_write(f"np.{ufunc.__name__}.at", ufunc.at, inputs[1:], {})
        if options or runs_code(ufunc.__name__, [ufunc, inputs], options):  # also what is written into by out=
            rise([inputs, options])
        out = tried(lambda: do(bare, inputs, options), [inputs, options])
        return told(self, f"np.{ufunc.__name__}", out, lambda: do(lazy, inputs, options), [inputs, options])

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """np.where and what else the language has gives a column; what numpy makes else was read."""
        name, given = f"np.{function.__name__}", [args, kwargs]
        if "out" in kwargs or runs_code(name, args, kwargs):
            rise(given)
        out = tried(lambda: called(function, bare, args, kwargs), given)
        rows = self._dp_mgr.axes[-1]
        if isinstance(out, np.ndarray) and out.shape == (len(rows),):
            real = pd.Series(out, index=rows)
            made = followed(self._dp_rows, name, real, lambda: called(function, lazy, args, kwargs), given)
            if not is_lost(made):
                return dressed(real, made, self)
        return told(self, name, out, lambda: called(function, lazy, args, kwargs), given)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        rise(self)
        return np.array(self._dp_real(), dtype)

    def _dp_asked(self) -> Any:
        """What a question has of it: all of the table as it was protected, or what stands for what was made of it."""
        made, source = self._dp_made, self._dp_rows._source
        node = [made.node] if isinstance(made, LazyColumn) else []
        reason = lost_in([*self._dp_rows.conditions, *node])
        if reason is not None:
            raise NotFollowed(reason.reason)
        return source.asked(made) if isinstance(made, LazyTable) else source.asked_of(made)

    # -- names that do more than pandas'

    loc, iloc, at, iat = (property(partial(Indexer, name)) for name in ("loc", "iloc", "at", "iat"))

    @property
    def plot(self) -> Any:
        rise(self, "shown")
        return self._dp_real().plot

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(func, tuple):
            func, name = func
            return func(*args, **{**kwargs, name: self})
        return func(self, *args, **kwargs)

    def __copy__(self, deep: Any = True) -> Any:
        return dressed(self._dp_real().copy(), self._dp_made.copy(), self)

    __deepcopy__ = __copy__

    def __dir__(self) -> list[str]:
        return [*dir(type(self)), *(each for each in self._dp_names() if isinstance(each, str) and each.isidentifier())]

    def _ipython_key_completions_(self) -> list[Any]:
        return self._dp_names()

    def _dp_names(self) -> list[Any]:
        made = self.__dict__.get("_dp_made")
        return [*made] if isinstance(made, LazyTable) and not is_lost(made) else []

    def __reduce__(self) -> Any:
        rise(self)
        return self._dp_real().__reduce__()

    def __getstate__(self) -> Any:
        rise(self)
        return self._dp_real().__getstate__()

    def __len__(self) -> int:
        if not self._dp_rows._source.says_how_many(self._dp_made):
            rise(self)
        return len(self._dp_real())

    def _footing(self) -> str:
        source = self._dp_rows._source
        return source.taken_for if isinstance(self._dp_made, LazyTable) and source.has_all(self._dp_made) else ""

    def __repr__(self) -> str:
        rise(self, "shown")
        return "\n".join(filter(None, [repr(self._dp_real()), self._footing()]))


class ProtectedFrame(Recorded, pd.DataFrame):
    """A protected table, and what is made of it. It reads like any other; what it publishes goes through `.dp`."""

    _dp_kind = "table"

    if TYPE_CHECKING:

        @property
        def dp(self) -> FrameAccessor: ...
        @overload  # type: ignore[override]
        def __getitem__(self, key: str) -> ProtectedSeries: ...
        @overload
        def __getitem__(self, key: Any) -> ProtectedFrame: ...  # what is cut from it is asked in the same way
        def __getitem__(self, key: Any) -> Any: ...

    def _dp_real(self) -> pd.DataFrame:
        plain: Any = pd.DataFrame
        real: pd.DataFrame = plain._from_mgr(self._dp_mgr, self._dp_mgr.axes)
        return real

    def _repr_html_(self) -> str | None:
        rise(self, "shown")
        said, foot = self._dp_real()._repr_html_(), self._footing()  # type: ignore[operator]
        return f"{said}\n<p><small>{escape(foot)}</small></p>" if said and foot else said

    def __getattr__(self, name: str) -> Any:  # type: ignore[misc]  # as pandas itself has it
        if not name.startswith("_") and name in self.columns:  # which may have been read from rows
            return self[name]
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in ("attrs", "flags"):
            set_on(self, name, value)
        elif name == "columns":
            self._dp_write("set_axis", lambda real, names, axis: set_on(real, "columns", names), (value,), {"axis": 1})
        elif name == "index":
            self._dp_write("set_axis", lambda real, labels: set_on(real, "index", labels), (value,), {})
        elif name in self._dp_made:
            self[name] = value
        else:  # no column, of which pandas warns
            pd.DataFrame.__setattr__(self._dp_real(), name, bare(value))
            set_on(self, name, value)

    def __setitem__(self, key: Any, value: Any) -> None:
        key, value = (resolved(each, self) for each in (key, value))
        self._dp_write("__setitem__", pd.DataFrame.__setitem__, (key, value), {})

    def assign(self, **columns: Any) -> Any:
        made = self.__copy__()
        for name, value in columns.items():
            made[name] = value
        return made

    def items(self) -> Iterator[Any]:
        for name in self.columns:
            yield name, self[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.columns)


class ProtectedSeries(Recorded, pd.Series):  # type: ignore[misc]  # numpy's functions are recorded
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
        plain: Any = pd.Series
        real: pd.Series = plain._from_mgr(self._dp_mgr, self._dp_mgr.axes)
        set_on(real, "_name", self.__dict__.get("_name"))
        return real

    @property  # type: ignore[misc]
    def name(self) -> Any:
        if is_lost(self.__dict__.get("_dp_made")) and not sys._getframe(1).f_code.co_filename.startswith(HOUSE):
            rise(self)  # it may be that of a row
        return self.__dict__.get("_name")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in ("attrs", "flags"):
            set_on(self, name, value)
        elif name == "name":
            self._dp_write("rename", lambda real, to: set_on(real, "name", to), (value,), {})
        else:
            self._dp_write("__setattr__", pd.Series.__setattr__, (name, value), {})

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())


FRAME: Any = ProtectedFrame
COLUMN: Any = ProtectedSeries
wrap(ProtectedFrame, pd.DataFrame)
wrap(ProtectedSeries, pd.Series)


def shown(frame: pd.DataFrame, table: LazyTable) -> ProtectedFrame:
    """A frame of pandas, and the table of the language that it shows."""
    found: Any = FRAME._from_mgr(frame._mgr, frame._mgr.axes)
    _keep(found, table)
    set_on(found, "_attrs", frame.attrs)
    return found


def also_of_shown(function: Callable[..., Any], name: str | None = None) -> Callable[..., Any]:
    """A function of the language by pandas' name, also of protected tables: there pandas shows, and it is recorded."""
    of_pandas = function.__name__ if name is None else name

    @wraps(function)
    def of_any(*args: Any, **options: Any) -> Any:
        given = [args, options]
        me = shown_in(given)
        if me is None:
            return function(*args, **options)
        if runs_code(of_pandas, args, options):
            rise(given)
        out = tried(lambda: called(getattr(pd, of_pandas), bare, args, options), given)
        if isinstance(out, pd.Categorical):
            out = pd.Series(out, index=me._dp_real().index, name=me._dp_real().name)
        return told(me, f"pd.{of_pandas}", out, lambda: called(function, lazy, args, options), given)

    return of_any
