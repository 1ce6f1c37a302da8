"""Locks that a fork leaves usable. A child has the thread that forked alone: what another held is held for ever."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

L = TypeVar("L")

_brief: list[Any] = []
_long: weakref.WeakSet[Turn] = weakref.WeakSet()
_made = itertools.count()


def brief(lock: L) -> L:
    """A module's lock that is held for moments, and under which no other is taken: a fork waits for it, so what it
    guards is whole in the child."""
    _brief.append(lock)
    return lock


class Turn:
    """A lock, in `lock`, that may be held for as long as a question takes: a fork does not wait for it, and the child
    gets a new one.

    Where the thread that forks holds it, so does the child. Else the child does what `then` says, too.
    """

    def __init__(self, make: Callable[[], Any] = threading.Lock, then: Callable[[], None] | None = None) -> None:
        self.make, self.then, self.lock, self.number = make, then, make(), next(_made)
        _long.add(self)

    def after_fork(self) -> None:
        """In the child."""
        if self.lock.acquire(blocking=False):  # nobody's, or this thread's
            self.lock.release()
            return
        self.lock = self.make()
        if self.then is not None:
            self.then()


def _before_fork() -> None:
    for lock in _brief:
        lock.acquire()


def _after_fork() -> None:
    for lock in _brief:
        lock.release()


def _in_child() -> None:
    _after_fork()
    for turn in sorted(_long, key=lambda each: -each.number):  # inner ones first
        turn.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)
