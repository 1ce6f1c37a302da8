"""Skewness and kurtosis of the rows: all that sums within reach of the released ones allow.

Proof: docs/proofs/models/shapes.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...core.evidence.evidence import Evidence
from ...core.evidence.noise import critical
from ...errors import NotConcluded
from .evidence import GramSums
from .solve import MomentMatrix

POINTS = 17  # of each side of the box that is looked through
FEWEST = {"skew": 3, "kurt": 4}  # rows that have one
PLACES = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2))  # of the numbers below in a matrix over 1, T1 and T2
LEAST = 1e-12  # of a variance in half-ranges


class Sums(NamedTuple):
    """Of a number u from -1 to 1: the number of rows, and the sums of T1, T2, T1·T2 and T2·T2."""

    rows: Floats
    first: Floats
    second: Floats
    mixed: Floats
    square: Floats


@dataclass(frozen=True)
class Shapes(Evidence):
    """One of the two, as pandas has it, in each cell; from the sums over 1, T1 and T2 of one column."""

    statistic: Literal["skew", "kurt"]
    gram: GramSums
    kind: ClassVar[str] = "shapes"
    apart: ClassVar[bool] = True
    not_combined: ClassVar[str] = "releases of the {} are not combined; ask once with the whole cost."

    @property
    def clamp(self) -> tuple[float, float]:
        column = self.gram.columns[1]
        return column.centre - column.half, column.centre + column.half

    @property
    def estimate(self) -> Floats:
        """Of a variance that noise made nothing, with that of its noise in its place; NaN of too few rows."""
        return np.array([self._told(matrix) for matrix in self.gram.matrices()])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        if target != "sample":
            raise NotConcluded(
                f"the {self.statistic} of a population hangs on its rarest values, which no released sum bounds; its "
                "interval is for target='sample', the rows in the data.",
                statistic=self.statistic,
            )
        matrices = self.gram.matrices()
        ends = np.array([self._reached(matrix, level) for matrix in matrices])
        estimate = self.estimate
        return np.fmin(ends[:, 0], estimate), np.fmax(ends[:, 1], estimate)

    @property
    def noisy(self) -> int:
        return len(self.gram.released)

    def pooled(self, others: Sequence[Shapes]) -> Shapes:
        return replace(self, gram=self.gram.pooled([each.gram for each in others]))

    def _told(self, matrix: MomentMatrix) -> float:
        sums, noise = numbers_of(matrix)
        if not sums.rows >= FEWEST[self.statistic]:
            return float("nan")
        n = float(sums.rows)
        least = max(float(noise.second) / (2 * n), LEAST)
        return float(np.clip(self._value(sums, least), *most_possible(self.statistic, n)))

    def _reached(self, matrix: MomentMatrix, level: float) -> tuple[float, float]:
        """The least and greatest over the box of all sums that are within their own intervals, which share the risk."""
        sums, noise = numbers_of(matrix)
        sides = [each > 0 for each in noise]
        quantile = float(critical(1 - (1 - level) / max(sum(sides), 1), tuple(run.noise for run in self.gram.runs)))
        halves = [quantile * float(each) for each in noise]
        if self.gram.counted:  # in whole steps, which may be wide beside their deviation
            halves[0] = max(halves[0], self.gram.runs[0].noise.half_width(1 - (1 - level) / len(sides)))
        rows, first, second, mixed, square = (
            np.linspace(middle - half, middle + half, POINTS if half > 0 else 1)
            for middle, half in zip(sums, halves, strict=True)
        )
        few = FEWEST[self.statistic]
        ends = [most_possible(self.statistic, max(float(rows[at]), few)) for at in (0, -1)]
        least, greatest = min(low for low, _ in ends), max(high for _, high in ends)
        if rows[0] < few:
            return least, greatest
        rows = rows[:: (POINTS - 1) // 4] if len(rows) > 1 else rows
        grid = np.meshgrid(rows, first, second, mixed[[0, -1]], square[[0, -1]], indexing="ij")
        found = self._value(Sums(*grid), 0.0)
        if not np.isfinite(found).all():
            return least, greatest
        return max(float(found.min()), least), min(float(found.max()), greatest)

    def _value(self, sums: Sums, least: float) -> Floats:
        """Of these sums, as far as numbers from -1 to 1 can have them; NaN where the variance is not above nothing, or
        `least` in its place."""
        n = sums.rows
        mean, raw2 = np.clip(sums.first / n, -1.0, 1.0), (1 + sums.second / n) / 2
        below, above = 1 + mean, 1 - mean
        var = np.minimum(raw2 - mean**2, below * above)
        if least:
            var = np.maximum(var, least)
        raw3 = (sums.mixed + sums.first) / n / 2
        third = raw3 - 3 * mean * raw2 + 2 * mean**3
        with np.errstate(all="ignore"):
            third = np.clip(third, var**2 / below - var * below, var * above - var**2 / above)
            third = np.where(var > 0, third, np.nan)
            if self.statistic == "skew":
                return np.asarray(third / var**1.5 * np.sqrt(n * (n - 1)) / (n - 2))
            raw4 = (sums.square / n + 4 * raw2 - 1) / 4
            fourth = raw4 - 4 * mean * raw3 + 6 * mean**2 * raw2 - 3 * mean**4
            fourth = np.clip(fourth, var**2 + third**2 / var, (above - below) * third + below * above * var)
            return np.asarray((n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * fourth / var**2 - 3 * (n - 1)))


def numbers_of(matrix: MomentMatrix) -> tuple[Sums, Sums]:
    """What the matrix says of one cell, and the standard deviation of the noise in each."""
    found, spreads = [], []
    for row, column in PLACES:
        weights = np.zeros(len(matrix.columns))
        weights[column] = 1.0
        found.append(np.asarray(matrix.matrix[row, column]))
        spreads.append(np.sqrt(np.maximum(matrix.covariance(weights, [row])[0, 0], 0.0)))
    return Sums(*found), Sums(*spreads)


def most_possible(statistic: str, rows: float) -> tuple[float, float]:
    """What so many rows can have at all: one of them far from all others, or halves at two ends."""
    if statistic == "skew":
        return -(rows**0.5), rows**0.5
    return -2 * (rows - 1) / (rows - 3) if rows > FEWEST["kurt"] else -6.0, rows
