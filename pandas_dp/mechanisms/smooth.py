"""Noise around a value of given rank, scaled to its smooth sensitivity. Proof: docs/proofs/smooth.md."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, floor, log, sqrt
from typing import ClassVar

from scipy.special import stdtrit

from ..cost import Approximate, Concentrated, Cost, Pure
from ..dataclass import dataclass
from ..errors import CostNotOffered
from ..noise import Exponentials, Shape, Student, rounded_draw
from ..tally import Ladder, Ranks
from . import constants
from .mechanism import root_down
from .smooth_sensitivity import SMOOTHER, Value, depth_of, smooth_value

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

    def depth(self, tally: Ranks) -> int:
        """How many ranks around the wanted one have to be looked at."""
        return depth_of(tally.points, float(self.beta))

    def draw(self, tally: Ranks, ladder: Ladder) -> int:
        """A position on the grid."""
        value = self.value(tally, ladder)
        return rounded_draw(self.shape, value.position, self.factor * value.bound, 0, tally.points - 1)

    def value(self, tally: Ranks, ladder: Ladder) -> Value:
        """The exact position, and the bound on its smooth sensitivity."""
        return smooth_value(ladder, tally.rank(ladder.rows), tally.points, float(self.beta))

    def width(self, rank: int, rows: int | None) -> float:
        """The 95 % half width on evenly spaced rows, in their distance: what mechanisms are compared by beforehand."""
        quantile = log(20)
        if isinstance(self.shape, Student):
            quantile = float(stdtrit(self.shape.freedom, 0.975)) / sqrt(self.shape.freedom)
        return quantile * float(self.factor) * _reference(float(self.beta), rank, rows)


def smooth_for(name: str, cost: Cost, tally: Ranks, size: int | None) -> Smooth:
    """The mechanism of that name that is best on the reference population, chosen by public facts alone.

    cost: what one cell may spend. size: the number of its rows, where it is public.
    """
    epsilon, delta = _spendable(name, cost)
    rank = None if size is None else tally.rank(size)
    return _best(name, min(epsilon, MOST), delta, rank, size)


def beats_choice(cost: Cost, tally: Ranks, size: int | None) -> bool:
    """Whether `auto` takes smooth noise and not the exponential mechanism: see docs/decisions/032-auto-quantiles.md.

    The ends of the range have to be so many rows away that, whatever the rows are, they add less than a step.
    """
    if not isinstance(cost, Pure) or cost.epsilon < SHARP or not size or tally.quantile in (0, 1):
        return False
    rank = tally.rank(size)
    outside = min(rank, size + 1 - rank)
    return float(smooth_for("smooth", cost, tally, size).beta) * (outside - 1) >= log(tally.points)


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
            factor = constants.laplace(epsilon, delta, beta + SMOOTHER)
            if factor:
                yield Smooth("laplace", Exponentials(), beta, factor)
        return
    for freedom in {"cauchy": (1,), "student": (2, 3)}.get(name, (1, 2, 3)):
        for part in range(1, PARTS):
            beta = epsilon / freedom * part / PARTS
            factor = constants.student(freedom, epsilon, beta + SMOOTHER)
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
