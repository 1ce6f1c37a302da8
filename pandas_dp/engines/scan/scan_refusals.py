"""What is refused of tables that are scanned: from the plan and from facts that everyone knows."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ...comparisons.measure import TopOfPath
from ...core.arguments import whole_number
from ...core.label.protected_rows import shows_protected_rows
from ...core.measure.cells import Variable
from ...errors import NotProtected, UnsupportedArgument
from ...keys.measure import Occurring
from ...numeric.fold_bootstrap import numbers_of
from ...numeric.measure import Distinct, Resamples
from ...people.measure import ValuesOfPeople
from ...weaker.exact import Variance
from .scan import RowsElsewhere, Scanned

if TYPE_CHECKING:
    from ...core.plan.plan import Plan


MOST = 2**26  # numbers that one thread adds up at a time
DERIVES = ("standardize", "minmax", "winsorize", "qcut", "fillna", "rank", "target_encode")


def check_unchanged(scanned: Scanned) -> None:
    """Refused where rows are gone, or a pass found others than were scanned."""
    if isinstance(scanned.source, RowsElsewhere):
        scanned.source.check_there()
    if scanned.seen.lost:
        if isinstance(scanned.source, RowsElsewhere):
            raise NotProtected(
                f"a pass over {scanned.called} found other rows than it had at first, or than rows= said, so they are "
                "not those that were known; scan it again."
            )
        raise NotProtected(
            "the files of this table were changed since they were scanned, so its rows are not those that were known; "
            "scan them again."
        )


def check_not_protected(data: Any) -> None:
    """A table, or any of several."""
    if shows_protected_rows(data):
        raise NotProtected(
            "this table, or one that it was cut from, was protected before, and scanning it would show how many rows a "
            "filter left; scan the original."
        )


def check_scannable(plan: Plan, scanned: Scanned) -> None:
    """What one pass, or two, over rows in parts cannot answer."""
    _check_statistic(plan, scanned)
    for measurement in (step.measurement for step in plan.steps if isinstance(step.measurement, Resamples)):
        if isinstance(scanned.source, RowsElsewhere):
            raise UnsupportedArgument(
                f"resample={measurement.design!r} draws rows of all parts together, and {scanned.called} hands out "
                "none of its rows; ask with resample='moments'.",
                argument="resample",
            )
        check_replicates(measurement, scanned.seen.counted or scanned.has_everyone)
    if isinstance(scanned.source, RowsElsewhere) and scanned.source.of_people:
        _check_travels(plan, scanned.called)
    _check_model(plan, scanned)
    numbers = max((_numbers(step.measurement) for step in plan.steps), default=0)
    if numbers > MOST:
        raise UnsupportedArgument(
            f"{plan.question.statistic} would add up {numbers:,} numbers in each part of {scanned.called}, and at most "
            f"{MOST:,} are possible; use fewer cells, or coarser values.",
            numbers=numbers,
        )


def check_derives(plan: Plan, scanned: Scanned) -> None:
    """What makes columns of all rows."""
    statistic = plan.question.statistic
    if statistic in DERIVES and not getattr(scanned.source, "shows_rows", False):
        raise UnsupportedArgument(
            f"{statistic} adds a column to a protected frame; release what it needs, e.g. df['size'].dp.mean(), and "
            "write it as an expression of the scanned table, df.assign(z=(df['size'] - 3) / 2).",
            statistic=statistic,
        )


def _check_statistic(plan: Plan, scanned: Scanned) -> None:
    """What makes columns of all rows, or needs a number of rows that somebody counted."""
    check_derives(plan, scanned)
    seen, is_far = scanned.seen, isinstance(scanned.source, RowsElsewhere)
    whole = any(isinstance(step.measurement, TopOfPath) and step.measurement.size is not None for step in plan.steps)
    if whole and seen.rows is not None and not seen.counted:
        raise UnsupportedArgument(
            "the number of rows was given, not counted, and ks_test needs it; ask something else first, which counts "
            f"them, or {'protect' if is_far else 'scan'} without rows=.",
            argument="rows",
        )


def _check_model(plan: Plan, scanned: Scanned) -> None:
    """What weaker promises need of rows that stay where they are."""
    if any(isinstance(step.measurement, Variance) for step in plan.steps):
        raise UnsupportedArgument(
            f"the variance under model={plan.model.name!r} needs the rows near the middle, of which {scanned.called} "
            "may have any number; ask with model='dp'.",
            model=plan.model.name,
        )
    if plan.model.rows is not None:
        raise UnsupportedArgument(
            "further_rows= are added to rows in memory; leave them out, or protect a frame.", argument="further_rows"
        )


def _check_travels(plan: Plan, called: str) -> None:
    """What would send from task to task who has which value, or any number of values."""
    measurements = [step.measurement for step in plan.steps]
    if any(isinstance(measurement, ValuesOfPeople) for measurement in measurements):
        raise UnsupportedArgument(
            f"max_values= hands out values to those who have them, and who has which would travel from task to task of "
            f"{called}; ask a table that is scanned, or for the values of one row a person.",
            argument="max_values",
        )
    if any(isinstance(measurement, Occurring) for measurement in measurements):
        raise UnsupportedArgument(
            f"keys that nobody declared may be any number, and travel from task to task of {called}; "
            "declare them, categories=[...], or ask a table that is scanned.",
            argument="categories",
        )


def check_replicates(measurement: Resamples, counted: bool) -> None:
    """Which replicates cannot be made of rows in parts."""
    if measurement.design != "half-sample":
        raise UnsupportedArgument(
            f"resample={measurement.design!r} takes all rows at once, and a scanned table is read in parts; ask with "
            "resample='half-sample' or 'moments'.",
            argument="resample",
        )
    if not counted:
        raise UnsupportedArgument(
            "the number of rows was given, not counted, and half of them are drawn; ask something else first, which "
            "counts them, or scan without rows=.",
            argument="rows",
        )
    numbers = numbers_of(measurement.size, measurement.replicates)
    if numbers > MOST:
        raise UnsupportedArgument(
            f"{measurement.replicates:,} half-samples of so many rows would take {numbers:,} numbers to draw, and at "
            f"most {MOST:,} are possible; ask for fewer replicates.",
            argument="bootstrap",
        )


def _numbers(measurement: Any) -> int:
    """In a partial: cells and coordinates, or cells and values."""
    if isinstance(measurement, Distinct):
        item = measurement.item
        values = item.interval.grid.points if isinstance(item, Variable) else item.size
        return measurement.cells.size * values
    cells = getattr(measurement, "cells", None)
    shape = getattr(cells, "shape", ())
    return prod(shape) * len(getattr(measurement, "monomials", ((),)))


def check_number(rows: object, public: bool, hides: str = "neighbours='add_remove'") -> int | None:
    """How many rows there are, as the keeper says."""
    if rows is None:
        return None
    found = whole_number("rows", rows, 0, 2**53)
    if not public:
        raise UnsupportedArgument(
            f"rows= says how many rows there are, and {hides} hides it; leave it out.", argument="rows"
        )
    return found


def check_same(said: int, counted: int) -> None:
    """Footers of files say how many there are."""
    if said != counted:
        raise UnsupportedArgument(
            f"rows= says {said:,}, and the files say {counted:,}; leave it out, or give the files that were meant.",
            argument="rows",
        )


def not_blocks(scanned: Any) -> None:
    """Blocks hand rows to a function."""
    if scanned is not None:
        raise UnsupportedArgument(
            f"blocks hand rows of the whole table to a function, and {scanned.called} hands out none; protect a frame."
        )


def check_no_rows(rows: object) -> None:
    """Of a table in memory everybody who holds it knows how many there are."""
    if rows is not None:
        raise UnsupportedArgument(
            "rows= says how many rows there are where they would have to be counted, and this table is in memory; "
            "leave it out.",
            argument="rows",
        )
