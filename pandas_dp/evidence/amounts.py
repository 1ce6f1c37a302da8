"""Released counts and sums: a number for each cell, each with noise of one known law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import NotConcluded
from .noise import Floats, Noise


@dataclass(frozen=True)
class Amounts:
    """What the cells hold, as released; `noise` is None where the number is public."""

    statistic: str
    values: np.ndarray[Any, Any]
    noise: Noise | None
    lower: float = -np.inf  # no true value lies below
    upper: float = np.inf  # nor above
    margins: tuple[int, int] | None = None  # rows × columns of cells, followed by their sums
    default_target: ClassVar[str] = "sample"

    @property
    def estimate(self) -> np.ndarray[Any, Any]:
        return self.values

    def measures(self, level: float, target: str) -> dict[str, np.ndarray[Any, Any]]:
        low, high = self.interval(level, target)
        sd = np.sqrt(self._added) * (self.noise.sd if self.noise else 0.0)
        return {self.statistic: self.values, "std_error": sd, "lower": low, "upper": high}

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """Exact: the noise is whole steps of a known law."""
        if target != "sample":
            raise NotConcluded(
                f"a {self.statistic} describes the rows at hand; its interval is for target='sample'.",
                statistic=self.statistic,
            )
        widths = {added: self._half_width(level, added) for added in set(self._added.tolist())}
        half = np.array([widths[added] for added in self._added.tolist()])
        centre = self.values.astype(float)
        return np.clip(centre - half, self.lower, self.upper), np.clip(centre + half, self.lower, self.upper)

    @property
    def _added(self) -> Floats:
        """How many noisy cells each number adds up."""
        if self.margins is None:
            return np.ones(len(self.values))
        rows, columns = self.margins
        return np.outer([*[1.0] * rows, rows], [*[1.0] * columns, columns]).ravel()

    def _half_width(self, level: float, added: float) -> float:
        return self.noise.half_width_of_sum(level, int(added)) if self.noise else 0.0

    def half_width(self, level: float) -> float:
        rows, columns = self.margins or (1, 1)
        return self._half_width(level, rows * columns)

    def to_json(self) -> dict[str, Any]:
        noise = self.noise.to_json() if self.noise else None
        lower, upper = (end if np.isfinite(end) else None for end in (self.lower, self.upper))
        margins = list(self.margins) if self.margins else None
        ends = {"lower": lower, "upper": upper}
        return {"kind": "amounts", "statistic": self.statistic, "noise": noise, **ends, "margins": margins}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Amounts:
        noise = Noise.from_json(facts["noise"]) if facts["noise"] else None
        lower = -np.inf if facts["lower"] is None else float(facts["lower"])
        upper = np.inf if facts.get("upper") is None else float(facts["upper"])
        margins = facts["margins"]
        return cls(facts["statistic"], values, noise, lower, upper, (margins[0], margins[1]) if margins else None)
