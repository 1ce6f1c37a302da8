"""Which column says how long and which says whether an event ended it: told from what is declared alone."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from ..domain import Categories, Domain
from ..errors import UnsupportedType

TRUTH = {False, True}


def true_or_false(domain: Domain, event: Hashable) -> tuple[Categories, bool]:
    """No and yes, and whether a row may have neither; where nothing was declared the question itself says so."""
    gaps = domain.may_lack(event)
    if not domain.declares(event):
        return Categories((False, True)), gaps
    if not _is_truth(domain, event):
        raise UnsupportedType(
            f"column {event!r} is not declared true or false; survival needs to know whether the time ended by an "
            "event: make such a column before protect.",
            column=event,
        )
    return Categories((False, True)), gaps


def check_order(domain: Domain, time: Hashable, event: Hashable) -> None:
    """A time of which no more than yes or no is declared is none, and may have been meant as the event."""
    if not _is_truth(domain, time):
        return
    why, listed = f"column {time!r} is declared true or false, which is no time", domain.is_listed(time)
    measured = domain.is_measured(event) and not _is_truth(domain, event)
    if measured or (listed and not domain.declares(event)):
        raise _swapped(time, event, why)
    if listed:
        raise UnsupportedType(f"{why}; survival needs how long each row was followed.", column=time)


def check_bounded(time: Hashable, event: Hashable, bounds: Any) -> None:
    """Bounds that a question brings are those of the time."""
    if isinstance(bounds, Mapping) and list(bounds) == [event]:
        raise _swapped(time, event, f"bounds= was given for column {event!r}, which is the second")


def _is_truth(domain: Domain, column: Hashable) -> bool:
    """Whether its declared values are false and true, or 0 and 1."""
    listed = domain.is_listed(column) and set(domain.categories(column).values) == TRUTH
    return listed or domain.is_condition(column)


def _swapped(time: Hashable, event: Hashable, why: str) -> UnsupportedType:
    return UnsupportedType(
        f"survival takes the time first and the event second, and {why}; are the two swapped? Then ask "
        f"survival({event!r}, {time!r}).",
        column=time,
    )
