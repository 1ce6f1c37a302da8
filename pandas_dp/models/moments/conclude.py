"""Free conclusions from released matrices: covariances and correlations of a moment matrix, and the nearest matrix that
rows could have had."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ...core.arrays import Floats
from ...core.label.layout import Released
from ...core.label.release import Release, publish
from ...errors import NotConcluded, UnknownColumn
from ..conclude import gram_of
from .evidence import Covariances, GramSums
from .solve import raised, unit_map

TIMES = 200
NEAREST = "made positive semidefinite: the nearest such matrix in half-ranges"


def covariances(
    table: Released | pd.DataFrame, correlation: bool, columns: Sequence[Hashable] | None, pooled: bool
) -> Release:
    """Those of the numbers of a moment matrix, as a release of their own; for each cell, or of all cells together."""
    released, gram = gram_of(table)
    places = places_of(gram, columns)
    found = Covariances(correlation, places, gram, pooled)
    names = pd.Index([gram.columns[at].name for at in places])
    rows: pd.Index = names
    if released.frame.index.nlevels > 1 and not pooled:
        size = len(gram.columns)
        cells = range(0, len(released.frame), size)
        rows = released.frame.index[[first + at for first in cells for at in places]]
    shown = pd.DataFrame(found.estimate.reshape(len(rows), len(names)), index=rows, columns=names)
    facts = released.label.evidence[0]
    said: dict[str, Any] = {name: facts[name] for name in ("column", "asked") if name in facts}
    evidence = ({**said, "type": "float", **found.to_json()},)
    return publish(shown, replace(released.label, statistic=found.statistic, evidence=evidence))


def places_of(gram: GramSums, columns: Sequence[Hashable] | None) -> tuple[int, ...]:
    """Which columns of a matrix are meant: by their names, or all numbers."""
    names = [column.name for column in gram.columns]
    if columns is None:
        found = [at for at, column in enumerate(gram.columns) if column.sort == "number"]
    else:
        asked = [columns] if isinstance(columns, str) else list(columns)
        lacking = [str(name) for name in asked if str(name) not in names[1:]]
        if lacking:
            raise UnknownColumn(f"the matrix has no column {lacking[0]!r}; it has {', '.join(names[1:])}.")
        found = [names.index(str(name)) for name in asked]
    if len(found) < 2 or len(set(found)) < len(found):
        raise NotConcluded("covariances need two different columns or more.")
    return tuple(found)


def semidefinite(table: Released | pd.DataFrame) -> Release:
    """The matrix of a release without what no rows could have: negative eigenvalues. Intervals stay with the release
    that it was made of, which is without bias."""
    released = Released.of(table)
    evidence = released.evidence[0] if len(released.evidence) == 1 else None
    frame = released.frame
    if isinstance(evidence, GramSums):
        gram_of(released)  # refused if it was changed
        units = unit_map(evidence.columns)
        found = [units @ nearest_moments(each.matrix) @ units.T for each in evidence.matrices()]
    elif isinstance(evidence, Covariances):
        half = np.array([evidence.gram.columns[at].half for at in evidence.places])
        tables = np.asarray(evidence.estimate, dtype=float).reshape(-1, len(half), len(half))
        worth = np.ones((len(half),) * 2) if evidence.correlation else np.outer(half, half)
        made = nearest_correlation if evidence.correlation else nearest
        found = [made(each / worth) * worth for each in tables]
    else:
        raise NotConcluded("only a matrix of moments, covariances or correlations is made positive semidefinite.")
    shown = pd.DataFrame(np.concatenate(found), index=frame.index, columns=frame.columns)
    return publish(shown, replace(released.label, adjusted=(*released.label.adjusted, NEAREST)))


def nearest(matrix: Floats) -> Floats:
    """The nearest matrix without negative eigenvalues, in the sum of squares of its entries."""
    return raised((matrix + matrix.T) / 2)


def nearest_moments(matrix: Floats) -> Floats:
    """The same where the number of rows and the sums stay as they are, and second moments around means are changed."""
    if matrix[0, 0] <= 0:
        return nearest(matrix)
    found = matrix.copy()
    means = np.outer(matrix[0, 1:], matrix[0, 1:]) / matrix[0, 0]
    found[1:, 1:] = nearest(matrix[1:, 1:] - means) + means
    return found


def nearest_correlation(matrix: Floats) -> Floats:
    """The same with ones on the diagonal: projections in turn, each corrected for the last (Higham 2002)."""
    found, correction = matrix.copy(), np.zeros_like(matrix)
    for _ in range(TIMES):
        before = found - correction
        projected = nearest(before)
        correction = projected - before
        found = projected.copy()
        np.fill_diagonal(found, 1.0)
    found = nearest(found)
    spread = np.sqrt(np.maximum(np.diag(found), 1e-300))
    found = np.clip(found / np.outer(spread, spread), -1.0, 1.0)
    np.fill_diagonal(found, 1.0)
    return found
