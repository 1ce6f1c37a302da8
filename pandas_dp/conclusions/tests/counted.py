"""A released table of counts as an array with an axis for each key, and the law of its noise; or a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...errors import NotConcluded, wrong_value
from ...evidence import Amounts, Noise, Part, Shares, Tables, Unsaid
from ...laws import Law
from ...reading import is_whole
from ...release import Label, Released
from .masses import Masses

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

LARGEST = 2.0**50  # whole numbers well within what a float64 holds exactly


@dataclass(frozen=True)
class Counted:
    """Noisy counts, an axis for each key; keys with one category have none."""

    counts: Floats
    keys: tuple[str, ...]
    law: Law
    label: Label
    rows: pd.Index
    columns: pd.Index
    possible: Flags | None = None  # where cells were declared impossible

    def as_table(self, numbers: Floats) -> pd.DataFrame:
        """In the shape of the release, its margins left out."""
        return pd.DataFrame(numbers.reshape(len(self.rows), len(self.columns)), index=self.rows, columns=self.columns)

    @property
    def noise(self) -> str:
        return f"{self.law.distribution} with standard deviation {self.law.sd:.4g}, taken into account"

    def rng(self, seed: int | np.random.Generator | None) -> np.random.Generator:
        """Unless asked otherwise, one that depends on the released table alone: same table, same p value."""
        if isinstance(seed, np.random.Generator):
            return seed
        if not (seed is None or (is_whole(seed) and seed >= 0)):
            raise wrong_value("seed", "be a whole number from 0, a numpy Generator or None", seed)
        return np.random.default_rng(int(self.label.digest[:16], 16) if seed is None else seed)


def counted(table: Released | pd.DataFrame) -> Counted:
    """Read a release; only counts whose noise is public can be tested."""
    released = Released.of(table)
    label, evidence = released.label, _evidence(released)
    rows, columns = released.frame.index, released.frame.columns
    possible: Flags | None = None
    if isinstance(evidence, Tables):
        values, noise, rows, columns = _own_cells(evidence, rows, columns)
        if evidence.zeros:
            possible = np.ones(len(values), dtype=bool)
            possible[list(evidence.zeros)] = False
    else:
        assert evidence.noise is not None
        values, noise = np.asarray(evidence.values, dtype=np.float64), evidence.noise
        if evidence.margins:
            down, across = evidence.margins
            values = values.reshape(down + 1, across + 1)[:-1, :-1].ravel()
            rows, columns = _interior(rows), _interior(columns)
    if not released.is_rectangle or not _keyed(columns):
        columns = columns[:1]
    shape, keys = _axes(rows, columns)
    if int(np.prod(shape)) != len(values):
        raise NotConcluded("the cells of this table are not all combinations of its keys.")
    if noise.step != 1 or label.bases or any(decimals < 0 for decimals in label.rounded):
        raise NotConcluded(
            "the counts were rounded, which no test allows for; conclude from the table before rounding."
        )
    law = noise.law
    if not law.falls:
        raise NotConcluded(
            "the noise of this table was made from a loss that does not grow with the error, which no test models; "
            "use a loss that grows."
        )
    if not np.isfinite(law.variance):
        raise NotConcluded(
            f"{law.distribution} noise depends on the count it hides, which the tests do not model; "
            "ask for laplace, gaussian or truncated noise."
        )
    if not np.all(np.abs(values) <= LARGEST) or np.any(np.isneginf(Masses(law).log(np.minimum(values, 0.0)))):
        raise NotConcluded("a number in this table is larger, or lower, than counts with this noise can be.")
    there = None if possible is None else possible.reshape(shape)
    return Counted(values.reshape(shape), keys, law, label, rows, columns, there)


def _evidence(released: Released) -> Amounts | Tables:
    """The one count that the release holds for each cell."""
    label = released.label
    if label.adjusted:
        raise NotConcluded("this table was adjusted after its release; conclude from the table before.")
    counts = released.evidence[0] if len(label.evidence) == 1 else None
    if isinstance(counts, Unsaid):
        raise NotConcluded(
            "the noise of this release was scaled by the data, and is private, so no test can take it into account; "
            "ask with model='dp'."
        )
    if isinstance(counts, Shares):
        raise NotConcluded("these are shares; conclude from the counts that they were made from.")
    if isinstance(counts, Part):
        raise NotConcluded(
            "numbers that were read off several tables share noise, which no test models; test the release that they "
            "were read from, of stored tables tables.releases[name], where it shows the table over all its keys."
        )
    if not isinstance(counts, Amounts | Tables) or counts.statistic != "count":
        raise NotConcluded(
            f"this needs one table of counts, and this release holds {_what(label)}; ask for crosstab without values=, "
            "value_counts, histogram or groupby(...).size."
        )
    if isinstance(counts, Amounts) and counts.noise is None:
        raise NotConcluded(
            "the noise of this table is not public, or there is none, so it cannot be taken into account."
        )
    if label.releases:
        raise NotConcluded(
            "this table combines several releases, whose averaged noise no test of tables models; "
            "ask once with the whole cost, or conclude from one of them."
        )
    return counts


def _what(label: Label) -> str:
    """What a release holds in place of one table of counts."""
    (first, *others) = label.evidence
    if others:
        return "several statistics, or columns"
    statistic, column = first.get("statistic") or label.statistic, first.get("column")
    return f"the {statistic}" + ("" if column is None else f" of {column!r}")


def _own_cells(tables: Tables, rows: pd.Index, columns: pd.Index) -> tuple[Floats, Noise, pd.Index, pd.Index]:
    """The cells over all keys before they were fitted to margins, and their labels."""
    found = tables.counted
    every = tuple(range(len(tables.sizes)))
    if found is None or every not in tables.shown:
        raise NotConcluded(
            "the cells of this table were not measured one by one, or are too many for their label, so only the fit "
            "with its shared noise is known; ask for the table without planned margins."
        )
    values, noise = np.asarray(found[0], dtype=np.float64).ravel(), found[1]
    if tables.rectangle is not None:
        return values, noise, *((rows, columns) if len(tables.shown) == 1 else (_interior(rows), _interior(columns)))
    before = tables.shown[: tables.shown.index(every)]
    start = sum(tables.effects.cells(kept) for kept in before)
    if len(tables.shown) > 1:
        rows = rows[start : start + len(values)]
        rows = rows.remove_unused_levels() if isinstance(rows, pd.MultiIndex) else rows
    return values, noise, rows, columns


def _keyed(columns: pd.Index) -> bool:
    return any(name is not None for name in columns.names)


def _interior(labels: pd.Index) -> pd.Index:
    inner = labels[:-1]
    return inner.remove_unused_levels() if isinstance(inner, pd.MultiIndex) else inner


def _axes(rows: pd.Index, columns: pd.Index) -> tuple[tuple[int, ...], tuple[str, ...]]:
    found: list[tuple[int, Any]] = []
    for axis in (rows, columns):
        for level in range(axis.nlevels):
            found.append((axis.get_level_values(level).nunique(dropna=False), axis.names[level]))
    kept = [(size, str(name)) for size, name in found if size > 1]
    return tuple(size for size, _ in kept) or (1,), tuple(name for _, name in kept)
