"""Values by their rank with intervals: which looks tell them, as public facts decide."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from ..core.measure.cells import ONE_CELL, Cells, Norm, SharesAddUp, Variable
from ..core.measure.measurement import Form, Measurement, Noisy
from ..core.measure.statistic import Estimator
from ..core.neighbours import PublicFacts
from ..core.noise.mechanism import whole_numbers
from ..core.schema.values import ByFields, Interval, Kind
from ..numeric.measure import Moments
from ..people.measure import Weighted
from ..tables.planning.prefixes import MOST_BINS, Prefixes
from .evidence import Near, Quantiles, QuantilesApart
from .measure import AroundChosen, BetweenBins, Cumulative, InBins, Ranks, counted, curve_from
from .solve import Curve
from .statistic import Quantile, QuantileRange, steps_of

ROUNDING = 1e-6  # of a row, by floats
MARKED = 4  # standard deviations, and times as many rows as beside it: a bin of one value that many rows have
NARROW = 64  # times in the range: nought counts as round in a bin that is narrower
HOURS = tuple(Fraction(n * 10**9) for n in (86_400, 3_600, 60, 1))  # in nanoseconds


def step_at(curve: Curve, q: float, variable: Variable) -> int:
    """The step at which the rising curve reaches q of all rows, as if rows lay evenly in their bins.

    Where a bin holds far more rows than noise and its neighbours account for, many of them seem to have one value: it
    is taken to be the roundest in the bin.
    """
    rising = curve.rising()
    requested = max(q * rising[-1] - ROUNDING, 0.0)
    at = int(np.searchsorted(rising, requested, side="left"))
    before, start = (rising[at - 1], int(curve.ends[at - 1]) + 1) if at else (0.0, 0)
    end = int(curve.ends[at])
    inside = (requested - before) / max(rising[at] - before, 1e-300)
    step = start + int(np.clip(np.floor(inside * (end - start + 1)), 0, end - start))
    return _roundest(variable.interval, start, end, step) if _is_marked(curve, at) else step


def _is_marked(curve: Curve, at: int) -> bool:
    counts, own = np.diff(curve.below, prepend=0.0), np.diag(curve.covariance)
    between = curve.covariance[at, at - 1] if at else 0.0
    noise = float(np.sqrt(max(own[at] + (own[at - 1] if at else 0.0) - 2 * between, 0.0)))
    widths = np.diff(curve.ends, prepend=-1).astype(float)
    beside = [place for place in (at - 1, at + 1) if 0 <= place < len(counts)]
    most = max((counts[place] / widths[place] for place in beside), default=0.0) * widths[at]
    return bool(widths[at] > 1 and counts[at] > MARKED * max(noise, most))


def _roundest(interval: Interval, start: int, end: int, step: int) -> int:
    """The step nearest to the one given among those of fewest digits, or of the longest hours."""
    grid = interval.grid
    narrow = (end - start) * NARROW <= grid.high - grid.low
    low, high, near = (grid.step * (grid.low + each) for each in (start, end, step))
    for unit in _units(interval):
        first, last = (low / unit).__ceil__(), (high / unit).__floor__()
        if first <= last and (narrow or (first, last) != (0, 0)):
            value = min(max(round(near / unit), first), last) * unit
            return min(max(round(value / grid.step) - grid.low, start), end)
    return step


def _units(interval: Interval) -> tuple[Fraction, ...]:
    if interval.kind in ("datetime", "timedelta"):
        return HOURS
    places = len(str(int(max(abs(interval.lower), abs(interval.upper))))) + 1
    least = Fraction(10) ** -12
    return tuple(unit for unit in (Fraction(10) ** (places - each) for each in range(32)) if unit >= least)


Way = Literal["chosen", "points", "stages"]
HALF = Fraction(1, 2)
BINS: dict[Norm, int] = {1: 40, 2: 128}  # around a choice for each: under Laplace noise more of them cost too much
OF_EACH, MOST_AROUND = 24, 512  # bins around each of several choices, and around all of them
WIDE_BINS: dict[Norm, int] = {1: 64, 2: 256}  # around the one choice of many
LAST_BINS: dict[Norm, tuple[int, int, int]] = {1: (48, 7, 128), 2: (96, 16, 512)}  # at least, for each, at most
FEW_ROWS, FEW_BINS = 3000, (28, 3, 128)  # of so few, bins are narrow enough where Laplace noise has fewer of them
STAGES: dict[Norm, tuple[Fraction, ...]] = {  # of the price, for that choice and for two stages
    1: (Fraction(8, 100), Fraction(30, 100), Fraction(62, 100)),
    2: (Fraction(5, 100), Fraction(30, 100), Fraction(65, 100)),
}
MANY: dict[Norm, int] = {1: 2, 2: 3}  # quantiles from which on two stages err less than a choice for each,
PLENTY: dict[Norm, tuple[int, int]] = {1: (2000, 2), 2: (3000, 1)}  # unless rows are so many times a power of them
MOST_NUMBERS = 2**17  # of bins in all cells, that a label may have to tell of


@dataclass(frozen=True)
class RankedValue(ByFields, SharesAddUp):
    """The grid point at one of several quantiles that are told together; the others are `quantiles`, too."""

    variable: Variable
    quantile: Fraction
    quantiles: tuple[Fraction, ...]  # rising, each inside 0 and 1
    statistic: str = "quantile"
    cells: Cells = ONE_CELL
    norm: Norm = 2  # of the noise that will be used
    plenty: bool = False  # of rows
    few: bool = False
    most: int | None = None  # rows of one person that count, where each may have several
    words: ClassVar = {"plenty": None, "few": None}

    @property
    def kind(self) -> Kind:
        return self.variable.interval.kind

    @property
    def single(self) -> Quantile:
        """The same value without an interval."""
        return Quantile(self.variable, self.quantile, self.statistic, self.cells, most=self.most)

    @property
    def parts(self) -> int:
        """How many statistics' worth of a price all of them have."""
        return len(self.quantiles)

    def decided(self, public: PublicFacts, norm: Norm) -> RankedValue:
        """Where rows are many, choices err by next to nothing, and bins around them are as narrow as one likes."""
        times, power = PLENTY[norm]
        most = public.size if public.size is not None else public.most
        most = most if self.most is None else None
        plenty, few = (most or 0) >= times * len(self.quantiles) ** power, most is not None and most <= FEW_ROWS
        return replace(self, norm=norm, plenty=plenty, few=few)

    def over_rows(self, most: int) -> RankedValue:
        """The same of rows of people, where those of a person count as so many at most."""
        gaps = replace(self.variable.interval, nullable=True)
        return replace(self, variable=replace(self.variable, interval=gaps), most=most)

    @property
    def points(self) -> int:
        """How many there are on the grid."""
        return self.variable.grid.points

    @property
    def way(self) -> Way:
        """A choice for each and bins around them; all points of a short grid; or one choice, and two stages from it."""
        if self.cells.keys or len(self.quantiles) < 2:
            return "chosen"
        if self.points <= MOST_BINS:
            return "points"
        return "stages" if MANY[self.norm] <= len(self.quantiles) and not self.plenty else "chosen"

    @property
    def bins_around(self) -> int:
        """Around a choice for each of them."""
        many = len(self.quantiles)
        return min(max(BINS[self.norm], OF_EACH * many if many > 1 else 0), MOST_AROUND, self.points)

    @property
    def last_bins(self) -> int:
        """Between those around one choice, so many that most intervals end in narrow ones."""
        least, each, most = FEW_BINS if self.norm == 1 and self.few else LAST_BINS[self.norm]
        return min(max(least, each * len(self.quantiles)), most)

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        if self.way == "points":
            return (Fraction(1),)
        if self.way == "stages":
            return STAGES[self.norm]
        many = len(self.quantiles)
        return (*[HALF / many] * many, HALF)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        if self.way == "points":
            every, strategy = tuple(range(self.points)), self._strategy(self.points, public)
            return (counted(self.variable, every, strategy, self.cells, self.most),)
        if self.way == "stages":
            middle = (Ranks(self.variable, self.quantiles[len(self.quantiles) // 2], most=self.most),)
            first = AroundChosen(middle, self._strategy(WIDE_BINS[self.norm], public))
            last = self._strategy(self.last_bins, public)
            return *middle, first, BetweenBins(first, self.quantiles, last, self._size(public))
        ranks = tuple(Ranks(self.variable, q, self.cells, most=self.most) for q in self.quantiles)
        return *ranks, AroundChosen(ranks, self._strategy(self.bins_around, public))

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> Quantiles:
        last, whole = _curves(replace(self, quantile=self.quantiles[0], statistic="quantile"), answers, public)
        if whole is None:
            return self._quantiles(self._chosen(answers[:-1]), last)
        return self._quantiles(np.array([step_at(whole, float(self.quantile), self.variable)]), last)

    def curves(self, answers: tuple[Noisy, ...], public: PublicFacts) -> tuple[list[Curve], Curve | None]:
        """What the last stage says of each cell, and what all say together where values are told from that."""
        stages, size = self._stages(answers, public), self._size(public)
        last = [curve_from(stages[-1:], cell, size) for cell in range(self.cells.size)]
        return last, None if self.way == "chosen" else curve_from(stages, 0, size)

    def _stages(self, answers: tuple[Noisy, ...], public: PublicFacts) -> list[tuple[InBins, Noisy]]:
        """What was counted in bins, and what came of it.

        Values are told from all of it, intervals from the last alone: where its bins end is no matter of its noise.
        """
        found: list[tuple[InBins, Noisy]] = []
        for at, asked in enumerate(self.measurements(public, ())):
            if isinstance(asked, Cumulative | Weighted):
                found.append((asked, answers[at]))
            elif isinstance(asked, AroundChosen | BetweenBins):
                before = answers[: len(asked.after)]  # whatever was asked earlier
                found.append((asked.at(asked.parameter(before)), answers[at]))  # type: ignore[arg-type]
        return found

    def _chosen(self, answers: Sequence[Noisy]) -> np.ndarray[Any, Any]:
        """The points of all quantiles in each cell, put in order."""
        found = np.column_stack([np.clip(each.table[:, 0], 0, self.points - 1).astype(np.int64) for each in answers])
        return np.asarray(np.sort(found, axis=1)[:, self.quantiles.index(self.quantile)])

    def _quantiles(self, steps: np.ndarray[Any, Any], curves: Sequence[Curve]) -> Quantiles:
        grid, q = self.variable.grid, float(self.quantile)
        exact = grid.step == 1 and self.kind != "float"
        off = 0.0 if exact else float(grid.step) / 2  # values are rounded to the grid
        ends = float(grid.lower), float(grid.upper)
        near = []
        for curve in curves:
            starts = np.append(0, curve.ends[:-1] + 1)
            low = np.clip((starts + float(grid.low)) * float(grid.step) - off, *ends)
            high = np.clip((curve.ends + float(grid.low)) * float(grid.step) + off, *ends)
            above, sd = curve.around(q)
            near.append(Near.of(q, low, high, above, sd, max(curve.rows, 1.0)))
        facts = self.statistic, self._values(steps), q, tuple(near), self.norm == 2, float(exact), ends
        step, by = steps_of(self.variable)
        return Quantiles(*facts, by_person=self.most is not None, grid_step=step if by == "bounds" else None)

    def _values(self, steps: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """In the column's unit; whole numbers stay whole."""
        grid = self.variable.grid
        if grid.step.denominator == 1 and self.kind != "float":
            return whole_numbers((steps.astype(object) + grid.low) * int(grid.step))
        return np.asarray((steps.astype(object) + grid.low).astype(float) * float(grid.step))

    def _strategy(self, bins: int, public: PublicFacts) -> Prefixes:
        """The number of rows, where it is private, is free beside bins of one cell if rows are also swapped."""
        known = self._size(public) is not None
        return Prefixes.planned(bins, self.norm, public.adjacency.swap and not known and not self.cells.keys, known)

    def _size(self, public: PublicFacts) -> int | None:
        return public.size if public.counts_public(self.cells, [self.variable]) else None


@lru_cache(maxsize=2)
def _curves(of: RankedValue, answers: tuple[Noisy, ...], public: PublicFacts) -> tuple[list[Curve], Curve | None]:
    """The same for all quantiles of a question, so it is solved once for them."""
    return of.curves(answers, public)


@dataclass(frozen=True)
class RankedDistance:
    """How far apart two values are that are told together; never negative."""

    first: RankedValue
    second: RankedValue
    statistic: ClassVar[str] = "iqr"

    @classmethod
    def of(cls, asked: QuantileRange) -> RankedDistance:
        """The same distance, of quantiles that have intervals."""
        ranks = (asked.lower, asked.upper)
        first, second = (
            RankedValue(asked.variable, rank, ranks, "quantile", asked.cells, most=asked.most) for rank in ranks
        )
        return cls(first, second)

    @property
    def single(self) -> QuantileRange:
        """The same distance without an interval."""
        return QuantileRange(
            self.variable, self.first.quantile, self.second.quantile, cells=self.cells, most=self.first.most
        )

    def over_rows(self, most: int) -> RankedDistance:
        """The same of rows of people, where those of a person count as so many at most."""
        return RankedDistance(self.first.over_rows(most), self.second.over_rows(most))

    @property
    def variable(self) -> Variable:
        return self.first.variable

    @property
    def cells(self) -> Cells:
        return self.first.cells

    @property
    def kind(self) -> Kind:
        return self.single.kind

    @property
    def parts(self) -> int:
        return self.first.parts

    @property
    def bins_around(self) -> int:
        return self.first.bins_around

    def to_json(self) -> dict[str, Any]:
        return self.single.to_json()

    def decided(self, public: PublicFacts, norm: Norm) -> RankedDistance:
        return RankedDistance(self.first.decided(public, norm), self.second.decided(public, norm))

    def shares(self, public: PublicFacts) -> tuple[Fraction, ...]:
        return self.first.shares(public)

    def spends(self, parts: Sequence[Fraction], public: PublicFacts) -> Fraction:
        """By theorem S of docs/proofs/core/stages.md."""
        return self.first.spends(parts, public)

    def measurements(self, public: PublicFacts, beside: Collection[Moments]) -> tuple[Measurement | Form, ...]:
        """Those that both are told from."""
        return self.first.measurements(public, beside)

    def conclude(self, answers: tuple[Noisy, ...], public: PublicFacts) -> QuantilesApart:
        first, second = (each.conclude(answers, public) for each in (self.first, self.second))
        return QuantilesApart(self.statistic, np.maximum(second.values - first.values, 0), first, second)


def with_interval(made: Quantile | QuantileRange, among: Sequence[Fraction], auto: bool) -> Estimator:
    """A quantile told together with others, where it can have an interval; else itself, which says why not."""
    if isinstance(made, Quantile) and made.quantile in (0, 1):
        return made
    if not auto:
        return replace(made, why="mechanism")
    found = RankedDistance.of(made) if isinstance(made, QuantileRange) else _ranked(made, tuple(among))
    return found if made.cells.size * found.bins_around <= MOST_NUMBERS else replace(made, why="cells")


@lru_cache(maxsize=16)
def _in_order(among: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Those that are inside of a distribution, each once."""
    return tuple(sorted({q for q in among if 0 < q < 1}))


def _ranked(made: Quantile, among: tuple[Fraction, ...]) -> RankedValue:
    together = _in_order(among)
    if made.quantile not in together:
        together = tuple(sorted({made.quantile, *together}))
    return RankedValue(made.variable, made.quantile, together, made.statistic, made.cells)
