"""Whose code carries an operation out: the analyst's, or a library's, which may have looked at all rows on the way."""

from __future__ import annotations

import os
import site
import sys
import sysconfig
from collections.abc import Collection
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

STARTING = ("threading", "concurrent", "multiprocessing", "asyncio")
"""What only starts the code of a text, as that of `python -c` in a thread."""
_PATHS = ("purelib", "platlib", "stdlib")
_INSTALLED = ("site-packages", "dist-packages")
HOUSE = __name__.partition(".")[0]
_TEXT: Any = object()  # code of a text, as eval runs it
_UNNAMED: Any = object()  # the same, if it stands in no module


def library_of(frame: FrameType | None, follows: Collection[str] = ()) -> str | None:
    """The library whose code runs in a frame, or has called the house there; None where it is the analyst's.

    A library is a file below the folders in which the running Python has its own modules and installed ones, and a
    library is called as its top module. `follows` are modules or distributions that count as the analyst's.
    """
    of_text = False
    while frame is not None:
        found = _KNOWN[frame.f_code.co_filename]
        if found is None:
            return None
        if found is _UNNAMED and "__name__" in frame.f_globals:
            return None
        of_text = of_text or found is _TEXT or found is _UNNAMED
        if of_text and found in STARTING:
            return None
        if found is not HOUSE and type(found) is str:
            return None if follows and is_followed(found, follows) else found
        frame = frame.f_back
    return None


def is_followed(library: str, follows: Collection[str]) -> bool:
    """Whether it is one of these modules, or of the modules of these distributions."""
    return library in follows or not _distributions().get(library, frozenset()).isdisjoint(map(_as_written, follows))


def library_at(filename: str) -> str | None:
    """The library that a file belongs to, by where it lies; None where it is of none."""
    if filename.startswith("<frozen "):
        return filename[len("<frozen ") : -1].partition(".")[0]
    parts = _parts(filename)
    if parts[: len(_OWN)] == _OWN:
        return HOUSE
    inside = [root for root in _folders() if parts[: len(root)] == root and len(parts) > len(root)]
    if inside:
        return parts[max(map(len, inside))].partition(".")[0]
    return next((name for name, own in _packages().items() if parts[: len(own)] == own), None)


class _Known(dict[str, Any]):
    """Of each name of a file whose it is, found once."""

    def __missing__(self, filename: str) -> Any:
        self[filename] = found = _found(filename)
        return found


def _found(filename: str) -> Any:
    if filename == "<string>":
        return _TEXT
    if not filename or (filename.startswith("<") and not filename.startswith("<frozen ")):
        return _UNNAMED
    return library_at(filename)


def _parts(path: str) -> tuple[str, ...]:
    return Path(os.path.normcase(os.path.realpath(path))).parts


@cache
def _folders() -> frozenset[tuple[str, ...]]:
    """The folders of Python's own modules, and of installed ones."""
    user = sysconfig.get_preferred_scheme("user")
    found = [sysconfig.get_path(name, *scheme) for name in _PATHS for scheme in ((), (user,))]
    found += [path for path in (*site.getsitepackages(), *sys.path) if os.path.basename(path) in _INSTALLED]
    return frozenset(_parts(path) for path in found if path)


@cache
def _packages() -> dict[str, tuple[str, ...]]:
    """Where the libraries lie that make rows, installed or not."""
    specs = {name: find_spec(name) for name in ("pandas", "numpy")}
    return {name: _parts(spec.origin)[:-1] for name, spec in specs.items() if spec is not None and spec.origin}


@cache
def _distributions() -> dict[str, frozenset[str]]:
    return {name: frozenset(map(_as_written, each)) for name, each in packages_distributions().items()}


def _as_written(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


_OWN = _parts(__file__)[:-2]
_KNOWN = _Known()
