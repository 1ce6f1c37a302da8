"""Numbers taken out of released tables: each added up from cells that may share noise with its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .noise import Floats, Noise
from .shared import SharesNoise

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Laws:
    """Noises, and which of them each number has: -1 where it is exact, as no row can add to it."""

    noises: tuple[Noise, ...]
    which: NDArray[np.intp]

    def spread(self, width: Callable[[Noise], float]) -> Floats:
        """A width of its noise for each number."""
        return np.array([*map(width, self.noises), 0.0])[self.which]

    def to_json(self) -> dict[str, Any]:
        same = len(self.noises) == 1 and not self.which.any()
        return {"noises": [n.to_json() for n in self.noises], "which": None if same else self.which.tolist()}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], many: int) -> Laws:
        which = np.zeros(many, np.intp) if facts["which"] is None else np.array(facts["which"], np.intp)
        return cls(tuple(map(Noise.from_json, facts["noises"])), which)


@dataclass(frozen=True)
class Part(SharesNoise):
    """Numbers and their noise; None where finding it would take too long.

    With `margins` they are a rectangle of rows × columns, followed by their totals.
    """

    statistic: str
    values: Array
    laws: Laws | None
    lower: float = -np.inf
    margins: tuple[int, int] | None = None

    @property
    def estimate(self) -> Array:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, Array]:
        if self.laws is None:
            return {self.statistic: self.values}
        low, high = self.interval(level, target)
        return {self.statistic: self.values, "std_error": self.laws.spread(lambda n: n.sd), "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self.check_target(target)
        if self.laws is None:
            raise self.no_intervals()
        centre, half = self.values.astype(float), self.laws.spread(lambda noise: noise.half_width(level))
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    @property
    def noisy(self) -> int:
        return 0 if self.laws is None else len(self.values)

    def half_width(self, level: float) -> float | None:
        return None if self.laws is None else float(self.laws.spread(lambda noise: noise.half_width(level)).max())

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "part",
            "statistic": self.statistic,
            "laws": None if self.laws is None else self.laws.to_json(),
            "lower": self.lower if np.isfinite(self.lower) else None,
            **({} if self.margins is None else {"margins": list(self.margins)}),
        }

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> Part:
        laws = None if facts["laws"] is None else Laws.from_json(facts["laws"], len(values))
        lower = -np.inf if facts["lower"] is None else float(facts["lower"])
        margins = facts.get("margins")
        return cls(facts["statistic"], values, laws, lower, (margins[0], margins[1]) if margins else None)


def with_totals(parts: Sequence[Part], shape: tuple[int, int]) -> Part:
    """Cells, totals of rows, totals of columns and that of all as one rectangle, row by row."""

    def framed(inner: Array, right: Array, bottom: Array, corner: Array) -> Array:
        wide = np.block([[inner.reshape(shape), right[:, None]], [bottom[None, :], corner[None, :]]])
        return np.asarray(wide.ravel())

    values = framed(*(part.values for part in parts))
    laws = [part.laws for part in parts if part.laws is not None]
    if len(laws) < len(parts):
        return Part(parts[0].statistic, values, None, parts[0].lower, shape)
    firsts = np.cumsum([0, *(len(each.noises) for each in laws)])
    which = framed(*(np.where(w.which < 0, -1, w.which + at) for w, at in zip(laws, firsts, strict=False)))
    noises = tuple(noise for each in laws for noise in each.noises)
    return Part(parts[0].statistic, values, Laws(noises, which), parts[0].lower, shape)
