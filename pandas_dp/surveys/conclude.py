"""Released counts and sums made to agree with totals that everybody knows: it costs nothing, and errors become smaller.

Proof: docs/proofs/surveys/surveys.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from ..core.arguments import is_number
from ..core.label.layout import Item, Released
from ..core.label.release import Release, publish
from ..errors import BadArgument, NotConcluded, UnsupportedArgument
from ..tables.evidence import Calibrated

MOST_CELLS = 5_000
AGREE = 1e-9  # of totals of two keys, relative


def calibrate(table: Released | pd.DataFrame, totals: Any) -> Release:
    """The table that adds up to the totals of each key, nearest to the release: by its own numbers, as linear weights
    of a survey are calibrated; for one key, post-stratification."""
    released = Released.of(table)
    label, items = released.label, released.items
    if label.is_reworked or len(items) != 1:
        raise NotConcluded("calibrate takes one statistic as it was released, before it is rounded or adjusted.")
    errors = items[0].evidence.errors()
    if errors is None:
        raise NotConcluded(
            "calibrate takes a table of counts or of sums, each with noise of its own; means follow from both, and "
            "margins are added up afterwards."
        )
    places = _places(released)
    requested = _read(totals, places)
    values = np.asarray(items[0].evidence.estimate, float)
    if len(values) > MOST_CELLS:
        raise NotConcluded(f"calibrate takes at most {MOST_CELLS:,} numbers.")
    sums = np.array([places[key][name] for key, each in requested.items() for name in each], float)
    known = np.array([number for each in requested.values() for number in each.values()], float)
    found, by = _calibrated(values, sums, known, errors.noise.sd)
    noise_var, sampling_var = errors.mapped(by)
    item = items[0]
    evidence = Calibrated(
        item.statistic,
        found,
        noise_var,
        sampling_var,
        errors.noise,
        item.evidence.default_target,
        tuple(map(str, requested)),
        errors.freedom,
    )
    frame, place = released.layout.frame([Item(item.column, item.statistic, "float", evidence)], label.confidence)
    (facts,) = label.evidence
    said: dict[str, Any] = {name: facts[name] for name in ("column", "asked") if name in facts}
    fact: dict[str, Any] = {**said, "type": "float", **evidence.to_json()}
    return publish(frame, replace(label, evidence=(fact,), **place))


def _calibrated(values: Any, sums: Any, known: Any, least: float) -> tuple[Any, Any]:
    """x(1 + Aᵀλ) with the sums A of it as they are known, and its derivative; numbers within their noise of zero move
    as if they were as large as that."""
    large = values > least
    weights = np.where(large, values, max(least, 1e-300))
    spread = sums * weights
    inverse = np.linalg.pinv(spread @ sums.T, hermitian=True)
    back = spread.T @ inverse
    found = values + back @ (known - sums @ values)
    gain = 1 + np.where(large, sums.T @ (inverse @ (known - sums @ values)), 0.0)
    by = (np.eye(len(values)) - back @ sums) * gain
    return found, by


def _places(released: Released) -> dict[Hashable, dict[Hashable, Any]]:
    """For each key and each of its categories, which numbers it holds."""
    layout = released.layout
    rows, columns = layout.rows, layout.columns
    width = 1 if columns is None else len(columns)
    found: dict[Hashable, dict[Hashable, Any]] = {}
    for index, across in ((rows, False), (columns, True)):
        if index is None:
            continue
        for name in index.names:
            if name is None:
                continue
            labels = index.get_level_values(index.names.index(name))
            spread = np.tile(labels, len(rows)) if across else np.repeat(labels, width)
            found[name] = {each: spread == each for each in dict.fromkeys(labels)}
    return found


def _read(totals: Any, places: Mapping[Hashable, Mapping[Hashable, Any]]) -> dict[Hashable, dict[Hashable, float]]:
    """The totals, of all categories of a key or of none; those of two keys are of the same people."""
    keys = ", ".join(map(repr, places)) or "none"
    if not isinstance(totals, Mapping) or not totals or not all(isinstance(each, Mapping) for each in totals.values()):
        raise UnsupportedArgument(
            "calibrate takes a mapping from key to the public total of each of its categories, "
            "{'sex': {'f': 510, 'm': 490}}."
        )
    read: dict[Hashable, dict[Hashable, float]] = {}
    for key, given in totals.items():
        if key not in places:
            raise UnsupportedArgument(f"calibrate was given totals of a key that this table has not; it has {keys}.")
        if set(given) != set(places[key]):
            raise UnsupportedArgument(
                f"calibrate takes a total for each category of {key!r} as the table shows them, and for no other."
            )
        if not all(is_number(each) and isfinite(each) for each in given.values()):
            raise BadArgument(f"the totals of {key!r} are finite numbers.", argument="totals")
        read[key] = {name: float(given[name]) for name in places[key]}
    added = [sum(each.values()) for each in read.values()]
    if max(added) - min(added) > AGREE * max(map(abs, added)):
        raise BadArgument(
            "the totals of two keys add up to different numbers; all of them are of the same people.", argument="totals"
        )
    return read
