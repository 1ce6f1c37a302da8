"""Numbers whose noise is private: its scale was found in the data, so nothing may be said of how far they are off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import NotConcluded
from .bare import Bare
from .noise import Floats


@dataclass(frozen=True)
class Unsaid(Bare):
    """A number for each cell, and nothing beside it."""

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        raise NotConcluded(
            f"this {self.statistic} has no interval: its noise was scaled by the data, and the scale would give the "
            "data away; ask with model='dp' for one.",
            statistic=self.statistic,
        )

    def pooled(self, others: Sequence[Unsaid]) -> Unsaid:
        raise NotConcluded(
            f"a {self.statistic} whose noise was scaled by the data has no weight to combine it with; ask once with "
            "the whole cost.",
            statistic=self.statistic,
        )

    def to_json(self) -> dict[str, Any]:
        return {"kind": "unsaid", "statistic": self.statistic}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Unsaid:
        return cls(facts["statistic"], values)
