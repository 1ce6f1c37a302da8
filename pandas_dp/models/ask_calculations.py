"""Columns that a formula makes itself, `np.log(wage)`: in the language of tables, with the ends that follow there."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ..core.schema.bounds import read_bounds
from ..errors import NoBounds, UnsupportedArgument
from ..language.column import LazyColumn
from ..language.known import Known
from ..language.table import LazyTable
from .ask import Formula
from .conclude_calculations import Calculation
from .moments.ask import check_names


def with_calculations(frame: pd.DataFrame, formula: Formula, statistic: str, keywords: Any) -> tuple[pd.DataFrame, Any]:
    """The table with these columns beside its own, and what is still to be said of those that are asked.

    A column is clamped to its ends before anything is made of it: those that the question gives, or else declares.
    """
    made = [each for each in formula.calculations if each not in frame.columns]
    if not made:
        return frame, keywords
    table = getattr(frame, "_dp_made", getattr(getattr(frame, "_dp_origin", None), "table", None))
    if not isinstance(table, LazyTable):
        raise UnsupportedArgument(
            f"{statistic} was asked to make {made[0]!s} of a table that shows nobody how its rows are made; make the "
            "column before, df.assign(z=...), and name it."
        )
    bounds = keywords.get("bounds") or {}
    if not isinstance(bounds, Mapping):
        raise UnsupportedArgument(
            f"bounds= of {statistic} names columns, e.g. bounds={{{made[0].columns[0]!r}: (1, 40)}}.", argument="bounds"
        )
    table = table.copy()
    for calculation in made:
        check_names(statistic, frame, calculation.columns)
        table[calculation] = _column(table, calculation, bounds)
    asked = {*formula.columns, keywords.get("exposure"), keywords.get("weights")}
    base = {name for calculation in made for name in calculation.columns} - asked
    return table.dp._frame, {name: _without(base, given) for name, given in keywords.items()}


def _column(table: LazyTable, calculation: Calculation, bounds: Mapping[Hashable, Any]) -> LazyColumn:
    found = calculation.of(lambda name: _clamped(table[name], name, bounds))
    if not isinstance(found, LazyColumn):
        raise UnsupportedArgument(f"{calculation!s} names no column, and is the same in every row; leave it out.")
    if found.kind == "number" and found.known.bounds is None and calculation not in bounds:
        (first, *_) = calculation.columns
        raise NoBounds(
            f"{calculation!s} has no ends that follow from those of its columns; declare them in the schema or by "
            f"bounds={{{first!r}: (1, 40)}}, of a logarithm and of what is divided by from above 0, or give those of "
            f"the result, bounds={{{str(calculation)!r}: (0, 5)}}.",
            column=first,
        )
    return found


def _clamped(column: LazyColumn, name: str, bounds: Mapping[Hashable, Any]) -> LazyColumn:
    if name in bounds:
        limits = read_bounds(bounds[name], "float", name)
        ends = float(limits.lower or 0), float(limits.upper or 0)
    elif column.kind == "condition" or column.known.bounds is None:
        return column
    else:
        ends = column.known.bounds
    clamped: LazyColumn = column.clip(*ends)
    return replace(clamped, known=Known(ends))


def _without(names: set[Any], given: Any) -> Any:
    """Of what is said by column, what is not of these; None where nothing is left."""
    if not isinstance(given, Mapping):
        return given
    return {name: each for name, each in given.items() if name not in names} or None
