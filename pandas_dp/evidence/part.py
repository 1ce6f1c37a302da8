"""Numbers taken out of released tables: each added up from cells that may share noise with its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import NotConcluded
from .noise import Floats, Noise

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Part:
    """Every number is off by `noise`; None where a fit around structural zeros leaves that unknown.

    Numbers that no row can add to, `empty`, are exact.
    """

    statistic: str
    values: Array
    noise: Noise | None
    lower: float = -np.inf
    empty: tuple[int, ...] = ()
    default_target: ClassVar[str] = "sample"
    apart: ClassVar[bool] = False

    @property
    def estimate(self) -> Array:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, Array]:
        if self.noise is None:
            return {self.statistic: self.values}
        low, high = self.interval(level, target)
        return {self.statistic: self.values, "std_error": self._spread(self.noise.sd), "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        self._check(target)
        if self.noise is None:
            raise NotConcluded(
                "a table that was fitted around structural zeros has no intervals of its own; ask with "
                "consistent=False, where each number has its own noise.",
                statistic=self.statistic,
            )
        centre, half = self.values.astype(float), self._spread(self.noise.half_width(level))
        return np.maximum(centre - half, self.lower), np.maximum(centre + half, self.lower)

    def _spread(self, width: float) -> Floats:
        each = np.full(len(self.values), width)
        each[list(self.empty)] = 0.0
        return each

    def _check(self, target: str) -> None:
        if target != "sample":
            raise NotConcluded(
                f"a {self.statistic} describes the rows at hand; its interval is for target='sample'.",
                statistic=self.statistic,
            )

    def own_noise(self, target: str) -> tuple[Noise, ...]:
        self._check(target)
        raise NotConcluded(
            "numbers taken out of tables that were released together share noise, which contrasts and tests do not "
            "model; take their intervals, or ask for the table alone.",
            statistic=self.statistic,
        )

    def cells(self, number: int) -> frozenset[int]:
        return frozenset({number})

    @property
    def noisy(self) -> int:
        return 0 if self.noise is None else len(self.values)

    def pooled(self, others: Sequence[Part]) -> Part:
        raise NotConcluded("parts of released tables are not combined; combine the releases.", statistic=self.statistic)

    def half_width(self, level: float) -> float | None:
        return None if self.noise is None else self.noise.half_width(level)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": "part",
            "statistic": self.statistic,
            "noise": None if self.noise is None else self.noise.to_json(),
            "lower": self.lower if np.isfinite(self.lower) else None,
            "empty": list(self.empty),
        }

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: Array) -> Part:
        noise = None if facts["noise"] is None else Noise.from_json(facts["noise"])
        lower = -np.inf if facts["lower"] is None else float(facts["lower"])
        return cls(facts["statistic"], values, noise, lower, tuple(facts["empty"]))
