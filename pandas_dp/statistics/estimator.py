"""What every question file offers: which tallies it needs, and what it makes of their noisy answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from fractions import Fraction
from math import lcm
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..domain import Kind
from ..errors import UnsupportedArgument
from ..evidence import Evidence, Unsaid
from ..neighbours import Setting
from ..tally import Blurred, Cells, Final, Moments, Table, Tally, as_floats

GREATEST = 2**63 - 1  # released whole numbers are clipped here, so that their type is int64 whatever the noise


class Estimator(Protocol):
    """A frozen question about one column (or none, or several), asked in each cell.

    An estimator never sees rows. `beside` holds the moments that other questions of the same release ask for; an
    estimator that can be answered from one of them asks for nothing of its own.
    """

    @property
    def statistic(self) -> str: ...

    @property
    def cells(self) -> Cells: ...

    @property
    def kind(self) -> Kind:
        """In what unit the answer is."""

    def to_json(self) -> dict[str, Any]:
        """All that was asked, as plain JSON for a fingerprint: stored releases are recognised by it for ever.

        Its words stay when classes and fields are renamed, and what is left at its default is not among them.
        """

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]: ...

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        """The evidence, from the answers to `tallies` in their order."""

    def finals(self, setting: Setting) -> tuple[Final, ...]:
        """The statistic itself, for promises that add noise to nothing else; none where it is public."""

    def report(self, answers: tuple[Table, ...], setting: Setting) -> Unsaid:
        """What is said of it, from the noisy numbers of what a promise asked in place of `finals`."""


class Around:
    """An estimator around another one: of the same statistic, in the same cells and unit."""

    inner: Any

    @property
    def statistic(self) -> str:
        return str(self.inner.statistic)

    @property
    def cells(self) -> Cells:
        cells: Cells = self.inner.cells
        return cells

    @property
    def kind(self) -> Kind:
        kind: Kind = self.inner.kind
        return kind

    @property
    def variable(self) -> Any:
        """What it measures: a table of a variable has the variable's time zone."""
        return self.inner.variable


class OnlyDifferential(ABC):
    """Statistics that promises with a private scale do not offer."""

    @property
    @abstractmethod
    def statistic(self) -> str: ...

    @property
    def called(self) -> str:
        """In a refusal."""
        return self.statistic

    def finals(self, setting: Setting) -> tuple[Final, ...]:
        raise UnsupportedArgument(
            f"{self.called} is offered with model='dp' only, which keeps the weaker promises too.",
            statistic=self.statistic,
        )

    def report(self, answers: tuple[Table, ...], setting: Setting) -> Unsaid:
        raise NotImplementedError


def in_column_unit(final: Final, numbers: Table) -> Table:
    """Numbers of a final as floats, each rounded once."""
    parts = lcm(final.unit.denominator, final.origin.denominator)
    return as_floats(numbers * int(final.unit * parts) + int(final.origin * parts), parts)


def whole_in_column_unit(final: Final, numbers: Table) -> Table:
    """Whole numbers where the unit is one; else floats."""
    if final.unit.denominator == 1 and final.origin.denominator == 1:
        return whole_numbers(numbers * int(final.unit) + int(final.origin))
    return in_column_unit(final, numbers)


@runtime_checkable
class Planned(Protocol):
    """An estimator whose tallies share their cost unequally."""

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        """Of the estimator's cost, for each tally: together they cost no more than one, by a proof of the estimator."""


def whole_numbers(table: Table) -> Table:
    """Noisy integers as int64."""
    return np.clip(table, -GREATEST, GREATEST).astype(np.int64)
