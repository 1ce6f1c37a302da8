"""How far one person may move a value of given rank, smoothed over neighbours. Proof: docs/proofs/core/smooth.md.

With x_i the i-th smallest position, every x_i below the first at the low end of the grid and above the last at the high
end, the smooth sensitivity of x_r is S = max over a <= r <= b, a < b, of (x_b − x_a)·exp(−beta·(b − a − 1)).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, floor, log, log1p, sqrt
from typing import Any, ClassVar

import numpy as np
from scipy.special import stdtrit

from ..core.budget.conversion import MARGIN, PRECISE
from ..core.budget.cost import Approximate, Concentrated, Cost, Pure
from ..core.noise.choice import NearRank
from ..core.noise.mechanism import root_down, rounded_up
from ..core.noise.samplers.shapes import Exponentials, Shape, Student, rounded_draw
from ..errors import CostNotOffered
from .measure import Ranks

Column = np.ndarray[Any, Any]

FLOOR = Fraction(1, 2**20)  # of a step of the grid: less is not distinguished from this
EXCESS = Fraction(1, 2**36)  # by which a bound may exceed the smooth sensitivity, relatively; float64 errs by far less
SMOOTHER = 2 * EXCESS  # what that adds to beta, and more


@dataclass(frozen=True)
class SmoothValue:
    """A position of given rank among a cell's rows, and a bound on its smooth sensitivity."""

    position: int
    bound: Fraction


def depth_of(points: int, beta: float) -> int:
    """Windows that reach so many ranks away from the wanted one are worth less than FLOOR."""
    return ceil(log(points / FLOOR) / beta) + 4


def smooth_value(near_rank: NearRank, rank: int, points: int, beta: float) -> SmoothValue:
    """The position at a rank, and B with max(S, FLOOR) <= B <= max(S, FLOOR)·(1 + 2·EXCESS).

    The ladder holds all rows within `depth_of(points, beta)` of the rank. The bound is (beta + SMOOTHER)-smooth.
    """
    at, depth = rank - near_rank.below - 1, depth_of(points, beta)
    first, last = max(at - depth, 0), min(at + depth + 1, near_rank.inside)  # ties may go on much farther
    low_end = [0] if first == near_rank.start == 0 else []
    high_end = [points - 1] if last == near_rank.inside and near_rank.stop == points else []
    order = np.concatenate(
        [np.array(low_end, np.int64), near_rank.positions(first, last), np.array(high_end, np.int64)]
    )
    place = at - first + len(low_end)
    position = int(order[place])
    below, above = position - order[place::-1], order[place:] - position
    found = two_sided(below, above, beta, max(one_sided(below, beta), one_sided(above, beta)))
    return SmoothValue(position, max(Fraction(found) * (1 + EXCESS), FLOOR))


def one_sided(away: Column, beta: float) -> float:
    """The largest away[j]·exp(−beta·(j − 1)), j > 0."""
    return float((away[1:] * np.exp(-beta * np.arange(len(away) - 1))).max(initial=0.0))


def two_sided(below: Column, above: Column, beta: float, best: float) -> float:
    """The largest (below[i] + above[j])·exp(−beta·(i + j − 1)) of all i, j > 0, or the best one-sided one.

    To exceed that, i and j must have exp(−beta·i) + exp(−beta·j) > 1: the smaller one is at most ln 2/beta, the other
    at most −ln(1 − exp(−beta))/beta.
    """
    if beta >= log(2):
        return best
    nearer, farther = int(log(2) / beta) + 2, int(-log1p(-exp(-beta)) / beta) + 2
    best = _joint(below[:nearer], above[:farther], beta, best)
    return _joint(above[:nearer], below[:farther], beta, best)


def _joint(near: Column, far: Column, beta: float, best: float) -> float:
    """The best of all pairs: as one side grows its best partner on the other comes nearer, so halving finds it."""
    weights = np.exp(-beta * np.arange(len(far)))
    waiting = [(1, len(near), 1, len(far))]
    while waiting:
        low, high, first, last = waiting.pop()
        if low >= high or first >= last:
            continue
        if (near[high - 1] + far[last - 1]) * weights[first] * np.exp(-beta * (low - 1)) <= best:
            continue
        i = (low + high) // 2
        worth = (near[i] + far[first:last]) * weights[first:last]
        j = first + int(worth.argmax())
        best = max(best, float(worth[j - first] * np.exp(-beta * (i - 1))))
        waiting += [(low, i, j, last), (i + 1, high, first, j + 1)]
    return best


NEAR = Decimal("1e-6")  # next to 1 an inverse hyperbolic cosine would lose digits


def student(freedom: int, epsilon: Fraction, beta: Fraction) -> Fraction:
    """For pure epsilon and Student's t over the root of its degrees of freedom; 0 < beta < epsilon/freedom.

    Examples
    --------
    >>> round(float(student(1, Fraction(1), Fraction(1, 2))), 6)  # Cauchy's law
    0.959517
    """
    if not 0 < beta < epsilon / freedom:
        raise ValueError(f"beta must lie between 0 and epsilon/{freedom}, not at {beta}.")
    with localcontext(PRECISE):
        rate, b, d = _decimal(epsilon), _decimal(beta), Decimal(freedom)
        theta = (2 * rate - (d - 1) * b) / (d + 1)
        sliding = 2 * _sinh(rate / (d + 1)) ** 2
        both = b.exp() * 2 * _sinh((theta + b) / 2) * _sinh((theta - b) / 2)
        return _up(1 / (2 * min(sliding, both)).sqrt())


def laplace(epsilon: Fraction, delta: Fraction, beta: Fraction) -> Fraction | None:
    """For (epsilon, delta) and Laplace's law; None where beta is too large for it.

    Examples
    --------
    >>> round(float(laplace(Fraction(1), Fraction(1, 10**6), Fraction(34462, 10**6))), 4)
    1.4429
    """
    if not 0 < beta < epsilon:
        return None
    with localcontext(PRECISE):
        rate, b = _decimal(epsilon), _decimal(beta)
        growth = b.exp() - 1
        room = _decimal(delta) / (1 - (-b).exp()) * ((rate + b) / growth).exp()
        if room <= 1 + NEAR:
            return None
        tails = 1 / (growth * (room + (room * room - 1).sqrt()).ln())
        return _up(max(1 / rate, (-b).exp() / (rate - b), tails))


def _sinh(x: Decimal) -> Decimal:
    return (x.exp() - (-x).exp()) / 2


def _decimal(value: Fraction) -> Decimal:
    return PRECISE.divide(Decimal(value.numerator), Decimal(value.denominator))


def _up(value: Decimal) -> Fraction:
    """No smaller, whatever the fifty digits lost."""
    return rounded_up(Fraction(value) * Fraction(1 + MARGIN))


LEAST, MOST = Fraction(1, 10**6), Fraction(100)  # less epsilon is refused; of more, this much is used
SHARP = 5  # from this epsilon on noise is narrower than a rank
PARTS = 16  # into so many parts the possible range of beta is cut, to choose from
NEARLY = 1.05  # times the least width is as good
SPREAD = 10  # the reference population lies in a tenth of the declared range


@dataclass(frozen=True)
class Smooth:
    """A position x_r gets noise of scale `factor` times the smooth sensitivity at `beta`, and is rounded to the grid.

    The scale is a function of the data. It is neither published nor kept: labels and plans hold only what is here.
    """

    name: str
    shape: Shape
    beta: Fraction
    factor: Fraction
    scale_is_public: ClassVar[bool] = False

    def depth(self, measurement: Ranks) -> int:
        """How many ranks around the wanted one have to be looked at."""
        return depth_of(measurement.points, float(self.beta))

    def draw(self, measurement: Ranks, near_rank: NearRank) -> int:
        """A position on the grid."""
        value = self.value(measurement, near_rank)
        return rounded_draw(self.shape, value.position, self.factor * value.bound, 0, measurement.points - 1)

    def value(self, measurement: Ranks, near_rank: NearRank) -> SmoothValue:
        """The exact position, and the bound on its smooth sensitivity."""
        return smooth_value(near_rank, measurement.rank(near_rank.rows), measurement.points, float(self.beta))

    def width(self, rank: int, rows: int | None) -> float:
        """The 95 % half width on evenly spaced rows, in their distance: what mechanisms are compared by beforehand."""
        quantile = log(20)
        if isinstance(self.shape, Student):
            quantile = float(stdtrit(self.shape.freedom, 0.975)) / sqrt(self.shape.freedom)
        return quantile * float(self.factor) * _reference(float(self.beta), rank, rows)


def smooth_for(name: str, cost: Cost, measurement: Ranks, size: int | None) -> Smooth:
    """The mechanism of that name that is best on the reference population, chosen by public facts alone.

    cost: what one cell may spend. size: the number of its rows, where it is public.
    """
    epsilon, delta = _spendable(name, cost)
    rank = None if size is None else measurement.rank(size)
    return _best(name, min(epsilon, MOST), delta, rank, size)


def beats_choice(cost: Pure, measurement: Ranks, size: int | None) -> bool:
    """Whether `auto` takes smooth noise and not the exponential mechanism, under an epsilon alone: see
    docs/proofs/quantiles/032-auto-quantiles.md.

    The ends of the range have to be so many rows away that, whatever the rows are, they add less than a step.
    """
    if cost.epsilon < SHARP or not size or measurement.quantile in (0, 1):
        return False
    rank = measurement.rank(size)
    outside = min(rank, size + 1 - rank)
    return float(smooth_for("smooth", cost, measurement, size).beta) * (outside - 1) >= log(measurement.points)


@lru_cache(maxsize=1024)
def _best(name: str, epsilon: Fraction, delta: Fraction, rank: int | None, rows: int | None) -> Smooth:
    """Among those that are nearly best, the one with the largest beta: it is best where rows are tied."""
    widths = {each: each.width(rank or 0, rows) for each in _candidates(name, epsilon, delta)}
    least = min(widths.values())
    return max((each for each, width in widths.items() if width <= NEARLY * least), key=lambda each: each.beta)


def _candidates(name: str, epsilon: Fraction, delta: Fraction) -> Iterator[Smooth]:
    """Noise is calibrated to a bound that is a little less smooth than the sensitivity itself."""
    if delta:
        most = epsilon / ceil(2 * log(2 / delta))  # the rule of Nissim, Raskhodnikova and Smith, or near
        for part in range(1, 2 * PARTS + 1):
            beta = most * part / PARTS
            factor = laplace(epsilon, delta, beta + SMOOTHER)
            if factor:
                yield Smooth("laplace", Exponentials(), beta, factor)
        return
    for freedom in {"cauchy": (1,), "student": (2, 3)}.get(name, (1, 2, 3)):
        for part in range(1, PARTS):
            beta = epsilon / freedom * part / PARTS
            factor = student(freedom, epsilon, beta + SMOOTHER)
            yield Smooth("cauchy" if freedom == 1 else "student", Student(freedom), beta, factor)


def _reference(beta: float, rank: int, rows: int | None) -> float:
    """The smooth sensitivity of rows at distance one from each other, amid a range that is so much wider."""
    peak = max(1 / beta - 1, 0)
    within = max((1 + k) * exp(-beta * k) for k in (floor(peak), ceil(peak)))
    if rows is None:
        return within
    outside = max(min(rank, rows + 1 - rank), 1)  # so many rows away the window reaches the end of the range
    return max(within, SPREAD * max(rows, 1) / 2 * exp(-beta * (outside - 1)))


def _spendable(name: str, cost: Cost) -> tuple[Fraction, Fraction]:
    """Epsilon and delta, from the cost of one value; rho is spent as the epsilon whose square is twice as much."""
    delta = cost.delta if isinstance(cost, Approximate) else Fraction(0)
    refused = None
    if delta and name not in ("smooth", "laplace"):
        refused = f"mechanism {name!r} cannot spend {cost}; leave delta out, or use 'laplace'."
    if not delta and name == "laplace":
        refused = (
            f"mechanism 'laplace' cannot spend {cost} on quantiles: their smooth sensitivity needs a delta. "
            "Give epsilon with delta, or use 'cauchy' or 'student'."
        )
    epsilon = root_down(2 * cost.rho) if isinstance(cost, Concentrated) else cost.at_infinity or Fraction(0)
    if not refused and epsilon < LEAST:
        least = f"needs at least {Pure(LEAST)} for each value, not {cost}"
        refused = f"mechanism {name!r} {least}; give more, or use 'auto'."
    if refused:
        raise CostNotOffered(refused, mechanism=name, cost=str(cost))
    return epsilon, delta
