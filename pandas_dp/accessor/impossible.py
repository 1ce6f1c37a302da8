"""Cells that cannot be in a synthesis: as `structural_zeros=` says, and of categories in groups that they do not
belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import UnsupportedArgument
from ..margins import Graph, Zeros, fit_model
from ..release import reading_labels
from ..statistics import Impossible
from ..tally import Reading

MOST_MODEL = 300_000  # cells


def impossible_cells(readings: Sequence[Reading], structural_zeros: Any) -> Impossible:
    """Each rule over the keys that it names, and each level over itself and its column."""
    declared = _declared(readings, structural_zeros)
    tied = [_tied(readings, at) for at, reading in enumerate(readings) if reading.key.level is not None]
    if not declared and not tied:
        return Impossible()
    said = "; ".join(f"{kept}: {np.argwhere(~possible).tolist()}" for kept, possible in declared)
    found = Impossible((*declared, *tied), said)
    check_possible([reading.size for reading in readings], found)
    return found


def _declared(readings: Sequence[Reading], rules: Any) -> list[Zeros]:
    rules = [] if rules is None else [rules] if isinstance(rules, Mapping) else rules
    if not isinstance(rules, list | tuple) or not all(isinstance(rule, Mapping) and rule for rule in rules):
        raise UnsupportedArgument(
            "structural_zeros must be mappings from keys to categories, "
            'e.g. [{"age": "0-14", "work": ["full", "part"]}].'
        )
    names, found = [reading.key.name for reading in readings], []
    for rule in rules:
        if not all(name in names for name in rule):
            raise UnsupportedArgument("structural_zeros name what is no column of this synthesize; name its columns.")
        kept = tuple(sorted(names.index(name) for name in rule))
        possible = np.ones([readings[place].size for place in kept], dtype=bool)
        possible[np.ix_(*(_places(readings[place], rule[names[place]]) for place in kept))] = False
        if not possible.any():
            raise UnsupportedArgument("structural_zeros leave no cell that can be.")
        found.append((kept, possible))
    return found


def _tied(readings: Sequence[Reading], at: int) -> Zeros:
    """Each category of the column in its group alone; a missing value is missing in both."""
    level = readings[at].key
    column = next(
        place for place, each in enumerate(readings) if each.key.column == level.column and each.key.level is None
    )
    groups = [*level.places, *([level.size] if readings[at].missing else [])]
    possible = np.zeros((len(groups), readings[at].size), dtype=bool)
    possible[np.arange(len(groups)), groups] = True
    return ((column, at), possible)


def check_possible(sizes: Sequence[int], impossible: Impossible) -> None:
    """A model has room for the rules, and some row can be."""
    cells = Graph.of(sizes, impossible.tables).cells
    if cells > MOST_MODEL:
        raise UnsupportedArgument(
            f"a model with these structural_zeros and hierarchies has {cells:,} cells, and at most {MOST_MODEL:,} are "
            "possible; name fewer keys in one rule, and fewer or smaller levels.",
            argument="structural_zeros",
        )
    if not fit_model(sizes, [], 1.0, impossible.zeros).is_possible:
        raise UnsupportedArgument("structural_zeros leave no cell that can be.")


def _places(reading: Reading, given: Any) -> list[int]:
    labels = reading_labels(reading)
    values = list(given) if isinstance(given, list | tuple | set | frozenset) else [given]
    found = [place for value in values if (place := place_of(labels, value)) is not None]
    if len(found) < len(values):
        raise UnsupportedArgument(
            f"structural_zeros name a category of {reading.key.name!r} that was not declared; use the declared ones.",
            column=reading.key.name,
        )
    return found


def place_of(labels: Sequence[Any], value: Any) -> int | None:
    """Where a category is among labels, of which the last may be of missing values."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return len(labels) - 1 if pd.isna(labels[-1]) else None
    return list(labels).index(value) if value in labels else None
