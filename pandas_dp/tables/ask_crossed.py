"""`crosstab` and `pivot_table`: keys down and across, statistics of one column or several, margins, and their names."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any

import pandas as pd

from ..core.door.asking import OF_ANY_KIND, Asking, estimator
from ..core.door.importance import name_of_statistic, names_of
from ..core.door.keys import Keyed, keyed
from ..core.door.keywords import Keywords
from ..core.label.label import and_total, cell_labels
from ..core.label.layout import Layout
from ..core.label.release import Release
from ..core.measure.cells import Cells
from ..core.measure.statistic import Estimator
from ..core.plan.plan import Asked
from ..core.protect.session_lookup import measured_columns
from ..errors import UnsupportedArgument, wrong_value
from ..numeric.statistic_means import Mean
from ..numeric.statistic_sums import Count, Sum
from ..surveys.statistic import SurveyCount, SurveyEstimate
from .ask_hierarchies import Hierarchies
from .ask_margins import Crossed, around
from .statistic import Margins, WeightedMargins

PLANNED = "planned"
Wanted = tuple[Hashable, str]


def release_tables(frame: pd.DataFrame, said: Crossed, keywords: Keywords) -> Release:
    """The table as one release."""
    statistic, margins = said.statistic, said.margins
    if not isinstance(margins, bool | Mapping) and not (isinstance(margins, str) and margins == PLANNED):
        raise wrong_value("margins", f"be True, False, {PLANNED!r} or a mapping of shares of the cost", margins)
    down = _keys(frame, statistic, said.index)
    across = _keys(down.frame, statistic, said.columns)
    said, frame = _with_values(said, across.frame)
    levels = Hierarchies.read(said.hierarchies, frame)
    levels.check_apart(statistic, [*down.names, *across.names])
    read = [levels.column(name) for name in (*down.names, *across.names)]
    wanted, titles = _wanted(said, frame, read)
    columns = [] if wanted is None else list(dict.fromkeys(column for column, _ in wanted))
    of_all = said.values is None and wanted is not None and not {name for _, name in wanted} <= OF_ANY_KIND
    asking = Asking(frame, statistic, keywords, columns=columns, keys=read, counts_keys=True, leaves_out=of_all)
    rows, cols = (
        asking.in_reason(Cells(tuple(levels.key(asking, name) for name in side.names))) for side in (down, across)
    )
    cells = asking.in_reason(Cells((*rows.keys, *cols.keys)))
    names = _names(down, said.rownames, "rownames"), _names(across, said.colnames, "colnames")
    value, of = (None, None) if wanted is None else wanted[0]
    labels = _labels(rows, names[0], said, value), _labels(cols, names[1], said, value)
    if wanted is None or titles is None:
        part = _part(asking, said, (value, of), cells, (rows, cols))
        return asking.release([Asked(value, part)], Layout(*labels, "estimates"))
    there = [column in asking.columns for column, _ in wanted]
    parts = [Asked(each[0], _part(asking, said, each, cells, (rows, cols))) for each in compress(wanted, there)]
    release = partial(asking.release, parts)
    if not rows.keys:
        return release(Layout(labels[1], titles[there], "estimates")).T
    return (
        _side_by_side(release, titles[there], labels)
        if cols.keys
        else release(Layout(labels[0], titles[there], "estimates"))
    )


def _side_by_side(release: Any, titles: pd.Index, labels: tuple[pd.Index, pd.Index]) -> Release:
    """Several statistics across the same columns: one behind the other, as pandas has them."""
    pairs = [(*_tuple(title), *_tuple(label)) for label in labels[1] for title in titles]
    names = [*titles.names, *labels[1].names]
    found = release(Layout(labels[0], pd.MultiIndex.from_tuples(pairs, names=names), "estimates"))
    order = [label * len(titles) + title for title in range(len(titles)) for label in range(len(labels[1]))]
    return found.iloc[:, order]


def _tuple(label: Any) -> tuple[Any, ...]:
    return label if isinstance(label, tuple) else (label,)


def _keys(frame: Any, statistic: str, given: Any) -> Keyed:
    return Keyed(frame, [], {}) if given is None else keyed(frame, statistic, given)


def _with_values(said: Crossed, frame: Any) -> tuple[Crossed, Any]:
    """The columns that are measured by their names, of `crosstab` perhaps a column of the same rows."""
    if said.values is None or isinstance(said.values, list | str | int):
        return said, frame
    found = keyed(frame, said.statistic, said.values)
    return replace(said, values=found.names[0]), found.frame


def _wanted(said: Crossed, frame: Any, keys: Sequence[Hashable]) -> tuple[list[Wanted] | None, pd.Index | None]:
    """Each column with its statistic, and of several their titles; no column where rows are counted."""
    of, values = said.aggfunc, said.values
    several = isinstance(of, list | tuple | Mapping)
    if values is None and not several and name_of_statistic(of) == "size":
        return None, None
    if values is None and said.statistic == "crosstab":
        return None, None
    if values is None:
        values = list(of) if isinstance(of, Mapping) else [n for n in measured_columns(frame) if n not in keys]
    if not several and not isinstance(values, list):
        return [(values, name_of_statistic(of))], None
    if said.margins is not False or said.structural_zeros is not None:
        raise UnsupportedArgument(
            f"{said.statistic} has margins and structural zeros of one column and one aggfunc; ask for others in a "
            "table each.",
            argument="margins",
        )
    listed = values if isinstance(values, list) else [values]
    if isinstance(of, Mapping):
        found = [(column, name) for column in listed if column in of for name in names_of(of[column])]
        single = not any(isinstance(each, list | tuple) for each in of.values())
        return found, pd.Index([c for c, _ in found]) if single else pd.MultiIndex.from_tuples(found)
    found = [(column, name) for name in names_of(of) for column in listed]
    if not several:
        return found, pd.Index(listed)
    return found, pd.MultiIndex.from_tuples([(name, column) for column, name in found])


def _names(side: Keyed, given: Any, argument: str) -> list[Any]:
    """What keys are called in the table."""
    if given is None:
        return [side.called.get(name, name) for name in side.names]
    names = list(given) if isinstance(given, list | tuple) else [given]
    if len(names) != len(side.names):
        raise wrong_value(argument, f"name as many keys as there are, {len(side.names)}", given)
    return names


def _labels(side: Cells, names: list[Any], said: Crossed, value: Hashable) -> pd.Index:
    """Of a side without keys, what is measured."""
    labels = cell_labels(side).set_names(names) if side.keys else pd.Index([value])
    return and_total(labels, said.margins_name) if said.margins else labels


def _part(
    asking: Asking, said: Crossed, wanted: tuple[Any, str | None], cells: Cells, sides: tuple[Cells, Cells]
) -> Estimator:
    value, of = wanted
    part: Estimator = asking.counted(cells) if of is None else estimator(asking, of, value, cells)
    measured = isinstance(part, Mean) and said.margins is True and asking.survey is None
    if said.structural_zeros is not None or not isinstance(said.margins, bool) or measured:
        return around(asking, part, sides, replace(said, margins=PLANNED) if said.margins is True else said)
    return _with_margins(part, sides, of) if said.margins else part


def _with_margins(part: Estimator, sides: tuple[Cells, Cells], of: str | None) -> Estimator:
    if isinstance(part, SurveyCount | SurveyEstimate):
        return WeightedMargins(part, sides[0].size, sides[1].size)
    if not isinstance(part, Count | Sum):
        raise UnsupportedArgument(
            f"margins=True adds cells up, which a table of {of} cannot; ask for the margin as a table of its own.",
            aggfunc=of,
        )
    return Margins(part, sides[0].size, sides[1].size)
