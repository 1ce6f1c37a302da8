"""Association rules of released tables: how much more often one category comes with others than alone.

Confidence and lift are ratios of noisy counts, so their intervals are Fieller's. Proof: docs/proofs/learning.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...dataclass import dataclass
from ...errors import NotConcluded, wrong_value
from ...evidence import critical, fieller
from ...margins import Kept
from ...reading import a_flag, a_number, is_number
from ..numbers import releases, summed_cost
from ..results import Conclusion
from .tables import CountedTables

MOST = 50_000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Keys:
    """Rules of a category of one key, from those of others, and the table that shows them."""

    given: tuple[int, ...]
    then: int
    kept: Kept


def rules(
    table: pd.DataFrame, min_support: float, min_confidence: float, confidence: float, simultaneous: bool
) -> pd.DataFrame:
    """Rules that at least such a share of the rows support, the greatest lift first."""
    for name, value in (("min_support", min_support), ("min_confidence", min_confidence)):
        if not is_number(value) or not 0 <= value <= 1:
            raise wrong_value(name, "be a share from 0 to 1", value)
    level = a_number("confidence", confidence, 0, 1)
    a_flag("simultaneous", simultaneous)
    tables = CountedTables.of(table)
    wanted = list(_candidates(tables))
    many = sum(prod(tables.keys[place].size for place in (*keys.given, keys.then)) for keys in wanted)
    if not many:
        raise NotConcluded("rules need a table of two keys or more; ask for crosstab or marginals.")
    if many > MOST:
        raise NotConcluded(
            f"these tables have {many:,} rules, and at most {MOST:,} are told; conclude from fewer keys."
        )
    each = float(1 - (1 - level) / many) if simultaneous else level
    with np.errstate(all="ignore"):
        found = pd.concat([_told(tables, keys, each) for keys in wanted], ignore_index=True)
    kept = found[(found["support"] >= min_support) & (found["confidence"].fillna(0.0) >= min_confidence)]
    kept = kept.sort_values("lift", ascending=False, kind="stable").set_index(["if", "then"])
    answer, paid = Conclusion(kept), releases([tables.label])
    said = {"kind": "conclusion", "conclusion": "rules", "confidence": confidence, "considered": many}
    answer.attrs = {"dp": {**said, "releases": paid, **summed_cost(paid)}}
    return answer


def _candidates(tables: CountedTables) -> Iterator[Keys]:
    """Each choice of keys once, with the smallest table that has them."""
    seen: set[tuple[tuple[int, ...], int]] = set()
    for kept in tables.tables:
        for then in kept:
            rest = [place for place in kept if place != then]
            for given in (each for size in range(1, len(rest) + 1) for each in combinations(rest, size)):
                if (given, then) not in seen:
                    seen.add((given, then))
                    yield Keys(given, then, kept)


def _told(tables: CountedTables, keys: Keys, level: float) -> pd.DataFrame:
    """All rules over these keys."""
    ab, cov, quantile = _joint(tables, keys), _covariances(tables, keys), critical(level, tables.noise_of(keys.kept))
    a, b, total = ab.sum(axis=-1, keepdims=True), ab.sum(axis=tuple(range(ab.ndim - 1)), keepdims=True), ab.sum()
    a, b, total = (np.broadcast_to(each, ab.shape).ravel() for each in (a, b, total))
    ab = ab.ravel()
    low, high = fieller(ab, a, cov[3, 3], cov[1, 1], cov[1, 3], quantile)
    low, high = (np.where(a > 0, end, side) for end, side in ((low, 0.0), (high, 1.0)))
    lift_low, lift_high = _lift_ends(np.stack([total, a, b, ab]), cov, quantile)
    columns = {
        **_names(tables, keys, tuple(tables.keys[place].size for place in (*keys.given, keys.then))),
        "support": np.where(total > 0, np.clip(ab / total, 0, 1), 0.0),
        "confidence": np.where(a > 0, np.clip(ab / a, 0, 1), np.nan),
        "lower": np.clip(low, 0, 1),
        "upper": np.clip(high, 0, 1),
        "lift": np.where((a > 0) & (b > 0), np.maximum(total * ab / (a * b), 0.0), np.nan),
        "lift_lower": lift_low,
        "lift_upper": lift_high,
    }
    return pd.DataFrame(columns)


def _lift_ends(counts: Floats, cov: Floats, quantile: Any) -> tuple[Floats, Floats]:
    """Lift is n·ab over a·b: each side is a product of two noisy counts, whose variance is exact to second order."""
    total, a, b, ab = counts
    up = total**2 * cov[3, 3] + ab**2 * cov[0, 0] + 2 * total * ab * cov[0, 3] + cov[0, 0] * cov[3, 3]
    down = a**2 * cov[2, 2] + b**2 * cov[1, 1] + 2 * a * b * cov[1, 2] + cov[1, 1] * cov[2, 2]
    across = total * (a * cov[2, 3] + b * cov[1, 3]) + ab * (a * cov[0, 2] + b * cov[0, 1])
    low, high = fieller(total * ab, a * b, up, down, across, quantile)
    there = (a > 0) & (b > 0)
    return np.where(there, np.maximum(low, 0.0), 0.0), np.where(there, high, np.inf)


def _joint(tables: CountedTables, keys: Keys) -> Floats:
    """Counts of each combination, an axis for each key of the condition, and last that of the consequence."""
    wanted = (*keys.given, keys.then)
    table = tables.tables[keys.kept].sum(axis=tuple(at for at, place in enumerate(keys.kept) if place not in wanted))
    order = sorted(wanted)
    return np.asarray(table.transpose([order.index(place) for place in wanted]), dtype=float)


def _covariances(tables: CountedTables, keys: Keys) -> Floats:
    """Of the total, the condition, the consequence and both: the same for all their categories."""
    given, then = {place: [0] for place in keys.given}, {keys.then: [0]}
    sums = [{}, given, then, {**given, **then}]
    return np.array([[tables.covariance(keys.kept, one, two) for two in sums] for one in sums])


def _names(tables: CountedTables, keys: Keys, sizes: tuple[int, ...]) -> dict[str, list[str]]:
    named = [[f"{key.column} = {label}" for label in key.labels] for key in (tables.keys[p] for p in keys.given)]
    last = [f"{tables.keys[keys.then].column} = {label}" for label in tables.keys[keys.then].labels]
    places = np.indices(sizes).reshape(len(sizes), -1).T.tolist()
    return {
        "if": [" & ".join(names[at] for names, at in zip(named, cells, strict=False)) for cells in places],
        "then": [last[cells[-1]] for cells in places],
    }
