"""What a perturbation of counts has to say: its laws, and the exact price of all of them together.

One person moves each count by at most one, and so many counts at once. The price follows from the laws, delta too:
docs/proofs/core/perturbations.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ...errors import CostNotOffered, UnsupportedArgument, shown
from ..arguments import is_whole
from ..arrays import Table
from ..budget.cost import Approximate, Cost, Pure
from .bounded import WIDEST, Bounded
from .mechanism import Law, noisy, rounded_up
from .samplers.bounded import bounded

LEAST = Fraction(1, 10**60)  # deltas below are charged as this: ledgers hold numbers of at most 100 digits
MOST = WIDEST  # beyond, truncation changes nothing


@dataclass(frozen=True)
class Moved:
    """How many counts of a table one person moves by one, and the table's share of epsilon."""

    counts: int
    share: Fraction


@dataclass(frozen=True)
class Fitted:
    """The law for each table, and what they cost together."""

    laws: tuple[Law, ...]
    price: Cost


class Perturbation(ABC):
    """Noise for counts alone, known by its name or made with parameters: `mechanism=TruncatedLaplace(m=7)`."""

    name: ClassVar[str]
    known: ClassVar[dict[str, type[Perturbation]]] = {}
    additive: ClassVar[bool] = True  # whether its noise does not depend on the count, so that sums have a law too

    def __init_subclass__(cls) -> None:
        if "name" in cls.__dict__:
            Perturbation.known[cls.name] = cls

    @abstractmethod
    def fit(self, tables: Sequence[Moved], cost: Cost, given: bool) -> Fitted:
        """Calibrate to the cost, which the user gave or (not `given`) is the session's share; refuse by name."""

    @abstractmethod
    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table: ...


class BoundedPerturbation(Perturbation):
    """Exact noise on −m … m: pure in epsilon except with probability delta, that of an end of the range."""

    m: int | None

    def __post_init__(self) -> None:
        m = self.m
        if m is not None and (not is_whole(m) or not 1 <= m <= MOST):
            raise UnsupportedArgument(
                f"m of {type(self).__name__} must be a whole number from 1 to {MOST:,}, not {shown(m)}.", m=m
            )

    def fit(self, tables: Sequence[Moved], cost: Cost, given: bool) -> Fitted:
        """All laws on −m … m; without m, the least range that keeps the cost's delta."""
        if not isinstance(cost, Pure | Approximate):
            raise CostNotOffered(
                f"mechanism {self.name!r} cannot spend {cost}; it takes epsilon, and a delta for its ends.",
                mechanism=self.name,
            )
        if self.m is not None:
            return self._priced(tables, self._of_range(tables, cost, self.m), cost)
        if isinstance(cost, Pure):
            raise CostNotOffered(
                f"mechanism {self.name!r} needs a range or the delta that its ends may cost; give delta=, or pass "
                f"mechanism={type(self).__name__}(m=10).",
                mechanism=self.name,
            )
        return self._least_range(tables, cost)

    def add_noise(self, exact: Table, laws: tuple[Law, ...]) -> Table:
        return noisy(exact, laws, _draws)

    def _of_range(self, tables: Sequence[Moved], cost: Pure | Approximate, m: int) -> list[Bounded]:
        return [self.law(cost.epsilon * table.share / table.counts, m) for table in tables]

    def _least_range(self, tables: Sequence[Moved], cost: Approximate) -> Fitted:
        low, high = 0, 1
        while (most := joint_delta(tables, self._of_range(tables, cost, high))) > cost.delta:
            if high >= MOST:
                raise CostNotOffered(
                    f"{cost} is too little for mechanism {self.name!r} within ±{MOST:,}, which would cost "
                    f"delta={float(most):.3g}; give more, or use 'laplace'.",
                    mechanism=self.name,
                )
            low, high = high, min(2 * high, MOST)
        while high - low > 1:
            middle = (low + high) // 2
            fits = joint_delta(tables, self._of_range(tables, cost, middle)) <= cost.delta
            low, high = (low, middle) if fits else (middle, high)
        return self._priced(tables, self._of_range(tables, cost, high), cost)

    def _priced(self, tables: Sequence[Moved], laws: Sequence[Bounded], cost: Pure | Approximate) -> Fitted:
        delta = joint_delta(tables, laws)
        if isinstance(cost, Approximate) and delta > cost.delta:
            raise CostNotOffered(
                f"mechanism {self!r} costs delta={float(delta):.3g}, more than the delta={float(cost.delta):.3g} "
                "asked for; widen its range, or omit m= to have it chosen.",
                mechanism=self.name,
            )
        return Fitted(tuple(laws), Approximate(cost.epsilon, delta))

    @abstractmethod
    def law(self, epsilon: Fraction, m: int) -> Bounded:
        """The law for one count that keeps epsilon, but for its ends."""


def _draws(law: Law, count: int) -> Table:
    assert isinstance(law, Bounded)
    return bounded(law.energies, count)


def joint_delta(tables: Sequence[Moved], laws: Sequence[Bounded]) -> Fraction:
    """1 − Π(1 − p)^d: the probability that one of the counts a person moves falls on an end; rounded up."""
    kept = Fraction(1)
    for table, law in zip(tables, laws, strict=True):
        kept *= (1 - law.most_at_the_end) ** table.counts
    return min(max(rounded_up(1 - kept), LEAST), Fraction(1) - Fraction(1, 2**60))
