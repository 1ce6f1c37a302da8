"""What a release is about, in the words of the question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from ..core.conclude.results import EstimateResult, TestResult
from ..core.label.label import Label
from ..core.label.layout import Item, Released, in_unit
from ..core.label.release import guarantee
from ..models.evidence import Fit, Generalized
from ..models.tables.evidence import TableFit
from ..quantiles.evidence import Quantiles

ASKED = ("value_counts", "histogram")
TESTS = ("t_test", "rank_test", "ks_test")
WORDS = {
    "value_counts": "number of rows",
    "histogram": "number of rows",
    "count": "count",
    "size": "number of rows",
    "gaps": "values missing or wrong",
    "describe": "summary",
    "corr": "correlations",
    "cov": "covariances",
    "moments": "sums of products",
    "var": "variance",
    "std": "standard deviation",
    "t_test": "t test",
    "rank_test": "rank test",
    "ks_test": "Kolmogorov-Smirnov test",
}
"""Titles for readers, where the name of the question is none."""


def about(released: Released, item: Item) -> str:
    """One statistic of one column, such as "mean of income by sex" or "quantile 0.9 of income"."""
    keys = [key for key in released.label.by if key != item.column]
    name = released.label.statistic if released.label.statistic in ASKED else item.statistic
    if name == "quantile" and isinstance(item.evidence, Quantiles):
        name = f"quantile {item.evidence.rank:g}"
    of = "" if item.column is None else f" of {item.column}"
    return f"{name}{of}{' by ' + ', '.join(map(str, keys)) if keys else ''}"


def title_of(released: Released) -> str:
    """The whole table.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> people = pdp.Session(epsilon=1).protect(pd.DataFrame({"age": [31, 54, 47]}))
    >>> title_of(Released.of(people["age"].dp.sum(bounds=(0, 100), epsilon=0.5)))
    'Sum of age'
    """
    items, label = released.items, released.label
    if label.statistic in TESTS:
        return _compared(released)
    if (formula := _formula(released)) is not None:
        groups = () if isinstance(released.evidence[0], TableFit) else label.by
        return f"Regression: {formula}" + (f" by {', '.join(map(str, groups))}" if groups else "")
    statistics = list(dict.fromkeys(item.statistic for item in items))
    asked = [label.statistic] if label.statistic in WORDS else statistics
    if label.statistic == "value_counts" and "share" in statistics:
        asked = ["share of rows"]
    elif any(facts.get("kind") == "calibrated" for facts in label.evidence):
        asked = ["calibrated count" if WORDS.get(name) == "number of rows" else name for name in asked]
    elif label.count == "people":
        asked = ["number of people" if WORDS.get(name) == "number of rows" else name for name in asked]
    columns = dict.fromkeys(
        str(item.column) for item in items if item.column is not None and item.column not in label.by
    )
    if not columns and not label.by:
        columns = dict.fromkeys(map(str, label.columns))
    names = label.relabelled or {}
    of, by = (", ".join(names.get(str(each), str(each)) for each in some) for some in (columns, label.by))
    first = "their first " * (label.max_keys == 1)
    of, by = f" of {of}" if of else "", f" by {first}{by}" if by else ""
    text = ", ".join(WORDS.get(name, name) for name in asked) + of + by
    return text[:1].upper() + text[1:]


def _compared(released: Released) -> str:
    """A test: of which column, or which two, by which groups."""
    rows, by = released.frame.index, released.frame.index.name
    name = WORDS[released.label.statistic]
    of, behind = (rows[0], "") if by is None else (released.items[0].column, f" by {by}")
    return f"{name[:1].upper()}{name[1:]} of {of}{behind}"


def _formula(released: Released) -> str | None:
    """What a regression explained by what."""
    first = released.evidence[0] if released.evidence else None
    if isinstance(first, Fit | Generalized):
        return first.design.formula
    return first.model.formula if isinstance(first, TableFit) else None


def whom_of(label: Label, target: str) -> str:
    """Whom an interval is about, behind "for the": what was bounded of a person before it counted is said.

    Examples
    --------
    >>> import pandas as pd, pandas_dp as pdp
    >>> session = pdp.Session(epsilon=1, unit="person")
    >>> visits = session.protect(pd.DataFrame({"person": [1, 1, 2], "cost": [31, 54, 47]}))
    >>> release = visits["cost"].dp.sum(per_person=(0, 100), epsilon=0.5)
    >>> whom_of(Released.of(release).label, "sample")
    'sums of people as they were clamped'
    """
    if target == "population":
        return label.of_blocks or ("unweighted population" if label.is_unweighted else "population")
    if label.of_blocks is not None:
        return "blocks that were drawn"
    if label.per_person is not None:
        return "sums of people as they were clamped"
    if label.max_keys == 1:
        return "people in the data, each by their first key"
    if label.max_rows is not None:
        return f"rows in the data, where a person counts as {label.max_rows:,} row{'s' * (label.max_rows != 1)} at most"
    if label.max_keys is not None:
        return "rows as they were weighed"
    if label.count == "people" and label.by:
        return "people as they were weighed"
    if label.max_values is not None:
        return "values that were counted"
    return "rows in the data" if label.unit is None else "people in the data"


def as_bound(number: float, item: Item) -> str:
    """An end of a range as it is written."""
    if item.kind in ("float", "integer"):
        return f"{number:,.10g}"
    return str(in_unit(np.array([number]), item.kind)[0].astype(f"{item.kind}64[s]")).removesuffix("T00:00:00")


P = ParamSpec("P")
Result = TypeVar("Result", TestResult, EstimateResult)


def guaranteed(
    concluded: Callable[Concatenate[Any, P], Result],
) -> Callable[Concatenate[Any, P], Result]:
    """The same conclusion with the guarantee of the table, which it takes first, or whose conclusion it is."""

    @wraps(concluded)
    def titled(table: Any, /, *given: P.args, **named: P.kwargs) -> Result:
        if not isinstance(table, pd.DataFrame | Released):
            found = concluded(table, *given, **named)
            return replace(found, guarantee=guarantee(Label.from_json(table._frame.attrs["dp"])))
        released = Released.of(table, parts=True)  # once: reading it hashes the whole table
        return replace(concluded(released, *given, **named), guarantee=guarantee(released.label))

    return titled
