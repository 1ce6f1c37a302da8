"""Packages that only some ways of publishing need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import MissingExtra


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Say by name which extra is missing, where pandas says which package."""
    try:
        yield
    except ImportError as error:
        raise MissingExtra(
            f'this way of publishing needs packages that are not installed; pip install "pandas-dp[{extra}]".',
            extra=extra,
        ) from error
