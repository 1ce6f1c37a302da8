"""A table and its margins, each with noise of its own, planned together and made to agree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np

from ..domain.fingerprint import said
from ..evidence import MOST_KEPT, Evidence, Noise, Tables
from ..margins import Importance, Kept, Measured, source_of
from ..neighbours import Setting
from ..tally import Blurred, Counts, Margin, Moments, Norm, Tally, Totals
from .counts import Count
from .estimator import Around, whole_numbers
from .means import Mean
from .sums import Sum


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
            measured=list(map(list, self.measured.tables)),
            portions=list(map(str, self.measured.shares)),
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
        free = has_free_total(self.inner, (*candidates, ()), setting)
        return replace(self, spending=self.spending.planned(self.shown, sizes, ties, 2 // norm, free))

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        (whole,) = self.inner.tallies(setting, ())
        assert isinstance(whole, Counts | Totals | Moments)
        return tuple(Margin(whole, kept) for kept in self.measured.tables)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        """As planned; the total of counts has half the cost for nothing where rows are only replaced."""
        free = has_free_total(self.inner, self.measured.tables, setting)
        return (self.measured.with_free(()) if free else self.measured).shares

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """The sum; where the total is free, a row either changes its cells or leaves, at half of what these spend."""
        paid = sum((part for kept, part in zip(self.measured.tables, parts, strict=True) if kept), Fraction(0))
        total = sum(parts, Fraction(0)) - paid
        return (
            max(paid, paid / 2 + total) if has_free_total(self.inner, self.measured.tables, setting) else paid + total
        )

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        step = float(self.inner.variable.grid.step) if isinstance(self.inner, Sum) else 1.0
        noises = [Noise(answer.laws[0], step) for answer in answers]
        lower = self.inner.possible[0] if isinstance(self.inner, Sum) else 0.0
        numbers = [answer.table[:, 0] for answer in answers]
        found = replace(self._tables(self.statistic, numbers, noises, lower), interior=self._interior(numbers))
        if self.fitted or step != 1 or self.kind == "float":
            return replace(found, values=found.values.astype(float) * step)
        return replace(found, values=whole_numbers(found.values))

    def _interior(self, numbers: Sequence[Any]) -> Any:
        """Counts as they were measured, where the fit changes them and a label can hold them."""
        every = tuple(range(len(self.cells.shape)))
        if not self.fitted or every not in self.measured.tables or not isinstance(self.inner, Count):
            return None
        kept = numbers[self.measured.tables.index(every)].copy()
        kept[list(self.zeros)] = 0
        return kept if kept.size <= MOST_KEPT else None

    def _tables(
        self,
        statistic: str,
        numbers: Sequence[Any],
        noises: Sequence[Noise],
        lower: float = -np.inf,
        weighed: tuple[float, ...] | None = None,
    ) -> Tables:
        """What noisy numbers of the measured tables say of those shown."""
        sizes = self.cells.shape
        shape = (sizes, self.shown, self.measured.tables, tuple(noises), self.fitted, lower, self.rectangle, self.zeros)
        empty = Tables(statistic, np.zeros(0), *shape, weighed=weighed, ties=self.cells.ties)
        shapes = [[sizes[place] for place in kept] for kept in self.measured.tables]
        noisy = {k: table.reshape(s) for k, table, s in zip(self.measured.tables, numbers, shapes, strict=True)}
        return replace(empty, values=empty.in_order(self._parts(noisy, empty)))

    def _parts(self, noisy: dict[Kept, Any], empty: Tables) -> list[Any]:
        if not self.fitted:
            return [self._read(kept, noisy, empty) for kept in self.shown]
        floats = {kept: np.asarray(table, dtype=float) for kept, table in noisy.items()}
        found = (empty.effects if empty.is_plain else empty.fit).solve(floats, self.shown)
        return [found[kept] for kept in self.shown]

    def _read(self, kept: Kept, noisy: dict[Kept, Any], empty: Tables) -> Any:
        source = source_of(kept, self.measured.tables)
        table = np.asarray(noisy[source] * empty.possible_in(source))
        return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(source) if place not in kept)))


def has_free_total(inner: Count | Sum | Mean, measured: Collection[Kept], setting: Setting) -> bool:
    """Whether the total costs nothing beside the rest: each of which a move from cell to cell can change twice as much
    as one out of all cells (docs/proofs/margins.md)."""
    sizes = inner.cells.shape
    others = [kept for kept in measured if kept]
    twofold = bool(others) and all(any(sizes[place] > 1 for place in kept) for kept in others)
    return isinstance(inner, Count) and setting.moves.swap and () in measured and twofold
