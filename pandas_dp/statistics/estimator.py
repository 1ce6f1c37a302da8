"""What every question file offers: which tallies it needs, and what it makes of their noisy answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np

from ..domain import Kind
from ..evidence import Bootstrap, Evidence
from ..neighbours import Setting
from ..tally import Blurred, Cells, Design, Form, Moments, Norm, Resamples, Table, Tally, Variable

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
        """The unit of the answer."""

    def to_json(self) -> dict[str, Any]:
        """All that was asked, as plain JSON for a fingerprint: stored releases are recognised by it for ever.

        Its words stay when classes and fields are renamed, and what is left at its default is not among them.
        """

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]: ...

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        """The evidence, from the answers to `tallies` in their order."""


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


@runtime_checkable
class Particular(Protocol):
    """An estimator that would divide the noise differently if no other used its tallies."""

    def alone(self, tally: Tally) -> Tally:
        """Sums of the same numbers in the same order, so that it can be computed from either."""


class Planned(Protocol):
    """An estimator whose tallies share their cost unequally."""

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        """The share of the cost for each tally: together they cost no more than one, by a proof of the estimator."""

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """What tallies that spend so much each spend together, by that proof."""


class Undecided(Protocol):
    """An estimator whose tallies depend on the noise that will be used."""

    def decided(self, setting: Setting, norm: Norm) -> Estimator:
        """The same question, with its tallies decided by public facts."""


@runtime_checkable
class FromMoments(Protocol):
    """An estimator whose own sums tell how samples vary: `bootstrap=` by moments costs nothing more."""

    def sampled(self, how: Bootstrap, setting: Setting) -> Estimator:
        """The same question, answered for the population; refused where it cannot be."""


@runtime_checkable
class Resampled(Protocol):
    """An estimator that can be asked of resampled rows."""

    def resamples(self, design: Design, replicates: int, size: int) -> Resamples: ...

    def worth(self, tally: Resamples) -> Worth: ...


def is_planned(estimator: object) -> TypeGuard[Planned]:
    """Asked of the class, as every question asks it: a check of a protocol takes ten times as long."""
    return hasattr(type(estimator), "shares") and hasattr(type(estimator), "spends")


def is_undecided(estimator: object) -> TypeGuard[Undecided]:
    return hasattr(type(estimator), "decided")


class Worth(NamedTuple):
    """Of a whole number that a replicate counts: what a step is worth, what zero means, and the ends."""

    step: float
    offset: float = 0.0
    lower: float = 0.0
    upper: float = inf


def code_of(tally: Resamples, variable: Variable) -> float:
    """What one rounded code is worth in the variable's unit."""
    return float(variable.grid.code_step) * tally.coarse(variable)


def whole_numbers(table: Table) -> Table:
    """Noisy integers as int64."""
    return np.clip(table, -GREATEST, GREATEST).astype(np.int64)
