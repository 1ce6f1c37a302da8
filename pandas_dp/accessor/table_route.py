"""When a regression of a frame is told from a table of counts: all of it is categories, and the table is small."""

from __future__ import annotations

from collections.abc import Hashable
from math import prod

import pandas as pd

from ..release import Release
from .asking import Asking
from .formula import Formula
from .keywords import Keywords
from .regressed import check_names
from .table_questions import paid_table_fit

CELLS = 6  # of the regressors' table, a coefficient: with more, scores have less noise than the table


def told_from_a_table(statistic: str, frame: pd.DataFrame, formula: Formula, keywords: Keywords) -> Release | None:
    """The regression from one table, paid; None where it is better asked otherwise, or cannot be a table."""
    check_names(statistic, frame, formula.columns)
    if not formula.terms or formula.endogenous or any(factor.spline for factor in formula.factors):
        return None
    if formula.response in formula.columns[1:] or keywords.get("bounds") is not None:
        return None
    keys = [*dict.fromkeys(factor.column for factor in formula.factors), formula.response]
    asking = Asking(frame, statistic, keywords, columns=[], keys=keys, counts_keys=True, sorts_by=("categories",))
    if asking.over_rows is not None:  # of a person's rows a table does not tell how they hang together
        return None
    if not all(_is_key(asking, key) for key in keys) or not _is_small(asking, formula):
        return None
    terms = [[factor.column for factor in term] for term in formula.terms]
    return paid_table_fit(asking, statistic, formula.response, terms, intercept=formula.intercept)


def _is_key(asking: Asking, column: Hashable) -> bool:
    """Whether its categories are declared, and it is no number."""
    said = asking.domain.said(column)
    return said.categories is not None and (said.interval is None or asking.domain.is_condition(column))


def _is_small(asking: Asking, formula: Formula) -> bool:
    sizes = {factor.column: len(asking.domain.categories(factor.column).values) for factor in formula.factors}
    many = 1 + sum(prod(sizes[factor.column] - 1 for factor in term) for term in formula.terms)
    return prod(sizes.values()) <= CELLS * many
