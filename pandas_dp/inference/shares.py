"""Shares of a released table of counts, of its rows, columns or all, with intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..errors import NotConcluded, wrong_value
from ..evidence import Amounts, Tables
from .adjusted import counts_of
from .evidence import checked_label

Array = np.ndarray[Any, Any]
OF = {"all": None, "index": 1, "columns": 0}
MEASURES = ["share", "lower", "upper"]


def shares(frame: pd.DataFrame, of: object, level: object) -> pd.DataFrame:
    """Each cell over its total, between the ends that both may have at once.

    A share lies between lower cell over upper total and upper cell over lower total wherever both intervals hold.
    Each is taken at half the risk, so both do with the level asked for, however cell and total depend on each other.
    """
    if not isinstance(of, str) or of not in OF:
        raise wrong_value("of", "be 'all', 'index' or 'columns', as normalize= of pandas", of)
    if isinstance(level, bool) or not isinstance(level, int | float | np.number) or not 0 < level < 1:
        raise wrong_value("level", "lie between 0 and 1", level)
    label = checked_label(frame)
    if label["shows"] is not None or label.get("adjusted") or label.get("bases") or label.get("rounded"):
        raise NotConcluded("shares are taken of a crosstab as it was released, before it is rounded or adjusted.")
    evidence, rows, columns = _with_totals(counts_of(frame), *frame.shape)
    with np.errstate(all="ignore"):
        ends = evidence.interval((1 + float(level)) / 2, "sample")
        wide = [each.astype(float).reshape(rows + 1, columns + 1) for each in (evidence.estimate, *ends)]
        cells = [each[:rows, :columns] for each in wide]
        total, low, high = (_totals(each, rows, columns, OF[of]) for each in wide)
        share = np.where(total > 0, cells[0] / total, np.nan)
        lower = np.where(high > 0, np.clip(np.maximum(cells[1], 0) / high, 0, 1), 0.0)
        upper = np.where(low > 0, np.clip(cells[2] / low, 0, 1), 1.0)
    parts = [pd.DataFrame(each, frame.index[:rows], frame.columns[:columns]) for each in (share, lower, upper)]
    return pd.concat(parts, axis=1, keys=MEASURES)


def _with_totals(evidence: Amounts | Tables, rows: int, columns: int) -> tuple[Amounts | Tables, int, int]:
    """The evidence with a margin at either end, added up where it has none."""
    if isinstance(evidence, Tables):
        if evidence.rectangle is None or len(evidence.shown) == 1:
            raise NotConcluded("this table has no margins to take shares of; ask for it with margins.")
        return evidence, *evidence.rectangle
    if evidence.margins is not None:
        return evidence, *evidence.margins
    table = evidence.values.astype(float).reshape(rows, columns)
    wide = np.column_stack([table, table.sum(axis=1)])
    values = np.vstack([wide, wide.sum(axis=0)]).ravel()
    return replace(evidence, values=values, margins=(rows, columns)), rows, columns


def _totals(wide: Array, rows: int, columns: int, axis: int | None) -> Array:
    if axis is None:
        return np.full((rows, columns), wide[-1, -1])
    return np.broadcast_to(wide[:rows, -1:] if axis == 1 else wide[-1:, :columns], (rows, columns))
