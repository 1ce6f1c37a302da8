"""Random bits from the operating system. No generator, no seed, and nothing kept between calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import numpy.typing as npt

Source = Callable[[int], bytes]

_source: ContextVar[Source] = ContextVar("pandas_dp.noise.source", default=os.urandom)


def words(count: int, width: int, *, signed: bool = False) -> npt.NDArray[Any]:
    """`count` independent uniform words of `width` bits (8, 16, 32 or 64), as an array of that dtype."""
    kind = "i" if signed else "u"
    return np.frombuffer(_source.get()(count * width // 8), dtype=f"<{kind}{width // 8}")


def integers(count: int, width: int) -> list[int]:
    """`count` independent uniform integers of `width` bits, whatever the width."""
    step = -(-width // 8)
    block, spare = _source.get()(count * step), 8 * step - width
    return [int.from_bytes(block[at : at + step], "little") >> spare for at in range(0, count * step, step)]


def integer(width: int) -> int:
    """One uniform integer of `width` bits."""
    return integers(1, width)[0] if width else 0


def is_secure() -> bool:
    """Whether the bits come from the operating system."""
    return _source.get() is os.urandom


@contextmanager
def replaced(source: Source) -> Iterator[None]:
    """Take the bits from `source` instead, in this context only: for tests, never for a release."""
    token = _source.set(source)
    try:
        yield
    finally:
        _source.reset(token)
