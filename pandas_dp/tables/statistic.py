"""Tables that agree, from effects that are measured by themselves: the mean, each key, each pair of keys, and so on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, ClassVar, Self

import numpy as np

from ..core.arrays import Table
from ..core.evidence.evidence import Evidence
from ..core.evidence.noise import Noise
from ..core.measure.cells import Key, Level, Norm
from ..core.measure.measurement import Measurement, Noisy
from ..core.measure.statistic import Around
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import Law, whole_numbers
from ..core.schema.values import Kind, said
from ..errors import CostNotOffered
from ..numeric.evidence_sums import Amounts
from ..numeric.measure import Counts, Moments, Totals
from ..numeric.statistic_means import Mean, moments
from ..numeric.statistic_sums import Count, Sum
from ..surveys.evidence import SurveyedMargins
from .evidence import MOST_IN_LABEL, Tables, Way
from .evidence_table_means import TableMeans
from .measure import EffectTable, MarginOf, RunTable, ends_of, lengths_of
from .planning.lattice import Lattice
from .planning.margins import Margin
from .planning.nested import KeyDigits, Nested, planned_blocks
from .planning.optimum import Lengths
from .planning.planning import Importance, MeasuredShares
from .planning.runs import Metric, MetricName, RequestedRuns, cost_of_runs

GAUSSIAN_ALONE = (
    "effects are measured with Gaussian noise, which epsilon= alone does not pay: Laplace noise would grow "
    "with every key of a table. Give rho=, which buys far less noise for many tables, or epsilon= with "
    "delta=; or leave out measure='effects'."
)


@dataclass(frozen=True)
class NoisyTables:
    """What is known of the numbers of measured tables: their statistic, the noise of each table, the least that a cell
    can hold, and the variances by which tables are weighed, where these are not those of the noise."""

    statistic: str
    noises: Sequence[Noise]
    lower: float = -np.inf
    weighed: tuple[float, ...] | None = None


NO_DIGITS = KeyDigits(())


@dataclass(frozen=True)
class TableOfMargins(Around):
    """The `shown` margins of the cells of `inner`, from those measured, which share the cost as `spending` says:
    where it says how much each matters, what to measure is decided once the noise is known.

    What is measured is said by `by`: tables; the effects that they are made of, each by itself; effects in the metrics
    of keys, of which `requested` says which runs matter; or tables of blocks, named by the `digits` of the keys that
    they keep. With `fitted` they are weighted least squares of everything measured, so they agree; without, each is the
    measured table itself, or sums of one. Cells in `zeros`, of the table over all keys, cannot be: they are 0, and so
    are those of categories that never meet, because their keys read one column.
    """

    inner: Count | Sum | Mean
    shown: tuple[Margin, ...]
    spending: MeasuredShares | Importance
    fitted: bool = True
    rectangle: tuple[int, int] | None = None
    zeros: tuple[int, ...] = ()
    by: Way = "tables"
    requested: tuple[MetricName, ...] = ()
    digits: KeyDigits = NO_DIGITS

    @property
    def kind(self) -> Kind:
        return "float" if self.requested and self.inner.kind == "integer" else self.inner.kind

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        tables = said(
            shown=self.shown,
            **self.spending.to_json(),
            fitted=self.fitted,
            rectangle=self.rectangle,
            zeros=self.zeros,
            ties=self.cells.ties,
        )
        measure = {"measure": "effects"} if self.is_gaussian else {}
        ranges = {"ranges": list(self.requested)} if self.by == "runs" else {}
        return {**self.inner.to_json(), "tables": tables, **measure, **ranges}

    @property
    def is_gaussian(self) -> bool:
        """Whether it is measured with Gaussian noise alone."""
        return self.by in ("effects", "runs")

    @property
    def measured(self) -> MeasuredShares:
        assert isinstance(self.spending, MeasuredShares), "decided when it is planned"
        return self.spending

    def decided(self, public: PublicFacts, norm: Norm) -> Self:
        """With what is worth measuring by noise of this norm, and its shares of the cost."""
        if self.by == "effects" and norm == 1:
            raise CostNotOffered(GAUSSIAN_ALONE)
        if self.by == "runs" and norm == 1:
            return self._by_blocks(public)
        if isinstance(self.spending, MeasuredShares):
            return self
        return replace(self, spending=self._planned(self.spending, public, norm))

    def _by_blocks(self, public: PublicFacts) -> Self:
        """Under Laplace noise other sums tell runs better."""
        assert isinstance(self.spending, Importance)
        tables = tuple(zip(self.shown, self.spending.of_each, strict=True))
        free = isinstance(self.inner, Count) and public.adjacency.swap and min(self.cells.shape) > 1
        digits, measured = planned_blocks(self.metrics, tables, free, self.spending.largest)
        return replace(self, spending=measured, by="blocks", digits=digits)

    def _planned(self, spending: Importance, public: PublicFacts, norm: Norm) -> MeasuredShares:
        sizes, ties = self.cells.shape, self.cells.ties
        if self.by == "effects":
            return spending.by_effects(self.shown, sizes, self._lengths(public))
        if self.by == "runs":
            tables = tuple(zip(self.shown, spending.of_each, strict=True))
            requested = RequestedRuns(self.metrics, tables, ends_of(self._whole(public)))
            return requested.measured(public.adjacency.swap, spending.largest)
        candidates = spending.candidates(self.shown, sizes, ties)
        free = has_free_total(self.inner, sizes, (*candidates, ()), public)
        return spending.planned(self.shown, sizes, ties, 2 // norm, free)

    @property
    def lattice(self) -> Lattice:
        return Lattice(self.cells.shape, self.shown, self.rectangle, self.zeros, self.cells.ties)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(Metric(size, each) for size, each in zip(self.cells.shape, self.requested, strict=True))

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement, ...]:
        whole = self._whole(public)
        return tuple(self._measurement(whole, table) for table in self.measured.tables)

    def _measurement(self, whole: Any, table: Margin) -> Measurement:
        if self.by == "effects":
            return EffectTable(whole, table)
        if self.by == "runs":
            return RunTable(whole, table, self.metrics)
        return self._of_blocks(whole, table) if self.by == "blocks" else MarginOf(whole, table)

    def _of_blocks(self, whole: Counts | Totals, table: Margin) -> MarginOf:
        """Rows in blocks of the keys of a table; those in no category of any key are in none."""
        depths = self.digits.depths(table)
        each = zip(whole.cells.keys, self.digits.keys, depths, strict=True)
        cells = replace(whole.cells, keys=tuple(_in_blocks(key, nested, depth) for key, nested, depth in each))
        return MarginOf(replace(whole, cells=cells), tuple(place for place, depth in enumerate(depths) if depth))

    def _whole(self, public: PublicFacts) -> Any:
        """The measurement over all keys."""
        (whole,) = self.inner.measurements(public, ())
        return whole

    def _lengths(self, public: PublicFacts) -> Lengths:
        return lengths_of(self._whole(public), public.adjacency)[0]

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        """The shares as planned; a total of counts gets half the cost for free where rows are only replaced."""
        return (self.measured.with_free(()) if self._has_free_total(public) else self.measured).shares

    def spends(self, parts: Sequence[Fraction], public: PublicFacts) -> Fraction:
        """The sum; where the total is free, a row either changes its cells or leaves, at half of what these spend. Of
        effects the dearest move of all rows together, which is less."""
        spent = MeasuredShares(self.measured.tables, tuple(parts))
        if self.by == "effects":
            return spent.cost_by_effects(self.cells.shape, self._lengths(public))
        if self.by == "runs":
            return cost_of_runs(self.metrics, spent, public.adjacency.swap, ends_of(self._whole(public)))
        paid = sum((part for margin, part in zip(spent.tables, parts, strict=True) if margin), Fraction(0))
        total = sum(parts, Fraction(0)) - paid
        return max(paid, paid / 2 + total) if self._has_free_total(public) else paid + total

    def _has_free_total(self, public: PublicFacts) -> bool:
        sizes = self.digits.sizes if self.by == "blocks" else self.cells.shape  # by which tables are named
        return not self.is_gaussian and has_free_total(self.inner, sizes, self.measured.tables, public)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        step, numbers = self._step, [answer.table[:, 0] for answer in answers]
        noisy = NoisyTables(self.statistic, [Noise(answer.laws[0], step) for answer in answers], self._lower)
        found = replace(self._tables(numbers, noisy), interior=self._interior(numbers))
        if self.fitted or step != 1 or self.kind == "float":
            return replace(found, values=found.values.astype(float) * step)
        return replace(found, values=whole_numbers(found.values))

    def scaled(self, answers: tuple[Noisy, ...], grain: int) -> Tables:
        """What answers say that count in 1/grain of a row: the noisy numbers, with their noise."""
        numbers = [(answer.table[:, 0] / grain).astype(float) * self._step for answer in answers]
        noises = [Noise(answer.laws[0], self._step / grain) for answer in answers]
        return self._tables(numbers, NoisyTables(self.statistic, noises, self._lower))

    def outlook(self, laws: Sequence[Law], grain: int = 1) -> Tables:
        """What answers with noise of these laws would say of their errors, without any numbers."""
        return self._estimated(
            np.zeros(0), NoisyTables(self.statistic, [Noise(law, self._step / grain) for law in laws])
        )

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
        own = self.fitted and self.by == "tables" and isinstance(self.inner, Count)
        if not own or every not in self.measured.tables:
            return None
        margin = numbers[self.measured.tables.index(every)].copy()
        margin[list(self.zeros)] = 0
        return margin if margin.size <= MOST_IN_LABEL else None

    def _tables(self, numbers: Sequence[Any], noisy: NoisyTables) -> Tables:
        """What noisy numbers of what was measured say of the tables shown."""
        found, measured = self._estimated(np.zeros(0), noisy), dict(zip(self.measured.tables, numbers, strict=True))
        if self.by == "effects":
            times = zip(measured.items(), self._times, strict=True)
            measured = {margin: np.asarray(table, float) / many for (margin, table), many in times}
        lattice = self.lattice
        return replace(found, values=lattice.fitted(measured, found.effects) if self.fitted else lattice.read(measured))

    def _estimated(self, values: Any, noisy: NoisyTables) -> Tables:
        lattice, noises, weighed = self.lattice, tuple(noisy.noises), noisy.weighed
        if self.by == "effects":
            noises = tuple(noise.times(1 / many) for noise, many in zip(noises, self._times, strict=True))
            weighed = None
        return Tables(
            noisy.statistic,
            values,
            lattice.sizes,
            lattice.shown,
            self.measured.tables,
            noises,
            self.fitted,
            noisy.lower,
            lattice.rectangle,
            lattice.zeros,
            weighed=weighed,
            ties=lattice.ties,
            by=self.by,
            requested=self.requested,
            lengths=tuple(key.lengths for key in self.digits.keys),
        )

    @property
    def _times(self) -> list[int]:
        """How many times what it tells each effect is measured: as often as it has cells."""
        return [prod(self.cells.shape[place] for place in margin) for margin in self.measured.tables]


def _in_blocks(key: Key, nested: Nested, depth: int) -> Key:
    """A key whose categories are blocks of its own; as it is where they are single, or where it is not kept."""
    if depth in (0, nested.depth):
        return key
    blocks = tuple(range(nested.blocks(depth)))
    return replace(key, level=Level(key.name, blocks, nested.block_of(depth)))


def has_free_total(
    inner: Count | Sum | Mean, sizes: Sequence[int], measured: Collection[Margin], public: PublicFacts
) -> bool:
    """Whether the total costs nothing beside the rest: each of which a move from cell to cell can change twice as much
    as one out of all cells (docs/proofs/tables/margins.md)."""
    others = [margin for margin in measured if margin]
    twofold = bool(others) and all(any(sizes[place] > 1 for place in margin) for margin in others)
    return isinstance(inner, Count) and public.adjacency.swap and () in measured and twofold


@dataclass(frozen=True)
class MeansOfMargins(TableOfMargins):
    """The `shown` margins of what follows from the moments of a variable: how many rows, their sum, or their mean.

    Counts, sums and squares are fitted with the same weights, so a sum is the count times the mean wherever the
    noise leaves that mean within its bounds, to which it is cut.
    """

    inner: Mean
    says: str = "mean"  # or "count", or "sum"

    @property
    def statistic(self) -> str:
        return self.says

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "says": self.says}

    @property
    def kind(self) -> Kind:
        return "integer" if self.says == "count" else self.inner.kind

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        measurement = moments(self.inner.variable, self.cells, public)
        grid = measurement.variable.grid
        step, centre = float(grid.code_step), float(grid.centre)
        square = step**2 * 2.0 ** measurement.shifts[2]
        count, total, squares = (
            [answer.table[:, place].astype(float) * worth for answer in answers]
            for place, worth in enumerate((1.0, step, square))
        )
        count_noise, total_noise, squares_noise = (
            [Noise(answer.laws[place], worth) for answer in answers] for place, worth in enumerate((1.0, step, square))
        )
        weighed = tuple(noise.var for noise in total_noise)
        counts = self._tables(count, NoisyTables("count", count_noise, 0.0, weighed))
        if self.says == "count":
            return counts if self.fitted else replace(counts, values=whole_numbers(np.rint(counts.values)))
        if self.says == "sum":
            sums = [s + centre * n for s, n in zip(total, count, strict=True)]
            pairs = zip(total_noise, count_noise, strict=True)
            noises = [replace(s, plus=(n.times(abs(centre)),)) if centre else s for s, n in pairs]
            return self._tables(sums, NoisyTables("sum", noises, 0.0 if grid.lower >= 0 else -np.inf, weighed))
        return TableMeans(
            counts,
            self._tables(total, NoisyTables("total", total_noise, weighed=weighed)),
            self._tables(squares, NoisyTables("squares", squares_noise, weighed=weighed)),
            centre,
            step * grid.half,
        )


@dataclass(frozen=True)
class Margins(Around):
    """The cells of `inner`, read as rows × columns, with one more of each for totals."""

    inner: Any  # counts or sums, of rows or of people
    rows: int
    columns: int
    words: ClassVar = {"rows": None, "columns": None}

    def to_json(self) -> dict[str, Any]:
        """What was asked, as a fingerprint takes it."""
        return {**super().to_json(), "margins": [self.rows, self.columns]}

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement, ...]:
        asked: tuple[Measurement, ...] = self.inner.measurements(public, beside)
        return asked

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        inner: Amounts = self.inner.conclude(answers, public)
        return replace(inner, values=self.added(inner.values), margins=(self.rows, self.columns))

    def added(self, cells: Table) -> Table:
        """Cells with their totals."""
        exact = object if cells.dtype.kind == "i" else float  # sums of int64 may not fit into it
        table = cells.astype(exact).reshape(self.rows, self.columns)
        wide = np.column_stack([table, table.sum(axis=1)])
        whole = np.vstack([wide, wide.sum(axis=0)]).ravel()
        return whole_numbers(whole) if exact is object else whole


@dataclass(frozen=True)
class WeightedMargins(Margins):
    """The same of a weighted table, whatever it says of its cells: margins say it of their cells together."""

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        shares: tuple[Fraction, ...] = self.inner.shares(public)
        return shares

    def spends(self, parts: Sequence[Fraction], public: PublicFacts) -> Fraction:
        spent: Fraction = self.inner.spends(parts, public)
        return spent

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Evidence:
        return SurveyedMargins(self.inner.conclude(answers, public), self.rows, self.columns)
