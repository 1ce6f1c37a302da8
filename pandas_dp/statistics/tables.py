"""A table and its margins, each with noise of its own, planned together and made to agree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from ..dataclass import dataclass
from ..domain.fingerprint import said
from ..evidence import MOST_KEPT, Evidence, Noise, Tables, weighing
from ..laws import Law
from ..margins import Importance, Kept, Lattice, Measured
from ..neighbours import Setting
from ..tally import Blurred, Counts, Margin, Moments, Norm, Tally, Totals
from .counts import Count
from .estimator import Around, whole_numbers
from .means import Mean
from .sums import Sum


@dataclass(frozen=True)
class Noisy:
    """What is known of the numbers of measured tables: their statistic, the noise of each table, the least that a cell
    can hold, and the variances by which tables are weighed, where these are not those of the noise."""

    statistic: str
    noises: Sequence[Noise]
    lower: float = -np.inf
    weighed: tuple[float, ...] | None = None


@dataclass(frozen=True)
class TableOfMargins(Around):
    """The `shown` margins of the cells of `inner`, from those measured, which share the cost as `spending` says:
    where it says how much each matters, what to measure is decided once the noise is known.

    With `fitted` they are weighted least squares of everything measured, so they agree; without, each is the measured
    table itself, or sums of one. Cells in `zeros`, of the table over all keys, cannot be: they are 0, and so are
    those of categories that never meet, because their keys read one column.
    """

    inner: Count | Sum | Mean
    shown: tuple[Kept, ...]
    spending: Measured | Importance
    fitted: bool = True
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        tables = said(
            shown=list(map(list, self.shown)),
            **self.spending.to_json(),
            fitted=self.fitted,
            rectangle=self.rectangle and list(self.rectangle),
            zeros=list(self.zeros),
            ties=[tie.to_json() for tie in self.cells.ties],
        )
        return {**self.inner.to_json(), "tables": tables}

    @property
    def measured(self) -> Measured:
        assert isinstance(self.spending, Measured), "decided when it is planned"
        return self.spending

    def decided(self, setting: Setting, norm: Norm) -> Self:
        """With the tables worth measuring by noise of this norm, and their shares of the cost."""
        if isinstance(self.spending, Measured):
            return self
        sizes, ties = self.cells.shape, self.cells.ties
        candidates = self.spending.candidates(self.shown, sizes, ties)
        free = has_free_total(self.inner, sizes, (*candidates, ()), setting)
        return replace(self, spending=self.spending.planned(self.shown, sizes, ties, 2 // norm, free))

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.cells.shape, self.shown, self.rectangle, self.zeros, self.cells.ties)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        (whole,) = self.inner.tallies(setting, ())
        assert isinstance(whole, Counts | Totals | Moments)
        return tuple(Margin(whole, kept) for kept in self.measured.tables)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        """The shares as planned; a total of counts gets half the cost for free where rows are only replaced."""
        return (self.measured.with_free(()) if self._has_free_total(setting) else self.measured).shares

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """The sum; where the total is free, a row either changes its cells or leaves, at half of what these spend."""
        paid = sum((part for kept, part in zip(self.measured.tables, parts, strict=True) if kept), Fraction(0))
        total = sum(parts, Fraction(0)) - paid
        return max(paid, paid / 2 + total) if self._has_free_total(setting) else paid + total

    def _has_free_total(self, setting: Setting) -> bool:
        return has_free_total(self.inner, self._sizes, self.measured.tables, setting)

    @property
    def _sizes(self) -> tuple[int, ...]:
        """By which tables are named."""
        return self.cells.shape

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        step, numbers = self._step, [answer.table[:, 0] for answer in answers]
        noisy = Noisy(self.statistic, [Noise(answer.laws[0], step) for answer in answers], self._lower)
        found = replace(self._tables(numbers, noisy), interior=self._interior(numbers))
        if self.fitted or step != 1 or self.kind == "float":
            return replace(found, values=found.values.astype(float) * step)
        return replace(found, values=whole_numbers(found.values))

    def scaled(self, answers: tuple[Blurred, ...], grain: int) -> Tables:
        """What answers say that count in 1/grain of a row: the noisy numbers, with their noise."""
        numbers = [(answer.table[:, 0] / grain).astype(float) * self._step for answer in answers]
        noises = [Noise(answer.laws[0], self._step / grain) for answer in answers]
        return self._tables(numbers, Noisy(self.statistic, noises, self._lower))

    def outlook(self, laws: Sequence[Law], grain: int = 1) -> Tables:
        """What answers with noise of these laws would say of their errors, without any numbers."""
        return self._told(np.zeros(0), Noisy(self.statistic, [Noise(law, self._step / grain) for law in laws]))

    @property
    def _step(self) -> float:
        """What one of a noisy number is worth, in the column's unit."""
        return float(self.inner.variable.grid.step) if isinstance(self.inner, Sum) else 1.0

    @property
    def _lower(self) -> float:
        return self.inner.possible[0] if isinstance(self.inner, Sum) else 0.0

    def _interior(self, numbers: Sequence[Any]) -> Any:
        """Counts as they were measured, where the fit changes them and a label can hold them."""
        every = self.lattice.every
        if not self.fitted or every not in self.measured.tables or not isinstance(self.inner, Count):
            return None
        kept = numbers[self.measured.tables.index(every)].copy()
        kept[list(self.zeros)] = 0
        return kept if kept.size <= MOST_KEPT else None

    def _tables(self, numbers: Sequence[Any], noisy: Noisy) -> Tables:
        """What noisy numbers of the measured tables say of those shown."""
        measured = dict(zip(self.measured.tables, numbers, strict=True))
        lattice = self.lattice
        if self.fitted:
            noises = dict(zip(measured, noisy.noises, strict=True))
            values = lattice.fitted(measured, weighing(lattice.sizes, noises, noisy.weighed))
        else:
            values = lattice.read(measured)
        return self._told(values, noisy)

    def _told(self, values: Any, noisy: Noisy) -> Tables:
        lattice = self.lattice
        return Tables(
            noisy.statistic,
            values,
            lattice.sizes,
            lattice.shown,
            self.measured.tables,
            tuple(noisy.noises),
            self.fitted,
            noisy.lower,
            lattice.rectangle,
            lattice.zeros,
            weighed=noisy.weighed,
            ties=lattice.ties,
        )


def has_free_total(
    inner: Count | Sum | Mean, sizes: Sequence[int], measured: Collection[Kept], setting: Setting
) -> bool:
    """Whether the total costs nothing beside the rest: each of which a move from cell to cell can change twice as much
    as one out of all cells (docs/proofs/margins.md)."""
    others = [kept for kept in measured if kept]
    twofold = bool(others) and all(any(sizes[place] > 1 for place in kept) for kept in others)
    return isinstance(inner, Count) and setting.moves.swap and () in measured and twofold
