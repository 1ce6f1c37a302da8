"""Hints about tables that were made to agree with public totals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...release import Released
from ..titles import about
from .finding import Finding, hint


@hint
def negative_numbers(released: Released) -> Iterator[Finding]:
    """A linear calibration moves small numbers below zero where it has to."""
    for item in released.items:
        evidence = item.evidence
        if evidence.kind == "calibrated" and item.statistic == "count" and np.any(np.asarray(evidence.estimate) < 0):
            yield Finding(
                "calibrated counts are below zero",
                about(released, item),
                "Calibrate a table of fewer or larger cells; clip(lower=0) takes them for none, and the table then "
                "adds up to more than the totals.",
                item.column,
            )
