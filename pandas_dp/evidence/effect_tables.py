"""Tables that were told by effects, each measured by itself: no cell has noise of its own."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, NoReturn

import numpy as np

from ..dataclass import dataclass
from ..errors import NotConcluded
from ..margins import Apart, Kept
from .tables import FINITE, Tables

ASK = "this release was measured by effects, so no number has noise of its own; ask with measure='tables'."


@dataclass(frozen=True)
class EffectTables(Tables):
    """Numbers of the `shown` tables; `measured` are the effects, and `noises` those of the tables that tell them, in
    the unit of the margin over the same keys."""

    kind: ClassVar[str] = "tables by effects"
    measure: ClassVar[str] = "effects"

    @cached_property
    def effects(self) -> Apart:
        variances = np.clip([noise.var for noise in self.noises], *FINITE)
        return Apart(self.sizes, dict(zip(self.measured, variances.tolist(), strict=True)))

    @property
    def variances(self) -> dict[Kept, float]:
        """Those of the tables shown, as no table was measured."""
        return {kept: self.effects.variance(kept) for kept in self.shown}

    def own_cells(self) -> NoReturn:
        raise NotConcluded(ASK, statistic=self.statistic)

    def own_noise(self, target: str) -> NoReturn:
        self.check_target(target)
        raise NotConcluded(ASK, statistic=self.statistic)
