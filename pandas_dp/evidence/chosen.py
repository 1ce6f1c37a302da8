"""Values chosen by their rank: quantiles, least and greatest, and differences of two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import NotConcluded
from .bare import Bare
from .noise import Floats


@dataclass(frozen=True)
class Chosen(Bare):
    """How far such a value is off, in its own unit, depends on how close the data lie: that is not public."""

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        raise NotConcluded(
            f"a released {self.statistic} has no interval of its own: how far it is off depends on the data around it; "
            "ask for quantiles on both sides, e.g. quantile([0.45, 0.5, 0.55]).",
            statistic=self.statistic,
        )

    def pooled(self, others: Sequence[Chosen]) -> Chosen:
        raise NotConcluded(
            f"a released {self.statistic} was chosen, without noise of a known size, so there are no weights to "
            "combine it with others; ask once with the whole cost.",
            statistic=self.statistic,
        )

    def to_json(self) -> dict[str, Any]:
        return {"kind": "chosen", "statistic": self.statistic}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any], values: np.ndarray[Any, Any]) -> Chosen:
        return cls(facts["statistic"], values)
