"""What released tables of counts tell a model: their numbers with the variance of their noise, and how to draw both
again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod, sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.arrays import Array
from ..core.evidence.evidence import Evidence
from ..core.evidence.noise import Noise
from ..core.label.label import TOTAL, Label
from ..core.label.layout import Released
from ..core.schema.values import Tie
from ..errors import NotConcluded
from ..tables.evidence import Tables
from ..tables.planning.lattice import Effects, Lattice, possible_cells
from ..tables.planning.margins import Margin, finest, subsets
from ..tables.published.conclude_margin import HeldTables
from .model.fit import TableEstimate, Zeros, centred
from .model.graph import Graph

Ints = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ModelKey:
    """A key: the place of its column in the model, and its category for each code there (None: the code)."""

    name: Hashable
    place: int
    labels: pd.Index
    level: Ints | None = None

    @property
    def size(self) -> int:
        return len(self.labels)

    def codes(self, chosen: Sequence[int]) -> list[int]:
        """The codes of the model that belong to these categories."""
        return list(chosen) if self.level is None else np.flatnonzero(np.isin(self.level, chosen)).tolist()


@dataclass(frozen=True, eq=False)
class ModelKeys:
    """All keys, and the sizes of the columns that they read."""

    each: tuple[ModelKey, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, axes: Sequence[pd.Index], ties: Sequence[Tie]) -> ModelKeys:
        """Keys that read one column at several levels are one of the model: the combinations that there are."""
        found: list[ModelKey | None] = [None] * len(axes)
        sizes: list[int] = []
        for place, axis in enumerate(axes):
            tie = next((each for each in ties if place in each.places), None)
            if tie is None:
                found[place] = ModelKey(axis.name, len(sizes), axis)
            elif place == min(tie.places):
                for at, other in enumerate(tie.places):
                    level = np.array([each[at] for each in tie.together], dtype=np.intp)
                    found[other] = ModelKey(axes[other].name, len(sizes), axes[other], level)
            else:
                continue
            sizes.append(len(axis) if tie is None else len(tie.together))
        return cls(tuple(key for key in found if key is not None), tuple(sizes))

    @cached_property
    def names(self) -> list[Hashable]:
        return [key.name for key in self.each]

    def shown(self, ties: Sequence[Tie]) -> list[ModelKey]:
        """Those that rows have: none that follows from others."""
        margin = finest([key.size for key in self.each], ties)
        return [self.each[place] for place in margin]

    def places(self, margin: Sequence[int]) -> Margin:
        """The places in the model that some keys read, rising."""
        return tuple(sorted({self.each[at].place for at in margin}))

    def groups(self, margin: Sequence[int]) -> Ints | None:
        """For each cell of the table of the model, the cell of the table over these keys; None where they are one."""
        places = self.places(margin)
        if all(self.each[at].level is None for at in margin) and [self.each[at].place for at in margin] == list(places):
            return None
        codes = np.indices([self.sizes[place] for place in places])
        found = np.zeros(codes.shape[1:], dtype=np.intp)
        for at in margin:
            key, mine = self.each[at], codes[places.index(self.each[at].place)]
            found = found * key.size + (mine if key.level is None else key.level[mine])
        return found.ravel()

    def possible(self, zeros: Sequence[int]) -> list[tuple[Margin, Any]]:
        """Cells of the table over all keys that cannot be, as conditions on few columns of the model each."""
        if not zeros:
            return []
        there = possible_cells(tuple(key.size for key in self.each), zeros, ())
        codes = np.indices(self.sizes, sparse=True)
        picked = [codes[key.place] if key.level is None else key.level[codes[key.place]] for key in self.each]
        return conditions(np.asarray(there[tuple(picked)]))


def conditions(possible: NDArray[np.bool_]) -> list[tuple[Margin, Any]]:
    """Tables over few keys each, of which a cell can be exactly where it can in all of them."""
    margin = tuple(axis for axis in range(possible.ndim) if not (possible == np.take(possible, [0], axis=axis)).all())
    table = np.asarray(possible.any(axis=tuple(axis for axis in range(possible.ndim) if axis not in margin)))
    if not margin:
        return []
    for size in range(1, len(margin)):
        parts = _sides(table, size)
        whole = np.ones(table.shape, dtype=bool)
        for axes, part in parts:
            whole &= part.reshape([n if axis in axes else 1 for axis, n in enumerate(table.shape)])
        if (whole == table).all():
            return [(tuple(margin[axis] for axis in axes), part) for axes, part in parts]
    return [(margin, table)]


def _sides(table: NDArray[np.bool_], size: int) -> list[tuple[Margin, NDArray[np.bool_]]]:
    """Its margins over so many keys, in which some cell cannot be."""
    from itertools import combinations

    found = []
    for axes in combinations(range(table.ndim), size):
        part = np.asarray(table.any(axis=tuple(axis for axis in range(table.ndim) if axis not in axes)))
        if not part.all():
            found.append((axes, part))
    return found


MOST_CELLS = 2_000_000  # of a model, which takes some 300 bytes for each while it is fitted


@dataclass(frozen=True, eq=False)
class Again:
    """A table that was measured, or its effect: the keys that it is over in the model, the number that each cell there
    adds to, how many numbers there are, and the noise of each."""

    margin: Margin
    groups: Any
    size: int
    noise: Noise
    effect: bool = False

    def estimates(self, values: Array) -> TableEstimate:
        """What these noisy numbers tell."""
        return TableEstimate(
            self.margin, centred(values) if self.effect else values, self.noise.var, self.groups, self.effect
        )


@dataclass(frozen=True, eq=False)
class ModelSource:
    """All that a model is fitted to, read off a release."""

    released: Released
    keys: ModelKeys
    ties: tuple[Tie, ...]
    estimates: tuple[TableEstimate, ...]
    again: tuple[Again, ...]  # what was measured, to simulate it
    zeros: tuple[Zeros, ...]
    rows: float
    tables: tuple[tuple[int, ...], ...]  # the keys of each table that is shown, by place among all
    approximate: bool = False
    finer: float = 1.0  # the spread of what is told over that of what was measured
    beyond: bool = False  # whether tables were measured that none of those shown tells

    @property
    def label(self) -> Label:
        return self.released.label

    @classmethod
    def of(cls, table: Released | pd.DataFrame) -> ModelSource:
        """Read a release; refused where it holds no table of counts with noise of a known law."""
        released = Released.of(table)
        if any(isinstance(each, Tables) and each.shows_runs for each in released.evidence):
            raise NotConcluded("this release tells runs of a key, from which no rows are drawn; ask without ranges=.")
        _check(released)
        evidence = released.evidence[0]
        if isinstance(evidence, Tables):
            return _of_tables(released, evidence)
        return _of_cells(released, evidence)


def _check(released: Released) -> None:
    label, evidence = released.label, released.evidence
    if len(evidence) != 1 or evidence[0].statistic != "count" or "synthesize" not in evidence[0].offers:
        raise NotConcluded(
            "rows are drawn from tables of counts alone; ask for marginals, crosstab without values=, value_counts or "
            "groupby(...).size."
        )
    if label.is_reworked:
        raise NotConcluded("this table was rounded or adjusted; draw rows from it as it was released.")
    if label.relabelled:
        raise NotConcluded("this table was relabelled; draw rows from it as it was released, and rename their columns.")
    if label.weights is not None or label.max_rows not in (None, 1) or label.max_cells not in (None, 1):
        raise NotConcluded(
            "this table counts rows by weights, or a person in several cells, so its cells hold no numbers of rows to "
            "draw; ask for a table with one row of each person and without weights."
        )


def _of_cells(released: Released, evidence: Evidence) -> ModelSource:
    """One table with noise of its own in each cell."""
    cells = evidence.own_cells()
    assert cells is not None
    _check_noise(cells.noise)
    axes = _rectangle(released, cells.down, cells.across)
    sizes = tuple(map(len, axes))
    _check_size(sizes, [tuple(range(len(axes)))])
    keys = ModelKeys.of(axes, ())
    every = tuple(range(len(axes)))
    again = Again(every, None, prod(sizes), cells.noise)
    estimates = again.estimates(np.asarray(cells.values, dtype=float).reshape(sizes))
    return ModelSource(released, keys, (), (estimates,), (again,), (), float(cells.values.sum()), (every,))


def _of_tables(released: Released, evidence: Tables) -> ModelSource:
    """Tables over some of the same keys, each with noise of its own or made to agree."""
    lattice = evidence.lattice
    axes = _rectangle_of(released, evidence) if released.is_rectangle else HeldTables(released).axes
    for noise in evidence.noises:
        _check_noise(noise)
    keys = ModelKeys.of(axes, lattice.ties)
    _check_size(keys.sizes, [keys.places(margin) for margin in lattice.shown])
    noises = dict(zip(evidence.measured, evidence.noises, strict=True))
    effect = evidence.by == "effects"
    again = tuple(
        Again(keys.places(margin), keys.groups(margin), lattice.cells(margin), noise, effect)
        for margin, noise in noises.items()
    )
    zeros = tuple(keys.possible(lattice.zeros))
    _check_size(keys.sizes, [*(keys.places(margin) for margin in lattice.shown), *(margin for margin, _ in zeros)])
    estimates, finer = estimates_by(evidence, keys)
    beyond = evidence.fitted and not effect and not _determines_all(evidence)
    rough = beyond and not lattice.is_plain
    rows = _total(evidence, estimates)
    return ModelSource(released, keys, lattice.ties, estimates, again, zeros, rows, lattice.shown, rough, finer, beyond)


def measured_again(evidence: Tables, noisy: Mapping[Margin, Array]) -> Tables:
    """The same tables from other noisy numbers of what was measured."""
    lattice = evidence.lattice
    return replace(evidence, values=lattice.fitted(noisy, evidence.effects) if evidence.fitted else lattice.read(noisy))


def _determines_all(evidence: Tables) -> bool:
    """Whether tables that are shown tell all that was measured."""
    return all(evidence.lattice.can_determine(margin, True) for margin in evidence.measured)


def estimates_by(evidence: Tables, keys: ModelKeys) -> tuple[tuple[TableEstimate, ...], float]:
    """What tables tell, and its spread over that of what was measured."""
    lattice, parts = evidence.lattice, evidence.lattice.parts(np.asarray(evidence.values, dtype=float))
    noises = dict(zip(evidence.measured, evidence.noises, strict=True))
    if not evidence.fitted:
        own = {
            margin: noises[margin].var if margin in noises else evidence.sd_of(margin) ** 2 for margin in lattice.shown
        }
        measured_apart = {
            margin: var for margin, var in own.items() if margin in noises or not _is_read_off(margin, lattice)
        }
        return tuple(_one(keys, margin, parts[margin], var) for margin, var in measured_apart.items()), 1.0
    weighed = evidence.effects.variances
    if evidence.by == "effects":
        estimates = _effects(parts, noises, lambda effect: noises[effect].var)
        return estimates, _finer(estimates, list(evidence.variances.values()))
    if _determines_all(evidence):
        tables = {margin: np.asarray(evidence.part(margin, {}).values, dtype=float) for margin in noises}
        return tuple(_one(keys, margin, table, weighed[margin]) for margin, table in tables.items()), 1.0
    if lattice.is_plain:
        estimates = _effects(parts, None, lambda effect: _variance(evidence.effects, effect))
        return estimates, _finer(estimates, list(weighed.values()))
    return tuple(_one(keys, margin, parts[margin], evidence.sd_of(margin) ** 2) for margin in lattice.shown), 1.0


def _one(keys: ModelKeys, margin: Sequence[int], values: Array, variance: float) -> TableEstimate:
    groups = keys.groups(margin)
    shape = [keys.each[at].size for at in margin]
    return TableEstimate(
        keys.places(margin), values.ravel() if groups is not None else values.reshape(shape), variance, groups
    )


def _is_read_off(margin: Margin, lattice: Lattice) -> bool:
    """Whether another table that is shown tells it already."""
    return any(set(margin) < set(other) for other in lattice.shown)


def _effects(
    parts: Mapping[Margin, Array], among: Collection[Margin] | None, variance: Callable[[Margin], float]
) -> tuple[TableEstimate, ...]:
    """Effect by effect, those among which were measured or all of the tables that are shown."""
    found: dict[Margin, TableEstimate] = {}
    for margin, table in parts.items():
        for effect in subsets(margin):
            if effect in found or (among is not None and effect not in among):
                continue
            values = table.sum(axis=tuple(axis for axis, place in enumerate(margin) if place not in effect))
            if all(size > 1 for size in np.shape(values)):
                found[effect] = TableEstimate(effect, centred(np.asarray(values)), variance(effect), centred=True)
    return tuple(found.values())


def _finer(estimates: Sequence[TableEstimate], variances: Sequence[float]) -> float:
    """The spread of what is told, over that of cells of tables."""
    return sqrt(sum(each.variance for each in estimates) / len(estimates) / (sum(variances) / len(variances)))


def _variance(effects: Effects, effect: Margin) -> float:
    """Of a cell of an effect, by all tables that contain it."""
    inside = [margin for margin in effects.variances if set(effect) <= set(margin)]
    precision = sum(1 / (effects.variances[margin] * effects.cells(margin)) for margin in inside)
    return 1 / (precision * effects.cells(effect))


def _total(evidence: Tables, estimates: Sequence[TableEstimate]) -> float:
    """The best estimate of the number of rows: of tables that agree their sum, else weighed by precision."""
    if evidence.fitted:
        parts = evidence.lattice.parts(np.asarray(evidence.values, dtype=float))
        return float(next(iter(parts.values())).sum())
    return total_of(estimates)


def total_of(estimates: Sequence[TableEstimate]) -> float:
    """The number of rows by the sums of tables, weighed by precision; by effects, the one that is the total."""
    tables = [each for each in estimates if not each.centred or not each.margin]
    weights = np.array([1 / max(each.values.size * each.variance, 1e-12) for each in tables])
    sums = np.array([float(each.values.sum()) for each in tables])
    return float(weights @ sums / weights.sum())


def stacked(evidence: Evidence, sizes: Sequence[int]) -> Tables:
    """One table of cells, or a rectangle with its margins, as tables one below the other."""
    if isinstance(evidence, Tables):
        parts = evidence.lattice.parts(evidence.values)
        values = np.concatenate([parts[margin].ravel() for margin in evidence.shown])
        return replace(evidence, values=values, rectangle=None)
    cells, every = evidence.own_cells(), tuple(range(len(sizes)))
    assert cells is not None
    return Tables("count", cells.values, tuple(sizes), (every,), (every,), (cells.noise,), False)


def _rectangle_of(released: Released, evidence: Tables) -> list[pd.Index]:
    cut = slice(-1) if all(evidence.has_totals) else slice(None)
    return _rectangle(released, cut, cut)


def _rectangle(released: Released, down: slice, across: slice) -> list[pd.Index]:
    """The categories of each key, of the rows and of the columns of a table."""
    frame, sides = released.frame, [released.frame.index[down]]
    if released.is_rectangle and any(name is not None for name in frame.columns.names):
        sides.append(frame.columns[across])
    axes = [side.get_level_values(level).unique() for side in sides for level in range(side.nlevels)]
    only = next(iter([*released.label.by, *released.label.columns]), TOTAL)
    names = [only if axis.name is None else axis.name for axis in axes]
    return [axis.rename(name) for axis, name in zip(axes, names, strict=True)]


def _check_noise(noise: Noise) -> None:
    if noise.depends or not np.isfinite(noise.var):
        raise NotConcluded(
            "the noise of this table depends on the counts that it hides, so no model says how far they may be off; "
            "ask for laplace or gaussian noise."
        )


def _check_size(sizes: Sequence[int], tables: Sequence[Margin]) -> None:
    cells = Graph.of(sizes, tables).cells
    if cells > MOST_CELLS:
        raise NotConcluded(
            f"a model of these tables has {cells:,} cells, and at most {MOST_CELLS:,} are fitted; release fewer tables "
            "that share keys in a ring, or coarser keys, by hierarchies= or bins=."
        )
