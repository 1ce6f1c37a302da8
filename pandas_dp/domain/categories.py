"""Declared categories of a key: the cells of a table, known before the data is seen."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd

from ..dataclass import dataclass
from ..errors import BadBounds, type_of
from .fingerprint import named, said
from .naming import called
from .spelling import Spelling


@dataclass(frozen=True)
class Categories:
    """The values that a key can take, in the order in which a table shows them."""

    values: tuple[Hashable, ...]
    ordered: bool = False
    spelling: Spelling | None = None  # by which texts were made alike, and are before they are looked up

    def to_json(self) -> dict[str, Any]:
        """What was declared, as a fingerprint takes it."""
        values = [named(value) for value in self.values]
        return said(values=values, ordered=self.ordered, spelling=self.spelling)

    def __post_init__(self) -> None:
        if not self.values:
            raise BadBounds("categories must name at least one value.")
        if len(set(self.values)) < len(self.values):
            raise BadBounds("categories must be distinct.")


@dataclass(frozen=True)
class Breaks:
    """Bins of a numeric key: edges rise; a value belongs to [edge, next edge), the last bin is closed."""

    edges: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """What was declared, as a fingerprint takes it."""
        return {"edges": list(self.edges)}


def read_categories(given: object, column: Hashable) -> Categories:
    """The categories that somebody typed: a list, tuple, range, 1-D array, Index or CategoricalDtype.

    Examples
    --------
    >>> read_categories(["low", "high"], "risk").values
    ('low', 'high')
    """
    if isinstance(given, Categories):
        return given
    values = tuple(plain(value) for value in _listed(given, column))
    subject = f"categories of {called(column)}"
    for value in values:
        if not pd.api.types.is_hashable(value):
            given_type = type(value).__name__
            raise BadBounds(f"{subject} must be single values, but a {given_type} is among them.", column=column)
    if any(is_missing(value) for value in values):
        raise BadBounds(f"{subject} must not hold missing values; Field(nullable=True) declares them.", column=column)
    if not all(map(is_text, values)):
        raise BadBounds(
            f"{subject} must be valid text; one of them contains a lone surrogate, which UTF-8 cannot encode.",
            column=column,
        )
    if not values:
        raise BadBounds(f"{subject} must name at least one value.", column=column)
    if len(set(values)) < len(values):
        raise BadBounds(f"{subject} must be distinct.", column=column)
    return Categories(values, ordered=isinstance(given, pd.CategoricalDtype) and bool(given.ordered))


def _listed(given: object, column: Hashable) -> Iterable[Any]:
    if isinstance(given, pd.CategoricalDtype) and given.categories is not None:
        return list(given.categories)
    flat = isinstance(given, np.ndarray) and given.ndim == 1
    if isinstance(given, list | tuple | range | pd.Index) or flat:
        return list(given)  # type: ignore[call-overload]
    raise BadBounds(
        f"categories of {called(column)} must be a list in the order to show, but {type_of(given)} was given.",
        column=column,
    )


def plain(value: Any) -> Any:
    """A numpy scalar as the Python or pandas value that it represents."""
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    if isinstance(value, np.timedelta64):
        return pd.Timedelta(value)
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: object) -> bool:
    """Whether a category means a missing value."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))  # type: ignore[call-overload]


def is_text(value: object) -> bool:
    """Whether a string can be written; half of a pair of surrogates cannot."""
    return not isinstance(value, str) or not any("\ud800" <= letter <= "\udfff" for letter in value)
