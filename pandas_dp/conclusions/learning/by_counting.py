"""Naive Bayes and clusters from counts that were released: releases of their own, at no cost."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...errors import NotConcluded, wrong_value
from ...evidence import Centres, Evidence, NaiveBayes, Noise
from ...margins import Kept
from ...reading import whole_number
from ...release import Item, Label, Layout, Release, Released, guarantee, publish
from .predictor import BayesClassifier, ClusterPredictor
from .tables import CountedTables

MOST_CLUSTERS = 100


def naive_bayes(table: pd.DataFrame, target: Hashable) -> Release:
    """Tables of the classes by each other key, from a release of counts that has them."""
    tables = CountedTables.of(table)
    at = tables.place(target)
    pairs = [place for place in range(len(tables.keys)) if place != at and _holding(tables, at, place) is not None]
    if not pairs:
        raise NotConcluded(f"this release shows no table of {target!r} by another key; ask for marginals that do.")
    values, noises = [], []
    for place in pairs:
        kept = _holding(tables, at, place)
        assert kept is not None
        axes = tuple(axis for axis, each in enumerate(kept) if each not in (at, place))
        found = tables.tables[kept].sum(axis=axes)
        values.append((found if at < place else found.T).ravel())
        cell = {at: [0], place: [0]}
        noises.append(_of_variance(tables, kept, tables.covariance(kept, cell, cell)))
    evidence = NaiveBayes(
        np.concatenate(values), tables.keys[at], tuple(tables.keys[place] for place in pairs), tuple(noises)
    )
    return told(tables.label, evidence, rows_of(evidence))


def _holding(tables: CountedTables, at: int, place: int) -> Kept | None:
    """The smallest table that has both keys."""
    return next((kept for kept in tables.tables if at in kept and place in kept), None)


def _of_variance(tables: CountedTables, kept: Kept, variance: float) -> Noise:
    """The noise of a cell, of the first law behind it, as wide as all of them together make it."""
    (first, *others) = tables.noise_of(kept)
    many = variance / first.var if first.var > 0 else 1.0
    whole = round(many)
    if not others and abs(many - whole) < 1e-6:
        return replace(first, many=first.many * max(whole, 1))
    return first.times(float(np.sqrt(max(many, 0.0))))


def rows_of(evidence: NaiveBayes) -> pd.MultiIndex:
    """Feature, class and category of each number."""
    target = evidence.target
    rows = [
        (str(feature.column), group, category)
        for feature in evidence.features
        for group in target.labels
        for category in feature.labels
    ]
    return pd.MultiIndex.from_tuples(rows, names=["feature", str(target.column), "category"])


def told(label: Label, evidence: Evidence, rows: pd.Index) -> Release:
    """A release of what follows from another, under the same guarantee."""
    item = Item(None, evidence.statistic, "float", evidence)
    frame, place = Layout(rows, None, "measures").frame([item], label.confidence)
    facts: dict[str, Any] = {"column": None, "type": "float", **evidence.to_json()}
    return publish(frame, replace(label, evidence=(facts,), zone=None, **place))


def kmeans(table: pd.DataFrame, k: Any, seed: Any) -> Release:
    """Another number of clusters of the same grid."""
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, Centres)
    k, seed = whole_number("k", k, 1, MOST_CLUSTERS), whole_number("seed", seed, 0, 2**32 - 1)
    if k > found.grid.size:
        raise wrong_value("k", f"be at most the number of cells, {found.grid.size}", k)
    again = Centres.of(found.columns, found.edges, found.grid, found.noise, k, seed)
    return told(released.label, again, pd.RangeIndex(k, name="cluster"))


def grid(table: pd.DataFrame) -> pd.DataFrame:
    """The noisy counts of which clusters were made, a row a cell, with their standard error."""
    (found,) = Released.of(table).evidence
    assert isinstance(found, Centres)
    axes = [pd.IntervalIndex.from_breaks(edges, closed="left") for edges in found.edges]
    rows = pd.MultiIndex.from_product(axes, names=list(map(str, found.names)))
    return pd.DataFrame({"count": found.grid, "std_error": found.noise.sd}, index=rows)


def bayes_predictor(table: pd.DataFrame) -> BayesClassifier:
    """What answers for public rows."""
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, NaiveBayes)
    return BayesClassifier.of(found, guarantee(released.label))


def cluster_predictor(table: pd.DataFrame) -> ClusterPredictor:
    """What answers for public rows."""
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, Centres)
    return ClusterPredictor.of(found, guarantee(released.label))
