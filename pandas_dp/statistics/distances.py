"""How far the data are from public tables, table by table."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Noise, TableDistances
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Distances, Moments


@dataclass(frozen=True)
class DistanceOfTables:
    """Of the tables in `tally`: their public numbers are those of rows, or of a synthesis that has a digest."""

    tally: Distances
    of: str = "rows"
    compared: str | None = None
    cells: ClassVar[Cells] = ONE_CELL
    kind: ClassVar[Kind] = "float"
    statistic: ClassVar[str] = "distance"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        public = hashlib.sha256(self.tally.against).hexdigest()
        return said(statistic=self.statistic, tables=self.tally.counted.to_json(), public=public)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Distances, ...]:
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> TableDistances:
        (answer,) = answers
        *apart, count = answer.table[0].astype(float)
        counted, public = self.tally.counted, self.tally.public
        totals = [counted.table(public, which).sum() for which in self.tally.places]
        tables = tuple(counted.tables[which] for which in self.tally.places)
        noise, count_noise = Noise(answer.laws[0]), Noise(answer.laws[-1])
        return TableDistances(
            np.array(apart),
            np.array(totals, np.int64),
            float(count),
            noise,
            count_noise,
            self.of,
            self.compared,
            tables,
        )
