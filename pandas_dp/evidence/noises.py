"""The noise of numbers that do not all have the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..dataclass import dataclass
from .codec import Json
from .noise import Floats, Noise


@dataclass(frozen=True)
class Noises:
    """Noises, and which of them each number has: -1 where it is exact, as no row can add to it.

    Without any, finding them would take too long. Numbers may share them with their neighbours.
    """

    noises: tuple[Noise, ...]
    which: NDArray[np.intp]
    shared: ClassVar[bool] = True

    @classmethod
    def unknown(cls, many: int) -> Noises:
        return cls((), np.zeros(many, np.intp))

    @property
    def are_known(self) -> bool:
        return bool(self.noises) or bool((self.which < 0).all())

    @property
    def sd(self) -> Floats:
        """The standard deviation of each number."""
        return self.spread(lambda noise: noise.sd)

    def half_widths(self, level: float) -> Floats:
        return self.spread(lambda noise: noise.half_width(level))

    def spread(self, width: Callable[[Noise], float]) -> Floats:
        """A width of its noise for each number."""
        return np.array([*map(width, self.noises), 0.0])[self.which]

    def around(self, values: Any, level: float) -> tuple[Floats, Floats]:
        """Intervals for the true numbers behind released ones."""
        centre, half = np.asarray(values, dtype=float), self.half_widths(level)
        return centre - half, centre + half

    def to_json(self) -> Json:
        same = len(self.noises) == 1 and not self.which.any()
        which: Any = len(self.which) if same or not self.are_known else self.which.tolist()
        return {"noises": [noise.to_json() for noise in self.noises], "which": which}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Noises:
        which = facts["which"]
        numbers = np.zeros(which, np.intp) if isinstance(which, int) else np.array(which, np.intp)
        return cls(tuple(map(Noise.from_json, facts["noises"])), numbers)

    @classmethod
    def reads(cls, facts: Any) -> bool:
        return "noises" in facts
