"""Tables in which runs of ordered keys are told best: each number has an error of its own size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from ..dataclass import dataclass
from ..errors import NotConcluded
from ..laws import DiscreteGaussian
from ..margins import Kept, Metric, Runs, Wanted
from .base import LEARNED, SYNTHETIC, TESTED
from .effect_tables import EffectTables
from .noise import Noise
from .noises import Noises
from .tables import FINITE

STEPS = 2**10  # in a standard deviation of a number's noise, which is a sum of many
GROWS = 1.001  # standard deviations are rounded up to powers of this
ASK = "this release tells runs of a key, so no number has noise of its own; ask without ranges=."


@dataclass(frozen=True)
class RunTables(EffectTables):
    """Numbers of the `shown` tables; `measured` are the effects, in the metrics of their keys, and `noises` those of
    the measured numbers. `wanted` says of each key which runs were wanted."""

    wanted: tuple[str, ...] = ()
    kind: ClassVar[str] = "tables of runs"

    @property
    def offers(self) -> frozenset[str]:
        return super().offers - TESTED - LEARNED - SYNTHETIC

    @cached_property
    def effects(self) -> Runs:
        variances = np.clip([noise.var for noise in self.noises], *FINITE)
        return Runs(self.sizes, dict(zip(self.measured, variances.tolist(), strict=True)), metrics_of(self))

    def laws(self, kept: Kept, chosen: Mapping[int, Sequence[int]] | None = None, source: Kept | None = None) -> Noises:
        """Sums of so many discrete Gaussians with such wide noise are normal, as far as anyone can tell."""
        spread = self.effects.spread(kept, chosen or {}).transpose([sorted(kept).index(place) for place in kept])
        powers = np.ceil(np.log(np.sqrt(spread.ravel())) / np.log(GROWS) - 1e-9)
        each, which = np.unique(powers, return_inverse=True)
        law = DiscreteGaussian(Fraction(STEPS**2))
        return Noises(tuple(Noise(law, float(GROWS**power) / STEPS) for power in each), np.asarray(which).ravel())

    def sd_of(self, kept: Kept) -> float:
        return float(np.sqrt(self.effects.variance(kept)))

    def own_cells(self) -> NoReturn:
        raise NotConcluded(ASK, statistic=self.statistic)

    def own_noise(self, target: str) -> NoReturn:
        self.check_target(target)
        raise NotConcluded(ASK, statistic=self.statistic)


def metrics_of(tables: Any) -> tuple[Metric, ...]:
    wanted: tuple[Wanted, ...] = tables.wanted
    return tuple(Metric(size, each) for size, each in zip(tables.sizes, wanted, strict=True))
