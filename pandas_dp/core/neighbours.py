"""Who is hidden: the neighbour relation of a session, and what it lets happen to one row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from operator import attrgetter
from typing import Any, Protocol

NULLABLE = attrgetter("nullable")


@dataclass(frozen=True)
class Adjacency:
    """What may happen to the row of one person, as a measurement sees it.

    swap: the row stays, its values change. vanish: the row comes or goes.
    """

    swap: bool
    vanish: bool

    def with_absence(self) -> Adjacency:
        """The same, where a row may also drop out of the measurement: in a derived frame, or where a value may be
        missing."""
        return Adjacency(self.swap, vanish=True)


class Relation(Enum):
    """Two tables are neighbours when one row's values change, or when one row comes or goes."""

    REPLACE = "replace"
    ADD_REMOVE = "add_remove"

    def adjacency(self, whole: bool) -> Adjacency:
        """What neighbours can do to the rows of a frame.

        Examples
        --------
        >>> Relation.REPLACE.adjacency(whole=True)
        Adjacency(swap=True, vanish=False)
        >>> Relation.REPLACE.adjacency(whole=False)
        Adjacency(swap=True, vanish=True)
        """
        if self is Relation.ADD_REMOVE:
            return Adjacency(swap=False, vanish=True)
        return Adjacency(swap=True, vanish=not whole)

    @property
    def one_way(self) -> bool:
        """Whether counts of rows all rise or all fall between neighbours."""
        return self is Relation.ADD_REMOVE

    def size_is_public(self, whole: bool) -> bool:
        """Only the protected frame itself, and only when rows are replaced, has a size that everyone knows."""
        return self is Relation.REPLACE and whole


class Keyed(Protocol):
    """Cells, as far as it matters here: by some keys, or one cell without any."""

    @property
    def keys(self) -> Sequence[object]: ...


class Gapped(Protocol):
    """A column that rows may lack a value in, where it is nullable."""

    @property
    def nullable(self) -> bool: ...


@dataclass(frozen=True)
class PublicFacts:
    """What everyone knows before a question: what neighbours can do, and the number of rows where it is public."""

    adjacency: Adjacency
    size: int | None
    most: int | None = None  # rows that there can be, where that is public
    unit: str | None = None  # the column that says whose a row is; None where a row is a person
    people: int | None = None  # how many there are, where a roster makes that public

    def counts_public(self, cells: Keyed, variables: Iterable[Gapped] = ()) -> bool:
        """Whether everyone knows how many rows are counted: all of a public number, in one cell, no value missing."""
        return self.size is not None and not cells.keys and not any(map(NULLABLE, variables))


@dataclass(frozen=True)
class PerPerson:
    """How much of one person counts; what is not said does not bound.

    rows: as so many of her rows at most. cells: in so many cells, where people are counted in place of rows. values:
    so many different values. total: her sum, clamped to these ends. keys: so many of hers, where they are to be found.
    everywhere: once in each cell of hers, however many.
    """

    rows: int | None = None
    cells: int | None = None
    values: int | None = None
    total: tuple[Fraction, Fraction] | None = None
    keys: int | None = None
    everywhere: bool = False

    @property
    def _counts_people(self) -> bool:
        return self.keys is not None or (self.cells is not None and self.total is None)

    def to_json(self) -> dict[str, Any]:
        """As labels say it."""
        total = None if self.total is None else [float(end) for end in self.total]
        return {
            "max_rows": self.rows,
            "max_cells": self.cells,
            "max_values": self.values,
            "max_keys": self.keys,
            "per_person": total,
            "count": "people" if self.everywhere or self._counts_people else None,
        }
