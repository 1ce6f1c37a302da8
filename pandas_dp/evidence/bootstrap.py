"""How a bootstrap was asked for: how many replicates, made how, and how carefully their variance is taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from ..dataclass import dataclass

Resampling = Literal["moments", "half-sample", "weights", "multinomial"]
Caution = Literal["unbiased", "conservative", "most"]
RESAMPLINGS: tuple[str, ...] = get_args(Resampling)
CAUTIONS: tuple[str, ...] = get_args(Caution)


@dataclass(frozen=True)
class Bootstrap:
    """`variance` says what the noise makes of an estimated variance: "unbiased" takes its expectation away,
    "conservative" takes an upper bound that fails with probability `alpha`, "most" the largest there can be."""

    replicates: int
    resample: Resampling = "moments"
    variance: Caution = "unbiased"
    alpha: float = 0.05

    def to_json(self) -> dict[str, Any]:
        return {
            "replicates": self.replicates,
            "resample": self.resample,
            "variance": self.variance,
            "alpha": self.alpha,
        }

    @classmethod
    def from_json(cls, facts: Mapping[str, Any] | None) -> Bootstrap | None:
        if facts is None:
            return None
        return cls(facts["replicates"], facts["resample"], facts["variance"], facts["alpha"])
