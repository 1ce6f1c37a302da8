"""Noise, names and ids that a test finds again in every run: they are drawn from the name of the test.

So nothing that passes fails by luck later. How the operating system is asked is tested where this is switched off by
the mark `new_noise`; with PANDAS_DP_NOISE=new in the environment it is off everywhere, to see that other noise does.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from random import Random
from types import SimpleNamespace
from typing import TypeVar
from unittest.mock import patch

import numpy as np

from pandas_dp.audit import noise
from pandas_dp.core.noise.samplers import bits

T = TypeVar("T")
IS_OFF = os.environ.get("PANDAS_DP_NOISE") == "new"


def chosen(options: Sequence[T], name: str, many: int = 1) -> list[T]:
    """So many of the options, which a name decides: for other names others, and in every run the same."""
    return Random(f"chosen for {name}").sample(list(options), many)


class Stream:
    """Bytes from a name; a process that was forked off gets those of the operating system, not its parent's again."""

    def __init__(self, name: str) -> None:
        self.generator = np.random.default_rng(list(hashlib.sha256(name.encode()).digest()))
        self.process = os.getpid()

    def __call__(self, count: int | None = None) -> bytes:
        count = 32 if count is None else count
        return self.generator.bytes(count) if os.getpid() == self.process else os.urandom(count)


@contextmanager
def drawn_from(name: str) -> Iterator[None]:
    """In all threads; `seeded_noise` and its like work inside as ever, and releases count as secure."""
    stream = Stream(name)
    system = SimpleNamespace(urandom=stream)
    with ExitStack() as all_of:
        for place, attribute, mine in [
            (bits, "_source", ContextVar("source", default=stream)),
            (bits, "os", system),
            (noise, "os", system),
            (secrets, "token_bytes", Stream(f"names of {name}")),
        ]:
            all_of.enter_context(patch.object(place, attribute, mine))
        yield
