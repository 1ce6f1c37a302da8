"""Means of several columns by group, told from one count where all have a value in every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..session import Asked
from ..statistics import Mean, MeanBeside
from .asking import Asking


def told_together(asking: Asking, parts: Sequence[Asked]) -> list[Asked]:
    """The same parts with one count for all columns that are declared without missing values, if these are several."""
    plain = asking.read.request.model == "dp" and asking.over_rows is None
    kept = [part for part in parts if type(part.estimator) is Mean and not part.estimator.variable.nullable]
    together = tuple(dict.fromkeys(part.estimator.variable for part in kept))  # type: ignore[attr-defined]
    if not plain or len(kept) < len(parts) or len(together) < 2:
        return list(parts)
    return [replace(part, estimator=_beside(part.estimator, together)) for part in kept]  # type: ignore[arg-type]


def _beside(mean: Mean, together: tuple) -> MeanBeside:  # type: ignore[type-arg]
    return MeanBeside(mean.variable, mean.cells, mean.bootstrap, together)
