"""What pandas makes of a protected table that is neither a table nor a column: `.str`, groups, row numbers, `.loc`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from ..language.column import LazyColumn
from ..language.graph import Lost
from .callers import library_of
from .record import GROUPS, Shown, bare, called, carried_out, lazy, mapped, resolved, rise, runs_code, told, tried

SIGNS = "add radd sub rsub mul rmul truediv floordiv mod and or xor invert eq ne lt le gt ge"


class Shadow(Shown):
    """An object of pandas, and of the language the one of the same name, or why there is none."""

    def __init__(self, real: Any, made: Any, rows: Any, kind: str) -> None:
        self._real, self._dp_made, self._dp_rows, self._dp_kind = real, made, rows, kind

    def _dp_real(self) -> Any:
        return self._real

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = tried(lambda: getattr(self._real, name), self)
        if isinstance(found, GROUPS):
            return self[name]
        if not callable(found) or isinstance(found, pd.DataFrame | pd.Series):
            return carried_out(self, name, lambda: found, (), {})

        def method(*args: Any, **options: Any) -> Any:
            library = library_of(sys._getframe(1))
            return carried_out(self, name, lambda: called(found, bare, args, options), args, options, library)

        method.__name__, method.__doc__ = name, found.__doc__
        return method

    def __getitem__(self, key: Any) -> Any:
        return carried_out(self, "__getitem__", lambda: self._real[mapped(key, bare)], (key,), {})

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self if name.startswith("_") else self._real, name, value)

    def __dir__(self) -> Any:
        return dir(type(self._real) if isinstance(self._dp_made, Lost) else self._real)

    def __contains__(self, key: Any) -> bool:
        rise(self)
        return key in self._real

    def __repr__(self) -> str:
        rise(self, "shown")
        return repr(self._real)

    def __iter__(self) -> Iterator[Any]:
        rise(self)
        return iter(self._real)

    def __len__(self) -> int:
        rise(self)
        return len(self._real)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        rise(self)
        return np.asarray(self._real, dtype)

    __hash__ = None  # type: ignore[assignment]  # as of an Index


def _operator(name: str) -> Callable[..., Any]:
    def operated(self: Any, *other: Any) -> Any:
        rise([self, other])
        return getattr(self._real, name)(*map(bare, other))

    return operated


for _sign in SIGNS.split():
    setattr(Shadow, f"__{_sign}__", _operator(f"__{_sign}__"))


class Indexer:
    """`.loc` and its like."""

    def __init__(self, name: str, of: Any) -> None:
        self._of, self._name = of, name

    def __call__(self, axis: Any = None) -> Any:
        return self

    def __getitem__(self, key: Any) -> Any:
        of, name, key = self._of, self._name, _resolved(key, self._of)

        def do() -> Any:
            made = of._dp_made
            where = made if isinstance(made, LazyColumn) and name == "loc" else getattr(made, name)
            return where[mapped(key, lazy)]

        if runs_code(name, [key], {}):
            rise([of, key])
        out = tried(lambda: getattr(of._dp_real(), name)[mapped(key, bare)], [of, key])
        return told(of, name, out, do, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        name = self._name

        def write(real: Any, key: Any, value: Any) -> None:
            getattr(real, name)[key] = value

        def write_made(made: Any, key: Any, value: Any) -> None:
            getattr(made, name)[key] = value

        self._of._dp_write(name, write, (_resolved(key, self._of), value), {}, write_made)


def _resolved(key: Any, of: Any) -> Any:
    return tuple(resolved(each, of) for each in key) if isinstance(key, tuple) else resolved(key, of)
