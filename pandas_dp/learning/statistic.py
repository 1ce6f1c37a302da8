"""A table of classes by each feature, all in one release."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core.evidence.noise import Noise
from ..core.measure.cells import Cells, Key
from ..core.measure.measurement import Noisy
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import whole_numbers
from ..core.schema.values import Breaks, ByFields, Kind
from ..models.measure import Gram
from ..models.statistic import GramTable
from ..numeric.measure import Counts, Moments
from ..people.measure import Weighted
from .evidence import Centres, Feature, NaiveBayes, Scores, scores_of
from .solve import additive


@dataclass(frozen=True)
class TablesOfClasses:
    """How many rows of each class have each category, for one feature after the other; the cost is shared equally."""

    target: Key
    features: tuple[Key, ...]
    statistic: ClassVar[str] = "naive_bayes"
    kind: ClassVar[Kind] = "integer"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {"statistic": self.statistic, "cells": self.cells.to_json()}

    @property
    def cells(self) -> Cells:
        return Cells((self.target, *self.features))

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Counts, ...]:
        return tuple(Counts(Cells((self.target, feature))) for feature in self.features)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> NaiveBayes:
        values = np.concatenate([whole_numbers(answer.table[:, 0]) for answer in answers])
        noises = tuple(Noise(answer.laws[0]) for answer in answers)
        return NaiveBayes(values, feature_of(self.target), tuple(map(feature_of, self.features)), noises)


def feature_of(key: Key) -> Feature:
    """What a predictor needs to know of a key."""
    if isinstance(key.labels, Breaks):
        return Feature(key.name, (), tuple(map(float, key.labels.edges)), key.other)
    return Feature(key.name, tuple(key.labels.values), (), key.other)


@dataclass(frozen=True)
class GridClusters(ByFields):
    """k clusters of the rows, each row at the middle of its cell; distances are in the ranges of the columns."""

    cells: Cells
    k: int
    seed: int
    statistic: ClassVar[str] = "kmeans"
    kind: ClassVar[Kind] = "float"

    @property
    def edges(self) -> tuple[tuple[float, ...], ...]:
        return tuple(key.labels.edges for key in self.cells.keys if isinstance(key.labels, Breaks))

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Counts, ...]:
        return (Counts(self.cells),)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Centres:
        (answer,) = answers
        names = tuple(key.name for key in self.cells.keys)
        counts = whole_numbers(answer.table[:, 0])
        return Centres.of(names, self.edges, counts, Noise(answer.laws[0]), self.k, self.seed)


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

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Gram | Weighted, ...]:
        return self.table.measurements(public, beside)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Scores:
        (answer,) = answers
        measurement = self.table.measurement(public)
        units, columns = measurement.units, measurement.sums.columns
        moments = _moments(measurement, answer.table[0].astype(float) / units, public.size or 0)
        variances = np.array([law.variance for law in answer.laws]) / units**2
        places = list(range(2, len(columns)))
        ridge = float(np.sqrt(np.median(variances) * len(places)))
        fit = additive(columns, moments, places, 1, ridge, True)
        return scores_of("gam_classifier", fit, columns, places, 1)


def _moments(measurement: Gram, numbers: Any, size: int) -> Any:
    """The square matrix of the sums, without what several of them say twice: for hundreds of columns that is slow, and
    a ridge at the level of the noise forgives it."""
    columns = measurement.sums.columns
    found = np.zeros((len(columns),) * 2)
    one, other = measurement.sums.places
    found[one, other] = numbers
    if not measurement.counted:
        found[0, 0] = size
    elif measurement.sums.complements:
        squares = (one == other) & (one > 0)
        found[one[squares], one[squares]] = found[0, 0] - numbers[squares]
    levels = [at for at, column in enumerate(columns) if column.sort == "level"]
    found[levels, levels] = found[0, levels]
    return found + np.triu(found, 1).T
