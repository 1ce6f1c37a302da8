"""A bar for work that lasts over a second, where tqdm is installed; silent otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def shown(items: Iterable[Item], total: int, what: str) -> Iterable[Item]:
    """The same items; how many there are is public.

    Examples
    --------
    >>> list(shown(iter("abc"), 3, "letters"))
    ['a', 'b', 'c']
    """
    try:
        from tqdm.auto import tqdm  # late: an extra
    except Exception:  # noqa: BLE001 - it is not there, or fails: no bar is worth an answer that is paid
        return items
    bar: Iterable[Item] = tqdm(items, total=total, desc=what, delay=1, leave=False)
    return bar
