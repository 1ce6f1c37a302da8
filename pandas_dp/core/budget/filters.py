"""What a filter of a budget has to say, and those that add up: one for each kind of cap."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Generic, TypeVar

from ...dataclass import dataclass
from ...errors import BudgetExceeded, CostNotOffered
from .cost import Concentrated, Cost, Pure, shown

S = TypeVar("S")


class Filter(ABC, Generic[S]):
    """A rule fixed by the cap alone: the answers to the charges it grants keep the cap, whoever chose them.

    A state is what was spent so far. It is exact, so it does not depend on the order of the charges, and its
    text is the same on every machine.
    """

    @abstractmethod
    def start(self) -> S:
        """Nothing was spent."""

    def resume(self, own: S | None, last: S | None) -> S:
        """The state that the next charge meets, after the last one of its own period and the last of all."""
        return self.start() if last is None else last

    @abstractmethod
    def after(self, state: S, price: Cost) -> S:
        """The state with one more charge, granted or not; CostNotOffered for a kind this cap cannot count."""

    @abstractmethod
    def admits(self, state: S) -> bool:
        """Whether the cap covers this state."""

    @abstractmethod
    def left(self, state: S) -> Cost:
        """The largest charge in the cap's own currency that would still be granted."""

    @abstractmethod
    def used(self, state: S) -> float:
        """The share of the cap that was spent, from 0 to 1."""

    @abstractmethod
    def refusal(self, state: S, price: Cost) -> BudgetExceeded:
        """The advice to someone whose charge does not fit."""

    @abstractmethod
    def write(self, state: S) -> str: ...

    @abstractmethod
    def read(self, text: str) -> S: ...

    @abstractmethod
    def to_text(self) -> str:
        """Everything that was fixed at opening; a ledger file keeps it."""


def too_much(
    name: str, asked: Fraction, left: Fraction, cap: Fraction, of: str = "", words: str = ""
) -> BudgetExceeded:
    """The refusal of a charge. What is left is shown as it can be typed: rounded down, so that it is granted."""
    room = round_down(left, 12)
    remainder = f"only {name}={shown(room)}" if room else "nothing"
    return BudgetExceeded(
        f"asked for {words or f'{name}={shown(asked)}'}, but {remainder} of {of or f'{name}={shown(cap)}'} is left.",
        asked=float(asked),
        left=float(room),
        cap=float(cap),
    )


def round_down(value: Fraction, digits: int) -> Fraction:
    """The largest decimal of that many digits that does not exceed the value."""
    context = Context(prec=digits, rounding=ROUND_FLOOR)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


SET_ASIDE = Fraction(1, 10)  # of delta, for releases with a delta of their own


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
