"""Tables that were released with their margins: each with noise of its own, or all made to agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from ..errors import NotConcluded
from .effects import Effects, Kept
from .mixed import Terms, half_width_of_mixed, sd_of_mixed
from .noise import Floats, Noise

Array = np.ndarray[Any, Any]
MOST_KEPT = 10_000  # cells that a label holds beside those it shows
FINITE = (1e-150, 1e150)  # variances of noise next to none, or next to nothing but noise, are taken for these


@dataclass(frozen=True)
class Tables:
    """Numbers of the `shown` tables, from the `measured` ones, whose noise is known.

    `values` stand one table after the other, or, with a `rectangle`, as rows × columns with margins at their ends.
    `fitted` tells whether they are least squares of all that was measured; then `interior` are the cells as they were
    measured, for tests that need noise cell by cell. Around cells that were declared impossible (`zeros`) errors are
    taken for those of the fit that does not know of them, which are larger.
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
    interior: Array | None = None
    default_target: ClassVar[str] = "sample"

    @property
    def estimate(self) -> Array:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, Array]:
        low, high = self.interval(level, target)
        sd = self._spread([self.sd_of(kept) for kept in self.shown])
        return {self.statistic: self.values, "std_error": sd, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self._check(target)
        half = self._spread([self._half(kept, level) for kept in self.shown])
        centre = self.values.astype(float)
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    def _check(self, target: str) -> None:
        if target != "sample":
            raise NotConcluded(
                f"a {self.statistic} describes the rows at hand; its interval is for target='sample'.",
                statistic=self.statistic,
            )

    def own_noise(self, target: str) -> tuple[Noise, ...]:
        self._check(target)
        raise NotConcluded(
            "numbers of tables with planned margins or structural zeros share noise, which contrasts and tests do not "
            "model; take their intervals, or ask for the table without.",
            statistic=self.statistic,
        )

    def cells(self, number: int) -> frozenset[int]:
        return frozenset({number})

    @property
    def apart(self) -> bool:
        return False

    @property
    def noisy(self) -> int:
        return len(self.values)

    def pooled(self, others: Sequence[Tables]) -> Tables:
        raise NotConcluded(
            "tables with planned margins or structural zeros are not combined; combine tables without.",
            statistic=self.statistic,
        )

    def half_width(self, level: float) -> float | None:
        return max(self._half(kept, level) for kept in self.shown)

    def sd_of(self, kept: Kept) -> float:
        """The standard deviation of one number of a table."""
        return sd_of_mixed(self._terms(kept))

    @property
    def counted(self) -> tuple[Array, Noise] | None:
        """The table over all keys with noise of its own, as it was before the fit."""
        every = tuple(range(len(self.sizes)))
        if every not in self.measured or (self.fitted and self.interior is None):
            return None
        cells = self.interior if self.interior is not None else self.parts(self.values)[every]
        return np.asarray(cells).reshape(self.sizes), self.noises[self.measured.index(every)]

    @cached_property
    def effects(self) -> Effects:
        """How what was measured tells the numbers shown."""
        variances = np.clip([noise.var for noise in self.noises], *FINITE)
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
        """One number for each shown table, as the numbers stand; none for those that hold nothing by declaration."""
        there = np.ones(self.effects.cells(tuple(range(len(self.sizes)))), dtype=bool)
        there[list(self.zeros)] = False
        table, places = there.reshape(self.sizes), range(len(self.sizes))
        parts = [
            np.asarray(number * table.any(axis=tuple(place for place in places if place not in kept)))
            for kept, number in zip(self.shown, each, strict=True)
        ]
        return self.in_order(parts)

    def _half(self, kept: Kept, level: float) -> float:
        terms = self._terms(kept)
        if len(terms) == 1 and terms[0][1] == 1:
            return terms[0][0].half_width_of_sum(level, terms[0][2])
        return half_width_of_mixed(terms, level)

    def _terms(self, kept: Kept) -> Terms:
        """The error of one number of a table: weighted noises."""
        noise = dict(zip(self.measured, self.noises, strict=True))
        if not self.fitted:
            source = source_of(kept, self.measured)
            apart = prod(self.sizes[place] for place in source if place not in kept)
            return ((noise[source], 1.0, apart),)
        return tuple((noise[margin], weight, many) for margin, weight, many in self.effects.terms(kept))

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
            "interior": None if self.interior is None else self.interior.tolist(),
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
            None if facts.get("interior") is None else np.array(facts["interior"]),
        )


def source_of(kept: Kept, measured: Sequence[Kept]) -> Kept:
    """The measured table that a margin is read from, or added up from, where nothing is fitted: the smallest."""
    return min((margin for margin in measured if set(kept) <= set(margin)), key=len)
