"""What regressions ask of their columns beyond what other questions do: names, bounds by name, how each counts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from difflib import get_close_matches

import pandas as pd

from ...core.schema.schema import Domain
from ...errors import BadBounds, NoBounds, NoCategories, UnknownColumn, UnsupportedArgument

REGRESSIONS = ("ols", "logit", "poisson")


def check_names(statistic: str, frame: pd.DataFrame, names: Iterable[Hashable]) -> None:
    """Refuse a word of a formula that is no column, and name it: it stands in the formula."""
    if statistic not in REGRESSIONS:
        return
    there = [str(column) for column in frame.columns]
    for name in names:
        if isinstance(name, str) and name not in frame.columns:
            near = get_close_matches(name, there, n=1)
            meant = f" (did you mean {near[0]!r}?)" if near else ""
            listed = ", ".join(map(repr, there[:12])) + (", …" if len(there) > 12 else "")
            raise UnknownColumn(f"{statistic} names {name!r}{meant}, which is no column; the table has {listed}.")


def check_bounds(statistic: str, bounds: object, numbers: list[Hashable]) -> None:
    """Refuse one pair for several columns: what explains would be clamped to the bounds of what is explained."""
    if statistic in REGRESSIONS and bounds is not None and not isinstance(bounds, Mapping) and len(numbers) > 1:
        raise BadBounds(
            f"bounds= of {statistic} names columns, e.g. bounds={{{numbers[0]!r}: (0, 40)}}; one pair would clamp all "
            f"{len(numbers)} of its columns of numbers.",
            argument="bounds",
        )


def number_or_sort(column: Hashable, refusal: NoBounds | NoCategories) -> NoBounds | NoCategories:
    """The refusal of a column of which nothing is declared: it may hold numbers or labels."""
    return type(refusal)(
        f"nothing is declared of column {column!r}; say bounds={{{column!r}: (0, 100)}} where it holds numbers, "
        f"categories={{{column!r}: [...]}} where it holds labels, and categories={{{column!r}: [False, True]}} where "
        "it is yes or no, or declare it in the schema.",
        **vars(refusal),
    )


def is_open(domain: Domain, column: Hashable) -> bool:
    """Whether nothing was said of a column, in a schema or in the question."""
    return domain.said_of(column) is None


def two_sorts(statistic: str, one: Hashable, other: Hashable) -> UnsupportedArgument:
    """The refusal of a product of two categoricals."""
    return UnsupportedArgument(
        f"{one!r} and {other!r} are both categories, and {statistic} multiplies numbers, or a number and a category; "
        f"group by one of them, df.dp.groupby({one!r}).{statistic}(...), or make a column of both before: "
        f"df.assign(both=df[{one!r}].astype(str) + ' ' + df[{other!r}].astype(str)), with declared categories."
    )
