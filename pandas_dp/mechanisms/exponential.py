"""The exponential mechanism over a public grid: how quantiles are chosen. Proof: docs/proofs/choice.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil, log
from typing import Any, ClassVar

import numpy as np

from ..cost import Concentrated, Cost, Pure
from ..dataclass import dataclass
from ..noise import Far, exponential_race, uniform_below
from ..tally import Candidates, Ladder, Norm, Ranks
from .mechanism import root_down

Column = np.ndarray[Any, Any]
SMALL = 2**62  # products up to here fit in int64
BEYOND = 3.0  # all points beyond the data together weigh e^-3 of one inside, where the least and the greatest aim
SD_OF_LAPLACE = Fraction(99, 70)  # the root of 2, from above
FAR = 40.0  # points so far off that together they weigh e^-40 of the best are listed only if one of them wins


@dataclass(frozen=True)
class Exponential:
    """A grid point c is chosen with probability proportional to exp(rate·utility(c)), exactly."""

    name: ClassVar[str] = "exponential"

    def spends(self, cost: Cost) -> bool:
        return isinstance(cost, Pure | Concentrated)

    def norm(self, cost: Cost) -> Norm:
        return 1 if isinstance(cost, Pure) else 2

    def rate(self, reach: Fraction, cost: Cost) -> Fraction:
        """epsilon/(2·reach); or sqrt(2·rho)/reach, as the log-ratio of such a choice has a range of 2·rate·reach."""
        if isinstance(cost, Pure):
            return cost.epsilon / (2 * reach)
        assert isinstance(cost, Concentrated)
        return root_down(2 * cost.rho / reach)  # `reach` is squared in this norm

    def spent(self, rate: Fraction, reach: Fraction, norm: Norm) -> Fraction:
        """The cost, in epsilon (norm 1) or rho, computed from the rate: the inverse of `rate`."""
        return 2 * rate * reach if norm == 1 else rate**2 * reach / 2

    def aimed(self, tally: Ranks, rate: Fraction) -> Ranks:
        """An end of the data, aimed so far inside that the points beyond it hardly weigh anything."""
        return replace(tally, inset=ceil((log(tally.points) + BEYOND) / float(rate))) if tally.inset else tally

    def left_outside(self, tally: Candidates, rate: Fraction, cost: Cost) -> Candidates:
        """As many rows beyond the end as balance the noise of what follows, and two more for the noise of the choice.

        A sum of values up to c has noise of kappa·c; one row more beyond c is worth as much where there are kappa.
        """
        if isinstance(cost, Pure):
            kappa = SD_OF_LAPLACE / (tally.later * cost.epsilon)
        else:
            assert isinstance(cost, Concentrated)
            kappa = 1 / root_down(2 * tally.later * cost.rho)
        return replace(tally, outside=Fraction(ceil(2 * (kappa + 2 / rate)), 2))

    def pick(self, tally: Candidates, rate: Fraction, counts: Column) -> int:
        """The place of a candidate."""
        return exponential_race(tally.prior, tally.utilities(counts), rate / tally.unit)

    def depth(self, tally: Ranks, rate: Fraction) -> int:
        """How many ranks around the wanted one have to be looked at."""
        return ceil((log(tally.points) + FAR) / float(rate)) + 1

    def choose(self, tally: Ranks, rate: Fraction, near: Ladder, full: Callable[[], Ladder]) -> int:
        """A position on the grid. `full` looks at every row; it is called almost never."""
        steps = tally.points
        listed = Rungs.of(near, tally, near.start, near.stop)
        outside: list[Rungs] = []

        def listing() -> tuple[Column, Column]:
            if not outside:
                ladder = full()
                outside.append(Rungs.of(ladder, tally, 0, near.start))
                outside.append(Rungs.of(ladder, tally, near.stop, steps))
            both = Rungs.joined(outside)
            return both.counts, both.utilities

        far = None
        if near.stop - near.start < steps:
            best = _best_outside(near, tally, steps)
            far = Far(steps - (near.stop - near.start), best, listing)
        place = exponential_race(listed.counts, listed.utilities, rate / tally.unit, far)
        rungs = Rungs.joined([listed, *outside]) if outside else listed
        return int(rungs.starts[place]) + uniform_below(int(rungs.counts[place]))


@dataclass(frozen=True)
class Rungs:
    """Runs of grid points of equal utility; utilities are in parts of the tally's unit."""

    starts: Column
    counts: Column
    utilities: Column

    @classmethod
    def of(cls, ladder: Ladder, tally: Ranks, start: int, stop: int) -> Rungs:
        """The points of [start, stop), by the rows that the ladder holds."""
        first, last = np.searchsorted(ladder.values, [start, stop])
        values = ladder.values[first:last]
        under = ladder.below + np.concatenate([[0], ladder.ends])[first : last + 1]  # rows below each gap
        wanted, unit = int(tally.target(ladder.rows) * tally.unit), tally.unit
        if unit * (ladder.rows + 1) >= SMALL:
            under = under.astype(object)
        gap_starts, gap_ends = np.concatenate([[start], values + 1]), np.concatenate([values, [stop]])
        at = -np.maximum(0, np.maximum(wanted - unit * under[1:], unit * under[:-1] - wanted))
        starts = np.concatenate([gap_starts, values])
        counts = np.concatenate([gap_ends - gap_starts, np.ones_like(values)])
        utilities = np.concatenate([-np.abs(wanted - unit * under), at])
        there = counts > 0  # neighbouring values leave a gap of no points, whose utility nobody has
        return cls(starts[there], counts[there], utilities[there])

    @classmethod
    def joined(cls, parts: list[Rungs]) -> Rungs:
        return cls(
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.utilities for part in parts]),
        )


def _best_outside(ladder: Ladder, tally: Ranks, steps: int) -> int:
    wanted, unit = int(tally.target(ladder.rows) * tally.unit), tally.unit
    through = ladder.below + ladder.inside
    below = -max(0, wanted - unit * ladder.below) if ladder.start > 0 else None
    above = -max(0, unit * through - wanted) if ladder.stop < steps else None
    return max(u for u in (below, above) if u is not None)
