"""Every public name and operator of pandas on a protected table: carried out by pandas on a plain one, and recorded."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

from .callers import library_of
from .record import Shown, bare, called, carried_out, followed, language_of, resolved, rise, tried
from .shadows import Shadow

WRITERS = ("__setitem__", "__delitem__", "update", "pop", "insert", "isetitem")
TAKES_TABLE = ("where", "mask", "__getitem__")
KINDS = {"str": "text", "dt": "time", "cat": "category", "index": "index"}
SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
INPLACE = {f"__i{name}__": f"__{name}__" for name in SIGNS}
LEFT = {
    *("__class__", "__new__", "__init__", "__getattribute__", "__init_subclass__", "__subclasshook__", "__dir__"),
    *("__doc__", "__sizeof__", "__hash__", "__delattr__", "__setstate__", "__reduce_ex__", "__format__", "__str__"),
    *("__class_getitem__", "dp", "attrs", "flags"),
}
INSIDE = ("pandas", "numpy")  # what pandas does on its own way is nobody's operation
MISSING = ("dtypes/missing.py", "dtypes\\missing.py")
CONCAT = ("reshape/concat.py", "reshape\\concat.py")


def _caller(frame: Any) -> str | None:
    """The library that calls; isna and notna of pandas only call the methods of these names."""
    found = library_of(frame)
    return None if found == "pandas" and frame.f_code.co_filename.endswith(MISSING) else found


def _for_pandas(of: Any) -> Any:
    if not is_seen(sys._getframe(2)):
        rise(of)
    return of._dp_real()


PANDAS = os.path.dirname(pd.__file__) + os.sep


def is_seen(frame: Any) -> bool:
    """Whether a function of pandas is at work whose result is recorded: isna, notna, concat of recorded objects."""
    while frame is not None and frame.f_code.co_filename.startswith(PANDAS):
        if frame.f_code.co_filename.endswith(MISSING):
            return True
        if frame.f_code.co_filename.endswith(CONCAT) and frame.f_code.co_name == "concat":
            objs, checks = frame.f_locals.get("objs"), frame.f_locals.get("verify_integrity")
            objs = list(objs.values()) if type(objs) is dict else objs
            return type(objs) in (list, tuple) and not checks and all(isinstance(each, Shown) for each in objs)
        frame = frame.f_back
    return False


def _wrapping(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def wrapped(self: Any, *args: Any, **options: Any) -> Any:
        library = _caller(sys._getframe(1))
        if library in INSIDE:
            return method(_for_pandas(self), *args, **options)
        if name in ("sort_values", "sort_index"):
            options.setdefault("kind", "stable")  # as the language has it: no other row decides between equals
        if name in TAKES_TABLE:
            args = tuple(resolved(each, self) for each in args)
            options = {key: resolved(each, self) for key, each in options.items()}
        if name in ("query", "eval") and "local_dict" not in options:
            options = {**options, "local_dict": _names_at(sys._getframe(1), str(args[:1]))}
        if name in WRITERS or (isinstance(options.get("inplace"), bool | np.bool_) and options["inplace"]):
            return self._dp_write(name, method, args, options)
        return carried_out(self, name, lambda: called(method, bare, (self, *args), options), args, options, library)

    return wrapped


def _names_at(frame: Any, text: str) -> dict[str, Any]:
    """What @name stands for where query or eval was called."""
    names = {**frame.f_globals, **frame.f_locals}
    return {each: names[each] for each in re.findall(r"@(\w+)", text) if each in names}


def _property(name: str) -> Any:
    def get(self: Any) -> Any:
        library = _caller(sys._getframe(1))
        if library in INSIDE:
            return getattr(_for_pandas(self), name)
        return carried_out(self, name, lambda: getattr(self._dp_real(), name), (), {}, library)

    return property(get)


def _accessor(name: str) -> Any:
    def get(self: Any) -> Any:
        library = library_of(sys._getframe(1), self._dp_rows._source.core.opening.follows)
        if library in INSIDE or (name == "index" and library is not None):
            return getattr(_for_pandas(self), name)
        real = tried(lambda: getattr(self._dp_real(), name), self)
        made = followed(self._dp_rows, name, None, lambda: getattr(language_of(self), name), self)
        return Shadow(real, made, self._dp_rows, KINDS.get(name, "groups"))

    return property(get)


def _changing(name: str) -> Callable[..., Any]:
    def changed(self: Any, other: Any) -> Any:
        found = getattr(self, name)(other)
        self._dp_become(found._dp_real(), found._dp_made)
        return self

    return changed


def wrap(cls: Any, pandas: Any) -> None:
    own = {name for base in cls.__mro__[: cls.__mro__.index(pandas)] for name in vars(base)}
    for name in sorted(set(dir(pandas)) - own - LEFT):
        found = getattr(pandas, name)
        static = next(vars(base)[name] for base in pandas.__mro__ if name in vars(base))
        is_dunder = name.startswith("__") and name.endswith("__")
        if (name.startswith("_") and not is_dunder) or isinstance(static, classmethod | staticmethod):
            continue
        if name in INPLACE:
            setattr(cls, name, _changing(INPLACE[name]))
        elif isinstance(found, type) or name in KINDS:
            setattr(cls, name, _accessor(name))
        elif callable(found) and getattr(object, name, None) is not found:
            setattr(cls, name, _wrapping(name, found))
        elif not is_dunder:
            setattr(cls, name, _property(name))
