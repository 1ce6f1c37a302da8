"""Where a row counts (keys and their cells), what it brings (variables), and what many who ask have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from ..arrays import Table
from ..neighbours import NULLABLE, Adjacency
from ..schema.declared import States
from ..schema.values import Breaks, ByFields, Categories, Grid, Interval, Tie, ties_of

GRAIN = 2**20  # where a row of a person weighs a part of a row, it is a whole number of so many parts


@dataclass(frozen=True)
class Level(ByFields):
    """A coarser reading of a key: groups of its categories, each category in one of them."""

    name: Hashable
    groups: tuple[Hashable, ...]
    places: tuple[int, ...]  # the group of each category


@dataclass(frozen=True)
class Key(ByFields):
    """A column that sorts rows into declared cells. Any other value is in no cell, or in the last one, `other`.

    With `Breaks` the key is numeric; `clamp`, where declared, is the range its values are clamped to first. With a
    `level` the cells are groups of categories: a function of the category, known to everyone.
    """

    column: Hashable
    labels: Categories | Breaks | States
    other: bool = False
    clamp: Interval | None = None
    level: Level | None = None

    @property
    def name(self) -> Hashable:
        return self.column if self.level is None else self.level.name

    @cached_property
    def size(self) -> int:
        if self.level is not None:
            return len(self.level.groups) + self.other
        declared = len(self.labels.edges) - 1 if isinstance(self.labels, Breaks) else len(self.labels.values)
        return declared + self.other

    @property
    def places(self) -> tuple[int, ...]:
        """Its category for each category of the column, and for any other value where that has one."""
        declared = tuple(range(self.size - self.other)) if self.level is None else self.level.places
        return (*declared, self.size - 1) if self.other else declared


@dataclass(frozen=True)
class Cells:
    """All combinations of the keys' categories, the last key running fastest; one cell where there is no key."""

    keys: tuple[Key, ...] = ()

    def to_json(self) -> list[Any]:
        """What was declared, as a fingerprint takes it."""
        return [key.to_json() for key in self.keys]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple([key.size for key in self.keys])

    @cached_property
    def size(self) -> int:
        return prod(self.shape)

    @cached_property
    def ties(self) -> tuple[Tie, ...]:
        """Keys that read one column: which of their categories go together."""
        return ties_of([key.column for key in self.keys], [key.places for key in self.keys])


ONE_CELL = Cells()


@dataclass(frozen=True)
class Variable(ByFields):
    """A column that is measured: each value becomes an integer code in [-half, half] of its interval's grid.

    Values are clamped. A missing value (also: not a number of the declared kind) drops the row where the column was
    declared nullable, and counts as the middle of the range, code 0, where it was not.
    """

    column: Hashable
    interval: Interval
    words: ClassVar = {"interval": "within"}

    @cached_property
    def grid(self) -> Grid:
        return self.interval.grid

    @cached_property
    def nullable(self) -> bool:
        return self.interval.nullable

    @property
    def for_sums(self) -> Variable:
        """The same on the grid of sums."""
        return replace(self, interval=self.interval.for_sums)


@dataclass(frozen=True)
class Presence(ByFields):
    """A column whose values are not measured: a row without one is not counted."""

    column: Hashable
    nullable: bool = True


Norm = Literal[1, 2]
"""1: sums of absolute changes, what Laplace noise needs. 2: sums of *squared* changes, what Gaussian noise needs."""


def farthest(
    adjacency: Adjacency,
    cells: Cells,
    variables: Iterable[Variable | Presence],
    *,
    within: Fraction | int,
    alone: Fraction | int,
) -> Fraction:
    """The sensitivity of a table of cells: the farthest that one person can move it.

    It is in the norm that `within` and `alone` are in, which say what one row can do inside its cell.

    within: a row stays in its cell and its values change. alone: a row comes or goes, which it also does when its
    value may be missing or belong to no declared cell. A row that leaves one cell for another does so twice, in two
    cells, and that adds up in either norm.
    """
    absent = adjacency.vanish or bool(cells.keys) or any(map(NULLABLE, variables))
    sensitivities = [Fraction(0)]
    if adjacency.swap:
        sensitivities.append(Fraction(within))
        if cells.size > 1:
            sensitivities.append(Fraction(2 * alone))
    if absent:
        sensitivities.append(Fraction(alone))
    return max(sensitivities)


def vanishing(adjacency: Adjacency) -> Adjacency:
    """As of people, who may always have no row here."""
    return adjacency.with_absence() if adjacency.swap else adjacency


class OfVariable:
    """A measurement of one variable, told as it was added up."""

    if TYPE_CHECKING:  # a field

        @property
        def variable(self) -> Variable: ...

    @property
    def variables(self) -> tuple[Variable, ...]:
        return (self.variable,)

    def arrange(self, sums: Table) -> Table:
        return sums


class SharesAddUp:
    """An estimator with several measurements, which cost together what each of them costs."""

    def spends(self, parts: Sequence[Fraction], public: Any) -> Fraction:
        return sum(parts, Fraction(0))


class ByNorm:
    """An estimator whose measurements depend on the norm of the noise alone."""

    def decided(self, public: Any, norm: Norm) -> Self:
        decided: Any = replace(self, norm=norm)  # type: ignore[type-var]
        return decided
