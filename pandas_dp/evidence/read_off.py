"""Numbers read off a synthesis: measured, within a bound that was paid for, or what its model makes of the rest."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from ..dataclass import dataclass
from ..errors import NotConcluded
from .amounts import Amounts
from .base import INTERVALS, Array, Evidence
from .codec import Seen
from .noise import Floats

Source = Literal["measured", "bounded", "fitted"]


@dataclass(frozen=True)
class ReadOff(Evidence):
    """Numbers of one table, and where they come from.

    "measured": released numbers and their exact laws, in `measured`. "bounded": of the model, with intervals from a
    bound on its distance from the data. "fitted": of the model, and nothing says how far off they are.
    """

    statistic: str
    values: Seen
    source: Source
    measured: Amounts | None = None
    low: Array | None = None
    high: Array | None = None
    kind: ClassVar[str] = "read off"

    @property
    def estimate(self) -> Array:
        return self.values

    @property
    def has_intervals(self) -> bool:
        return self.source != "fitted"

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS if self.has_intervals else frozenset()

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """A bound holds at the level at which it was asked for, whatever this one is."""
        if self.measured is not None:
            return self.measured.interval(level, target)
        if self.low is None or self.high is None:
            raise NotConcluded(self.unsaid_because() or "", statistic=self.statistic)
        return self.low, self.high

    def std_error(self, target: str) -> Floats | None:
        return None if self.measured is None else self.measured.std_error(target)

    def measures(self, level: float, target: str) -> dict[str, Array]:
        """The same columns whatever the source."""
        blank = np.full(len(self.values), np.nan)
        low, high = self.interval(level, target) if self.has_intervals else (blank, blank)
        error = self.std_error(target)
        source = np.full(len(self.values), self.source, dtype=object)
        beside = {"std_error": blank if error is None else error, "lower": low, "upper": high, "source": source}
        return {self.statistic: self.values, **beside}

    @property
    def noisy(self) -> int:
        return len(self.values) if self.has_intervals else 0

    def unsaid_because(self) -> str | None:
        if self.has_intervals:
            return None
        return (
            "these numbers are what a model makes of tables that were measured; nobody measured them, so nothing says "
            "how far off they are. Ask for the table itself, or for the distance of the synthesis."
        )

    def not_adjusted_because(self) -> str:
        return "these numbers were read off a synthesis; conclude from the releases in its .measured."

    def own_noise(self, target: str) -> NoReturn:
        raise NotConcluded(self.not_adjusted_because(), statistic=self.statistic)

    def pooled(self, others: Any) -> NoReturn:
        raise NotConcluded(self.not_adjusted_because(), statistic=self.statistic)
