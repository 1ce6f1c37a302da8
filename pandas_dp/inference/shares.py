"""Shares of a released table of counts, of its rows, columns or all, as a release of their own."""

from __future__ import annotations

import pandas as pd

from ..errors import NotConcluded, wrong_value
from ..evidence import Of, shares_of
from ..release import Release, publish
from .adjusted import counts_of
from .confint import is_reworked
from .evidence import checked_label

TOTALS: tuple[Of, ...] = ("all", "index", "columns")


def shares(frame: pd.DataFrame, of: object) -> Release:
    """Each cell over its total, in the shape that pandas gives it; intervals follow from those of the counts."""
    over = next((each for each in TOTALS if each == of), None)
    if over is None:
        raise wrong_value("of", "be 'all', 'index' or 'columns', as normalize= of pandas", of)
    label = checked_label(frame)
    if label["shows"] is not None or is_reworked(label):
        raise NotConcluded("shares are taken of a table of counts as it was released, before it is rounded.")
    found = shares_of(counts_of(frame), (frame.shape[0], frame.shape[1]), over)
    rows, columns = found.shape
    table = pd.DataFrame(found.estimate.reshape(rows, columns), frame.index[:rows], frame.columns[:columns])
    if frame.columns.tolist() in (["count"], ["size"]):
        table.columns = pd.Index(["proportion"])  # as pandas calls them
    (facts,) = label["evidence"]
    evidence = {name: facts[name] for name in ("column", "asked")}
    return publish(table, {**label, "evidence": [{**evidence, "type": "float", **found.to_json()}]})
