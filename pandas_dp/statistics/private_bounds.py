"""The mean of a column that is declared far too wide, within bounds that a share of the cost chooses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..evidence import MeanWithin
from ..margins import Prefixes
from ..neighbours import Setting
from ..tally import ONE_CELL, AroundChosen, Blurred, Cells, Form, Moments, Narrowing, Norm, Ranks, Tally, Variable
from .clamped import clamped

BINS: dict[Norm, int] = {1: 40, 2: 128}
SDS: dict[Norm, int] = {1: 3, 2: 2}  # sums of Laplace noise are far off more often
SHARES: dict[Norm, tuple[Fraction, Fraction, Fraction]] = {  # for a middle, counts around it, and the mean
    1: (Fraction(4, 100), Fraction(26, 100), Fraction(70, 100)),
    2: (Fraction(5, 100), Fraction(15, 100), Fraction(80, 100)),
}


@dataclass(frozen=True)
class MeanInChosenBounds:
    """The mean of the values, clamped to bounds outside of which hardly any seem to lie."""

    variable: Variable
    norm: Norm = 2  # of the noise that will be used
    cells: ClassVar[Cells] = ONE_CELL
    statistic: ClassVar[str] = "mean"

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return said(statistic="mean", of=self.variable.to_json(), cells=self.cells.to_json(), bounds="private")

    def decided(self, setting: Setting, norm: Norm) -> MeanInChosenBounds:
        return replace(self, norm=norm)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally | Form, ...]:
        middle, size = (Ranks(self.variable, Fraction(1, 2)),), self._size(setting)
        bins, known = min(BINS[self.norm], self.variable.grid.points), size is not None
        strategy = Prefixes.planned(bins, self.norm, setting.moves.swap and not known, known)
        counts = AroundChosen(middle, strategy)
        return *middle, counts, Narrowing(counts, SDS[self.norm], size)

    def shares(self, setting: Setting) -> tuple[Fraction, ...]:
        return SHARES[self.norm]

    def spends(self, parts: Sequence[Fraction], setting: Setting) -> Fraction:
        """By theorem S of docs/proofs/looks.md."""
        return sum(parts, Fraction(0))

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> MeanWithin:
        form = self.tallies(setting, ())[-1]
        assert isinstance(form, Narrowing)
        return MeanWithin(*clamped(self.variable, form.parameter(answers[:-1]), answers[-1]), size=self._size(setting))

    def _size(self, setting: Setting) -> int | None:
        return setting.size if setting.counts_public(self.cells, [self.variable]) else None
