"""Released tables of counts, each an array with an axis for each of its keys, and how their noise hangs together."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...dataclass import dataclass
from ...errors import NotConcluded
from ...evidence import Feature, Noise, Tables
from ...margins import Apart, Effects, Kept, subsets
from ...release import OTHER, Label, Released
from ..stored.margin import Held
from ..tests.counted import counted

Floats = NDArray[np.float64]
Chosen = Mapping[int, Sequence[int]]
"""Categories that count, by the place of their key; of other keys all."""


@dataclass(frozen=True)
class CountedTables:
    """Tables over some of the same keys, from which sums of cells and their covariances follow."""

    label: Label
    keys: tuple[Feature, ...]
    tables: Mapping[Kept, Floats]  # those shown; small ones first
    noises: Mapping[Kept, Noise]  # of a cell of each table that was measured
    fitted: bool
    by_effects: bool = False  # then those measured are effects, and their noise is in the unit of the margin

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> CountedTables:
        """Read a release of counts; what cannot be is refused, as its cells hang together in other ways."""
        released = Released.of(table)
        first = released.evidence[0] if len(released.evidence) == 1 else None
        if isinstance(first, Tables) and first.is_stack and first.statistic == "count":
            if released.label.is_reworked or released.label.releases:
                raise NotConcluded("this table was rounded or adjusted; conclude from it as it was released.")
            if not first.lattice.is_plain:
                raise NotConcluded(
                    "this release has structural zeros or levels of a key, around which its cells hang together; ask "
                    "for marginals without."
                )
            return cls._of_tables(Held(released), first)
        found = counted(released)
        if found.possible is not None:
            raise NotConcluded("this table has structural zeros, around which its cells hang together; ask without.")
        axes = [axis for index in (found.rows, found.columns) for axis in _axes(index)]
        axes = [axis for axis in axes if len(axis) > 1]
        keys = tuple(map(_feature, axes))
        every = tuple(range(len(keys)))
        return cls(found.label, keys, {every: found.counts}, {every: Noise(found.law)}, False)

    @classmethod
    def _of_tables(cls, held: Held, evidence: Tables) -> CountedTables:
        parts = evidence.lattice.parts(np.asarray(evidence.values, dtype=float))
        shown = sorted(parts, key=lambda kept: (evidence.lattice.cells(kept), kept))
        if not evidence.fitted:  # a table that was not measured is a sum of one that was
            shown = [kept for kept in shown if kept in evidence.measured]
        noises = dict(zip(evidence.measured, evidence.noises, strict=True))
        return cls(
            held.label,
            tuple(map(_feature, held.axes)),
            {kept: parts[kept] for kept in shown},
            noises,
            evidence.fitted,
            evidence.measure == "effects",
        )

    def place(self, name: Hashable) -> int:
        """Of a key by its name."""
        names = [key.column for key in self.keys]
        if name not in names:
            raise NotConcluded(
                f"this release has no key {name!r} with two categories; it has {', '.join(map(repr, names))}."
            )
        return names.index(name)

    def sizes(self) -> tuple[int, ...]:
        return tuple(key.size for key in self.keys)

    def count(self, kept: Kept, chosen: Chosen) -> float:
        """The sum of the cells of a table that have these categories."""
        table = self.tables[kept]
        for axis, place in enumerate(kept):
            if place in chosen:
                table = np.take(table, chosen[place], axis=axis)
        return float(table.sum())

    def covariance(self, kept: Kept, first: Chosen, second: Chosen) -> float:
        """Of the noise of two such sums of one table."""
        variances = {margin: noise.var for margin, noise in self._behind(kept).items()}
        sizes = self.sizes()
        kind = Apart if self.by_effects else Effects
        effects = kind(sizes, {margin: max(var, 1e-150) for margin, var in variances.items()})
        varying = [place for place in kept if place in first and place in second]
        every = float(np.prod([sizes[place] for place in kept]))
        found = 0.0
        for effect in subsets(varying):
            spread = sum(
                share**2 * variances[margin] * np.prod([sizes[place] for place in margin])
                for margin, share in effects.shares(effect).items()
            )
            inner = 1.0
            for place in kept:
                a, b = (set(each.get(place, range(sizes[place]))) for each in (first, second))
                mean = len(a) * len(b) / sizes[place]
                inner *= len(a & b) - mean if place in effect else mean
            found += spread * inner / every
        return found

    def _behind(self, kept: Kept) -> Mapping[Kept, Noise]:
        """The tables that a shown one follows from."""
        return self.noises if self.fitted else {kept: self.noises[kept]}

    def noise_of(self, kept: Kept) -> tuple[Noise, ...]:
        return tuple(self._behind(kept).values())


def _axes(index: pd.Index) -> list[pd.Index]:
    return [index.get_level_values(level).unique() for level in range(index.nlevels)]


def _feature(axis: pd.Index) -> Feature:
    """A key by its labels; those that read as bins, or that are, are edges."""
    labels = axis.tolist()
    other = bool(labels) and labels[-1] == OTHER and isinstance(labels[-1], str)
    edges = _edges(labels[:-1] if other else labels)
    if edges:
        return Feature(axis.name, (), edges, other)
    if not all(isinstance(label, bool | int | float | str) for label in labels):
        raise NotConcluded(
            f"the categories of {axis.name!r} are no numbers and no text, of which nothing is learned here."
        )
    return Feature(axis.name, tuple(labels))


def _edges(labels: Sequence[Any]) -> tuple[float, ...]:
    """The edges of bins that follow one another, or none."""
    pairs = [_ends(label) for label in labels]
    if not pairs or any(pair is None for pair in pairs):
        return ()
    ends = [pair for pair in pairs if pair is not None]
    if any(first[1] != second[0] for first, second in itertools.pairwise(ends)):
        return ()
    return (*(low for low, _ in ends), ends[-1][1])


def _ends(label: Any) -> tuple[float, float] | None:
    """Of an interval that is closed on the left, or of the text of one."""
    if isinstance(label, pd.Interval):
        text = str(label)
    elif isinstance(label, str) and label.startswith("[") and label.endswith(")"):
        text = label
    else:
        return None
    try:
        low, high = (float(each) for each in text[1:-1].split(", "))
    except ValueError:
        return None
    return (low, high) if low < high else None
