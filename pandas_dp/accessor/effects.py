"""What `marginals` says of effects and ranges: read, and refused beside what goes with tables alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import BadArgument, UnsupportedArgument, wrong_value
from ..margins import MOST_BINS, WANTED, Wanted
from ..tally import Cells
from .asking import Asking


def are_wanted(measure: Any, ranges: Any, beside: Mapping[str, bool], means: bool) -> bool:
    """Whether effects are measured by themselves; refused beside what has none: `beside` says what is there, and
    `means` whether anything but counts and sums is asked for."""
    if measure not in ("tables", "effects"):
        raise wrong_value("measure", 'be "tables" or "effects"', measure)
    if measure == "tables" and ranges is None:
        return False
    how, what = ("measure='effects'", "effects") if ranges is None else ("ranges=", "counts and sums")
    there = {**beside, "aggfunc": means and ranges is not None}
    name = next((name for name, given in there.items() if given), None)
    if name is not None:
        raise UnsupportedArgument(
            f"marginals takes no {name}= beside {how}, which measures {what} of tables that agree and whose cells can "
            "all be; leave one of them out.",
            argument=name,
        )
    return True


def check_one_row(asking: Asking) -> None:
    if asking.over_rows is not None:
        raise UnsupportedArgument(
            "effects and ranges are measured of tables with one row of each person; protect such a table with "
            "one_row=True, or leave out measure= and ranges=.",
            argument="measure",
        )


def read_ranges(statistic: str, given: Any, cells: Cells) -> tuple[Wanted, ...]:
    """Of each key, which of its runs are wanted; none where there are no ranges."""
    if given is None:
        return ()
    if not isinstance(given, Mapping) or not given:
        raise wrong_value("ranges", 'map ordered keys to "prefix" or "all", e.g. {"age": "all"}', given)
    names = [key.name for key in cells.keys]
    for name, runs in given.items():
        if name not in names:
            raise UnsupportedArgument(
                f"ranges= of {statistic} names something that is no key of its tables; name keys alone.",
                argument="ranges",
            )
        if runs not in WANTED:
            raise BadArgument(f'ranges of {name!r} must be "prefix" or "all".', argument="ranges")
        check_ordered(statistic, cells, names.index(name))
    return tuple(given.get(name, "cells") for name in names)


def check_ordered(statistic: str, cells: Cells, place: int) -> None:
    key = cells.keys[place]
    if key.other:
        raise UnsupportedArgument(
            f"{statistic} tells runs of categories in their order, which other=True has no place in; leave it out, or "
            "declare all categories.",
            argument="other",
        )
    if not 2 <= key.size <= MOST_BINS:
        raise UnsupportedArgument(
            f"{statistic} tells runs of 2 to {MOST_BINS:,} categories or bins, and {key.name!r} has {key.size:,}; "
            "use bins=.",
            column=key.name,
        )


def runs_of_one(cells: Cells) -> tuple[Wanted, ...]:
    """Any run of the only key."""
    check_ordered("histogram", cells, 0)
    return ("all",)
