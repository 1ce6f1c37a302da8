"""The mean over rows of people, with errors clustered by person at no cost."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import Noise, RowMean, RowSums
from ..neighbours import Setting
from ..tally import ONE_CELL, Blurred, Cells, Moments, RowMeans, Variable


@dataclass(frozen=True)
class MeanOfRows:
    """The mean of the clamped values over rows, where the rows of a person weigh as `most` rows at most."""

    variable: Variable
    most: int
    cells: Cells = ONE_CELL
    statistic: str = "mean"

    @property
    def kind(self) -> Kind:
        return "float" if self.statistic == "share" else self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        asked = {"statistic": self.statistic, "of": self.variable.to_json(), "cells": self.cells.to_json()}
        return said(**asked, max_rows=self.most)

    @property
    def tally(self) -> RowMeans:
        return RowMeans(self.variable, self.cells, self.most)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[RowMeans, ...]:
        return (self.tally,)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> RowMean:
        (answer,) = answers
        return RowMean(self.statistic, row_sums(self.tally, answer, setting.people))


def row_sums(tally: RowMeans, answer: Blurred, people: int | None) -> RowSums:
    """The sums of a tally in units in which a person counts at most 1."""
    grid, scale = tally.variable.grid, tally.scale
    half = float(grid.code_step) * tally.coarse * tally.width / 2
    count, total = ((answer.table[:, at] / scale).astype(float) for at in (0, 1))
    both, upper, lower = ((answer.table[:, at] / scale**2).astype(float) for at in (2, 3, 4))
    noises = [Noise(law, 1 / unit) for law, unit in zip(answer.laws, (scale, scale, scale**2), strict=False)]
    sums = (count, total, both, upper, lower)
    return RowSums(float(grid.lower) + half, half, *sums, noises[0], noises[1], noises[2], people)
