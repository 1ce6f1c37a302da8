"""Choices by noise over public candidates: the exponential mechanism, by which quantiles are chosen, and the
largest of several totals. Proof: docs/proofs/quantiles/choice.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from typing import Any, ClassVar, Protocol

import numpy as np

from ...errors import CostNotOffered, UnknownMechanism, shown
from ..arrays import Table
from ..budget.cost import Approximate, Concentrated, Cost, Pure
from ..measure.cells import Norm
from ..neighbours import Adjacency
from .laplace import DiscreteLaplace
from .mechanism import root_down, rounded_up
from .samplers.bits import exp_coin, uniform_below
from .samplers.enclose import exp_bounds, log_bounds
from .samplers.race import Far, exponential_race

__all__ = [
    "GRID",
    "Picking",
    "picking_for",
]


Column = np.ndarray[Any, Any]
SMALL = 2**62  # products up to here fit in int64
BEYOND = 3.0  # all points beyond the data together weigh e^-3 of one inside, where the least and the greatest aim
SD_OF_LAPLACE = Fraction(99, 70)  # the root of 2, from above
FAR = 40.0  # points so far off that together they weigh e^-40 of the best are listed only if one of them wins


@dataclass(frozen=True)
class NearRank:
    """The sorted positions of a cell's rows near the wanted rank; rows farther off are only counted.

    Positions are steps above the lower end of the grid. `values` holds those in [start, stop) that occur, rising, and
    `ends` how many rows stand at each or lower, of those in [start, stop). `below` rows lie under start, the rest of
    `rows` lies at stop or above.
    """

    values: Column  # int64
    ends: Column  # int64
    start: int
    stop: int
    below: int
    rows: int

    @property
    def inside(self) -> int:
        """The number of rows in [start, stop)."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def at(self, place: int) -> int:
        """The position of the row that has so many below it in [start, stop)."""
        return int(self.values[np.searchsorted(self.ends, place, side="right")])

    def positions(self, first: int = 0, last: int | None = None) -> Column:
        """The positions of the rows with `first` to `last` - 1 rows below them in [start, stop), each by itself."""
        last = self.inside if last is None else last
        a, b = np.searchsorted(self.ends, [first, last - 1], side="right") if first < last else (0, -1)
        counts = np.diff(np.clip(self.ends[a : b + 1], first, last), prepend=first)
        found: Column = np.repeat(self.values[a : b + 1], counts)
        return found


class Ranking(Protocol):
    """A wanted rank among the rows of a cell, by which one of so many points of a grid is chosen."""

    @property
    def points(self) -> int: ...

    @property
    def unit(self) -> int:
        """Wanted ranks are whole multiples of 1/unit."""

    def target(self, rows: int, /) -> Fraction:
        """The wanted rank among so many rows."""


@dataclass(frozen=True)
class Exponential:
    """A grid point c is chosen with probability proportional to exp(rate·utility(c)), exactly."""

    name: ClassVar[str] = "exponential"

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Pure | Concentrated)

    def norm(self, cost: Cost) -> Norm:
        return 1 if isinstance(cost, Pure) else 2

    def rate(self, sensitivity: Fraction, cost: Cost) -> Fraction:
        """epsilon/(2·sensitivity); or sqrt(2·rho)/sensitivity, as the
        log-ratio of such a choice has a range of 2·rate·sensitivity."""
        if isinstance(cost, Pure):
            return cost.epsilon / (2 * sensitivity)
        assert isinstance(cost, Concentrated)
        return root_down(2 * cost.rho / sensitivity)  # `sensitivity` is squared in this norm

    def spent(self, rate: Fraction, sensitivity: Fraction, norm: Norm) -> Fraction:
        """The cost, in epsilon (norm 1) or rho, computed from the rate: the inverse of `rate`."""
        return 2 * rate * sensitivity if norm == 1 else rate**2 * sensitivity / 2

    def aimed(self, measurement: Any, rate: Fraction) -> Any:
        """An end of the data, aimed so far inside that the points beyond it hardly weigh anything."""
        return (
            replace(measurement, inset=ceil((log(measurement.points) + BEYOND) / float(rate)))
            if measurement.inset
            else measurement
        )

    def left_outside(self, measurement: Any, rate: Fraction, cost: Cost) -> Any:
        """As many rows beyond the end as balance the noise of what follows, and two more for the noise of the choice.

        A sum of values up to c has noise of kappa·c; one row more beyond c is worth as much where there are kappa.
        """
        if isinstance(cost, Pure):
            kappa = SD_OF_LAPLACE / (measurement.later * cost.epsilon)
        else:
            assert isinstance(cost, Concentrated)
            kappa = 1 / root_down(2 * measurement.later * cost.rho)
        return replace(measurement, outside=Fraction(ceil(2 * (kappa + 2 / rate)), 2))

    def pick(self, measurement: Any, rate: Fraction, counts: Column) -> int:
        """The place of a candidate."""
        return exponential_race(measurement.prior, measurement.utilities(counts), rate / measurement.unit)

    def depth(self, measurement: Ranking, rate: Fraction) -> int:
        """How many ranks around the wanted one have to be looked at."""
        return ceil((log(measurement.points) + FAR) / float(rate)) + 1

    def choose(self, measurement: Ranking, rate: Fraction, near: NearRank, full: Callable[[], NearRank]) -> int:
        """A position on the grid. `full` looks at every row; it is called almost never."""
        steps = measurement.points
        listed = UtilityRuns.of(near, measurement, near.start, near.stop)
        outside: list[UtilityRuns] = []

        def listing() -> tuple[Column, Column]:
            if not outside:
                near_rank = full()
                outside.append(UtilityRuns.of(near_rank, measurement, 0, near.start))
                outside.append(UtilityRuns.of(near_rank, measurement, near.stop, steps))
            both = UtilityRuns.joined(outside)
            return both.counts, both.utilities

        far = None
        if near.stop - near.start < steps:
            best = _best_outside(near, measurement, steps)
            far = Far(steps - (near.stop - near.start), best, listing)
        place = exponential_race(listed.counts, listed.utilities, rate / measurement.unit, far)
        utility_runs = UtilityRuns.joined([listed, *outside]) if outside else listed
        return int(utility_runs.starts[place]) + uniform_below(int(utility_runs.counts[place]))


@dataclass(frozen=True)
class UtilityRuns:
    """Runs of grid points of equal utility; utilities are in parts of the measurement's unit."""

    starts: Column
    counts: Column
    utilities: Column

    @classmethod
    def of(cls, near_rank: NearRank, measurement: Ranking, start: int, stop: int) -> UtilityRuns:
        """The points of [start, stop), by the rows that the ladder holds."""
        first, last = np.searchsorted(near_rank.values, [start, stop])
        values = near_rank.values[first:last]
        under = near_rank.below + np.concatenate([[0], near_rank.ends])[first : last + 1]  # rows below each gap
        requested, unit = int(measurement.target(near_rank.rows) * measurement.unit), measurement.unit
        if unit * (near_rank.rows + 1) >= SMALL:
            under = under.astype(object)
        gap_starts, gap_ends = np.concatenate([[start], values + 1]), np.concatenate([values, [stop]])
        at = -np.maximum(0, np.maximum(requested - unit * under[1:], unit * under[:-1] - requested))
        starts = np.concatenate([gap_starts, values])
        counts = np.concatenate([gap_ends - gap_starts, np.ones_like(values)])
        utilities = np.concatenate([-np.abs(requested - unit * under), at])
        there = counts > 0  # neighbouring values leave a gap of no points, whose utility nobody has
        return cls(starts[there], counts[there], utilities[there])

    @classmethod
    def joined(cls, parts: list[UtilityRuns]) -> UtilityRuns:
        return cls(
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.utilities for part in parts]),
        )


def _best_outside(near_rank: NearRank, measurement: Ranking, steps: int) -> int:
    requested, unit = int(measurement.target(near_rank.rows) * measurement.unit), measurement.unit
    through = near_rank.below + near_rank.inside
    below = -max(0, requested - unit * near_rank.below) if near_rank.start > 0 else None
    above = -max(0, unit * through - requested) if near_rank.stop < steps else None
    return max(u for u in (below, above) if u is not None)


PARTS = 2**20  # in which epsilon is divided


@dataclass(frozen=True)
class AboveThreshold:
    """Noise on the threshold, drawn once, and noise on every count; a `hits`-th yes is the last answer.

    However many counts are asked, whatever they are and whoever chooses them after seeing earlier answers, all answers
    together are epsilon-DP. One person moves a count by one at most; `one_way`: never one up and another down.
    """

    epsilon: Fraction
    hits: int
    one_way: bool
    name: ClassVar[str] = "above-threshold"

    @property
    def share(self) -> Fraction:
        """The part of epsilon that the threshold gets: 1 to (moves·hits)^(2/3), about the best."""
        return Fraction(round(PARTS / (1 + float(self._adjacency * self.hits) ** (2 / 3))) or 1, PARTS)

    @property
    def threshold(self) -> DiscreteLaplace:
        return DiscreteLaplace(rounded_up(1 / (self.epsilon * self.share)))

    @property
    def question(self) -> DiscreteLaplace:
        return DiscreteLaplace(rounded_up(self._adjacency * self.hits / (self.epsilon * (1 - self.share))))

    @property
    def spent(self) -> Fraction:
        """What these laws spend, in epsilon."""
        return 1 / self.threshold.scale + self._adjacency * self.hits / self.question.scale

    @property
    def _adjacency(self) -> int:
        """How far a count and the threshold move apart, where the answer was yes."""
        return 1 if self.one_way else 2


GRID = 2**20  # parts of a row, in which the utility of the stop is a whole number
DIGITS = 40
CHOSEN = Exponential.name


@dataclass(frozen=True)
class Picking:
    """`picks` times one of those that are left, with probability proportional to exp(rate·count).

    With a `stop`, in parts of a row, it may be picked too, and ends the picking.
    """

    picks: int
    rate: Fraction
    price: Cost
    stop: int | None = None
    name: str = CHOSEN

    def pick(self, counts: Table) -> list[int]:
        """Places among the counts, the first pick first."""
        left = list(range(len(counts)))
        utilities = [int(count) * GRID for count in counts.tolist()]
        found: list[int] = []
        while left and len(found) < self.picks:
            here = [utilities[at] for at in left] + ([] if self.stop is None else [self.stop])
            winner = exponential_race(np.ones(len(here), np.int64), here, self.rate / GRID)
            if winner == len(left):
                break
            found.append(left.pop(winner))
        return found


def picking_for(asked: object, cost: Cost, adjacency: Adjacency, picks: int, unknown: bool, most: int = 1) -> Picking:
    """The rate, and for keys that nobody declared, at most so many of one person, the stop, that a cost buys; from
    public facts alone."""
    if asked not in ("auto", CHOSEN):
        raise UnknownMechanism(
            f"the most frequent keys are chosen one after another; use mechanism={CHOSEN!r} or 'auto'.",
            mechanism=str(getattr(asked, "name", asked)),
        )
    if unknown:
        return _until_a_stop(cost, adjacency, picks, most)
    price = cost.concentrated() if isinstance(cost, Approximate) else cost
    range_ = 2 if adjacency.swap else 1  # of the log-ratio of one pick, in rates
    if isinstance(price, Pure):
        return Picking(picks, price.epsilon / (picks * range_), price)
    assert isinstance(price, Concentrated)
    return Picking(picks, root_down(8 * price.rho / picks) / range_, price)


def _until_a_stop(cost: Cost, adjacency: Adjacency, picks: int, most: int) -> Picking:
    if not isinstance(cost, Approximate):
        raise CostNotOffered(
            "keys that nobody declared come out of a choice by chance, which costs a delta; give epsilon= with delta=, "
            "e.g. epsilon=1, delta=1e-7.",
            cost=str(cost),
        )
    rate, leak = cost.epsilon / picks, cost.delta
    if adjacency.swap:  # one row goes and another comes
        rate, leak = rate / 2, cost.delta * exp_bounds(cost.epsilon / 2, DIGITS)[0] / 2  # 1/(1 + e^x) > e^-x/2
    if not 0 < leak <= rate:
        raise CostNotOffered(f"{cost} is too little for {picks} keys that nobody declared; ask for fewer.")
    stop = ceil(GRID * (1 + log_bounds(most / leak, DIGITS)[1] / rate))
    return Picking(picks, rate, cost, stop)


@dataclass(frozen=True)
class PermuteAndFlip:
    """Candidates come up in random order, and each is taken with probability exp(rate·(its utility - the best)).

    It is as private as the exponential mechanism of this rate, and never worse; not so under rho.
    """

    name: ClassVar[str] = "permute-and-flip"

    def pick(self, utilities: Sequence[int], rate: Fraction) -> int:
        """The place of a candidate. The best is always taken when it comes up, so one is."""
        best, waiting = max(utilities), list(range(len(utilities)))
        while True:
            at = waiting.pop(uniform_below(len(waiting)))
            if exp_coin(rate * (best - utilities[at])):
                return at


@dataclass(frozen=True)
class Lottery:
    """The exponential mechanism over a list of candidates."""

    name: ClassVar[str] = Exponential.name

    def pick(self, utilities: Sequence[int], rate: Fraction) -> int:
        """The place of a candidate, with probability proportional to exp(rate·utility)."""
        return exponential_race([1] * len(utilities), utilities, rate)


Picks = PermuteAndFlip | Lottery


def picks_for(asked: object, cost: Cost) -> Picks:
    """What chooses among candidates at this kind of cost: permute-and-flip in epsilon, the exponential mechanism in
    rho, of which permute-and-flip would need twice as much."""
    if asked not in ("auto", PermuteAndFlip.name, Lottery.name):
        raise UnknownMechanism(
            f"mechanism {shown(getattr(asked, 'name', asked))} is not offered for choosing among candidates; use one "
            f"of 'auto', {PermuteAndFlip.name!r}, {Lottery.name!r}.",
            mechanism=str(getattr(asked, "name", asked)),
        )
    if isinstance(cost, Pure):
        return Lottery() if asked == Lottery.name else PermuteAndFlip()
    assert isinstance(cost, Concentrated)
    if asked == PermuteAndFlip.name:
        raise CostNotOffered(
            f"mechanism {PermuteAndFlip.name!r} spends epsilon; at the price of a rho {Lottery.name!r} is better, and "
            "'auto' takes it.",
            mechanism=PermuteAndFlip.name,
            cost=str(cost),
        )
    return Lottery()
