"""One filter for each kind of cap, and one for caps by period."""

from __future__ import annotations

import json
from abc import abstractmethod
from fractions import Fraction
from typing import Any

from ...dataclass import dataclass
from ...errors import BudgetExceeded, CostNotOffered
from .cost import Approximate, Concentrated, Cost, Pure
from .periods import PeriodFilter, Terms
from .renyi import SET_ASIDE, Filter, RenyiFilter, too_much


class AdditiveFilter(Filter[Fraction]):
    """A sum that may reach the cap and not exceed it."""

    total: Fraction

    @abstractmethod
    def count(self, price: Cost) -> Fraction:
        """What a charge adds to the sum."""

    def start(self) -> Fraction:
        return Fraction(0)

    def after(self, state: Fraction, price: Cost) -> Fraction:
        return state + self.count(price)

    def admits(self, state: Fraction) -> bool:
        return state <= self.total

    def used(self, state: Fraction) -> float:
        return float(state / self.total)

    def write(self, state: Fraction) -> str:
        return str(state)

    def read(self, text: str) -> Fraction:
        return Fraction(text)


class PureFilter(AdditiveFilter):
    """Epsilons add: the answers together are epsilon-DP with the cap's epsilon."""

    def __init__(self, cap: Pure) -> None:
        self.cap = cap
        self.total = cap.epsilon

    def count(self, price: Cost) -> Fraction:
        if price.aside or price.at_infinity is None:
            raise CostNotOffered(
                f"a session with the cap {self.cap} takes epsilon alone, not {price}; "
                "ask with epsilon=, or open the session with epsilon and delta.",
                price=str(price),
            )
        return price.at_infinity

    def left(self, state: Fraction) -> Pure:
        return Pure(self.total - state)

    def refusal(self, state: Fraction, price: Cost) -> BudgetExceeded:
        asked = self.count(price)
        return too_much("epsilon", asked, self.total - state, self.total)

    def to_text(self) -> str:
        return "sum of epsilon"


class ConcentratedFilter(AdditiveFilter):
    """Rhos add, an epsilon counting as epsilon²/2: the answers together are rho-zCDP with the cap's rho."""

    def __init__(self, cap: Concentrated) -> None:
        self.cap = cap
        self.total = cap.rho

    def count(self, price: Cost) -> Fraction:
        if price.aside:
            raise CostNotOffered(
                f"a session with the cap {self.cap} takes rho, or epsilon alone, not {price}; "
                "ask with rho=, or open the session with a delta.",
                price=str(price),
            )
        return price.as_rho.rho

    def left(self, state: Fraction) -> Concentrated:
        return Concentrated(self.total - state)

    def refusal(self, state: Fraction, price: Cost) -> BudgetExceeded:
        asked = price.as_rho
        words = "" if price == asked else f"{price}, which costs {asked}"
        return too_much("rho", asked.rho, self.total - state, self.total, words=words)

    def to_text(self) -> str:
        return "sum of rho"


@dataclass(frozen=True)
class Leaked:
    """What was spent: rho, and the probability of a leak."""

    rho: Fraction
    delta: Fraction


class LeakingFilter(Filter[Leaked]):
    """The answers together are rho-zCDP with the cap's rho, outside of a leak of the cap's delta."""

    def __init__(self, cap: Concentrated) -> None:
        self.cap = cap

    def start(self) -> Leaked:
        return Leaked(Fraction(0), Fraction(0))

    def after(self, state: Leaked, price: Cost) -> Leaked:
        counted = price.as_rho
        return Leaked(state.rho + counted.rho, state.delta + counted.delta)

    def admits(self, state: Leaked) -> bool:
        return state.rho <= self.cap.rho and state.delta <= self.cap.delta

    def left(self, state: Leaked) -> Concentrated:
        return Concentrated(max(Fraction(0), self.cap.rho - state.rho), max(Fraction(0), self.cap.delta - state.delta))

    def used(self, state: Leaked) -> float:
        """The larger share: either can be what is spent first."""
        return min(1.0, float(max(state.rho / self.cap.rho, state.delta / self.cap.delta)))

    def refusal(self, state: Leaked, price: Cost) -> BudgetExceeded:
        asked, left = price.as_rho, self.left(state)
        if asked.rho > left.rho:
            words = "" if price == asked else f"{price}, which costs {asked}"
            return too_much("rho", asked.rho, left.rho, self.cap.rho, words=words)
        return too_much("delta", asked.delta, left.delta, self.cap.delta)

    def write(self, state: Leaked) -> str:
        return json.dumps([str(state.rho), str(state.delta)], separators=(",", ":"))

    def read(self, text: str) -> Leaked:
        rho, delta = json.loads(text)
        return Leaked(Fraction(rho), Fraction(delta))

    def to_text(self) -> str:
        return "sums of rho and of delta"


KINDS: dict[type[Cost], Any] = {Pure: PureFilter, Concentrated: ConcentratedFilter}


def filter_for(cap: Cost, aside: Fraction = SET_ASIDE) -> Filter[Any]:
    """The filter of a cap; of its delta, if it has one, the share `aside` is kept for prices without a curve.

    Examples
    --------
    >>> from pandas_dp.core.budget.cost import parse
    >>> rule = filter_for(parse(epsilon=3))
    >>> print(rule.left(rule.after(rule.start(), parse(epsilon=0.5))))
    epsilon=2.5
    """
    if not any((cap.aside, cap.at_infinity is None, cap.at_infinity)):
        raise CostNotOffered("a session needs a cap above zero.")
    if isinstance(cap, Approximate):
        return RenyiFilter(cap, aside)
    if isinstance(cap, Concentrated) and cap.delta:
        return LeakingFilter(cap)
    chosen: Filter[Any] = KINDS[type(cap)](cap)
    return chosen


def filter_of(terms: Terms) -> Filter[Any]:
    """The filter of these terms."""
    within = filter_for(terms.cap, terms.aside)
    if terms.period is None:
        return within
    return PeriodFilter(within, None if terms.overall is None else filter_for(terms.overall, terms.aside))
