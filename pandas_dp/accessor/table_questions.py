"""Regressions as a question where all that explains is a category: a table of counts, asked for one model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from ..domain import Categories
from ..errors import UnsupportedArgument
from ..release import Layout, Release, coefficient_labels
from ..session import Asked
from ..statistics import TableRegression, model_of
from .asking import Asking


def paid_table_fit(
    asking: Asking,
    statistic: str,
    response: Hashable,
    terms: Sequence[Sequence[Hashable]],
    cov_type: str | None = None,
    intercept: bool = True,
) -> Release:
    """The regression from a table that is asked for it; `asking` has all columns as keys."""
    if asking.over_rows is not None or asking.survey is not None:
        raise UnsupportedArgument(
            f"{statistic} is asked of tables with one row of each person and without weights; leave weights= out, or "
            "protect a table of people with one_row=True.",
            statistic=statistic,
        )
    others = list(dict.fromkeys(key for term in terms for key in term))
    cells = asking.cells([*others, response])
    axes = [(str(key.name), tuple(key.labels.values)) for key in cells.keys if isinstance(key.labels, Categories)]
    said = [[str(key) for key in term] for term in terms]
    model = model_of(statistic, axes[:-1], axes[-1], said, cov_type, intercept)
    part = TableRegression(statistic, cells, model)
    return asking.release([Asked(response, part)], Layout(coefficient_labels(model), None, "measures"))
