"""Predictors that add up coefficients: additive models, discriminants, components."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...dataclass import dataclass
from ...equations import Column
from ...evidence import Scores, Spectrum, as_numbers, design
from .predictor import Classifier, Floats, Predictor, classes_of, names_of


class Linear(Predictor):
    """Scores of rows: a constant, and coefficients of what their values are in each column of a matrix."""

    columns: tuple[Column, ...]
    coefficients: Floats  # one row a score, the constant first

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        return names_of(list(dict.fromkeys(each.term for each in self.columns)))

    def _scores(self, rows: Any) -> Floats:
        """Rows × scores."""
        given = dict(zip(self.feature_names_in_, self._columns(rows), strict=True))
        return np.asarray(self.coefficients[:, 0] + design(self.columns, given) @ self.coefficients[:, 1:].T)


@dataclass(frozen=True, eq=False)
class AdditiveRegressor(Linear):
    """A number from an additive model; nothing is known of its error.

    A missing number is in the middle of its range; what is no declared category counts as none of them.
    """

    _estimator_type: ClassVar[str | None] = "regressor"
    columns: tuple[Column, ...]
    coefficients: Floats
    guarantee: str

    def predict(self, rows: Any) -> Floats:
        """The number of each row."""
        return self._scores(rows)[:, 0]


@dataclass(frozen=True, eq=False)
class AdditiveClassifier(Classifier, Linear):
    """Classes by the score of an additive model; missing values are as of `AdditiveRegressor`.

    The probabilities are what the released sums make of the scores, were these normal in each class.
    """

    columns: tuple[Column, ...]
    coefficients: Floats
    offset: float
    slope: float
    classes_: NDArray[Any]
    guarantee: str

    def _log_odds(self, rows: Any) -> Floats:
        odds = self.offset + self.slope * self._scores(rows)[:, 0]
        return np.stack([np.zeros(len(odds)), odds], axis=1)


@dataclass(frozen=True, eq=False)
class DiscriminantClassifier(Classifier, Linear):
    """Fisher's linear discriminant, whose probabilities hold for columns that are normal with one covariance."""

    columns: tuple[Column, ...]
    coefficients: Floats
    classes_: NDArray[Any]
    guarantee: str

    def _log_odds(self, rows: Any) -> Floats:
        return self._scores(rows)


@dataclass(frozen=True, eq=False)
class ComponentTransformer(Predictor):
    """Where public rows are along components; a missing number is in the middle of its range."""

    columns: tuple[Column, ...]
    components_: Floats
    explained_variance_: Floats
    means: Floats
    spreads: Floats
    guarantee: str

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        return names_of([each.term for each in self.columns])

    def transform(self, rows: Any) -> Floats:
        """Rows × components."""
        found = []
        for each, values, mean, spread in zip(self.columns, self._columns(rows), self.means, self.spreads, strict=True):
            steps = (as_numbers(values) - each.centre) / each.half
            found.append((np.clip(np.where(np.isnan(steps), 0.0, steps), -1.0, 1.0) - mean) / spread)
        return np.asarray(np.stack(found, axis=1) @ self.components_.T)


def of_scores(found: Scores, guarantee: str) -> AdditiveRegressor | AdditiveClassifier | DiscriminantClassifier:
    """What the evidence of scores answers with."""
    if found.target is None:
        return AdditiveRegressor(found.columns, found.coefficients, guarantee)
    classes = classes_of(found.target)
    if found.of == "discriminant":
        return DiscriminantClassifier(found.columns, found.coefficients, classes, guarantee)
    return AdditiveClassifier(found.columns, found.coefficients, found.offset, found.slope, classes, guarantee)


def of_spectrum(found: Spectrum, guarantee: str) -> ComponentTransformer:
    """What the evidence of components answers with."""
    values = np.asarray(found.values, dtype=float)
    return ComponentTransformer(found.columns, found.directions, values, found.means, found.spreads, guarantee)
