"""Any function of tables of a synthesis, with an interval from the whole process run again on the model.

Where tables were measured the model holds what they say, and so does what the process makes of rows drawn from it.
Where not, no interval is honest. Proof, and simulated coverage: docs/proofs/synthesis.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ...errors import NotConcluded, wrong_value
from ...margins import Model
from ..results import EstimateResult
from .described import Described, regrouped
from .keys import Key

Function = Callable[..., Any]


def estimated(
    of: Described,
    function: Function,
    tables: Sequence[Sequence[Key]],
    replicates: int,
    confidence: float,
    rng: np.random.Generator,
) -> EstimateResult:
    """What the function makes of the model's tables over these keys, and how much that varies."""
    value = value_of(function, of, of.model, tables)
    unmeasured = [keys for keys in tables if not of.is_measured(keys)]
    if unmeasured:
        asked = " × ".join(str(key.name) for key in unmeasured[0])
        why = f"no interval: {asked} was not measured, so this is what a model makes of other tables"
        return EstimateResult(value, np.nan, np.nan, confidence, "estimate", why, "not known; source fitted")
    found = np.array([value_of(function, of, model, tables) for model in again(of, replicates, rng)])
    half = float(stdtrit(replicates - 1, (1 + confidence) / 2)) * float(np.std(found, ddof=1))
    how = f"{replicates} times rows drawn from the model, measured by the same laws, and fitted again"
    noise = "taken into account, with the sampling of the rows"
    return EstimateResult(value, value - half, value + half, confidence, "estimate", how, noise)


def again(of: Described, replicates: int, rng: np.random.Generator) -> Iterator[Model]:
    """Models of rows that were drawn from this one."""
    return (of.drawn_again(rng) for _ in range(replicates))


def value_of(function: Function, of: Described, model: Model, tables: Sequence[Sequence[Key]]) -> float:
    """What the function makes of a model's tables."""
    found = function(*(_series(of, model, keys) for keys in tables))
    try:
        return float(found)
    except (TypeError, ValueError):
        raise NotConcluded("f must give one number of the tables that of= names.") from None


def _series(of: Described, model: Model, keys: Sequence[Key]) -> pd.Series[Any]:
    """The counts of a table, under the categories of its keys."""
    places = tuple(sorted({key.place for key in keys}))
    counts = regrouped(model.table(places), places, keys)
    axes = [key.labels for key in keys]
    index = axes[0] if len(axes) == 1 else pd.MultiIndex.from_product(axes)
    return pd.Series(counts.ravel(), index=index, name="count")


def read_tables(of: Described, tables: Any) -> list[list[Key]]:
    """Lists of keys."""
    if not isinstance(tables, list | tuple) or not tables or not all(isinstance(t, list | tuple) and t for t in tables):
        raise wrong_value("of", 'list the tables that f takes, each a list of keys, e.g. [["sex", "work"]]', tables)
    return [of.read_keys(keys) for keys in tables]
