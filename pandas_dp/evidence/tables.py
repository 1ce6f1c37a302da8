"""Tables that were released with their margins: each with noise of its own, or all made to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..margins import Effects, Fit, Kept, Lattice, Tie, added_up, source_of, with_told
from .noise import Floats, Noise, added
from .part import Laws, Part
from .shared import SharesNoise

Array = np.ndarray[Any, Any]
MOST_KEPT = 10_000  # cells that a label holds beside those it shows
MOST_WORK = 3 * 10**6  # kinds of cells, each solved for, times cells
FINITE = (1e-150, 1e150)  # variances of noise next to none, or next to nothing but noise, are taken for these


@dataclass(frozen=True)
class Tables(SharesNoise):
    """Numbers of the tables that the lattice shows, from the `measured` ones, whose noise is known.

    `fitted` tells whether they are least squares of all that was measured; then `interior` are the cells as they were
    measured, for tests that need noise cell by cell. Cells that cannot be are 0.
    """

    statistic: str
    values: Array
    lattice: Lattice
    measured: tuple[Kept, ...]
    noises: tuple[Noise, ...]
    fitted: bool
    lower: float = -np.inf
    interior: Array | None = None
    weighed: tuple[float, ...] | None = None  # the variances by which least squares weighs, where not the noises'

    @property
    def estimate(self) -> Array:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, Array]:
        if not self.has_intervals:
            return {self.statistic: self.values}
        low, high = self.interval(level, target)
        sd = self.lattice.in_order([self.laws(kept).spread(lambda noise: noise.sd) for kept in self.lattice.shown])
        return {self.statistic: self.values, "std_error": sd, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self.check_target(target)
        if not self.has_intervals:
            raise self.no_intervals()
        half = self.lattice.in_order([self._halves(kept, level) for kept in self.lattice.shown])
        centre = self.values.astype(float)
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.values) if self.has_intervals else 0

    def half_width(self, level: float) -> float | None:
        if not self.has_intervals:
            return None
        return max(float(self._halves(kept, level).max(initial=0.0)) for kept in self.lattice.shown)

    def sd_of(self, kept: Kept) -> float:
        """The standard deviation of a number of a table; where they differ, of those that are not exact, on average."""
        each = self.laws(kept).spread(lambda noise: noise.sd)
        each = each[each > 0]
        return float(np.sqrt(np.mean(each**2))) if len(each) else 0.0

    @property
    def has_intervals(self) -> bool:
        """Whether errors are found; only in very large tables over several levels of a key they are not."""
        return not self.fitted or not self.lattice.ties or self._solves

    @cached_property
    def _solves(self) -> bool:
        """Around cells that cannot be, an error is found by solving for it, once for each kind of cell."""
        return self.lattice.work <= MOST_WORK

    @property
    def counted(self) -> tuple[Array, Noise] | None:
        """The table over all keys with noise of its own, as it was before the fit."""
        every = self.lattice.every
        if every not in self.measured or (self.fitted and self.interior is None):
            return None
        cells = self.interior if self.interior is not None else self.lattice.parts(self.values)[every]
        return np.asarray(cells).reshape(self.lattice.sizes), self.noises[self.measured.index(every)]

    @cached_property
    def effects(self) -> Effects:
        """How what was measured tells the numbers shown."""
        return weighing(self.lattice.sizes, dict(zip(self.measured, self.noises, strict=True)), self.weighed)

    def _halves(self, kept: Kept, level: float) -> Floats:
        return self.laws(kept).spread(lambda noise: noise.half_width(level))

    def laws(self, kept: Kept, chosen: Mapping[int, Sequence[int]] | None = None, source: Kept | None = None) -> Laws:
        """The noise of each number of a margin, or of each sum over chosen categories of keys that it does not keep."""
        chosen = chosen or {}
        needed = tuple(sorted({*kept, *chosen}))
        noise = dict(zip(self.measured, self.noises, strict=True))
        if self.fitted and not self.lattice.is_plain and (self.lattice.ties or self._solves):
            if chosen:
                return self._solved(kept, chosen, noise)
            if kept not in self._solutions:
                self._solutions[kept] = self._solved(kept, chosen, noise)
            return self._solutions[kept]
        taken = {place: len(chosen[place]) for place in needed if place not in kept}
        if self.fitted:
            terms = self.effects.terms(needed, taken)
            one = added([(noise[margin], weight, many) for margin, weight, many in terms])
            there = added_up(
                self.lattice.possible_in(needed), needed, kept, chosen
            )  # not to know of zeros: larger errors
            return Laws((one,), np.where(there > 0, 0, -1))
        source = source_of(needed, self.measured) if source is None else source
        apart = prod(self.lattice.sizes[place] for place in source if place not in needed) * prod(taken.values())
        there = added_up(self.lattice.possible_in(source), source, kept, chosen)
        return Laws((added([(noise[source], 1.0, apart)]),), np.where(there > 0, 0, -1))

    def _solved(self, kept: Kept, chosen: Mapping[int, Sequence[int]], noise: Mapping[Kept, Noise]) -> Laws:
        """One solution for each kind of number."""
        which, blocks = self.lattice.alike(kept, chosen)
        terms = [self._fit.terms(block) for block in blocks]
        return Laws(tuple(added([(noise[m], weight, many) for m, weight, many in each]) for each in terms), which)

    @cached_property
    def _solutions(self) -> dict[Kept, Laws]:
        return {}

    @cached_property
    def _fit(self) -> Fit:
        return Fit(self.effects, self.lattice.possible)

    def can_tell(self, needed: Kept) -> bool:
        return self.lattice.can_tell(needed, self.fitted)

    def part(self, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> Part:
        """The numbers of a margin that can be told, of the chosen categories of keys, in the order given.

        Added up from a table shown that holds them: all the same after a fit, without one the least noisy.
        """
        needed = tuple(sorted({*kept, *chosen}))
        holding = [shown for shown in self.lattice.shown if set(needed) <= set(shown)]
        told_from = None
        if self.fitted or not any(shown in self.measured for shown in holding):
            if not holding:
                return self._part_of_finer(kept, chosen, needed)
            source = min(holding, key=self.lattice.cells)
        else:
            mine = [shown for shown in holding if shown in self.measured]
            source = told_from = min(mine, key=lambda each: self.laws(kept, chosen, each).noises[0].var)
        values = added_up(self.lattice.parts(self.values)[source], source, kept, chosen)
        laws = self.laws(kept, chosen, told_from) if self.has_intervals else None
        return Part(self.statistic, values, laws, self.lower)

    def _part_of_finer(self, kept: Kept, chosen: Mapping[int, Sequence[int]], needed: Kept) -> Part:
        """From a table of finer keys: the only cells in which a coarser key can be are those of its categories."""
        lattice = self.lattice
        able = [shown for shown in lattice.shown if set(needed) <= set(with_told(shown, lattice.ties))]
        source = min(able, key=lattice.cells)
        wider = tuple(sorted({*source, *needed}))
        shape = [lattice.sizes[place] if place in source else 1 for place in wider]
        table = lattice.parts(self.values)[source].reshape(shape) * lattice.possible_in(wider)
        laws = self.laws(kept, chosen) if self.has_intervals else None
        return Part(self.statistic, added_up(table, wider, kept, chosen), laws, self.lower)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "tables",
            "statistic": self.statistic,
            "sizes": list(self.lattice.sizes),
            "shown": [list(kept) for kept in self.lattice.shown],
            "measured": [list(kept) for kept in self.measured],
            "noises": [noise.to_json() for noise in self.noises],
            "fitted": self.fitted,
            "lower": self.lower if np.isfinite(self.lower) else None,
            "rectangle": list(self.lattice.rectangle) if self.lattice.rectangle else None,
            "zeros": list(self.lattice.zeros),
            "interior": None if self.interior is None else self.interior.tolist(),
            **({} if self.weighed is None else {"weighed": list(self.weighed)}),
            **({"ties": [tie.to_json() for tie in self.lattice.ties]} if self.lattice.ties else {}),
        }

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> Tables:
        rectangle = facts["rectangle"]
        lattice = Lattice(
            tuple(facts["sizes"]),
            tuple(map(tuple, facts["shown"])),
            (rectangle[0], rectangle[1]) if rectangle else None,
            tuple(facts["zeros"]),
            tuple(map(Tie.from_json, facts.get("ties", ()))),
        )
        return cls(
            facts["statistic"],
            values,
            lattice,
            tuple(map(tuple, facts["measured"])),
            tuple(map(Noise.from_json, facts["noises"])),
            facts["fitted"],
            -np.inf if facts["lower"] is None else float(facts["lower"]),
            None if facts.get("interior") is None else np.array(facts["interior"]),
            tuple(facts["weighed"]) if "weighed" in facts else None,
        )


def weighing(sizes: tuple[int, ...], noises: Mapping[Kept, Noise], weighed: Sequence[float] | None = None) -> Effects:
    """How least squares weighs tables with these noises: by their variances, unless others are named."""
    variances = np.clip(weighed or [noise.var for noise in noises.values()], *FINITE)
    return Effects(sizes, dict(zip(noises, variances.tolist(), strict=True)))
