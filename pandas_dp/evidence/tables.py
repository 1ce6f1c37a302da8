"""Tables that were released with their margins: each with noise of its own, or all made to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod
from typing import Any

import numpy as np

from .effects import Effects, Kept
from .mixed import half_width_of_mixed
from .noise import Floats, Noise, added
from .part import Part
from .shared import SharesNoise

Array = np.ndarray[Any, Any]
FINITE = (1e-150, 1e150)  # variances of noise next to none, or next to nothing but noise, are taken for these


@dataclass(frozen=True)
class Tables(SharesNoise):
    """Numbers of the `shown` tables, from the `measured` ones, whose noise is known.

    `values` stand one table after the other, or, with a `rectangle`, as rows × columns with margins at their ends.
    `fitted` tells whether they are least squares of all that was measured. Where cells were declared impossible
    (`zeros`), what was fitted has no interval.
    """

    statistic: str
    values: Array
    sizes: tuple[int, ...]
    shown: tuple[Kept, ...]
    measured: tuple[Kept, ...]
    noises: tuple[Noise, ...]
    fitted: bool
    lower: float = -np.inf
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()  # cells of the table over all keys
    weighed: tuple[float, ...] | None = None  # the variances by which least squares weighs, where not the noises'

    @property
    def estimate(self) -> Array:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, Array]:
        if not self.has_intervals:
            return {self.statistic: self.values}
        low, high = self.interval(level, target)
        sd = self._spread([self.sd_of(kept) for kept in self.shown])
        return {self.statistic: self.values, "std_error": sd, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self.check_target(target)
        if not self.has_intervals:
            raise self.no_intervals()
        half = self._spread([self._half(kept, level) for kept in self.shown])
        centre = self.values.astype(float)
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    @property
    def noisy(self) -> int:
        return len(self.values) if self.has_intervals else 0

    def half_width(self, level: float) -> float | None:
        if not self.has_intervals:
            return None
        return max(self._half(kept, level) for kept in self.shown)

    def sd_of(self, kept: Kept) -> float:
        """The standard deviation of one number of a table."""
        return self.noise_of(kept).sd

    @property
    def has_intervals(self) -> bool:
        """Hellinger noise has no spread of its own; it is not offered for margins."""
        return not (self.fitted and self.zeros)

    @cached_property
    def effects(self) -> Effects:
        """How what was measured tells the numbers shown."""
        variances = np.clip(self.weighed or [noise.var for noise in self.noises], *FINITE)
        return Effects(self.sizes, dict(zip(self.measured, variances.tolist(), strict=True)))

    def parts(self, values: Array) -> dict[Kept, Array]:
        """The numbers of each shown table, taken out of the order in which they stand."""
        order = self._order
        ends = np.cumsum([self.effects.cells(kept) for kept in self.shown])
        apart = np.empty_like(values)
        apart[order] = values
        pieces = np.split(apart, ends[:-1])
        shapes = [[self.sizes[place] for place in kept] for kept in self.shown]
        return {kept: p.reshape(shape) for kept, p, shape in zip(self.shown, pieces, shapes, strict=True)}

    def in_order(self, parts: Sequence[Array]) -> Array:
        """The numbers of all shown tables as they stand."""
        return np.asarray(np.concatenate([part.ravel() for part in parts])[self._order])

    @cached_property
    def _order(self) -> Array:
        sizes = [self.effects.cells(kept) for kept in self.shown]
        places = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        if self.rectangle is None or len(places) == 1:
            return np.concatenate(places)
        rows, columns = self.rectangle
        inner, right, bottom, corner = places
        return np.block([[inner.reshape(rows, columns), right[:, None]], [bottom[None, :], corner]]).ravel()

    def _spread(self, each: Sequence[float]) -> Floats:
        """One number for each shown table, as the numbers stand; none for cells that are zero by declaration."""
        parts = [np.full(self.effects.cells(kept), number) for kept, number in zip(self.shown, each, strict=True)]
        for kept, part in zip(self.shown, parts, strict=True):
            if len(kept) == len(self.sizes):
                part[list(self.zeros)] = 0.0
        return self.in_order(parts)

    def _half(self, kept: Kept, level: float) -> float:
        noise = self.noise_of(kept)
        if not self.fitted:
            return noise.half_width(level)
        return half_width_of_mixed(tuple((each.law, each.step, each.many) for each in noise.terms), level)

    def noise_of(self, kept: Kept, taken: Mapping[int, int] | None = None, source: Kept | None = None) -> Noise:
        """The error of one number of a table; with `taken`, of a sum over so many categories of a key."""
        noise = dict(zip(self.measured, self.noises, strict=True))
        if not self.fitted:
            source = source_of(kept, self.measured) if source is None else source
            apart = prod(self.sizes[place] for place in source if place not in kept)
            return added([(noise[source], 1.0, apart * prod((taken or {}).values()))])
        return added([(noise[margin], weight, many) for margin, weight, many in self.effects.terms(kept, taken)])

    def part(self, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> Part:
        """The numbers of a margin that some shown table contains, of the chosen categories of keys, in the order given.

        Added up from a table shown that holds them: all the same after a fit, without one the least noisy.
        """
        needed = tuple(sorted({*kept, *chosen}))
        holding = [shown for shown in self.shown if set(needed) <= set(shown)]
        taken = {place: len(chosen[place]) for place in needed if place not in kept}
        measured = [shown for shown in holding if shown in self.measured]
        if self.fitted or not measured:
            source, told_from = min(holding, key=self.effects.cells), None
        else:
            source = told_from = min(measured, key=lambda each: self.noise_of(needed, taken, each).var)
        noise = self.noise_of(needed, taken, told_from) if self.has_intervals else None
        there = np.ones(self.effects.cells(source), dtype=bool)
        if len(source) == len(self.sizes):
            there[list(self.zeros)] = False
        add = partial(_added_up, source=source, kept=kept, chosen=chosen)
        values, able = add(self.parts(self.values)[source]), add(there.reshape([self.sizes[place] for place in source]))
        return Part(self.statistic, values, noise, self.lower, tuple(np.flatnonzero(able == 0).tolist()))

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "tables",
            "statistic": self.statistic,
            "sizes": list(self.sizes),
            "shown": [list(kept) for kept in self.shown],
            "measured": [list(kept) for kept in self.measured],
            "noises": [noise.to_json() for noise in self.noises],
            "fitted": self.fitted,
            "lower": self.lower if np.isfinite(self.lower) else None,
            "rectangle": list(self.rectangle) if self.rectangle else None,
            "zeros": list(self.zeros),
            **({} if self.weighed is None else {"weighed": list(self.weighed)}),
        }

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> Tables:
        rectangle = facts["rectangle"]
        return cls(
            facts["statistic"],
            values,
            tuple(facts["sizes"]),
            tuple(map(tuple, facts["shown"])),
            tuple(map(tuple, facts["measured"])),
            tuple(map(Noise.from_json, facts["noises"])),
            facts["fitted"],
            -np.inf if facts["lower"] is None else float(facts["lower"]),
            (rectangle[0], rectangle[1]) if rectangle else None,
            tuple(facts["zeros"]),
            tuple(facts["weighed"]) if "weighed" in facts else None,
        )


def _added_up(table: Array, source: Kept, kept: Kept, chosen: Mapping[int, Sequence[int]]) -> Array:
    """The chosen categories of each key, added up over the keys that are not kept."""
    for axis, place in enumerate(source):
        if place in chosen:
            table = np.take(table, chosen[place], axis=axis)
    table = np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(source) if place not in kept)))
    return table.transpose([sorted(kept).index(place) for place in kept]).ravel()


def source_of(kept: Kept, measured: Sequence[Kept]) -> Kept:
    """The measured table that a margin is read from, or added up from, where nothing is fitted: the smallest."""
    return min((margin for margin in measured if set(kept) <= set(margin)), key=len)
