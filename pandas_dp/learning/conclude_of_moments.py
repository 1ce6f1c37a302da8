"""Components, discriminants and additive models of released sums of products: releases of their own, at no cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..core.label.label import Label
from ..core.label.reading import Released
from ..core.label.release import Release, guarantee
from ..core.reading import a_flag, whole_number
from ..errors import NotConcluded, UnsupportedArgument, shown
from ..models.moments.evidence import GramSums
from ..models.moments.solve import Column, MomentMatrix
from .conclude_predictor import (
    AdditiveClassifier,
    AdditiveRegressor,
    ComponentTransformer,
    DiscriminantClassifier,
    of_scores,
    of_spectrum,
)
from .conclude_tables import told
from .evidence import Feature, Scores, Spectrum, is_yes_or_no, scores_of
from .solve import Fit, additive, components, discriminants, noise_level

LEARNED = ("number", "level", "hat")


def pca(table: pd.DataFrame, k: Any, columns: Any, scaled: Any) -> Release:
    """The first k components of the columns of numbers."""
    released, matrix = _matrix(table, "pca")
    places = _numbers(matrix, columns)
    k = whole_number("k", k, 1, len(places))
    rng = np.random.default_rng(int(released.label.digest[:16], 16))
    found = components(matrix, places, k, a_flag("scaled", scaled), rng)
    evidence = Spectrum(
        found.variances,
        tuple(matrix.columns[place] for place in places),
        found.directions,
        found.gaps,
        found.means,
        found.spreads,
        found.total,
        found.norms,
        scaled,
    )
    return told(released.label, evidence, pd.RangeIndex(1, k + 1, name="component"))


def _numbers(matrix: MomentMatrix, columns: Any) -> list[int]:
    """The places of columns of numbers, all of them or those that are named."""
    able = {column.term: at for at, column in enumerate(matrix.columns) if at and column.sort == "number"}
    names = list(able) if columns is None else list(columns) if isinstance(columns, list | tuple) else [columns]
    odd = next((name for name in names if name not in able), None)
    if odd is not None or len(set(names)) < len(names):
        raise UnsupportedArgument(
            f"pca takes columns of numbers that this release holds, each once: {', '.join(map(repr, able))}.",
            argument="columns",
        )
    if len(names) < 2:
        raise NotConcluded("components need two columns of numbers or more; ask moments of more columns.")
    return [able[name] for name in names]


def discriminant(table: pd.DataFrame, target: Hashable, columns: Any) -> Release:
    """Fisher's linear discriminant of the classes of a yes/no column, or of the levels of a categorical."""
    released, matrix = _matrix(table, "discriminant")
    classes, feature = _classes(matrix, target)
    terms = _terms_of(matrix, columns, target, "discriminant")
    places = [at for at, column in enumerate(matrix.columns) if at and column.term in terms and column.sort in LEARNED]
    ridge = noise_level(matrix, places) / 2
    constants, weights = discriminants(matrix.matrix, places, classes, ridge)
    used = tuple(matrix.columns[place] for place in places)
    values = np.concatenate([constants[:, None], weights / np.array([each.half for each in used])], axis=1)
    evidence = Scores("discriminant", values.ravel(), used, target, ridge, feature)
    rows = [(name, row) for name in feature.labels for row in ("Intercept", *(each.name for each in used))]
    return told(released.label, evidence, pd.MultiIndex.from_tuples(rows, names=[str(target), None]))


def _classes(matrix: MomentMatrix, target: Hashable) -> tuple[Any, Feature]:
    """Each class as a sum of columns, and what they are called."""
    own = [(at, column) for at, column in enumerate(matrix.columns) if at and column.term == target]
    if own and all(column.sort == "level" for _, column in own):
        rows = np.zeros((len(own), len(matrix.columns)))
        rows[np.arange(len(own)), [at for at, _ in own]] = 1.0
        return rows, Feature(target, tuple(column.level for _, column in own))
    if len(own) == 1 and is_yes_or_no(own[0][1]):
        rows = np.zeros((2, len(matrix.columns)))
        rows[:, 0], rows[:, own[0][0]] = 0.5, (-0.5, 0.5)
        return rows, Feature(target, (False, True))
    raise NotConcluded(
        f"discriminant needs classes: a column of this release that is true or false, or a categorical, and "
        f"{shown(target)} is none; it has {', '.join(map(repr, names_of(matrix)))}."
    )


def gam(table: pd.DataFrame, response: Hashable, terms: Sequence[tuple[Hashable, bool]]) -> Release:
    """An additive model; of each term its column, and whether it has to be a spline."""
    released, matrix = _matrix(table, "gam")
    at = next((at for at, c in enumerate(matrix.columns) if at and c.term == response and c.sort == "number"), None)
    if at is None:
        raise NotConcluded(f"gam explains a column of numbers of this release, and {shown(response)} is none.")
    for name, spline in terms:
        sorts = {column.sort for column in matrix.columns if column.term == name}
        if not sorts & set(LEARNED) or (spline and "hat" not in sorts):
            raise NotConcluded(
                f"gam was given {'s(' * spline}{name}{')' * spline}, which this release does not hold; ask "
                f"moments([...]{', splines={...}' * spline}) of it."
            )
    _check_apart(response, [name for name, _ in terms])
    wanted = {name for name, _ in terms}
    places = [place for place, c in enumerate(matrix.columns) if place and c.term in wanted and c.sort in LEARNED]
    ridge = noise_level(matrix, places)
    fit = additive(matrix.columns, matrix.matrix, places, at, ridge, is_yes_or_no(matrix.columns[at]))
    return told_fit(released.label, "gam", fit, matrix.columns, places, at)


def told_fit(
    label: Label, of: Any, fit: Fit, columns: Sequence[Column], places: Sequence[int], response: int
) -> Release:
    evidence = scores_of(of, fit, columns, places, response)
    return told(label, evidence, pd.Index(["Intercept", *(each.name for each in evidence.columns)]))


def _check_apart(response: Hashable, names: Sequence[Hashable]) -> None:
    if not names or response in names or len(set(names)) < len(names):
        raise UnsupportedArgument("gam takes one term or more, each column once, and not the one that it explains.")


def _terms_of(matrix: MomentMatrix, columns: Any, target: Hashable, what: str) -> set[Hashable]:
    able = [name for name in names_of(matrix) if name != target]
    names = able if columns is None else list(columns) if isinstance(columns, list | tuple) else [columns]
    if not names or any(name not in able for name in names):
        raise UnsupportedArgument(
            f"{what} takes columns of this release beside the classes: {', '.join(map(repr, able))}.",
            argument="columns",
        )
    return set(names)


def names_of(matrix: MomentMatrix) -> list[Hashable]:
    """The columns that single terms are of."""
    return list(dict.fromkeys(column.term for column in matrix.columns[1:] if column.sort in LEARNED))


def _matrix(table: pd.DataFrame, what: str) -> tuple[Released, MomentMatrix]:
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, GramSums)
    if released.label.is_reworked:
        raise NotConcluded(f"this release was rounded; take {what} of it as it was.")
    matrices = found.matrices()
    if len(matrices) > 1:
        raise NotConcluded(
            f"{what} is of one matrix, and this release has one for each group; ask moments without groupby."
        )
    return released, matrices[0]


def scores_predictor(
    table: pd.DataFrame,
) -> AdditiveRegressor | AdditiveClassifier | DiscriminantClassifier:
    """What answers for public rows."""
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, Scores)
    return of_scores(found, guarantee(released.label))


def components_predictor(table: pd.DataFrame) -> ComponentTransformer:
    """What answers for public rows."""
    released = Released.of(table)
    (found,) = released.evidence
    assert isinstance(found, Spectrum)
    return of_spectrum(found, guarantee(released.label))
