"""`bounds="private"`: a share of the cost chooses bounds inside of those that are declared, far too wide."""

from __future__ import annotations

from collections.abc import Hashable

from ..domain import Domain
from ..errors import NoBounds, UnsupportedArgument


def check_private(statistic: str, of_column: bool, as_usual: bool, mechanism: object) -> None:
    """Refuses what cannot be asked within bounds that are chosen on the way; `as_usual` is of rows of a person each,
    not weighted nor replicated, under dp."""
    if statistic != "mean":
        raise _not_so(
            f"bounds='private' is for mean; ask {statistic} within bounds that are released first, by giving what "
            "column.dp.choose_bounds(among=...) releases as bounds=."
        )
    if not of_column:
        raise _not_so(
            "bounds='private' is for the mean of one column, df[column].dp.mean(bounds='private'); elsewhere give what "
            "column.dp.choose_bounds(among=...) releases as bounds=."
        )
    if not as_usual:
        raise _not_so(
            "bounds='private' is offered with model='dp', for one row of each person, without weights= and bootstrap=; "
            "elsewhere say which bounds, bounds=(lower, upper)."
        )
    if mechanism != "auto":
        raise _not_so("bounds='private' takes several mechanisms, which it chooses itself; leave mechanism= out.")


def check_declared(column: Hashable, domain: Domain) -> None:
    """Refuses a column that has no range, in which bounds could be chosen."""
    if not domain.is_measured(column):
        raise NoBounds(
            f"column {column!r} has no declared bounds, inside of which bounds='private' could choose; declare some in "
            "the schema, as wide as need be, or give what column.dp.choose_bounds(among=...) releases as bounds=.",
            column=column,
        )


def _not_so(sentence: str) -> UnsupportedArgument:
    return UnsupportedArgument(sentence, argument="bounds")
