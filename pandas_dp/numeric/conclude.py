"""Shares of a released table of counts, of its rows, columns or all, as a release of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from ..core.evidence.evidence import Evidence
from ..core.label.layout import Released
from ..core.label.release import Release, publish
from ..errors import NotConcluded, wrong_value
from ..surveys.evidence import SurveyedCounts, SurveyedMargins, SurveyedShares
from ..tables.conclude_whole import counts_of
from .evidence_ratios import Of, SharesOfCounts, shares_of
from .evidence_sums import Amounts

TOTALS: tuple[Of, ...] = ("all", "index", "columns")


def shares(table: Released | pd.DataFrame, of: object, groups: int | None = None) -> Release:
    """Each cell over its total, in the shape that pandas gives it; intervals follow from those of the counts.

    With `groups` the cells of so many groups lie one below the other, and are a row each.
    """
    over = next((each for each in TOTALS if isinstance(of, str) and each == of), None)
    if over is None:
        raise wrong_value("of", "be 'all', 'index' or 'columns', as normalize= of pandas", of)
    released = Released.of(table)
    frame, label, evidence = released.frame, released.label, released.evidence
    if label.is_reworked:
        raise NotConcluded(
            "shares are taken of a table of counts as it was released, before it is rounded or adjusted."
        )
    if not released.is_rectangle:
        raise NotConcluded(
            "shares are taken of a table that shows counts alone; ask for crosstab, value_counts or histogram, or of "
            "stored tables for tables.crosstab(..., margins=True)."
        )
    part = evidence[0] if len(evidence) == 1 and evidence[0].statistic == "count" else None
    shape = frame.shape if groups is None else (groups, len(frame) // groups)
    found = _shares(part, released, shape, over)
    rows, columns = found.shape if groups is None else frame.shape
    shown = pd.DataFrame(found.estimate.reshape(rows, columns), frame.index[:rows], frame.columns[:columns])
    if frame.columns.tolist() in (["count"], ["size"]):
        shown.columns = pd.Index(["proportion"])  # as pandas calls them
    (facts,) = label.evidence
    said: dict[str, Any] = {name: facts[name] for name in ("column", "asked") if name in facts}
    return publish(shown, replace(label, evidence=({**said, "type": "float", **found.to_json()},)))


def _shares(
    part: Evidence | None, released: Released, shape: tuple[int, int], over: Of
) -> SharesOfCounts | SurveyedShares:
    if isinstance(part, SurveyedMargins):
        shape, part = part.shape, part.inner
    if isinstance(part, SurveyedCounts):
        return part.shares(shape, over)
    counts = part if isinstance(part, Amounts) and part.shares_noise else counts_of(released)
    return shares_of(counts, shape, over)
