"""Yes or no by an additive model, from one moment matrix that is not shown: only what was fitted to it is."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Kind
from ..equations import additive
from ..evidence import Scores, scores_of
from ..neighbours import Setting
from ..tally import Blurred, Cells, Gram, Moments, OfPeople
from .gram import GramTable


@dataclass(frozen=True)
class AdditiveClassification:
    """The first term of the matrix, which is true or false, by all others."""

    table: GramTable
    statistic: ClassVar[str] = "gam_classifier"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**self.table.to_json(), "statistic": self.statistic}

    @property
    def cells(self) -> Cells:
        return self.table.cells

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Gram | OfPeople, ...]:
        return self.table.tallies(setting, beside)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Scores:
        (answer,) = answers
        tally = self.table.tally(setting)
        units, columns = tally.units, tally.sums.columns
        moments = _moments(tally, answer.table[0].astype(float) / units, setting.size or 0)
        variances = np.array([law.variance for law in answer.laws]) / units**2
        places = list(range(2, len(columns)))
        ridge = float(np.sqrt(np.median(variances) * len(places)))
        fit = additive(columns, moments, places, 1, ridge, True)
        return scores_of("gam_classifier", fit, columns, places, 1)


def _moments(tally: Gram, numbers: Any, size: int) -> Any:
    """The square matrix of the sums, without what several of them say twice: for hundreds of columns that is slow, and
    a ridge at the level of the noise forgives it."""
    columns = tally.sums.columns
    found = np.zeros((len(columns),) * 2)
    one, other = tally.sums.places
    found[one, other] = numbers
    if not tally.counted:
        found[0, 0] = size
    elif tally.sums.complements:
        squares = (one == other) & (one > 0)
        found[one[squares], one[squares]] = found[0, 0] - numbers[squares]
    levels = [at for at, column in enumerate(columns) if column.sort == "level"]
    found[levels, levels] = found[0, levels]
    return found + np.triu(found, 1).T
