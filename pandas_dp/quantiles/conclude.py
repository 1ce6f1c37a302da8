"""Quantiles and shares of ranges, from a released distribution."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pandas as pd

from ..core.conclude.confint import check_target
from ..core.conclude.results import Conclusion
from ..core.label.layout import in_unit, in_zone
from ..core.label.reading import Released
from ..core.reading import a_number, is_number, one_of
from ..core.schema.bounds import exact
from ..errors import NotConcluded, wrong_value
from .evidence import Cdf, Inclusive


def quantiles_of_cdf(table: pd.DataFrame, q: Any, confidence: float, target: str | None) -> pd.DataFrame:
    """A row for each rank: the quantile, and the ends of its interval."""
    released, cdf, confidence, target = _read(table, confidence, target)
    ranks = list(q) if pd.api.types.is_list_like(q) else [q]
    if not ranks or not all(is_number(rank) and 0 < rank < 1 for rank in ranks):
        raise wrong_value("q", "be a number between 0 and 1, or a list of such; ask for min and max for the ends", q)
    found = cdf.quantiles(np.array(ranks, dtype=float), confidence, target)
    columns = {
        name: in_unit(values, cdf.unit) for name, values in zip(["quantile", "lower", "upper"], found, strict=True)
    }
    return Conclusion(in_zone(pd.DataFrame(columns, index=pd.Index(ranks)), _zone(released)))


def share_between(
    table: pd.DataFrame, left: Any, right: Any, inclusive: Any, confidence: float, target: str | None
) -> pd.DataFrame:
    """One row: the share of values in a range, and the ends of its interval."""
    released, cdf, confidence, target = _read(table, confidence, target)
    name = released.frame.index.name
    low, high = (float(exact(end, cdf.unit, name, _zone(released))) for end in (left, right))
    if not low <= high:
        raise wrong_value("right", "be no less than left", right)
    ends = cdf.usual_ends if inclusive is None else one_of("inclusive", inclusive, get_args(Inclusive))
    share, lower, upper = cdf.share_between(low, high, ends, confidence, target)
    return Conclusion({"share": [share], "lower": [lower], "upper": [upper]}, index=pd.Index([f"{left} to {right}"]))


def _read(table: pd.DataFrame, confidence: float, target: str | None) -> tuple[Released, Cdf, float, str]:
    confidence = a_number("confidence", confidence, 0, 1)
    check_target(target)
    released = Released.of(table)
    (cdf,) = released.evidence
    if not isinstance(cdf, Cdf):
        raise NotConcluded("this release is no distribution; ask for cdf.")
    return released, cdf, confidence, target or cdf.default_target


def _zone(released: Released) -> str | None:
    zone = getattr(released.frame.index, "tz", None)
    return None if zone is None else str(zone)
