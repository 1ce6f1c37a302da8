"""Reads the values of arguments: each returns what was meant, or refuses it by the argument's name."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from .errors import wrong_value


def is_number(value: object) -> bool:
    """Real, of Python or numpy; True and False are none.

    Examples
    --------
    >>> is_number(2.5), is_number(True), is_number("2")
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """An integer, of Python or numpy; 2.0, True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def a_number(name: str, value: Any, low: float, high: float) -> float:
    """Strictly between the ends.

    Examples
    --------
    >>> a_number("confidence", 0.9, 0, 1)
    0.9
    """
    if not is_number(value) or not low < value < high:
        raise wrong_value(name, f"lie between {low:g} and {high:g}", value)
    return float(value)


def whole_number(name: str, value: Any, low: int, high: int) -> int:
    """From one end to the other, both included."""
    if not is_whole(value) or not low <= value <= high:
        raise wrong_value(name, f"be a whole number from {low:,} to {high:,}", value)
    return int(value)


def a_flag(name: str, value: Any) -> bool:
    """True or False; nothing that merely counts as one of them."""
    if not isinstance(value, bool):
        raise wrong_value(name, "be True or False", value)
    return value


def one_of(name: str, value: Any, allowed: Sequence[str]) -> Any:
    """A name that is offered.

    Examples
    --------
    >>> one_of("kind", "ratio", ["difference", "ratio"])
    'ratio'
    """
    if not isinstance(value, str) or value not in allowed:
        *others, last = map(repr, allowed)
        raise wrong_value(name, f"be {', '.join(others)} or {last}", value)
    return value
