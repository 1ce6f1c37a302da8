"""Whatever can be asked of rows, and what can answer it: whatever is above the engine knows rows by this alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

from ..arrays import Array, Monomial, Table
from ..neighbours import Adjacency
from ..noise.choice import NearRank
from ..noise.mechanism import Law
from .cells import Cells, Norm, Presence, Variable

HALF_OF_A_CODE = 23  # binary digits


class Measurement(Protocol):
    """What is asked of rows: a frozen value of public facts, with its sensitivity, which has a proof."""

    @property
    def cells(self) -> Cells: ...

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity: how far apart neighbours are at most, in the units of its weights."""


class Folded(Protocol):
    """What one fold answers, which it names: `fold: ClassVar[str] = "people.fold:PeopleInCells"`, imported when it is
    asked. Where it `is_shared`, others are told from what that fold finds, too, each by its `arrange`."""

    fold: ClassVar[str]

    def __hash__(self) -> int: ...

    @property
    def cells(self) -> Cells: ...

    def arrange(self, sums: Table, /) -> Table:
        """The answer, a line a cell and a column a coordinate, from the sums of the fold."""


class Added(Measurement, Protocol):
    """What noise is added to: whole numbers, a line a cell, each coordinate of a weight of its own."""

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        """The noise of each coordinate, relative to the others'."""


class Sums(Folded, Protocol):
    """What is told from sums of products of codes: of each monomial, in units of 2**shift."""

    @property
    def variables(self) -> tuple[Variable | Presence, ...]: ...

    @property
    def monomials(self) -> tuple[Monomial, ...]: ...

    @property
    def shifts(self) -> tuple[int, ...]: ...


class SumsOfRows(Folded, Protocol):
    """What is told from sums of numbers that rows bring, each made of the codes of one row."""

    @property
    def variables(self) -> tuple[Variable | Presence, ...]: ...

    def numbers(self, codes: list[Array], /) -> list[Array]: ...


class Rows(Protocol):
    """Rows that can be tallied. Nothing here raises, warns or branches visibly because of what they hold."""

    def fold(self, measurement: Any) -> Table:
        """The measurement's exact integers, one row per cell, one column per coordinate."""
        ...

    def near_ranks(self, measurement: Any, depth: int) -> list[NearRank]:
        """For each cell, the rows whose ranks are within `depth` of the wanted one, in order."""
        ...

    def found(self, fold: str, *of: Any) -> Any:
        """What a fold finds that is made of these; it is named by a word."""
        ...


@runtime_checkable
class Form(Protocol):
    """What a statistic asks for in a later stage: cells, weights and sensitivity are known before the first.

    It promises that `sensitivity` is kept *for every parameter*: `at` clamps what each row brings, whatever its
    parameter. It never sees rows. Proof of what such stages keep together: docs/proofs/core/stages.md.
    """

    @property
    def after(self) -> tuple[Measurement | Form, ...]:
        """What was asked earlier, from whose answers the parameter is made."""

    @property
    def cells(self) -> Cells: ...

    def weights(self, norm: Norm, adjacency: Adjacency) -> tuple[Fraction, ...]:
        """The weight of each coordinate, whatever the parameter."""

    def sensitivity(self, norm: Norm, adjacency: Adjacency) -> Fraction:
        """The sensitivity: how far apart neighbours are at most, in these weights, whatever the parameter."""

    def parameter(self, earlier: tuple[Noisy, ...]) -> Any:
        """The parameter, from the answers to `after` alone. Total: it clips and floors, and raises for no answer."""

    def at(self, parameter: Any) -> Added: ...

    def say(self, parameter: Any) -> Any:
        """The parameter as JSON, for the label."""


class Race(Measurement, Protocol):
    """Several public candidates, of which one is to win by what the rows say: nothing else is told of it."""

    def utilities(self, counts: Table) -> list[int]:
        """Of each candidate, from the exact counts."""


@dataclass(frozen=True)
class NextStage:
    """A stage that was chosen: what is asked of the rows, for which share of the price, and why, as JSON.

    Of a race what is told is the place of the table that won.
    """

    measurement: Added | Race
    share: Fraction
    parameter: Any = None


@runtime_checkable
class Choosing(Protocol):
    """What a statistic asks for in rounds: each measurement and its share of the price follow from all answers so far.

    Its noise is calibrated to the sensitivity of the very measurement that was chosen, so nothing has to hold
    beforehand.
    """

    @property
    def rounds(self) -> int:
        """The greatest number of stages."""

    def choose(self, earlier: tuple[Noisy, ...]) -> NextStage | None:
        """The next stage, from the answers to all looks before it; None to stop. Total: it raises for no answer."""


@dataclass(frozen=True, eq=False)  # one answer is itself alone, so that what was solved of it is known by it
class Noisy:
    """Noisy coordinates, one row per cell, and the law of the noise on each; chosen grid positions have none."""

    table: Table
    laws: tuple[Law, ...] = ()
