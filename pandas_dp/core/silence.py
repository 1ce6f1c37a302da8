"""No warning is shown while rows are read, in whichever of a process's threads: one could tell of a value."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .forks import brief

_lock, _inside = brief(threading.Lock()), list[int]()  # the threads that are in here
_kept: list[warnings.catch_warnings[Any]] = []  # Python's filters, which belong to the process, while there are some


@contextmanager
def silence() -> Iterator[None]:
    """Until the last of those who are in here has left it."""
    me = threading.get_ident()
    with _lock:
        _stay([*_inside, me])
    try:
        yield
    finally:
        with _lock:
            _inside.remove(me)
            _stay([*_inside])


def _stay(threads: Sequence[int]) -> None:
    """The first to come keeps the filters, the last to go puts them back."""
    _inside[:] = threads
    if threads and not _kept:
        _kept.append(warnings.catch_warnings())
        _kept[0].__enter__()
        warnings.simplefilter("ignore")
    elif _kept and not threads:
        _kept.pop().__exit__(None, None, None)


if hasattr(os, "register_at_fork"):  # a child has the thread that forked alone
    os.register_at_fork(after_in_child=lambda: _stay([each for each in _inside if each == threading.get_ident()]))
