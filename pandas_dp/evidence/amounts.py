"""Released counts and sums: a number for each cell, each with noise of one known law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..errors import NotConcluded
from .noise import Floats, Noise, averaged, weights


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
        self._check(target)
        low = high = self.values.astype(float)
        if self.noise is not None:
            low, high = self.noise.around(self.values, level)
            for added in set(self._added.tolist()) - {1.0}:
                sums, half = self._added == added, self.noise.half_width_of_sum(level, int(added))
                low = np.where(sums, self.values - half, low)
                high = np.where(sums, self.values + half, high)
        return np.clip(low, self.lower, self.upper), np.clip(high, self.lower, self.upper)

    def _check(self, target: str) -> None:
        if target != "sample":
            raise NotConcluded(
                f"a {self.statistic} describes the rows at hand; its interval is for target='sample'.",
                statistic=self.statistic,
            )

    def own_noise(self, target: str) -> tuple[Noise, ...]:
        self._check(target)
        self._check_free(self.noise)
        return (self.noise,) if self.noise else ()

    def _check_free(self, noise: Noise | None) -> None:
        if noise is not None and noise.depends:
            raise NotConcluded(
                f"{noise.law.distribution} noise depends on the count that it hides; take the interval, or ask for "
                "laplace, gaussian or truncated noise.",
                statistic=self.statistic,
            )

    @property
    def apart(self) -> bool:
        return self.margins is None

    @property
    def noisy(self) -> int:
        return len(self.values) if self.noise else 0

    def pooled(self, others: Sequence[Amounts]) -> Amounts:
        """The average of several measurements of the same amounts, weighted by their precision."""
        each = (self, *others)
        noises = [amounts.noise for amounts in each if amounts.noise is not None]
        if len(noises) < len(each):
            raise NotConcluded(f"this {self.statistic} is public and exact; there is nothing to combine.")
        for noise in noises:
            self._check_free(noise)
        values = weights(noises) @ np.array([amounts.values.astype(float) for amounts in each])
        return replace(self, values=values, noise=averaged(noises))

    def cells(self, number: int) -> frozenset[int]:
        """Which cells with noise of their own a number adds up."""
        if self.margins is None:
            return frozenset({number})
        rows, columns = self.margins
        row, column = divmod(number, columns + 1)
        return frozenset(
            i * columns + j
            for i in (range(rows) if row == rows else [row])
            for j in (range(columns) if column == columns else [column])
        )

    @property
    def _added(self) -> Floats:
        """How many noisy cells each number adds up."""
        if self.margins is None:
            return np.ones(len(self.values))
        rows, columns = self.margins
        return np.outer([*[1.0] * rows, rows], [*[1.0] * columns, columns]).ravel()

    def half_width(self, level: float) -> float | None:
        rows, columns = self.margins or (1, 1)
        if self.noise is None:
            return 0.0
        return None if self.noise.depends else self.noise.half_width_of_sum(level, rows * columns)

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
