"""Cross tables: the keys of the rows, the keys of the columns, and what is in the cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from ..errors import UnsupportedArgument, shown, wrong_value
from ..release import Layout, Release, and_total, cell_labels
from ..session import Asked
from ..statistics import Count, Estimator, Margins, Mean, Sum, SurveyCount, SurveyEstimate, WeightedMargins
from ..tally import Cells
from .asking import Asking
from .grouped import key_names
from .hierarchies import Hierarchies
from .keywords import Keywords
from .margins import Crossed, around
from .statistics import estimator

PLANNED = "planned"


def release(frame: pd.DataFrame, said: Crossed, keywords: Keywords) -> Release:
    """The table as one release."""
    statistic, values, margins = said.statistic, said.values, said.margins
    if not isinstance(margins, bool | Mapping) and not (isinstance(margins, str) and margins == PLANNED):
        raise wrong_value("margins", f"be True, False, {PLANNED!r} or a mapping of shares of the cost", margins)
    if isinstance(said.aggfunc, list | tuple):
        raise UnsupportedArgument(
            f"{statistic} takes one aggfunc; marginals takes several of one column at once: "
            "df.dp.marginals(tables, values, [...]).",
            aggfunc=shown(said.aggfunc),
        )
    down, across = ([] if names is None else key_names(statistic, names) for names in (said.index, said.columns))
    levels = Hierarchies.read(said.hierarchies, frame)
    levels.check_apart(statistic, [*down, *across])
    read = [levels.column(name) for name in (*down, *across)]
    asking = Asking(frame, statistic, keywords, columns=[] if values is None else [values], keys=read, counts_keys=True)
    rows, cols = (asking.in_reason(Cells(tuple(levels.key(asking, name) for name in keys))) for keys in (down, across))
    part = _part(asking, said, asking.in_reason(Cells((*rows.keys, *cols.keys))), (rows, cols))
    row_labels, column_labels = (cell_labels(side) if side.keys else pd.Index([values]) for side in (rows, cols))
    if margins:
        row_labels, column_labels = and_total(row_labels), and_total(column_labels)
    return asking.release([Asked(values, part)], Layout(row_labels, column_labels, "estimates"))


def _part(asking: Asking, said: Crossed, cells: Cells, sides: tuple[Cells, Cells]) -> Estimator:
    part: Estimator = (
        asking.counted(cells) if said.values is None else estimator(asking, said.aggfunc, said.values, cells)
    )
    if said.structural_zeros is not None or not isinstance(said.margins, bool):
        return around(asking, part, sides, replace(said, margins=PLANNED) if said.margins is True else said)
    return _with_margins(part, sides, said) if said.margins else part


def _with_margins(part: Estimator, sides: tuple[Cells, Cells], said: Crossed) -> Estimator:
    if isinstance(part, SurveyCount | SurveyEstimate):
        return WeightedMargins(part, sides[0].size, sides[1].size)
    if not isinstance(part, Count | Sum):
        way = (
            f"margins={PLANNED!r} measures those of means too"
            if isinstance(part, Mean) and said.statistic == "crosstab"
            else "ask for the margin as a table of its own"
        )
        raise UnsupportedArgument(
            f"margins=True adds cells up, which a table of {said.aggfunc} cannot; {way}.",
            aggfunc=said.aggfunc,
        )
    return Margins(part, sides[0].size, sides[1].size)
