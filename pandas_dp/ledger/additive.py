"""Caps whose charges simply add: epsilon under an epsilon cap, rho under a rho cap."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from ..cost import Concentrated, Cost, Pure
from ..errors import BudgetExceeded, CostNotOffered
from .filter import Filter, too_much


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
