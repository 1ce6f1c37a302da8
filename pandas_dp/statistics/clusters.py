"""Clusters of rows, from the counts of a grid over two or three columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Breaks, Kind
from ..evidence import Centres, Noise
from ..neighbours import Setting
from ..tally import Blurred, Cells, Counts, Moments
from .estimator import whole_numbers


@dataclass(frozen=True)
class GridClusters:
    """k clusters of the rows, each row at the middle of its cell; distances are in the ranges of the columns."""

    cells: Cells
    k: int
    seed: int
    statistic: ClassVar[str] = "kmeans"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {"statistic": self.statistic, "cells": self.cells.to_json(), "k": self.k, "seed": self.seed}

    @property
    def edges(self) -> tuple[tuple[float, ...], ...]:
        return tuple(key.labels.edges for key in self.cells.keys if isinstance(key.labels, Breaks))

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Counts, ...]:
        return (Counts(self.cells),)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Centres:
        (answer,) = answers
        names = tuple(key.name for key in self.cells.keys)
        counts = whole_numbers(answer.table[:, 0])
        return Centres.of(names, self.edges, counts, Noise(answer.laws[0]), self.k, self.seed)
