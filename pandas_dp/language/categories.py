"""`.cat` of a column whose categories are declared, by pandas' names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, Self, TypeVar

import pandas as pd

from ..errors import NotFollowed, UnsupportedArgument
from .constants import listed
from .graph import Node, constant
from .known import Known, within
from .rows import Order
from .values import chosen, missing


class Categorized(Protocol):
    """A column with known labels."""

    @property
    def known(self) -> Known: ...
    def made(self, node: Node, known: Known = ..., name: Any = ...) -> Self: ...
    def astype(self, dtype: Any) -> Self: ...
    def replace(self, to_replace: Any) -> Self: ...
    def _numbers_of(self, table: Mapping[Any, float]) -> Node: ...
    def _looked_up(self, table: Mapping[Any, Any]) -> Self: ...


Of = TypeVar("Of", bound=Categorized)


def labels_of(column: Categorized) -> tuple[Hashable, ...]:
    """Its categories, where they do not follow from rows."""
    labels = column.known.labels
    if labels is None or not column.known.are_categories:
        raise NotFollowed(
            "which categories there are is read from rows; say them, df['crop'].astype(pd.CategoricalDtype(['rice', "
            "'rye']))."
        )
    return labels


@dataclass(frozen=True)
class CategoryMethods(Generic[Of]):
    """What is no category is missing."""

    column: Of

    @property
    def categories(self) -> pd.Index[Any]:
        """The declared ones."""
        return pd.Index(labels_of(self.column))

    @property
    def ordered(self) -> bool:
        """Whether they rise."""
        labels_of(self.column)
        return self.column.known.ordered

    @property
    def codes(self) -> Of:
        """The place of each among them, from 0; -1 where it is missing."""
        labels = labels_of(self.column)
        places = self.column._numbers_of({label: float(place) for place, label in enumerate(labels)})
        node = chosen(missing(places), constant(-1.0), places)
        return self.column.made(node, within(-1.0, len(labels) - 1.0))

    def rename_categories(self, new_categories: Any) -> Of:
        """Under other names: a list, a dict, or a function of a name; a dict tells of what nobody declared, too."""
        if isinstance(new_categories, Mapping) and not self.column.known.are_categories:
            return self.column.replace(new_categories)
        labels = labels_of(self.column)
        if isinstance(new_categories, Mapping):
            names = [new_categories.get(label, label) for label in labels]
        elif callable(new_categories):
            names = [new_categories(label) for label in labels]
        else:
            names = listed(new_categories, "rename_categories")
        if len(set(names)) != len(labels) or len(names) != len(labels):
            raise NotFollowed("rename_categories takes as many names as there are categories, each another one.")
        found = self.column._looked_up(dict(zip(labels, names, strict=True)))
        return _known(found, tuple(names), self.ordered)

    def set_categories(self, new_categories: Any, ordered: bool | None = None, rename: bool = False) -> Of:
        """These instead; with `rename` under these names."""
        if rename:
            return self.rename_categories(new_categories)
        names = listed(new_categories, "set_categories")
        return self.column.astype(pd.CategoricalDtype(names, self.ordered if ordered is None else ordered))

    def reorder_categories(self, new_categories: Any, ordered: bool | None = None) -> Of:
        """The same in another order."""
        if {*listed(new_categories, "reorder_categories")} != {*labels_of(self.column)}:
            raise NotFollowed("reorder_categories takes each of the categories once.")
        return self.set_categories(new_categories, ordered)

    def add_categories(self, new_categories: Any) -> Of:
        """Further ones."""
        return self.set_categories([*labels_of(self.column), *_several(new_categories)])

    def remove_categories(self, removals: Any) -> Of:
        """Without these."""
        gone = _several(removals)
        return self.set_categories([label for label in labels_of(self.column) if label not in gone])

    def as_ordered(self) -> Of:
        """In the order in which they stand."""
        return _known(self.column, labels_of(self.column), True)

    def as_unordered(self) -> Of:
        """In no order."""
        return _known(self.column, labels_of(self.column), False)


def _several(given: Any) -> list[Any]:
    return [given] if isinstance(given, str | int | float) else listed(given, "categories")


_replaced: Callable[..., Any] = replace


def _known(column: Of, labels: tuple[Hashable, ...], ordered: bool) -> Of:
    bounds = column.known.bounds
    found: Of = _replaced(column, known=Known(bounds, labels, ordered, are_categories=True))
    return found


def order_by(columns: Sequence[Any], ascending: Any, na_position: str) -> Order:
    """By columns, each of which rises or falls; categories that have an order in theirs."""
    rises = ascending if isinstance(ascending, list | tuple) else [ascending] * len(columns)
    if len(rises) != len(columns) or na_position not in ("first", "last"):
        raise UnsupportedArgument("ascending= says of each column whether it rises, na_position= 'first' or 'last'.")
    nodes = tuple((each.cat.codes.mask(each.isna()) if each.known.ordered else each).read() for each in columns)
    return Order(nodes, tuple(map(bool, rises)), (na_position == "first",) * len(columns))
