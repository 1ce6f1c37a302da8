"""Predictors: what scikit-learn's methods ask for, without `fit`, as nothing here sees data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...dataclass import dataclass
from ...equations import nearest
from ...errors import UnsupportedArgument
from ...evidence import Centres, Feature, NaiveBayes, as_numbers, spans
from ..public_rows import refuse_protected

Floats = NDArray[np.float64]


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
        return names_of([feature.column for feature in self.features])

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
        return names_of(self.columns)

    def predict(self, rows: Any) -> NDArray[np.intp]:
        """The number of each row's cluster."""
        points = np.stack([as_numbers(column) for column in self._columns(rows)], axis=1)
        points, centres = (points - self.low) / self.span, (self.cluster_centers_ - self.low) / self.span
        there = np.asarray(np.isfinite(points).all(axis=1))
        return np.where(there, nearest(np.where(there[:, None], points, 0.0), centres), -1)


def classes_of(target: Feature) -> NDArray[Any]:
    """The classes as an array, of their own type where they share one."""
    return np.array(target.labels if target.edges or target.other else target.values)


def names_of(names: Sequence[Any]) -> NDArray[Any]:
    found = np.empty(len(names), dtype=object)
    found[:] = names
    return found
