"""How far tables of the rows are from public ones, as measured and at most; and numbers read off a synthesis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Array, Floats
from ..core.evidence.evidence import INTERVALS, Evidence, Seen
from ..core.evidence.noise import Noise
from ..errors import NotConcluded
from ..numeric.evidence_sums import Amounts


@dataclass(frozen=True)
class TableDistances(Evidence):
    """`distances` are the noisy sums of |rows - public number| over the cells of each table, `totals` how many rows the
    public tables have, and `count` how many the data have, noise and all.

    Of several tables the last number is their mean. Upper bounds hold for all of them together. Proof:
    docs/proofs/synthetic/distance.md.
    """

    distances: Floats
    totals: NDArray[np.int64]
    count: float
    noise: Noise  # of each distance
    count_noise: Noise
    of: str = "rows"  # or "synthesis", whose tables are bounded; rows are bounded themselves
    compared: str | None = None  # the digest of what was compared
    tables: tuple[tuple[int, ...], ...] = ()  # the places of the keys of each among the columns of the question
    statistic: ClassVar[str] = "distance"
    kind: ClassVar[str] = "distances"
    offers: ClassVar[frozenset[str]] = INTERVALS

    @property
    def estimand(self) -> str:
        return "half the sum over the cells of a table of how far two numbers of rows are apart, over all rows"

    @property
    def many(self) -> int:
        return len(self.distances)

    @property
    def has_mean(self) -> bool:
        return self.many > 1

    @property
    def noisy(self) -> int:
        return self.many + self.has_mean

    @property
    def rows(self) -> float:
        return max(self.count, 1.0)

    @cached_property
    def noises(self) -> tuple[Noise, ...]:
        """Of each sum, and of their mean."""
        mean = Noise(self.noise.law, self.noise.step / self.many, many=self.many)
        return (self.noise,) * self.many + ((mean,) if self.has_mean else ())

    @property
    def sums(self) -> Floats:
        """With their mean."""
        return np.append(self.distances, self.distances.mean()) if self.has_mean else self.distances

    @property
    def estimate(self) -> Floats:
        return np.clip(self.sums / (2 * self.rows), 0.0, 1.0)

    def std_error(self, target: str) -> Floats:
        return np.array([noise.sd for noise in self.noises]) / (2 * self.rows)

    def most_rows(self, confidence: float) -> tuple[Floats, float]:
        """By how many rows the sum over any cells of each table is off at most, and how many rows there are at least:
        all hold together with this probability."""
        each = (1 - confidence) / (self.noisy + 1)
        counted = self.count_noise.half_width(1 - each)
        width = {noise: noise.half_width(1 - 2 * each) for noise in dict.fromkeys(self.noises)}
        sums = np.maximum(self.sums + np.array([width[noise] for noise in self.noises]), 0.0)
        gaps = np.abs(self.totals - self.count) + counted
        gaps = np.append(gaps, gaps.mean()) if self.has_mean else gaps
        return (sums + np.minimum(gaps, sums)) / 2, max(self.count - counted, 1.0)

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        """For the rows in the data: nothing to how far they are apart at most."""
        most, rows = self.most_rows(confidence)
        return np.zeros(self.noisy), np.minimum(most / rows, 1.0)

    def measures(self, confidence: float, target: str) -> dict[str, Array]:
        _, most = self.interval(confidence, target)
        return {"tv": self.estimate, "std_error": self.std_error(target), "upper": most}


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
    def has_intervals(self) -> bool:
        return self.source != "fitted"

    @property
    def offers(self) -> frozenset[str]:
        return INTERVALS if self.has_intervals else frozenset()

    def interval(self, confidence: float, target: str) -> tuple[Floats, Floats]:
        """A bound holds at the confidence at which it was asked for, whatever this one is."""
        if self.measured is not None:
            return self.measured.interval(confidence, target)
        if self.low is None or self.high is None:
            raise NotConcluded(self.unsaid_because() or "", statistic=self.statistic)
        return self.low, self.high

    def std_error(self, target: str) -> Floats | None:
        return None if self.measured is None else self.measured.std_error(target)

    def measures(self, confidence: float, target: str) -> dict[str, Array]:
        """The same columns whatever the source."""
        blank = np.full(len(self.values), np.nan)
        low, high = self.interval(confidence, target) if self.has_intervals else (blank, blank)
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
