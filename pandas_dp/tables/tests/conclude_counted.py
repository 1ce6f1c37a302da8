"""What all tests of counted tables begin with: the cells, their levels, and how a p-value is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ...core.arguments import is_whole, one_of, whole_number
from ...core.arrays import Floats
from ...core.evidence.evidence import OwnCells
from ...core.label.label import Label
from ...core.label.layout import Released
from ...core.noise.mechanism import Law
from ...errors import NotConcluded, wrong_value
from .conclude_posterior import Masses

Flags = npt.NDArray[np.bool_]

LARGEST = 2.0**50  # whole numbers well within what a float64 holds exactly


class Concluding(ABC):
    """Conclusions from a released table."""

    @property
    @abstractmethod
    def _frame(self) -> pd.DataFrame:
        """The released table."""

    @property
    def _released(self) -> Released:
        return Released.of(self._frame, parts=True)


@dataclass(frozen=True)
class CountedCells:
    """Noisy counts, an axis for each key; keys with one category have none."""

    counts: Floats
    keys: tuple[str, ...]
    law: Law
    label: Label
    rows: pd.Index
    columns: pd.Index
    possible: Flags | None = None  # where cells were declared impossible

    def as_table(self, numbers: Floats) -> pd.DataFrame:
        """The counts in the shape of the release, its margins left out."""
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


def counted(table: Released | pd.DataFrame) -> CountedCells:
    """Read a release; only counts whose noise is public can be tested."""
    released = Released.of(table)
    label, cells = released.label, _cells(released)
    values, noise = cells.values, cells.noise
    rows, columns = _cut(released.frame.index, cells.down), _cut(released.frame.columns, cells.across)
    if not released.is_rectangle or not any(name is not None for name in columns.names):
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
            "the noise of this table was made from a loss that does not grow with the error, which these tests do not "
            "model; use a loss that grows."
        )
    if not np.isfinite(law.variance):
        raise NotConcluded(
            f"{law.distribution} noise depends on the count it hides, which the tests do not model; "
            "ask for laplace, gaussian or truncated noise."
        )
    if not np.all(np.abs(values) <= LARGEST) or np.any(np.isneginf(Masses(law).log(np.minimum(values, 0.0)))):
        raise NotConcluded("a number in this table is larger, or lower, than counts with this noise can be.")
    there = None if cells.possible is None else cells.possible.reshape(shape)
    return CountedCells(values.reshape(shape), keys, law, label, rows, columns, there)


def _cells(released: Released) -> OwnCells:
    """The one count that the release holds for each cell."""
    label = released.label
    if label.adjusted:
        raise NotConcluded("this table was adjusted after its release; conclude from the table before.")
    cells = released.evidence[0].own_cells() if len(label.evidence) == 1 else None
    if cells is None:
        odds = "; odds ratios of a logit are release.dp.ratios()" if label.statistic == "logit" else ""
        raise NotConcluded(
            f"this needs one table of counts, and this release holds {_what(released)}; ask for crosstab without "
            f"values=, value_counts, histogram or groupby(...).size{odds}."
        )
    if label.releases:
        raise NotConcluded(
            "this table combines several releases, whose averaged noise no test of tables models; "
            "ask once with the whole cost, or conclude from one of them."
        )
    return cells


def _what(released: Released) -> str:
    """What a release holds in place of one table of counts."""
    (first, *others) = released.items
    if others:
        return "several statistics, or columns"
    return f"the {first.statistic}" + ("" if first.column is None else f" of {first.column!r}")


def _cut(labels: pd.Index, to: slice) -> pd.Index:
    if to == slice(None):
        return labels
    inner = labels[to]
    return inner.remove_unused_levels() if isinstance(inner, pd.MultiIndex) else inner


def _axes(rows: pd.Index, columns: pd.Index) -> tuple[tuple[int, ...], tuple[str, ...]]:
    found: list[tuple[int, Any]] = []
    for axis in (rows, columns):
        for level in range(axis.nlevels):
            found.append((axis.get_level_values(level).nunique(dropna=False), axis.names[level]))
    places = [(size, str(name)) for size, name in found if size > 1]
    return tuple(size for size, _ in places) or (1,), tuple(name for _, name in places)


def levels(rows: pd.Index, columns: pd.Index) -> list[list[Hashable]]:
    """The categories of each key that has more than one, rows first."""
    found = []
    for axis in (rows, columns):
        for level in range(axis.nlevels):
            values = list(dict.fromkeys(axis.get_level_values(level)))
            if len(values) > 1:
                found.append(values)
    return found


Seed = int | np.random.Generator | None
MOST_REPLICATES = 100_000


def read_pvalue(pvalue: str) -> bool | None:
    """Whether to bootstrap; None leaves it to the table."""
    one_of("pvalue", pvalue, ("auto", "bootstrap", "asymptotic"))
    return {"auto": None, "bootstrap": True, "asymptotic": False}[pvalue]


def read_replicates(replicates: object) -> None:
    whole_number("replicates", replicates, 19, MOST_REPLICATES)
