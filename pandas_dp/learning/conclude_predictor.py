"""Predictors that add up coefficients: additive models, discriminants, components."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.conclude.confint import refuse_protected
from ..errors import UnsupportedArgument
from ..models.moments.solve import MatrixColumn
from .evidence import Centres, Feature, NaiveBayes, Scores, Spectrum, as_numbers, design, spans
from .solve import nearest


class Predictor(ABC):
    """Answers for public rows, from released numbers alone; it can be pickled, and costs nothing however often asked.

    Rows are a DataFrame with the columns in `feature_names_in_`, others are ignored, or an array with these in order.
    """

    guarantee: str
    _estimator_type: ClassVar[str | None] = None

    @property
    @abstractmethod
    def feature_names_in_(self) -> NDArray[Any]: ...

    @property
    def n_features_in_(self) -> int:
        return len(self.feature_names_in_)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks before it scores or draws."""
        utils = import_module("sklearn.utils")
        of_classes = utils.ClassifierTags() if self._estimator_type == "classifier" else None
        tags = {"target_tags": utils.TargetTags(required=False), "classifier_tags": of_classes}
        return utils.Tags(estimator_type=self._estimator_type, **tags)

    def _columns(self, rows: Any) -> list[NDArray[Any]]:
        """The columns that it needs, one array each."""
        refuse_protected(rows)
        names = list(self.feature_names_in_)
        if isinstance(rows, pd.DataFrame):
            missing = next((name for name in names if name not in rows.columns), None)
            if missing is not None:
                raise UnsupportedArgument(
                    f"the predictor needs the column {missing!r}, which these rows do not have; it takes "
                    f"{', '.join(map(repr, names))}.",
                    column=missing,
                )
            return [rows[name].to_numpy(dtype=object, na_value=None) for name in names]
        array = np.asarray(rows, dtype=object)
        if array.ndim != 2 or array.shape[1] != len(names):
            raise UnsupportedArgument(
                f"the predictor takes a DataFrame, or an array with {len(names)} columns: "
                f"{', '.join(map(repr, names))}."
            )
        return list(array.T)


class Classifier(Predictor):
    """Classes and scores of public rows."""

    _estimator_type: ClassVar[str | None] = "classifier"
    classes_: NDArray[Any]

    @abstractmethod
    def _log_odds(self, rows: Any) -> Floats:
        """Rows × classes: logarithms of what the classes' probabilities are proportional to."""

    def predict_proba(self, rows: Any) -> Floats:
        """Rows × classes. They add up to one; how well they are calibrated is said where the predictor was made."""
        scores = self._log_odds(rows)
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    def decision_function(self, rows: Any) -> Floats:
        """Of two classes the log odds of the second, of more a score of each."""
        scores = self._log_odds(rows)
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores

    def predict(self, rows: Any) -> NDArray[Any]:
        """The class of each row."""
        return np.asarray(self.classes_[self._log_odds(rows).argmax(axis=1)])


@dataclass(frozen=True, eq=False)
class BayesClassifier(Classifier):
    """Naive Bayes: log odds of the classes added up over features.

    A value that is missing or none of a feature's categories says nothing; numbers beyond the bins are in the nearest.
    The probabilities are not calibrated: features that say the same are counted as often as they say it.
    """

    features: tuple[Feature, ...]
    classes_: NDArray[Any]
    log_priors: Floats
    log_likelihoods: tuple[Floats, ...]
    guarantee: str

    @classmethod
    def of(cls, evidence: NaiveBayes, guarantee: str) -> BayesClassifier:
        return cls(
            evidence.features,
            classes_of(evidence.target),
            evidence.log_priors,
            tuple(evidence.log_likelihoods),
            guarantee,
        )

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        return as_names([feature.column for feature in self.features])

    def _log_odds(self, rows: Any) -> Floats:
        columns = self._columns(rows)
        found = np.tile(self.log_priors, (len(columns[0]), 1))
        for feature, column, said in zip(self.features, columns, self.log_likelihoods, strict=True):
            places = feature.places(column)
            found += np.where((places >= 0)[:, None], said.T[places], 0.0)
        return found


@dataclass(frozen=True, eq=False)
class ClusterPredictor(Predictor):
    """The cluster whose centre is nearest, in the ranges of the columns; −1 for a row with a missing value."""

    columns: tuple[Any, ...]
    cluster_centers_: Floats
    low: Floats
    span: Floats
    guarantee: str

    @classmethod
    def of(cls, evidence: Centres, guarantee: str) -> ClusterPredictor:
        return cls(tuple(evidence.names), np.asarray(evidence.centres), *spans(evidence.edges), guarantee)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        return as_names(self.columns)

    def predict(self, rows: Any) -> NDArray[np.intp]:
        """The number of each row's cluster."""
        points = np.stack([as_numbers(column) for column in self._columns(rows)], axis=1)
        points, centres = (points - self.low) / self.span, (self.cluster_centers_ - self.low) / self.span
        there = np.asarray(np.isfinite(points).all(axis=1))
        return np.where(there, nearest(np.where(there[:, None], points, 0.0), centres), -1)


def classes_of(target: Feature) -> NDArray[Any]:
    """The classes as an array, of their own type where they share one."""
    return np.array(target.labels if target.edges or target.other else target.values)


def as_names(names: Sequence[Any]) -> NDArray[Any]:
    found = np.empty(len(names), dtype=object)
    found[:] = names
    return found


class LinearPredictor(Predictor):
    """Scores of rows: a constant, and coefficients of what their values are in each column of a matrix."""

    columns: tuple[MatrixColumn, ...]
    coefficients: Floats  # one row a score, the constant first

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        return as_names(list(dict.fromkeys(each.term for each in self.columns)))

    def _scores(self, rows: Any) -> Floats:
        """Rows × scores."""
        given = dict(zip(self.feature_names_in_, self._columns(rows), strict=True))
        return np.asarray(self.coefficients[:, 0] + design(self.columns, given) @ self.coefficients[:, 1:].T)


@dataclass(frozen=True, eq=False)
class AdditiveRegressor(LinearPredictor):
    """A number from an additive model; nothing is known of its error.

    A missing number is in the middle of its range; what is no declared category counts as none of them.
    """

    _estimator_type: ClassVar[str | None] = "regressor"
    columns: tuple[MatrixColumn, ...]
    coefficients: Floats
    guarantee: str

    def predict(self, rows: Any) -> Floats:
        """The number of each row."""
        return self._scores(rows)[:, 0]


@dataclass(frozen=True, eq=False)
class AdditiveClassifier(Classifier, LinearPredictor):
    """Classes by the score of an additive model; missing values are as of `AdditiveRegressor`.

    The probabilities are what the released sums make of the scores, were these normal in each class.
    """

    columns: tuple[MatrixColumn, ...]
    coefficients: Floats
    offset: float
    slope: float
    classes_: NDArray[Any]
    guarantee: str

    def _log_odds(self, rows: Any) -> Floats:
        odds = self.offset + self.slope * self._scores(rows)[:, 0]
        return np.stack([np.zeros(len(odds)), odds], axis=1)


@dataclass(frozen=True, eq=False)
class DiscriminantClassifier(Classifier, LinearPredictor):
    """Fisher's linear discriminant, whose probabilities hold for columns that are normal with one covariance."""

    columns: tuple[MatrixColumn, ...]
    coefficients: Floats
    classes_: NDArray[Any]
    guarantee: str

    def _log_odds(self, rows: Any) -> Floats:
        return self._scores(rows)


@dataclass(frozen=True, eq=False)
class ComponentTransformer(Predictor):
    """Where public rows are along components; a missing number is in the middle of its range."""

    columns: tuple[MatrixColumn, ...]
    components_: Floats
    explained_variance_: Floats
    means: Floats
    spreads: Floats
    guarantee: str

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        return as_names([each.term for each in self.columns])

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
