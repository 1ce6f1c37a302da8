"""A table of classes by each feature, all in one release."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from ..dataclass import dataclass
from ..domain import Breaks, Kind
from ..evidence import Feature, NaiveBayes, Noise
from ..neighbours import Setting
from ..tally import Blurred, Cells, Counts, Key, Moments
from .estimator import whole_numbers


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

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Counts, ...]:
        return tuple(Counts(Cells((self.target, feature))) for feature in self.features)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> NaiveBayes:
        values = np.concatenate([whole_numbers(answer.table[:, 0]) for answer in answers])
        noises = tuple(Noise(answer.laws[0]) for answer in answers)
        return NaiveBayes(values, feature_of(self.target), tuple(map(feature_of, self.features)), noises)


def feature_of(key: Key) -> Feature:
    """What a predictor needs to know of a key."""
    if isinstance(key.labels, Breaks):
        return Feature(key.name, (), tuple(map(float, key.labels.edges)), key.other)
    return Feature(key.name, tuple(key.labels.values), (), key.other)
