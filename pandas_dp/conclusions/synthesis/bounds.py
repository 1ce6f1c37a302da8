"""How far tables of a model are from the data at most, where that was asked for and paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import pandas as pd

from ...dataclass import dataclass
from ...errors import NotConcluded
from ...evidence import TableDistances
from ...margins import Kept
from ...release import Label, Released
from .described import Described
from .keys import Key


@dataclass(frozen=True)
class Bound:
    """Over these keys of the model, the sum over any cells of the rounded table is off by at most so many rows.

    It holds together with all others of its release, at the confidence of that.
    """

    kept: Kept
    most: float
    label: Label


def with_distance(of: Described, table: Released | pd.DataFrame) -> Described:
    """The same with what a release of its distance says; refused where that is of anything else."""
    released = Released.of(table)
    evidence = released.evidence[0]
    if not isinstance(evidence, TableDistances):
        raise NotConcluded("with_distance takes a release of distance(synthesis), and this is none.")
    if evidence.of != "synthesis":
        raise NotConcluded(
            "this is the distance of rows, and bounds these rows alone: the synthesis they were drawn from may be "
            "farther off; ask for distance(synthesis)."
        )
    if evidence.compared != of.digest:
        raise NotConcluded("this is the distance of another synthesis; ask for that of this one.")
    return replace(of, distances=(*of.distances, released.published()))


def bounds_of(of: Described) -> list[Bound]:
    """All that was paid for."""
    found = []
    for release in of.distances:
        released = Released.of(release)
        (evidence,) = released.evidence
        assert isinstance(evidence, TableDistances)
        most, _ = evidence.most_rows(released.label.confidence)
        columns = [of.key(name).place for name in released.label.columns]
        for table, each in zip(evidence.tables, most, strict=False):  # behind them stands their mean
            found.append(Bound(tuple(sorted(columns[at] for at in table)), float(each), released.label))
    return found


def bound_of(of: Described, keys: Sequence[Key], where: Sequence[Key]) -> tuple[float, Label] | None:
    """By how many rows each number of a table over these keys is off at most, by the closest of the bounds: half a row
    more for each cell that it adds up, as the table that was compared was rounded."""
    if any(key.level is not None for key in (*keys, *where)):
        return None
    shown, found = {key.place for key in keys}, []
    wanted = shown | {key.place for key in where}
    for bound in bounds_of(of):
        if wanted <= set(bound.kept):
            cells = prod(of.keys.sizes[place] for place in bound.kept if place not in shown)
            found.append((bound.most + cells / 2, bound.label))
    return min(found, key=lambda each: each[0], default=None)
