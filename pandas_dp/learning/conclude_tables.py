"""Classifiers, clusters and association rules of released tables.

Confidence and lift are ratios of noisy counts, so their intervals are Fieller's.
Proof: docs/proofs/learning/learning.md.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..core.arrays import Floats
from ..core.evidence.evidence import Evidence
from ..core.evidence.noise import Noise, critical, fieller
from ..core.label.label import OTHER, Label
from ..core.label.layout import Item, Layout, Released
from ..core.label.release import Release, publish
from ..errors import NotConcluded
from ..tables.evidence import Tables
from ..tables.planning.lattice import Effects, EffectsApart
from ..tables.planning.margins import Margin, subsets
from ..tables.published.conclude_margin import HeldTables
from ..tables.tests.conclude_counted import counted
from .evidence import Feature, NaiveBayes

Chosen = Mapping[int, Sequence[int]]
"""Categories that count, by the place of their key; of other keys all."""


@dataclass(frozen=True)
class KeyTables:
    """Tables over some of the same keys, from which sums of cells and their covariances follow."""

    label: Label
    keys: tuple[Feature, ...]
    tables: Mapping[Margin, Floats]  # those shown; small ones first
    noises: Mapping[Margin, Noise]  # of a cell of each table that was measured
    fitted: bool
    by_effects: bool = False  # then those measured are effects, and their noise is in the unit of the margin

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> KeyTables:
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
            return cls._of_tables(HeldTables(released), first)
        found = counted(released)
        if found.possible is not None:
            raise NotConcluded("this table has structural zeros, around which its cells hang together; ask without.")
        axes = [axis for index in (found.rows, found.columns) for axis in _axes(index)]
        axes = [axis for axis in axes if len(axis) > 1]
        keys = tuple(map(_feature, axes))
        every = tuple(range(len(keys)))
        return cls(found.label, keys, {every: found.counts}, {every: Noise(found.law)}, False)

    @classmethod
    def _of_tables(cls, held: HeldTables, evidence: Tables) -> KeyTables:
        parts = evidence.lattice.parts(np.asarray(evidence.values, dtype=float))
        shown = sorted(parts, key=lambda margin: (evidence.lattice.cells(margin), margin))
        if not evidence.fitted:  # a table that was not measured is a sum of one that was
            shown = [margin for margin in shown if margin in evidence.measured]
        noises = dict(zip(evidence.measured, evidence.noises, strict=True))
        return cls(
            held.label,
            tuple(map(_feature, held.axes)),
            {margin: parts[margin] for margin in shown},
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

    def count(self, margin: Margin, chosen: Chosen) -> float:
        """The sum of the cells of a table that have these categories."""
        table = self.tables[margin]
        for axis, place in enumerate(margin):
            if place in chosen:
                table = np.take(table, chosen[place], axis=axis)
        return float(table.sum())

    def covariance(self, margin: Margin, first: Chosen, second: Chosen) -> float:
        """Of the noise of two such sums of one table."""
        variances = {outer: noise.var for outer, noise in self._behind(margin).items()}
        sizes = self.sizes()
        kind = EffectsApart if self.by_effects else Effects
        effects = kind(sizes, {outer: max(var, 1e-150) for outer, var in variances.items()})
        varying = [place for place in margin if place in first and place in second]
        every = float(np.prod([sizes[place] for place in margin]))
        found = 0.0
        for effect in subsets(varying):
            spread = sum(
                share**2 * variances[outer] * np.prod([sizes[place] for place in outer])
                for outer, share in effects.shares(effect).items()
            )
            inner = 1.0
            for place in margin:
                a, b = (set(each.get(place, range(sizes[place]))) for each in (first, second))
                mean = len(a) * len(b) / sizes[place]
                inner *= len(a & b) - mean if place in effect else mean
            found += spread * inner / every
        return found

    def _behind(self, margin: Margin) -> Mapping[Margin, Noise]:
        """The tables that a shown one follows from."""
        return self.noises if self.fitted else {margin: self.noises[margin]}

    def noise_of(self, margin: Margin) -> tuple[Noise, ...]:
        return tuple(self._behind(margin).values())


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


MOST_RULES = 50_000


@dataclass(frozen=True)
class RuleKeys:
    """Rules of a category of one key, from those of others, and the table that shows them."""

    given: tuple[int, ...]
    then: int
    margin: Margin


def candidates(tables: KeyTables) -> Iterator[RuleKeys]:
    """Each choice of keys once, with the smallest table that has them."""
    seen: set[tuple[tuple[int, ...], int]] = set()
    for margin in tables.tables:
        for then in margin:
            rest = [place for place in margin if place != then]
            for given in (each for size in range(1, len(rest) + 1) for each in combinations(rest, size)):
                if (given, then) not in seen:
                    seen.add((given, then))
                    yield RuleKeys(given, then, margin)


def rules_of(tables: KeyTables, keys: RuleKeys, confidence: float) -> pd.DataFrame:
    """All rules over these keys."""
    ab, cov, quantile = (
        _joint(tables, keys),
        _covariances(tables, keys),
        critical(confidence, tables.noise_of(keys.margin)),
    )
    a, b, total = ab.sum(axis=-1, keepdims=True), ab.sum(axis=tuple(range(ab.ndim - 1)), keepdims=True), ab.sum()
    a, b, total = (np.broadcast_to(each, ab.shape).ravel() for each in (a, b, total))
    ab = ab.ravel()
    low, high = fieller(ab, a, cov[3, 3], cov[1, 1], cov[1, 3], quantile)
    low, high = (np.where(a > 0, end, side) for end, side in ((low, 0.0), (high, 1.0)))
    lift_low, lift_high = _lift_ends(np.stack([total, a, b, ab]), cov, quantile)
    columns = {
        **_names(tables, keys, tuple(tables.keys[place].size for place in (*keys.given, keys.then))),
        "support": np.where(total > 0, np.clip(ab / total, 0, 1), 0.0),
        "confidence": np.where(a > 0, np.clip(ab / a, 0, 1), np.nan),
        "lower": np.clip(low, 0, 1),
        "upper": np.clip(high, 0, 1),
        "lift": np.where((a > 0) & (b > 0), np.maximum(total * ab / (a * b), 0.0), np.nan),
        "lift_lower": lift_low,
        "lift_upper": lift_high,
    }
    return pd.DataFrame(columns)


def _lift_ends(counts: Floats, cov: Floats, quantile: Any) -> tuple[Floats, Floats]:
    """Lift is n·ab over a·b: each side is a product of two noisy counts, whose variance is exact to second order."""
    total, a, b, ab = counts
    up = total**2 * cov[3, 3] + ab**2 * cov[0, 0] + 2 * total * ab * cov[0, 3] + cov[0, 0] * cov[3, 3]
    down = a**2 * cov[2, 2] + b**2 * cov[1, 1] + 2 * a * b * cov[1, 2] + cov[1, 1] * cov[2, 2]
    across = total * (a * cov[2, 3] + b * cov[1, 3]) + ab * (a * cov[0, 2] + b * cov[0, 1])
    low, high = fieller(total * ab, a * b, up, down, across, quantile)
    there = (a > 0) & (b > 0)
    return np.where(there, np.maximum(low, 0.0), 0.0), np.where(there, high, np.inf)


def _joint(tables: KeyTables, keys: RuleKeys) -> Floats:
    """Counts of each combination, an axis for each key of the condition, and last that of the consequence."""
    requested = (*keys.given, keys.then)
    table = tables.tables[keys.margin].sum(
        axis=tuple(at for at, place in enumerate(keys.margin) if place not in requested)
    )
    order = sorted(requested)
    return np.asarray(table.transpose([order.index(place) for place in requested]), dtype=float)


def _covariances(tables: KeyTables, keys: RuleKeys) -> Floats:
    """Of the total, the condition, the consequence and both: the same for all their categories."""
    given, then = {place: [0] for place in keys.given}, {keys.then: [0]}
    sums = [{}, given, then, {**given, **then}]
    return np.array([[tables.covariance(keys.margin, one, two) for two in sums] for one in sums])


def _names(tables: KeyTables, keys: RuleKeys, sizes: tuple[int, ...]) -> dict[str, list[str]]:
    named = [[f"{key.column} = {label}" for label in key.labels] for key in (tables.keys[p] for p in keys.given)]
    last = [f"{tables.keys[keys.then].column} = {label}" for label in tables.keys[keys.then].labels]
    places = np.indices(sizes).reshape(len(sizes), -1).T.tolist()
    return {
        "if": [" & ".join(names[at] for names, at in zip(named, cells, strict=False)) for cells in places],
        "then": [last[cells[-1]] for cells in places],
    }


def holding(tables: KeyTables, at: int, place: int) -> Margin | None:
    """The smallest table that has both keys."""
    return next((margin for margin in tables.tables if at in margin and place in margin), None)


def of_variance(tables: KeyTables, margin: Margin, variance: float) -> Noise:
    """The noise of a cell, of the first law behind it, as wide as all of them together make it."""
    (first, *others) = tables.noise_of(margin)
    many = variance / first.var if first.var > 0 else 1.0
    whole = round(many)
    if not others and abs(many - whole) < 1e-6:
        return replace(first, many=first.many * max(whole, 1))
    return first.times(float(np.sqrt(max(many, 0.0))))


def rows_of(evidence: NaiveBayes) -> pd.MultiIndex:
    """Feature, class and category of each number."""
    target = evidence.target
    rows = [
        (str(feature.column), group, category)
        for feature in evidence.features
        for group in target.labels
        for category in feature.labels
    ]
    return pd.MultiIndex.from_tuples(rows, names=["feature", str(target.column), "category"])


def concluded(label: Label, evidence: Evidence, rows: pd.Index) -> Release:
    """A release of what follows from another, under the same guarantee."""
    item = Item(None, evidence.statistic, "float", evidence)
    frame, place = Layout(rows, None, "measures").frame([item], label.confidence)
    facts: dict[str, Any] = {"column": None, "type": "float", **evidence.to_json()}
    return publish(frame, replace(label, evidence=(facts,), zone=None, **place))
