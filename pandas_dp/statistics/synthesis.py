"""Tables for a synthesis, measured in looks of which each follows from those before it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from ..cost import Cost, Pure
from ..dataclass import dataclass
from ..domain import Kind
from ..domain.fingerprint import said
from ..errors import CostNotOffered
from ..evidence import Evidence, Tables, Unsaid, weighing
from ..margins import Graph, Kept, Lattice, Model, Parts
from ..neighbours import Moves, Setting
from ..tally import ONE_CELL, Blurred, Cells, CountedTables, Look, Moments, Norm, Reading, Tally
from .adaptive_looks import STEPS, AdaptiveLooks
from .measured_bins import BinsFirst, Number, Standing
from .measured_tables import MeasuredTables
from .table_looks import Facts, Impossible, PublicTables
from .three_looks import ThreeLooks

Looks = Literal[3, "adaptive"]
MOST_OF_EPSILON = 12  # columns
A_MOMENT, PER_CELL = 0.5, 4e-8  # seconds: of any synthesis; of a cell in a step of a fit
FINAL, FITS = 600, 5  # steps of the last fit; fits on the way for each key


@dataclass(frozen=True)
class TablesForSynthesis:
    """The tables that are worth measuring so that a model of at most `most` cells tells the `wanted` ones."""

    counted: CountedTables
    wanted: tuple[Kept, ...]
    importance: tuple[float, ...]
    looks: Looks
    most: int
    impossible: Impossible = field(default_factory=Impossible)
    public: PublicTables = field(default_factory=PublicTables)
    numbers: tuple[Number, ...] = ()  # whose bins are measured first
    moves: Moves | None = None
    norm: Norm = 2
    kept: list[Any] = field(default_factory=list, compare=False, repr=False)  # what was told, and what it led to
    known: Any = field(default=None, compare=False, repr=False)  # domain and schema, which rows are made to fit
    statistic: ClassVar[str] = "count"
    kind: ClassVar[Kind] = "float"

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        wanted = {"wanted": list(map(list, self.wanted)), "importance": list(self.importance)}
        how = {"looks": self.looks, "most": self.most, "zeros": self.impossible.said, "public": self.public.said}
        bins = {"measured": [list(number.edges) for number in self.numbers]} if self.numbers else {}
        return said(statistic="synthesize", keys=self.counted.to_json()["keys"], **wanted, **how, **bins)

    @property
    def cells(self) -> Cells:
        """Of all keys together; nobody counts them."""
        return Cells(tuple(reading.key for reading in self.counted.readings))

    @cached_property
    def most_cells(self) -> int:
        """Of the model: as many as there may be at most, or as all tables together need."""
        sizes = tuple(reading.size for reading in self.counted.readings)
        known = [*self.impossible.tables, *(each.kept for each in self.public.told)]
        return min(self.most, Graph.of(sizes, [*self.counted.tables, *known]).cells)

    @property
    def seconds(self) -> float:
        """Of a processor, at most about: fits take steps that read every cell of the model."""
        steps = FINAL if self.looks == 3 else FINAL + STEPS * FITS * len(self.counted.readings) / 2
        return round(A_MOMENT + PER_CELL * self.most_cells * steps, 1)

    def foreseen(self, setting: Setting) -> list[Look]:
        """The looks whose noise is known before any answer."""
        return self.choosing(setting).foreseen()

    def decided(self, setting: Setting, norm: Norm) -> TablesForSynthesis:
        return replace(self, moves=setting.moves, norm=norm)

    def check_price(self, price: Cost, mechanism: str) -> None:
        """Refuse to hide many columns by Laplace noise, which grows with the number of tables, unasked."""
        keys = len(self.counted.readings)
        if isinstance(price, Pure) and keys > MOST_OF_EPSILON and mechanism == "auto":
            raise CostNotOffered(
                f"synthesize of {keys} columns under {price} needs noise that grows with the number of tables; give "
                "rho=, or epsilon= with delta=, or fewer columns. mechanism='laplace' insists.",
                cost=str(price),
            )

    def facts(self, setting: Setting) -> Facts:
        how = (self.counted, self.wanted, self.importance, self.most, setting.size, setting.moves, self.norm)
        return Facts(*how, self.impossible, self.public)

    def choosing(self, setting: Setting) -> ThreeLooks | AdaptiveLooks | BinsFirst:
        """The looks."""
        facts, made = self.facts(setting), ThreeLooks if self.looks == 3 else AdaptiveLooks
        if not self.numbers:
            return made(facts, self.kept)
        public = [setting.counts_public(ONE_CELL, [number.variable]) for number in self.numbers]
        pairs = zip(self.numbers, public, strict=True)
        numbers = tuple(replace(number, size=setting.size if known else None) for number, known in pairs)
        return BinsFirst(facts, numbers, made, self.kept)

    def tallies(self, setting: Setting, beside: Collection[Moments]) -> tuple[Tally, ...]:
        """None that is known before the first look: see `choosing`."""
        return ()

    def conclude(self, answers: tuple[Blurred, ...], setting: Setting) -> Evidence:
        measured = self.choosing(setting).state(answers).measured
        if not measured.tables:
            return Unsaid(self.statistic, np.zeros(0), "chosen")
        tables = measured.tables
        noises = {kept: measured.noise(kept) for kept in tables}
        sizes = tuple(reading.size for reading in measured.counted.readings)
        lattice = Lattice(sizes, tables)
        values = lattice.fitted({kept: measured.values(kept) for kept in tables}, weighing(sizes, noises, None))
        return Tables(self.statistic, values, sizes, tables, tables, tuple(noises.values()), True)

    def measured(self, answers: Sequence[Blurred], setting: Setting) -> MeasuredTables:
        return self.choosing(setting).state(tuple(answers)).measured

    @property
    def readings(self) -> tuple[Reading, ...]:
        """How columns are read: in the bins that were measured, once they are."""
        state = self.kept[-1][1] if self.kept else None
        return self.counted.readings if state is None else tuple(state.measured.counted.readings)

    @property
    def model(self) -> Model | None:
        """The last model on the way, where there was one."""
        return next((state.model for _, state, _ in reversed(self.kept) if state.model is not None), None)

    @property
    def parts(self) -> Mapping[int, Parts]:
        """The spread of rows within bins that were measured, by the place of their key."""
        state = self.kept[-1][1]
        return state.parts if isinstance(state, Standing) else {}
