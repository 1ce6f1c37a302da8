"""What an engine does to rows: a fold, one question to them as a value; and what an engine promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from .part import Part

P = TypeVar("P")
R_co = TypeVar("R_co", covariant=True)


class Fold(Protocol[P, R_co]):
    """Frozen, hashable, picklable, made of public facts and of what earlier folds of the same question found.

    Partials are exact, by declared cell, and no float is added up in them: merged in whatever order and grouping, over
    whatever cut of the rows, they finish alike. Nobody changes a partial that was handed to it, so that a task that is
    tried again adds nothing twice.
    """

    @property
    def worth_two(self) -> float:
        """Rows from which on a second thread is worth starting."""
        ...

    def read(self, part: Part) -> P: ...

    def merge(self, one: P, other: P) -> P: ...

    def finish(self, whole: P) -> R_co: ...


def read_on(fold: Fold[P, Any], part: Part, mine: P) -> P:
    """A partial that nobody else has, and the rows of one more part: by some folds written in its place."""
    written: Callable[[Part, P], P] | None = getattr(fold, "read_on", None)
    return fold.merge(mine, fold.read(part)) if written is None else written(part, mine)


class Engine(Protocol):
    """Rows somewhere, and a way to run folds over all of them. Nothing here tells what the rows hold."""

    @property
    def reads_anew(self) -> bool:
        """Whether each pass reads the rows from afar, so that one stage is better than two."""
        ...

    @property
    def has_many_rows(self) -> bool:
        """Whether there are so many at hand that counting every point of a grid is quicker than a second stage."""
        ...

    def run(self, folds: Sequence[Fold[Any, Any]]) -> list[Any]:
        """What each fold finds, in one pass over the rows for all of them."""
        ...
