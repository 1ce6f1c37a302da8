"""Sums of products of several columns: what regressions, covariances and components are concluded from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from ..dataclass import dataclass
from ..equations.moment_matrix import Column, MomentMatrix
from ..equations.moment_sums import MomentSums
from ..equations.moment_units import in_units, spreads_in_units
from ..errors import NotConcluded
from .base import Evidence
from .noise import Floats, Noise, averaged, critical, weights


@dataclass(frozen=True)
class Run:
    """So many numbers in a row with the same noise."""

    noise: Noise
    many: int

    def to_json(self) -> dict[str, Any]:
        return {"noise": self.noise.to_json(), "many": self.many}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Run:
        return cls(Noise.from_json(facts["noise"]), int(facts["many"]))


@dataclass(frozen=True)
class Gram(Evidence):
    """A square table over the columns for each cell, cell by cell. Numbers are in half-ranges, counted from the middles
    of ranges, in the order of `MomentSums`."""

    columns: tuple[Column, ...]
    released: Floats  # cell × number
    runs: tuple[Run, ...]
    counted: bool
    complements: bool
    size: int | None = None
    kind: ClassVar[str] = "gram"
    statistic: ClassVar[str] = "moments"

    def matrices(self) -> list[MomentMatrix]:
        """The matrix of each cell, after what its numbers say twice was made one."""
        return self._matrices

    def pooled_matrix(self) -> MomentMatrix:
        """That of all cells together: their sum, with the noise of all of them."""
        first, *others = self._matrices
        total = np.sum([each.matrix for each in self._matrices], axis=0)
        noises = replace(first.noises, variances=first.noises.variances * (1 + len(others)))
        return replace(first, matrix=total, noises=noises)

    @cached_property
    def sums(self) -> MomentSums:
        return MomentSums(self.columns, self.counted, self.complements)

    @cached_property
    def _matrices(self) -> list[MomentMatrix]:
        variances = np.repeat([run.noise.var for run in self.runs], [run.many for run in self.runs])
        heavy = not all(run.noise.gaussian for run in self.runs)
        return self.sums.matrices(self.released, variances, self.size, heavy)

    @cached_property
    def estimate(self) -> Floats:
        return np.concatenate([in_units(matrix).ravel() for matrix in self._matrices])

    def interval(self, level: float, target: str) -> tuple[Floats, Floats]:
        """For the noise, from the normal approximation."""
        if target != "sample":
            raise NotConcluded(
                "sums of products are of the rows in the data; their interval is for target='sample'.",
                statistic=self.statistic,
            )
        half = critical(level, tuple(run.noise for run in self.runs)) * self.std_error(target)
        return self.estimate - half, self.estimate + half

    def std_error(self, target: str) -> Floats:
        """Of the noise: the same in all cells."""
        return self._spread

    @cached_property
    def _spread(self) -> Floats:
        return np.tile(spreads_in_units(self._matrices[0]).ravel(), len(self._matrices))

    @property
    def noisy(self) -> int:
        return self.released.size

    def pooled(self, others: Sequence[Self]) -> Self:
        each = (self, *others)
        runs = list(zip(*(one.runs for one in each), strict=True))
        many = [run.many for run in self.runs]
        shares = np.repeat([weights([run.noise for run in side]) for side in runs], many, axis=0)
        released = np.einsum("rk,kcr->cr", shares, np.array([one.released for one in each]))
        mean = tuple(Run(averaged([run.noise for run in side]), side[0].many) for side in runs)
        return replace(self, released=released, runs=mean)


@dataclass(frozen=True)
class GramOfRows(Gram):
    """Of rows of people, many of one: what follows from it is of the rows in the data, as they hang together."""

    kind: ClassVar[str] = "gram of rows"
