"""The numbers of a release one by one: where each is, and which measurement it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...errors import NotConcluded, UnsupportedArgument, shown
from ..arrays import Floats
from ..evidence.evidence import Evidence
from ..evidence.noise import Noise
from ..label.label import Label
from ..label.layout import Place, Released
from ..label.part import ReleasePart
from .confint import items_of


@dataclass(frozen=True)
class Numbers:
    """A released table as a grid of its estimates, without the columns beside them."""

    released: Released
    places: list[list[Place]]  # row by row
    rows: pd.Index
    columns: pd.Index | None  # None: one column without a name of its own

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> Numbers:
        released = Released.of(table, parts=True)
        if released.label.is_reworked:
            raise NotConcluded(
                "this release was rounded or adjusted; conclude from it as it was before.", release=released.label.id
            )
        places, layout = released.layout.places(len(released.label.evidence)), released.layout
        if released.part is None:
            return cls(released, places, layout.rows, layout.columns)
        return cls(released, *_of_part(places, released, released.part))

    @property
    def label(self) -> Label:
        return self.released.label

    @property
    def evidence(self) -> list[Evidence]:
        return self.released.evidence

    @property
    def all(self) -> list[Place]:
        return [place for row in self.places for place in row]

    @property
    def index(self) -> pd.Index:
        """A label for each number: that of its row, and of its column where there are several."""
        if self.columns is None:
            return self.rows
        if len(self.columns) == 1:
            return self.rows
        pairs = [(*_parts(row), *_parts(column)) for row in self.rows for column in self.columns]
        return pd.MultiIndex.from_tuples(pairs, names=[*self.rows.names, *self.columns.names])

    def row_or_cell(self, name: Any) -> list[Place]:
        """The numbers of a row by its label, or one number by the labels of its row and column."""
        row = _position(self.rows, name)
        if row is not None:
            return self.places[row]
        cell = self._cell(name)
        if cell is not None:
            return [cell]
        what = "no such cell" if isinstance(name, tuple) else f"no row {shown(name)}"
        raise UnsupportedArgument(f"this release has {what}; name two of its rows, or two cells as (row, column).")

    def _cell(self, name: Any) -> Place | None:
        """The number at the labels of a row and a column, each a tuple where it has several levels, or all in one."""
        if self.columns is None or not isinstance(name, tuple):
            return None
        depth, labels = self.rows.nlevels, name
        if len(name) == 2:
            labels = (*_parts(name[0]), *_parts(name[1]))
        if len(labels) != depth + self.columns.nlevels:
            return None
        row = _position(self.rows, labels[0] if depth == 1 else labels[:depth])
        column = _position(self.columns, labels[-1] if self.columns.nlevels == 1 else labels[depth:])
        return None if row is None or column is None else self.places[row][column]

    def kind(self, place: Place) -> str:
        return str(self.label.evidence[place[0]]["type"])

    def column(self, place: Place) -> Any:
        return self.label.evidence[place[0]]["column"]


def _of_part(
    places: list[list[Place]], released: Released, part: ReleasePart
) -> tuple[list[list[Place]], pd.Index, pd.Index | None]:
    """Of a part of a release its numbers, row by row as the table has them, and their labels."""
    shown = released.shown
    if released.is_rectangle:
        grid = np.empty((len(places), len(places[0])), dtype=object)
        for row, column in np.ndindex(*grid.shape):
            grid[row, column] = places[row][column]
        return part.taken(grid).tolist(), shown.index, shown.columns
    if part.turned:
        raise NotConcluded("this table was turned, and holds measures beside its numbers; turn it back by .T first.")
    items, firsts = items_of(part, released, len(places[0]))
    columns = None if shown.columns.nlevels == 1 else shown.columns[firsts].droplevel(-1)  # type: ignore[arg-type]
    return [[places[row][item] for item in items] for row in part.rows], shown.index, columns


def releases(labels: Sequence[Label]) -> list[dict[str, Any]]:
    """Every release that was paid for, once; a combined one counts as its parts."""
    each = [part for label in labels for part in label.releases or [vars(label)]]
    paid = {part["id"]: {name: part[name] for name in FACTS} for part in each}
    if len(paid) < len(each):
        raise NotConcluded("the same release was passed twice; pass each release once.")
    return list(paid.values())


FACTS = ("id", "session", "entry", "model", "neighbours", "epsilon", "delta", "rho")


def summed_cost(paid: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Epsilons and deltas add, and rhos add; a sum of both kinds has both parts."""
    gaussian = [part for part in paid if part["rho"] is not None]
    others = [part for part in paid if part["rho"] is None]
    leaking = [part for part in gaussian if part["epsilon"] is None and part["delta"]]
    return {
        "epsilon": sum(part["epsilon"] for part in others) if others else None,
        "delta": sum(part["delta"] for part in (*others, *leaking)) if others or leaking else None,
        "rho": sum(part["rho"] for part in gaussian) if gaussian else None,
    }


def _parts(label: Any) -> tuple[Any, ...]:
    return label if isinstance(label, tuple) else (label,)


def _position(index: pd.Index, name: Any) -> int | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.PerformanceWarning)  # tables come in their declared order
            found = index.get_loc(name)
    except (KeyError, TypeError, ValueError, pd.errors.InvalidIndexError):
        return None
    return int(found) if isinstance(found, int | np.integer) else None


At = npt.NDArray[np.int64]


def known_noise(evidence: Evidence, target: str) -> tuple[Noise, ...] | None:
    """The noise that a number has for itself; None where it is shared, or is not all."""
    try:
        return evidence.own_noise(target)
    except NotConcluded:
        if evidence.has_intervals:
            return None
        raise


def ends_of_difference(
    first: tuple[Evidence, At], second: tuple[Evidence, At], target: str
) -> Callable[[Floats], tuple[Floats, Floats]]:
    """The ends of each difference at a level of its own."""

    def ends(levels: Floats) -> tuple[Floats, Floats]:
        (low1, high1), (low2, high2) = (ends_at(*side, (1 + levels) / 2, target) for side in (first, second))
        return low1 - high2, high1 - low2

    return ends


def ends_of_ratio(
    first: tuple[Evidence, At], second: tuple[Evidence, At], level: float, target: str
) -> tuple[Floats, Floats]:
    """All quotients of a number in one interval and one in the other; without end where the second may be nothing."""
    levels = np.full(len(first[1]), (1 + level) / 2)
    (low1, high1), (low2, high2) = (ends_at(*side, levels, target) for side in (first, second))
    quotients = np.stack([low1 / low2, low1 / high2, high1 / low2, high1 / high2])
    apart = (low2 > 0) | (high2 < 0)
    nothing = np.where(low1 >= 0, np.where(low2 >= 0, 0.0, -np.inf), -np.inf)
    return np.where(apart, quotients.min(axis=0), nothing), np.where(apart, quotients.max(axis=0), np.inf)


def error_at_most(first: tuple[Evidence, At], second: tuple[Evidence, At], target: str) -> Floats:
    """No two errors are farther off together than the sum of both; NaN where one is not said."""
    sides = [(evidence.std_error(target), at) for evidence, at in (first, second)]
    known = [np.full(len(at), np.nan) if error is None else np.asarray(error, dtype=float)[at] for error, at in sides]
    return np.asarray(known[0] + known[1])


def ends_at(evidence: Evidence, at: At, levels: Floats, target: str) -> tuple[Floats, Floats]:
    """The ends of single numbers, each at its own level."""
    found: dict[float, Any] = {level: evidence.interval(level, target) for level in set(levels.tolist())}
    pairs = [(found[level][0][i], found[level][1][i]) for level, i in zip(levels.tolist(), at, strict=True)]
    low, high = np.array(pairs, dtype=float).T
    return low, high
