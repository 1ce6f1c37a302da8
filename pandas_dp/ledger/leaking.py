"""The filter of a cap of rho with a delta: rhos add, and so do the deltas of releases that may leak."""

from __future__ import annotations

import json
from fractions import Fraction

from ..cost import Concentrated, Cost
from ..dataclass import dataclass
from ..errors import BudgetExceeded
from .filter import Filter, too_much


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
