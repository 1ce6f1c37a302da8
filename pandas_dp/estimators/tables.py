"""A table and its margins, each with noise of its own, planned together and made to agree."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..domain import Kind
from ..evidence import MOST_KEPT, Effects, Kept, Noise, Tables, around_zeros, source_of
from ..neighbours import Setting
from ..tally import Blurred, Cells, Counts, Margin, Moments, Tally, Totals
from .counts import Count
from .estimator import OnlyDifferential, whole_numbers
from .sums import Sum


@dataclass(frozen=True)
class TableOfMargins(OnlyDifferential):
    """The `shown` margins of the cells of `inner`, from `measured` ones that share the cost as `shares` says.

    With `fitted` they are weighted least squares of everything measured, so they agree; without, each is the measured
    table itself, or sums of one. Cells in `zeros`, of the table over all keys, cannot be: they are 0.
    """

    inner: Count | Sum
    shown: tuple[Kept, ...]
    measured: tuple[Kept, ...]
    portions: tuple[Fraction, ...]
    fitted: bool = True
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()

    @property
    def statistic(self) -> str:
        return self.inner.statistic

    @property
    def cells(self) -> Cells:
        return self.inner.cells

    @property
    def kind(self) -> Kind:
        return self.inner.kind

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        (whole,) = self.inner.tallies(setting, ())
        assert isinstance(whole, Counts | Totals)
        return tuple(Margin(whole, kept) for kept in self.measured)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        """As planned; the total of counts has half the cost for nothing where rows are only replaced."""
        free = has_free_total(self.inner, self.measured, setting)
        paid = sum(p for kept, p in zip(self.measured, self.portions, strict=True) if kept or not free)
        pairs = zip(self.measured, self.portions, strict=True)
        return tuple(Fraction(portion, paid) if kept or not free else Fraction(1, 2) for kept, portion in pairs)

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Tables:
        step = float(self.inner.variable.grid.step) if isinstance(self.inner, Sum) else 1.0
        noises = tuple(Noise(answer.laws[0], step) for answer in answers)
        lower = 0.0 if isinstance(self.inner, Count) else -np.inf
        sizes = self.cells.shape
        empty = Tables(
            self.statistic,
            np.zeros(0),
            sizes,
            self.shown,
            self.measured,
            noises,
            self.fitted,
            lower,
            self.rectangle,
            self.zeros,
        )
        shapes = [[sizes[place] for place in kept] for kept in self.measured]
        noisy = {
            kept: answer.table[:, 0].reshape(shape)
            for kept, answer, shape in zip(self.measured, answers, shapes, strict=True)
        }
        values = empty.in_order(self._parts(noisy, empty.effects))
        if self.fitted or step != 1 or self.kind == "float":
            values = values.astype(float) * step
        else:
            values = whole_numbers(values)
        return replace(empty, values=values, interior=self._interior(noisy))

    def _interior(self, noisy: dict[Kept, Any]) -> Any:
        """Counts as they were measured, where the fit changes them and a label can hold them."""
        cells = noisy.get(tuple(range(len(self.cells.shape))))
        if not self.fitted or cells is None or cells.size > MOST_KEPT or not isinstance(self.inner, Count):
            return None
        kept = cells.ravel().copy()
        kept[list(self.zeros)] = 0
        return kept

    def _parts(self, noisy: dict[Kept, Any], effects: Effects) -> list[Any]:
        if self.fitted:
            floats = {kept: np.asarray(table, dtype=float) for kept, table in noisy.items()}
            found = effects.solve(floats, self.shown)
            if self.zeros:
                found = around_zeros(effects, floats, self.shown, self.zeros)
            return [found[kept] for kept in self.shown]
        return [self._read(kept, noisy) for kept in self.shown]

    def _read(self, kept: Kept, noisy: dict[Kept, Any]) -> Any:
        source = source_of(kept, self.measured)
        table = noisy[source].copy()
        if len(source) == len(self.cells.keys):
            table.reshape(-1)[list(self.zeros)] = 0
        return np.asarray(table.sum(axis=tuple(axis for axis, place in enumerate(source) if place not in kept)))


def has_free_total(inner: Count | Sum, measured: Collection[Kept], setting: Setting) -> bool:
    """Whether the total costs nothing beside the rest: each of which a move from cell to cell can change twice as much
    as one out of all cells (docs/proofs/margins.md)."""
    sizes = inner.cells.shape
    others = [kept for kept in measured if kept]
    twofold = bool(others) and all(any(sizes[place] > 1 for place in kept) for kept in others)
    return isinstance(inner, Count) and setting.moves.swap and () in measured and twofold
