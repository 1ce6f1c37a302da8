"""Cross tables: the keys of the rows, the keys of the columns, and what stands in the cells."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from ..errors import UnsupportedArgument, shown, wrong_value
from ..release import Layout, Release, and_total, cell_labels
from ..session import Asked
from ..statistics import Count, Estimator, Margins, Mean, Sum
from ..tally import Cells
from .asking import Asking
from .grouped import key_names
from .hierarchies import Hierarchies
from .keywords import Keywords
from .margins import around
from .statistics import estimator

PLANNED = "planned"


def release(
    frame: pd.DataFrame,
    statistic: str,
    index: Any,
    columns: Any,
    values: Hashable | None,
    aggfunc: str,
    margins: Any,
    keywords: Keywords,
    structural_zeros: Any = None,
    hierarchies: Any = None,
) -> Release:
    """The table as one release."""
    if not isinstance(margins, bool | Mapping) and not (isinstance(margins, str) and margins == PLANNED):
        raise wrong_value("margins", f"be True, False, {PLANNED!r} or a mapping of shares of the cost", margins)
    if isinstance(aggfunc, list | tuple):
        raise UnsupportedArgument(
            f"{statistic} takes one aggfunc; marginals takes several of one column at once: "
            "df.dp.marginals(tables, values, [...]).",
            aggfunc=shown(aggfunc),
        )
    down = [] if index is None else key_names(statistic, index)
    across = [] if columns is None else key_names(statistic, columns)
    levels = Hierarchies.read(hierarchies, frame)
    levels.check_apart(statistic, [*down, *across])
    read = [levels.column(name) for name in (*down, *across)]
    asking = Asking(frame, statistic, keywords, columns=[] if values is None else [values], keys=read, counts_keys=True)
    rows, cols = (asking.in_reason(Cells(tuple(levels.key(asking, name) for name in keys))) for keys in (down, across))
    cells = asking.in_reason(Cells((*rows.keys, *cols.keys)))
    part: Estimator = Count(cells) if values is None else estimator(asking, aggfunc, values, cells)
    row_labels = cell_labels(rows) if down else pd.Index([values])
    column_labels = cell_labels(cols) if across else pd.Index([values])
    if structural_zeros is not None or not isinstance(margins, bool):
        if margins is True:
            margins = PLANNED
        part = around(asking, part, len(down), rows.size, cols.size, margins, structural_zeros)
    elif margins:
        part = _with_margins(part, rows.size, cols.size, aggfunc, statistic)
    if margins:
        row_labels, column_labels = and_total(row_labels), and_total(column_labels)
    return asking.release([Asked(values, part)], Layout(row_labels, column_labels, "estimates"))


def _with_margins(part: Estimator, rows: int, columns: int, aggfunc: str, statistic: str) -> Estimator:
    if not isinstance(part, Count | Sum):
        way = (
            f"margins={PLANNED!r} measures those of means too"
            if isinstance(part, Mean) and statistic == "crosstab"
            else "ask for the margin as a table of its own"
        )
        raise UnsupportedArgument(
            f"margins=True adds cells up, which a table of {aggfunc} cannot; {way}.",
            aggfunc=aggfunc,
        )
    return Margins(part, rows, columns)
